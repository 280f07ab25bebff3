#include "bindings/module.h"

NB_MODULE(_core, module) {
  using namespace selfmate::bindings;
  module.doc() =
      "The rules, encoders, searches and nets in C++. Private: use selfmate's public modules.";
  bind_board(module);
  bind_records(module);
  bind_batch(module);
  bind_pgn(module);
  bind_encode(module);
  bind_packed_features(module);
  bind_position_records(module);
  bind_search(module);
  bind_tree_search(module);
  bind_sparse(module);
  bind_convolution(module);
  bind_se_resnet(module);
  bind_position_evaluators(module);
  bind_labelled_games(module);
  bind_token_attention(module);
  bind_policy_gradient(module);
  bind_reinforce(module);
  bind_transformer(module);
}
