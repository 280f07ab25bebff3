#include "bindings/module.h"

NB_MODULE(_core, module) {
  module.doc() = "The rule book in C++. Private: use selfmate's public modules.";
  selfmate::bindings::bind_board(module);
  selfmate::bindings::bind_records(module);
  selfmate::bindings::bind_pgn(module);
}
