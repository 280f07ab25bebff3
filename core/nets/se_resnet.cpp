#include "nets/se_resnet.h"

#include "chess/parallel.h"

namespace selfmate {

SeResNetMemory::SeResNetMemory(const SeResNetLayers& net) {
  const int filters = net.filters, head_width = padded((filters + kHeads - 1) / kHeads);
  const int boards = boards_per_group(filters);
  const std::size_t board = std::size_t(kSquares) * filters, attended = kHeads * head_width;
  const int widest = padded_to_panels(std::max(filters, net.planes));
  scratch_.boards = allocate(boards * board);
  scratch_.residuals = allocate(boards * board);
  scratch_.planes = allocate(kSquares * padded_to_panels(net.planes));
  scratch_.tiles = allocate(kPoints * point_stride(boards, widest));
  scratch_.sums = allocate(sums_size(boards));
  scratch_.channels = allocate(5 * std::size_t(filters));
  scratch_.squares = allocate(board);
  scratch_.qkv = allocate(kSquares * 3 * attended);
  scratch_.queries = allocate(kSquares * std::max(head_width, filters));
  scratch_.scores = allocate(kSquares * kSquares);
  scratch_.attended = allocate(kSquares * attended);
  scratch_.policy = allocate(kSquares * padded(kMoveTypes));
  scratch_.value_channels = allocate(boards * kSquares * kValueChannels);
  scratch_.value_hidden = allocate(boards * kValueWidth);
  scratch_.value_out = allocate(boards * padded(net.outputs));
}

SeResNet::SeResNet(const SeResNetShape& shape, const Weights& weights, std::string_view kernels)
    : shape_(shape),
      kernels_(kernels_for(shape.filters, kernels)),
      packed_(std::make_shared<PackedNet>(shape, weights, kernels_)) {}

void SeResNet::load(const Weights& weights) {
  packed_.set(std::make_shared<PackedNet>(shape_, weights, kernels_));
}

void SeResNet::evaluate(const float* planes, std::int64_t count, int threads, float* values,
                        float* logits) {
  const auto packed = packed_.get();
  const std::int64_t groups = group_count(count, threads);
  const auto evaluate_one = [&](std::int64_t group) {
    const std::int64_t begin = count * group / groups, end = count * (group + 1) / groups;
    evaluate_group(packed->layers(), planes + begin * kPlanes * kSquares, int(end - begin),
                   values + begin * shape_.outputs(), logits + begin * kSquares * kMoveTypes);
  };
  if (threads > 1 && groups > 1)
    run_shares(int(groups), threads, evaluate_one);
  else
    for (std::int64_t group = 0; group < groups; ++group) evaluate_one(group);
}

// As many groups for each thread, where there are rows enough. A thread that is done takes groups
// that another one, disturbed or not yet awake, has not begun.
std::int64_t SeResNet::group_count(std::int64_t count, int threads) const {
  const std::int64_t most = std::int64_t(boards_per_group(shape_.filters)) * threads;
  return std::min(count, (count + most - 1) / most * threads);
}

void SeResNet::evaluate_group(const SeResNetLayers& layers, const float* planes, int boards,
                              float* values, float* logits) {
  auto memory = memory_.take([&] { return std::make_unique<SeResNetMemory>(layers); });
  kernels_.evaluate(layers, planes, boards, memory->scratch(), values, logits);
  memory_.give_back(std::move(memory));
}

}  // namespace selfmate
