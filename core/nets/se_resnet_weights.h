// The weights of an SE-ResNet, as Python names and orders them and as the forward pass reads them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "nets/floats.h"
#include "nets/layers.h"

namespace selfmate {

struct SeResNetShape {
  int blocks, filters, attention;
  bool squeeze, wdl, semantic;

  int outputs() const { return wdl ? 3 : 1; }
  int planes() const { return semantic ? kPlanes : kPlanes - 8; }
};

struct WeightArray {
  const float* numbers;
  std::vector<std::size_t> shape;
};

using Weights = std::map<std::string, WeightArray>;

class PackedNet {
 public:
  // Throws BadInput for weights that are not those of the shape, or not finite.
  PackedNet(const SeResNetShape& shape, const Weights& weights);
  PackedNet(const PackedNet&) = delete;
  PackedNet& operator=(const PackedNet&) = delete;

  const Layers& layers() const { return layers_; }

 private:
  std::vector<Floats> parts_;
  std::vector<Block> blocks_;
  Layers layers_;
};

}  // namespace selfmate
