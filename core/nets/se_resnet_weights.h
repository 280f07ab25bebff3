// The weights of an SE-ResNet, packed as the forward pass reads them.
#pragma once

#include "nets/dispatch.h"
#include "nets/weights.h"

namespace selfmate {

struct SeResNetShape {
  int blocks, filters;
  int attention;  // of the last so many blocks
  bool squeeze;   // squeeze-and-excitation in each block
  bool wdl;       // the value is win, draw and loss; else one number
  int planes;     // of the input, the first ones
  bool pairs;     // logits have a term for each pair of squares

  int outputs() const { return wdl ? 3 : 1; }
};

// Owns the packed weights of a net.
class PackedNet {
 public:
  // Throws BadInput for weights that are not those of the shape, or not finite.
  PackedNet(const SeResNetShape& shape, const Weights& weights, const Kernels& kernels);
  PackedNet(const PackedNet&) = delete;
  PackedNet& operator=(const PackedNet&) = delete;

  const SeResNetLayers& layers() const { return layers_; }

 private:
  std::vector<AlignedFloats> buffers_;
  std::vector<ResidualBlock> blocks_;
  SeResNetLayers layers_;
};

}  // namespace selfmate
