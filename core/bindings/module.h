// The extension module, one function per file of bindings.
#pragma once

#include "bindings/arguments.h"
#include "bindings/arrays.h"

namespace selfmate::bindings {

void bind_board(nb::module_& module);
void bind_records(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_pgn(nb::module_& module);
void bind_encode(nb::module_& module);
void bind_packed_features(nb::module_& module);
void bind_position_records(nb::module_& module);
void bind_search(nb::module_& module);
void bind_tree_search(nb::module_& module);
void bind_labelled_games(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_convolution(nb::module_& module);
void bind_se_resnet(nb::module_& module);
void bind_position_evaluators(nb::module_& module);
void bind_token_attention(nb::module_& module);
void bind_policy_gradient(nb::module_& module);
void bind_reinforce(nb::module_& module);
void bind_transformer(nb::module_& module);

}  // namespace selfmate::bindings
