#include "search/teacher.h"

#include "chess/random.h"

namespace selfmate {
namespace {

constexpr int kGamesPerShare = 8;

template <class Item>
Item pick(std::span<const Item> items, std::uint64_t seed) {
  return items[Random(seed).below(std::uint32_t(items.size()))];
}

// One of the moves with the highest score.
template <class Score>
Move pick_best(std::span<const Move> moves, std::uint64_t seed, Score&& score_of) {
  std::vector<Move> best;
  int highest = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const int score = score_of(i);
    if (best.empty() || score > highest) {
      best.clear();
      highest = score;
    }
    if (score == highest) best.push_back(moves[i]);
  }
  return pick(std::span<const Move>(best), seed);
}

std::span<const Move> moves_to_choose(const MoveList& moves, std::size_t game) {
  if (moves.empty())
    throw BadInput("game " + std::to_string(game) + " has no legal move to choose");
  return {moves.begin(), moves.end()};
}

void score_game(const Game& game, int depth, std::int64_t row, MoveScores& out) {
  AlphaBeta search(game);
  for (const Move move : legal_moves(game.position())) {
    out.moves[std::size_t(row)] = move;
    out.scores[std::size_t(row)] = search.score(move, depth);
    ++row;
  }
}

}  // namespace

MoveScores teacher_scores(Games games, int depth, int threads) {
  MoveScores out;
  out.offsets = row_offsets(games, threads, count_legal_moves);
  out.moves.resize(std::size_t(out.offsets.back()));
  out.scores.resize(out.moves.size());
  // Small shares, taken by whichever thread is free: positions take unequal time.
  const std::size_t shares = (games.size() + kGamesPerShare - 1) / kGamesPerShare;
  run_shares(int(shares), threads, [&](int share) {
    const std::size_t begin = std::size_t(share) * kGamesPerShare;
    for (std::size_t i = begin; i < std::min(begin + kGamesPerShare, games.size()); ++i)
      score_game(*games[i], depth, out.offsets[i], out);
  });
  return out;
}

std::optional<std::vector<RootMove>> TeacherSearch::scores(const Game& game, int depth,
                                                           std::int64_t max_nodes) {
  AlphaBeta search(game, &stop_, max_nodes);
  std::optional<std::vector<RootMove>> found(std::in_place);
  try {
    for (const Move move : legal_moves(game.position())) {
      const int score = search.score(move, depth);
      found->push_back({move, score, search.line()});
    }
  } catch (const SearchStopped&) {
    found.reset();
  }
  nodes_ += search.nodes();
  return found;
}

void choose_random(Games games, const std::uint64_t* seeds, Move* out, int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    const MoveList moves = legal_moves(game.position());
    out[i] = pick(moves_to_choose(moves, i), seeds[i]);
  });
}

void choose_greedy(Games games, const std::uint64_t* seeds, Move* out, int threads) {
  for_each_game(games, threads, [&](std::size_t i, const Game& game) {
    const MoveList moves = legal_moves(game.position());
    out[i] = pick_best(moves_to_choose(moves, i), seeds[i], [&](std::size_t n) {
      return material_gain(game.position(), moves[int(n)]);
    });
  });
}

void choose_best(const Move* moves, const std::int32_t* scores,
                 std::span<const std::int64_t> offsets, const std::uint64_t* seeds, Move* out) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::size_t begin = std::size_t(offsets[i]);
    const std::size_t size = std::size_t(offsets[i + 1]) - begin;
    out[i] = pick_best({moves + begin, size}, seeds[i],
                       [&](std::size_t n) { return scores[begin + n]; });
  }
}

}  // namespace selfmate
