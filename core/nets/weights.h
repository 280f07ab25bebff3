// Weights by name, as torch's state dict has them, on their way into a net of the core: checked,
// and packed as the kernels read them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "nets/aligned_floats.h"
#include "nets/dispatch.h"

namespace selfmate {

using Shape = std::vector<std::size_t>;

// An array that somebody else keeps alive.
struct WeightArray {
  const float* numbers;
  Shape shape;
};

using Weights = std::map<std::string, WeightArray>;

// Reads the weights of a net, each once, into buffers that the net owns.
class WeightReader {
 public:
  WeightReader(const Weights& weights, std::vector<AlignedFloats>& buffers)
      : weights_(weights), buffers_(buffers) {}

  // BadInput for a weight that is missing, of another shape or not finite.
  const float* find(const std::string& name, const Shape& shape);
  float* allocate(std::size_t size) { return buffers_.emplace_back(size).get(); }
  const float* copy(const std::string& name, const Shape& shape);
  // A matrix [rows, columns] or a row [columns], padded with zeros.
  const float* padded_rows(const std::string& name, int rows, int columns);
  const float* padded_row(const std::string& name, int columns);
  // A matrix of one column.
  const float* padded_column(const std::string& name, int rows);
  // A dense layer, its weight [outputs, inputs] and maybe more extents of 1.
  Linear linear(const std::string& name, int inputs, int outputs, bool pointwise = false);
  // The same for rows of padded(inputs), whose padding counts nothing.
  Linear padded_linear(const std::string& name, int inputs, int outputs, bool pointwise = false);
  // Weight and bias of a norm, padded.
  Norm norm(const std::string& name, int width);
  // A 3 x 3 convolution without its bias, for inference.
  Convolution convolution(const Kernels& kernels, const std::string& name, int inputs, int outputs);
  // Queries, keys and values of attention, in this order, for rows of padded(width). Each head is
  // padded, and queries are divided by the root of a head's true width.
  Linear queries_keys_values(const std::string& name, int width, int heads);
  // What follows attention: its inputs are padded heads.
  Linear attention_output(const std::string& name, int width, int heads);
  // weight(input, output) and bias(output) are called for all of padded(outputs).
  template <class Weight, class Bias>
  Linear pack(int inputs, int outputs, Weight weight, Bias bias);
  // BadInput when there are weights that nobody asked for.
  void check_all_used() const;

 private:
  const float* padded_numbers(const float* numbers, int count);
  // With zeros for the rows behind the first `inputs`.
  Linear packed_linear(const std::string& name, int inputs, int rows, int outputs, bool pointwise);

  const Weights& weights_;
  std::vector<AlignedFloats>& buffers_;
  std::size_t used_ = 0;
};

// Dense layers with ReLU, one after the other: `name`.0, `name`.1 and so on.
class HiddenLayers {
 public:
  HiddenLayers() = default;
  // From widths[0] inputs to widths[1] outputs, and so on.
  HiddenLayers(WeightReader& reader, const std::string& name, std::span<const int> widths);

  // Widths are padded, also those of the rows that come in.
  int inputs() const { return inputs_; }
  int outputs() const { return outputs_; }
  // Floats of scratch memory for so many rows.
  std::size_t scratch_size(int rows) const { return 2 * std::size_t(rows) * widest_; }
  // The outputs [rows, outputs] of the last layer, in `scratch`; without layers, `in` itself.
  const float* apply(const Kernels& kernels, int rows, const float* in, float* scratch) const;

 private:
  std::vector<Linear> layers_;
  int inputs_ = 0, outputs_ = 0, widest_ = 0;
};

// The packed weights of a net, which another thread may replace at any time. Who got the old ones
// keeps them until it is done.
template <class Packed>
class CurrentWeights {
 public:
  explicit CurrentWeights(std::shared_ptr<const Packed> packed) : packed_(std::move(packed)) {}

  std::shared_ptr<const Packed> get() const {
    const std::lock_guard lock(mutex_);
    return packed_;
  }
  void set(std::shared_ptr<const Packed> packed) {
    const std::lock_guard lock(mutex_);
    packed_ = std::move(packed);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Packed> packed_;
};

// Writes a matrix to the panels of a Linear: weight(input, output) for all of the padded outputs.
template <class Weight>
void fill_panels(int inputs, int outputs, Weight weight, float* panels) {
  for (int output = 0; output < outputs; ++output) {
    const int panel = output / kPanel * kPanel;
    const int panel_width = outputs - panel < kPanel ? kGrain : kPanel;
    float* at = panels + std::size_t(panel) * inputs + (output - panel);
    for (int input = 0; input < inputs; ++input) at[input * panel_width] = weight(input, output);
  }
}

template <class Weight, class Bias>
Linear WeightReader::pack(int inputs, int outputs, Weight weight, Bias bias) {
  const int width = padded(outputs);
  float *panels = allocate(std::size_t(inputs) * width), *biases = allocate(width);
  fill_panels(inputs, width, weight, panels);
  for (int output = 0; output < width; ++output) biases[output] = bias(output);
  return {inputs, width, panels, biases};
}

}  // namespace selfmate
