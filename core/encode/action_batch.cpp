#include "encode/action_batch.h"

#include <algorithm>

#include "encode/features.h"

namespace selfmate {
namespace {

[[noreturn]] void refuse(std::size_t game, const std::string& what, const Position& position) {
  throw BadInput("game " + std::to_string(game) + ": " + what + " is not legal in " +
                 to_fen(position));
}

}  // namespace

Ragged<std::int32_t> legal_actions(ActionEncoding encoding, Games games, int threads) {
  Ragged<std::int32_t> ragged;
  ragged.offsets = row_offsets(
      games, threads, [&](const Position& position) { return count_actions(encoding, position); });
  ragged.values.resize(std::size_t(ragged.offsets.back()));
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    list_actions(encoding, game.position(), ragged.values.data() + ragged.offsets[i]);
  });
  return ragged;
}

void action_mask(ActionEncoding encoding, Games games, std::uint8_t* out, int threads) {
  const std::size_t size = std::size_t(action_count(encoding));
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    std::uint8_t* row = out + i * size;
    std::fill_n(row, size, std::uint8_t(0));
    for (const Move move : legal_moves(game.position()))
      row[encode_action(encoding, move, game.position().turn())] = 1;
  });
}

void actions_of_moves(ActionEncoding encoding, Games games, const Move* moves, std::int32_t* out,
                      int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    const Position& position = game.position();
    if (!position.is_legal(moves[i])) refuse(i, describe_move(moves[i]), position);
    out[i] = encode_action(encoding, moves[i], position.turn());
  });
}

void moves_of_actions(ActionEncoding encoding, Games games, const std::int32_t* actions, Move* out,
                      int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    out[i] = decode_action(encoding, actions[i], game.position());
    if (out[i] == kNoMove)
      refuse(i, std::string(layout_of(encoding).name) + " index " + std::to_string(actions[i]),
             game.position());
  });
}

template <class T>
Ragged<T> legal_move136(Games games, int threads) {
  Ragged<T> ragged;
  ragged.offsets = row_offsets(games, threads, count_legal_moves);
  ragged.values.resize(std::size_t(ragged.offsets.back()) * kMove136Size);
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    T* out = ragged.values.data() + ragged.offsets[i] * kMove136Size;
    std::array<std::uint8_t, kMove136Size> row;
    for (const Move move : legal_moves(game.position())) {
      encode_move136(game.position(), move, row.data());
      out = std::copy(row.begin(), row.end(), out);
    }
  });
  return ragged;
}

template Ragged<std::uint8_t> legal_move136(Games games, int threads);
template Ragged<float> legal_move136(Games games, int threads);

}  // namespace selfmate
