// A game, by the moves that were played in it.
#include "chess/game.h"

#include <emscripten/bind.h>

#include "wasm/errors.h"
#include "wasm/values.h"

namespace selfmate::wasm {
namespace {

Game* new_game(const std::string& fen) {
  return new Game(parse_fen(fen));
}

std::string fen_of(const Game& game) {
  return to_fen(game.position());
}

bool is_white_to_move(const Game& game) {
  return game.position().turn() == kWhite;
}

bool is_check(const Game& game) {
  return game.position().in_check();
}

val legal_moves_of(const Game& game) {
  const MoveList moves = legal_moves(game.position());
  return uci_texts({moves.begin(), moves.end()});
}

void push(Game& game, const std::string& uci) {
  const Move move = parse_uci(game.position(), uci);
  if (const auto outcome = game.outcome())
    throw BadInput("the game is over (" + std::string(reason_name(outcome->reason)) +
                   "): " + quoted(uci) + " cannot be played");
  game.push(move);
}

void pop(Game& game) {
  if (game.plies() == 0) throw BadInput("no move to take back: the board is at its start");
  game.pop();
}

std::string san_of(const Game& game, const std::string& uci) {
  return to_san(game.position(), parse_uci(game.position(), uci));
}

val outcome_of_game(const Game& game) {
  const auto outcome = game.outcome();
  if (!outcome) return val::null();
  val found = val::object();
  found.set("result", result_text(outcome->winner));
  found.set("reason", std::string(reason_name(outcome->reason)));
  return found;
}

EMSCRIPTEN_BINDINGS(game) {
  emscripten::class_<Game>("Game")
      .constructor(guarded<&new_game>, emscripten::allow_raw_pointers())
      .function("fen", &fen_of)
      .function("isWhiteToMove", &is_white_to_move)
      .function("ply", &Game::plies)
      .function("legalMoves", &legal_moves_of)
      .function("push", guarded<&push>)
      .function("pop", guarded<&pop>)
      .function("san", guarded<&san_of>)
      .function("isCheck", &is_check)
      .function("outcome", &outcome_of_game);
}

}  // namespace
}  // namespace selfmate::wasm
