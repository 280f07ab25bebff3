#include "search/endings.h"

#include "chess/movegen.h"

namespace selfmate {
namespace {

Ending ending_of(Game& game, Move move) {
  game.push(move);
  const std::optional<Outcome> outcome = game.outcome();
  game.pop();
  if (!outcome) return Ending::kNone;
  return outcome->winner ? Ending::kMate : Ending::kDraw;
}

}  // namespace

MoveEndings move_endings(Games games, int threads) {
  MoveEndings found;
  std::vector<std::uint8_t>& endings = found.endings.values;
  std::vector<std::int64_t>& offsets = found.endings.offsets;
  offsets = row_offsets(games, threads, count_legal_moves);
  found.moves.resize(std::size_t(offsets.back()));
  endings.resize(found.moves.size());
  for_each_game(games, threads, [&](std::size_t i, const Game& borrowed) {
    Game game = borrowed;
    auto at = std::size_t(offsets[i]);
    for (const Move move : legal_moves(borrowed.position())) {
      found.moves[at] = move;
      endings[at++] = std::uint8_t(ending_of(game, move));
    }
  });
  return found;
}

}  // namespace selfmate
