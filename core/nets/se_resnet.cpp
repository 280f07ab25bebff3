#include "nets/se_resnet.h"

#include "chess/parallel.h"

namespace selfmate {

SeResNetMemory::SeResNetMemory(const SeResNetLayers& net) {
  const int filters = net.filters, head_width = padded((filters + kHeads - 1) / kHeads);
  const int boards = boards_per_group(filters);
  const std::size_t board = std::size_t(kSquares) * filters, attended = kHeads * head_width;
  const int widest = std::max(filters, padded(net.planes));
  scratch_.boards = allocate(boards * board);
  scratch_.residuals = allocate(boards * board);
  scratch_.planes = allocate(kSquares * padded(net.planes));
  scratch_.tiles = allocate(kPoints * point_stride(boards, widest));
  scratch_.sums = allocate(kPoints * point_stride(boards, kPanel));
  scratch_.channels = allocate(5 * std::size_t(filters));
  scratch_.squares = allocate(board);
  scratch_.qkv = allocate(kSquares * 3 * attended);
  scratch_.queries = allocate(kSquares * head_width);
  scratch_.scores = allocate(kSquares * kSquares);
  scratch_.attended = allocate(kSquares * attended);
  scratch_.policy = allocate(kSquares * padded(kMoveTypes));
  scratch_.value_channels = allocate(boards * kSquares * kValueChannels);
  scratch_.value_hidden = allocate(boards * kValueWidth);
  scratch_.value_out = allocate(boards * padded(net.outputs));
}

SeResNet::SeResNet(const SeResNetShape& shape, const Weights& weights, bool portable)
    : shape_(shape),
      kernels_(portable ? portable_kernels() : best_kernels()),
      packed_(std::make_shared<PackedNet>(shape, weights, kernels_)) {}

void SeResNet::load(const Weights& weights) {
  packed_.set(std::make_shared<PackedNet>(shape_, weights, kernels_));
}

void SeResNet::evaluate(const float* planes, std::int64_t count, int threads, float* values,
                        float* logits) {
  const auto packed = packed_.get();
  parallel_for(count, threads, 1, [&](std::int64_t begin, std::int64_t end) {
    evaluate_share(packed->layers(), planes + begin * kPlanes * kSquares, end - begin,
                   values + begin * shape_.outputs(), logits + begin * kSquares * kMoveTypes);
  });
}

void SeResNet::evaluate_share(const SeResNetLayers& layers, const float* planes, std::int64_t count,
                              float* values, float* logits) {
  auto memory = memory_.take([&] { return std::make_unique<SeResNetMemory>(layers); });
  const int most = boards_per_group(shape_.filters);
  const std::int64_t groups = (count + most - 1) / most;  // of much the same size
  for (std::int64_t group = 0, begin = 0; group < groups; ++group) {
    const std::int64_t end = count * (group + 1) / groups;
    kernels_.evaluate(layers, planes + begin * kPlanes * kSquares, int(end - begin),
                      memory->scratch(), values + begin * shape_.outputs(),
                      logits + begin * kSquares * kMoveTypes);
    begin = end;
  }
  memory_.give_back(std::move(memory));
}

}  // namespace selfmate
