// Values of JavaScript: texts, results and arrays of a net, in and out.
#pragma once

#include <emscripten/val.h>

#include <chrono>

#include "chess/game.h"
#include "learn/scorer_parameters.h"

namespace selfmate::wasm {

using emscripten::val;

inline std::string result_text(std::optional<Color> winner) {
  if (!winner) return "1/2-1/2";
  return *winner == kWhite ? "1-0" : "0-1";
}

inline val uci_texts(std::span<const Move> moves) {
  val texts = val::array();
  for (const Move move : moves) texts.call<void>("push", to_uci(move));
  return texts;
}

// [{name, shape, numbers}], the numbers as a Float32Array of their own.
inline val to_javascript(const std::vector<NamedArray>& arrays) {
  val found = val::array();
  for (const NamedArray& array : arrays) {
    val entry = val::object(), shape = val::array();
    for (const std::size_t extent : array.shape) shape.call<void>("push", double(extent));
    entry.set("name", array.name);
    entry.set("shape", shape);
    const val view(emscripten::typed_memory_view(array.numbers.size(), array.numbers.data()));
    entry.set("numbers", view.call<val>("slice"));
    found.call<void>("push", entry);
  }
  return found;
}

// The same on their way in.
class ReadArrays {
 public:
  explicit ReadArrays(const val& arrays) {
    const auto count = arrays["length"].as<std::size_t>();
    for (std::size_t i = 0; i < count; ++i) {
      const val entry = arrays[i];
      Shape shape;
      std::size_t size = 1;
      for (const double extent : emscripten::convertJSArrayToNumberVector<double>(entry["shape"])) {
        shape.push_back(std::size_t(extent));
        size *= shape.back();
      }
      numbers_.push_back(emscripten::convertJSArrayToNumberVector<float>(entry["numbers"]));
      const auto name = entry["name"].as<std::string>();
      if (numbers_.back().size() != size)
        throw BadInput("the weight " + name + " has " + std::to_string(numbers_.back().size()) +
                       " numbers, but its shape says " + std::to_string(size));
      weights_[name] = {numbers_.back().data(), std::move(shape)};
    }
  }
  ReadArrays(const ReadArrays&) = delete;
  const Weights& weights() const { return weights_; }

 private:
  std::vector<std::vector<float>> numbers_;
  Weights weights_;
};

// For work in slices.
class Deadline {
 public:
  explicit Deadline(double milliseconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double, std::milli>(milliseconds))) {}
  bool is_over() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace selfmate::wasm
