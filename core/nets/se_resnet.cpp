#include "nets/se_resnet.h"

#include "chess/parallel.h"

namespace selfmate {

SeResNet::SeResNet(const SeResNetShape& shape, const Weights& weights, bool portable)
    : shape_(shape),
      forward_(portable ? forward_portable : best_forward()),
      packed_(std::make_shared<PackedNet>(shape, weights)) {}

void SeResNet::load(const Weights& weights) {
  auto packed = std::make_shared<PackedNet>(shape_, weights);
  const std::lock_guard lock(mutex_);
  packed_ = std::move(packed);
}

void SeResNet::evaluate(const float* planes, std::int64_t count, int threads, float* values,
                        float* logits) {
  std::shared_ptr<const PackedNet> packed;
  {
    const std::lock_guard lock(mutex_);
    packed = packed_;
  }
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    evaluate_share(packed->layers(), planes + begin * kPlanes * kSquares, end - begin,
                   values + begin * shape_.outputs(), logits + begin * kSquares * kKinds);
  });
}

void SeResNet::evaluate_share(const Layers& layers, const float* planes, std::int64_t count,
                              float* values, float* logits) {
  std::unique_ptr<Workroom> workroom;
  {
    const std::lock_guard lock(mutex_);
    if (!free_rooms_.empty()) {
      workroom = std::move(free_rooms_.back());
      free_rooms_.pop_back();
    }
  }
  if (!workroom) workroom = std::make_unique<Workroom>(layers);
  const int most = boards_at_once(shape_.filters);
  const std::int64_t groups = (count + most - 1) / most;  // of much the same size
  for (std::int64_t group = 0, begin = 0; group < groups; ++group) {
    const std::int64_t end = count * (group + 1) / groups;
    forward_(layers, planes + begin * kPlanes * kSquares, int(end - begin), workroom->room(),
             values + begin * shape_.outputs(), logits + begin * kSquares * kKinds);
    begin = end;
  }
  const std::lock_guard lock(mutex_);
  free_rooms_.push_back(std::move(workroom));
}

}  // namespace selfmate
