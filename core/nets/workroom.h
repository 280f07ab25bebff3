// Memory for a forward pass, kept from call to call: to get it anew would take longer than a board.
#pragma once

#include <vector>

#include "nets/floats.h"
#include "nets/layers.h"

namespace selfmate {

class Workroom {
 public:
  explicit Workroom(const Layers& net);
  const Room& room() const { return room_; }

 private:
  float* take(std::size_t size);

  std::vector<Floats> parts_;
  Room room_;
};

}  // namespace selfmate
