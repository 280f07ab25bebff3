// The actions of many games at once.
#pragma once

#include "chess/ragged.h"
#include "encode/actions.h"
#include "encode/games.h"

namespace selfmate {

// Legal moves as indices, in the order of move generation. The four promotions that share an index
// of from_to4096 are listed once.
Ragged<std::int32_t> legal_actions(ActionEncoding encoding, Games games, int threads);
// One row of action_count() bytes per game: 1 where the action is legal, else 0.
void action_mask(ActionEncoding encoding, Games games, std::uint8_t* out, int threads);

// One move, or one action, per game. BadInput names the first game whose entry is not legal.
void actions_of_moves(ActionEncoding encoding, Games games, const Move* moves, std::int32_t* out,
                      int threads);
void moves_of_actions(ActionEncoding encoding, Games games, const std::int32_t* actions, Move* out,
                      int threads);

// One row of 136 values, bytes or floats, per legal move, in the order of move generation.
template <class T>
Ragged<T> legal_move136(Games games, int threads);

}  // namespace selfmate
