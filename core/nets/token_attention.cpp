#include "nets/token_attention.h"

#include <cmath>

#include "nets/attention_room.h"
#include "nets/floats.h"
#include "nets/layers.h"

namespace selfmate {
namespace {

// The room of one thread, with the geometry turned round.
class Study {
 public:
  explicit Study(const TokenAttention& attention)
      : attention_(attention),
        queries_((attention.tokens + kPanel - 1) / kPanel * kPanel),
        step_(std::size_t(attention.tokens) * std::size_t(queries_)),
        turned_(std::size_t(attention.head_width) * std::size_t(queries_)),
        weights_(step_),
        changes_(step_),
        geometry_(step_ * std::size_t(attention.heads)),
        geometry_gradient_(step_ * std::size_t(attention.heads)) {
    if (attention.geometry) turn(attention.geometry, nullptr);
  }

  AttentionRoom room() const {
    return {.queries = queries_,
            .scale = 1.0f / std::sqrt(float(attention_.head_width)),
            .turned = turned_.get(),
            .weights = weights_.get(),
            .changes = changes_.get(),
            .geometry = geometry_.get(),
            .geometry_gradient = geometry_gradient_.get(),
            .head_step = std::ptrdiff_t(step_)};
  }

  void write_geometry_gradient(float* to) { turn(nullptr, to); }

 private:
  // [heads, query, key] into ours, or the gradient out of it.
  void turn(const float* from, float* to) {
    const int tokens = attention_.tokens;
    for (int head = 0; head < attention_.heads; ++head)
      for (int query = 0; query < tokens; ++query)
        for (int key = 0; key < tokens; ++key) {
          const std::size_t ours = std::size_t(head) * step_ +
                                   std::size_t(key) * std::size_t(queries_) + std::size_t(query);
          if (from) geometry_.get()[ours] = *from++;
          if (to) *to++ = geometry_gradient_.get()[ours];
        }
  }

  const TokenAttention attention_;
  const int queries_;
  const std::size_t step_;  // from head to head
  Floats turned_, weights_, changes_, geometry_, geometry_gradient_;
};

}  // namespace

void attend(const TokenAttention& attention, std::int64_t sentences, const float* looks,
            float* seen) {
  const Study study(attention);
  const AttentionRoom room = study.room();
  const auto forward = best_attention().forward;
  const std::int64_t size = std::int64_t(attention.tokens) * attention.width();
  for (std::int64_t i = 0; i < sentences; ++i)
    forward(attention, looks + 3 * size * i, room, seen + size * i);
}

void attend_back(const TokenAttention& attention, std::int64_t sentences, const float* looks,
                 const float* seen_gradient, float* looks_gradient, float* geometry_gradient) {
  Study study(attention);
  const AttentionRoom room = study.room();
  const auto back = best_attention().back;
  const std::int64_t size = std::int64_t(attention.tokens) * attention.width();
  for (std::int64_t i = 0; i < sentences; ++i)
    back(attention, looks + 3 * size * i, seen_gradient + size * i, room,
         looks_gradient + 3 * size * i);
  if (geometry_gradient) study.write_geometry_gradient(geometry_gradient);
}

}  // namespace selfmate
