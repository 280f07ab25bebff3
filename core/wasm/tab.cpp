// The core as a module of JavaScript. src/selfmate/lab/page/src/tab/core.ts gives it types.
#include <emscripten/bind.h>
#include <malloc.h>

#include "chess/game.h"
#include "wasm/errors.h"

namespace selfmate::wasm {
namespace {

constexpr int kMaxPerftDepth = 20;

// JavaScript's numbers count exactly up to 2^53, far beyond any perft that ends.
double perft_of(const std::string& fen, int depth) {
  if (depth < 0 || depth > kMaxPerftDepth)
    throw BadInput("perft depth " + std::to_string(depth) + " is not in 0..20");
  Position position = parse_fen(fen);
  return double(perft(position, depth));
}

std::string error_of_last_call() {
  return last_error;
}

double used_bytes() {
  return double(mallinfo().uordblks);
}

EMSCRIPTEN_BINDINGS(core) {
  emscripten::function("perft", guarded<&perft_of>);
  emscripten::function("lastError", &error_of_last_call);
  emscripten::function("usedBytes", &used_bytes);
}

}  // namespace
}  // namespace selfmate::wasm
