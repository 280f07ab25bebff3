#include "nets/workroom.h"

namespace selfmate {

Workroom::Workroom(const Layers& net) {
  const int filters = net.filters, head_width = filled((filters + kHeads - 1) / kHeads);
  const int boards = boards_at_once(filters);
  const std::size_t board = std::size_t(kSquares) * filters, looked = kHeads * head_width;
  const int widest = std::max(filters, filled(net.planes));
  room_.boards = take(boards * board);
  room_.changes = take(boards * board);
  room_.planes = take(kSquares * filled(net.planes));
  room_.tiles = take(kTileNumbers * tile_step(boards, widest));
  room_.sums = take(kTileNumbers * tile_step(boards, kPanel));
  room_.channels = take(5 * std::size_t(filters));
  room_.squares = take(board);
  room_.looks = take(kSquares * 3 * looked);
  room_.queries = take(kSquares * head_width);
  room_.scores = take(kSquares * kSquares);
  room_.seen = take(kSquares * looked);
  room_.policy = take(kSquares * filled(kKinds));
  room_.values = take(boards * kSquares * kValueChannels);
  room_.hidden = take(boards * kValueWidth);
  room_.answers = take(boards * filled(net.outputs));
}

float* Workroom::take(std::size_t size) {
  return parts_.emplace_back(size).get();
}

}  // namespace selfmate
