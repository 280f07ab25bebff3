// Nets that play.
#include <emscripten/bind.h>

#include "encode/planes.h"
#include "play/net_player.h"
#include "wasm/errors.h"
#include "wasm/values.h"

namespace selfmate::wasm {
namespace {

// As ResNetSettings.planes of selfmate.nets.
int plane_count(const val& config) {
  if (config["tactical_planes"].as<bool>()) return kPlanes96Count;
  return config["semantic_planes"].as<bool>() ? kPlanes68Count
                                              : kPlanes68Count - kSemanticPlanesCount;
}

std::unique_ptr<PlayingNet> read_net(const val& config, const Weights& weights) {
  const auto kind = config["kind"].as<std::string>();
  const auto number = [&](const char* name) { return int(config[name].as<double>()); };
  const auto flag = [&](const char* name) { return config[name].as<bool>(); };
  if (kind == "se_resnet")
    return playing_net(SeResNetShape{number("blocks"), number("filters"),
                                     number("attention_blocks"), flag("squeeze_excitation"),
                                     flag("wdl"), plane_count(config), flag("policy_pairs")},
                       weights);
  if (kind == "transformer")
    return playing_net(TransformerShape{number("width"), number("blocks"), number("heads"),
                                        policy_head_named(config["policy_head"].as<std::string>()),
                                        flag("square_pair_bias")},
                       weights);
  if (kind == "move_scorer")
    return playing_net(ScorerShape{position_encoding_named(config["encoding"].as<std::string>()),
                                   emscripten::convertJSArrayToNumberVector<int>(config["hidden"]),
                                   flag("value_head")},
                       weights);
  throw BadInput("no net of the kind " + quoted(kind) + " plays in a browser");
}

NetPlayer* new_player(val config, val arrays) {
  return new NetPlayer(read_net(config, ReadArrays(arrays).weights()));
}

// Goes on with the analysis if it is the same game.
val analyse(NetPlayer& player, const Game& game, int simulations, double milliseconds) {
  const Deadline deadline(milliseconds);
  if (!player.is_about(game, simulations)) player.begin(game, simulations);
  do player.step();
  while (!player.is_done() && !deadline.is_over());
  const PositionAnalysis analysis = player.analysis();
  val found = val::object(), moves = val::array();
  for (const MoveShare& share : analysis.moves) {
    val move = val::object();
    move.set("uci", to_uci(share.move));
    move.set("probability", share.probability);
    move.set("visits", share.visits);
    moves.call<void>("push", move);
  }
  found.set("done", player.is_done());
  found.set("best", to_uci(analysis.best));
  found.set("value", analysis.value ? val(*analysis.value) : val::null());
  found.set("moves", moves);
  return found;
}

EMSCRIPTEN_BINDINGS(player) {
  emscripten::class_<NetPlayer>("Player")
      .constructor(guarded<&new_player>, emscripten::allow_raw_pointers())
      .function("analyse", guarded<&analyse>);
}

}  // namespace
}  // namespace selfmate::wasm
