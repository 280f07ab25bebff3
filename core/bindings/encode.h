// What every holder of games offers to Python: encodings and actions of all its games at once.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <optional>
#include <string_view>

#include "bindings/arrays.h"
#include "encode/action_batch.h"
#include "encode/encode_batch.h"

namespace selfmate::bindings {

// Each checks its arguments, releases the interpreter while it works, and returns a new array, or
// `out` when that is given.
nb::object encode_games(Games games, std::string_view encoding, nb::object out,
                        std::optional<std::string_view> dtype, int threads);
nb::tuple legal_actions_of_games(Games games, std::string_view coding, int threads);
nb::object action_mask_of_games(Games games, std::string_view coding, nb::object out, int threads);
nb::object actions_of_games(Games games, std::string_view coding, nb::handle moves, int threads);
nb::object moves_of_games(Games games, std::string_view coding, nb::handle actions, int threads);
nb::tuple legal_move136_of_games(Games games, std::optional<std::string_view> dtype, int threads);

}  // namespace selfmate::bindings
