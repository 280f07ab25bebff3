#include "learn/sampled_games.h"

#include <algorithm>

namespace selfmate {
namespace {

// Appends row `row` of flat values with offsets to others.
template <class From, class To>
void append_row(const std::vector<From>& values, const std::vector<std::int64_t>& offsets,
                std::size_t row, std::vector<To>& to) {
  for (auto i = std::size_t(offsets[row]); i < std::size_t(offsets[row + 1]); ++i)
    to.push_back(To(values[i]));
}

template <class T>
void end_row(const std::vector<T>& values, std::vector<std::int64_t>& offsets) {
  offsets.push_back(std::int64_t(values.size()));
}

}  // namespace

void CandidateBatch::clear() {
  position_columns.clear();
  position_values.clear();
  is_white.clear();
  move_columns.clear();
  for (auto* row_offsets : {&position_offsets, &offsets, &move_offsets}) row_offsets->assign(1, 0);
}

void CandidateBatch::add(PositionEncoding encoding, const Position& position,
                         std::span<const Move> moves) {
  const PositionInputs inputs = position_inputs(encoding, position);
  position_columns.insert(position_columns.end(), inputs.columns.begin(),
                          inputs.columns.begin() + inputs.size);
  position_values.insert(position_values.end(), inputs.values.begin(),
                         inputs.values.begin() + inputs.size);
  end_row(position_columns, position_offsets);
  is_white.push_back(position.turn() == kWhite);
  for (const Move move : moves) {
    const MoveInputs of_move = move_inputs(encoding, position, move);
    move_columns.insert(move_columns.end(), of_move.columns.begin(),
                        of_move.columns.begin() + of_move.size);
    end_row(move_columns, move_offsets);
  }
  offsets.push_back(std::int64_t(this->moves()));
}

void CandidateBatch::add(const SampledGames& games, std::size_t ply) {
  append_row(games.position_columns, games.position_offsets, ply, position_columns);
  append_row(games.position_values, games.position_offsets, ply, position_values);
  end_row(position_columns, position_offsets);
  is_white.push_back(games.is_white[ply]);
  for (auto move = std::size_t(games.legal_offsets[ply]);
       move < std::size_t(games.legal_offsets[ply + 1]); ++move) {
    append_row(games.move_columns, games.move_offsets, move, move_columns);
    end_row(move_columns, move_offsets);
  }
  offsets.push_back(std::int64_t(moves()));
}

bool CandidateBatch::gives_check(std::size_t move) const {
  const auto begin = move_columns.begin() + move_offsets[move];
  const auto end = move_columns.begin() + move_offsets[move + 1];
  return std::find(begin, end, kCheckColumn) != end;
}

void SampledGames::add_inputs(const CandidateBatch& batch, std::size_t row) {
  append_row(batch.position_columns, batch.position_offsets, row, position_columns);
  append_row(batch.position_values, batch.position_offsets, row, position_values);
  end_row(position_columns, position_offsets);
  is_white.push_back(batch.is_white[row]);
  for (auto move = std::size_t(batch.offsets[row]); move < std::size_t(batch.offsets[row + 1]);
       ++move) {
    append_row(batch.move_columns, batch.move_offsets, move, move_columns);
    end_row(move_columns, move_offsets);
  }
  legal_offsets.push_back(std::int64_t(move_offsets.size() - 1));
}

}  // namespace selfmate
