// What comments of PGN say about positions: evaluations in three forms, and best moves.
#pragma once

#include <string_view>

#include "chess/records.h"

namespace selfmate {

// Centipawns, kNoEvaluation where the comment has none; mates are kMaxEvaluation.
struct CommentNotes {
  std::int16_t after_white = kNoEvaluation;   // [%eval 0.31], of the position after the move
  std::int16_t before_white = kNoEvaluation;  // wv=0.31, of the position the move was chosen in
  std::int16_t before_mover = kNoEvaluation;  // +0.31/18, the same in the mover's view
  std::string_view best_after;                // [%best e2e4], as written; empty if there is none
};

// The first of each form; what does not fit a form is passed over.
CommentNotes read_comment(std::string_view text);

}  // namespace selfmate
