// Products of matrices. Every sum runs over the depth in order, one term at a time, so that the
// sums of a row do not depend on how many rows there are.
#pragma once

#include "nets/layers.h"
#include "nets/simd.h"

namespace selfmate::SELFMATE_SIMD {

// As many rows and panels as have their sums in registers.
#if SELFMATE_AVX512
constexpr int kMaxRows = 8, kMaxPanels = 2;
#elif SELFMATE_AVX2 || defined(__aarch64__)
constexpr int kMaxRows = 6, kMaxPanels = 1;
#else
constexpr int kMaxRows = 2, kMaxPanels = 1;
#endif
static_assert(kMaxPanels <= kPanelsAtOnce);

struct Matrix {
  const float* numbers;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride = 1;
};

// A right factor. Its panels of kPanel columns are `panel_stride` apart.
struct Panels {
  const float* numbers;
  std::ptrdiff_t row_stride, panel_stride;
};

struct MutableMatrix {
  float* numbers;
  std::ptrdiff_t row_stride;
};

// What the sums of a product start from: nothing, a bias that is the same for all rows, or the
// numbers that are there.
struct FromZero {
  template <class V>
  SELFMATE_INLINE V at(int, int) const {
    return V{};
  }
  SELFMATE_INLINE FromZero from_row(int) const { return {}; }
};
struct FromBias {
  const float* numbers;
  template <class V>
  SELFMATE_INLINE V at(int, int column) const {
    return load<V>(numbers + column);
  }
  SELFMATE_INLINE FromBias from_row(int) const { return *this; }
};
struct FromMatrix {
  const float* numbers;
  std::ptrdiff_t row_stride;
  template <class V>
  SELFMATE_INLINE V at(int row, int column) const {
    return load<V>(numbers + row * row_stride + column);
  }
  SELFMATE_INLINE FromMatrix from_row(int row) const {
    return {numbers + row * row_stride, row_stride};
  }
};

// Columns that are multiplied together: so many panels of so many vectors.
template <class Vector, int PanelCount, int VectorsPerPanel>
struct ColumnGroup {
  using V = Vector;
  static constexpr int kLanesOfV = sizeof(V) / sizeof(float);
  static constexpr int kPanelCount = PanelCount, kVectors = PanelCount * VectorsPerPanel;

  SELFMATE_INLINE static V column(const float* row, std::ptrdiff_t panel_stride, int v) {
    return load<V>(row + v / VectorsPerPanel * panel_stride + v % VectorsPerPanel * kLanesOfV);
  }
};
template <int PanelCount>
using WideColumns = ColumnGroup<Vec, PanelCount, kPanel / kLanes>;
using NarrowColumns = ColumnGroup<NarrowVec, 1, kGrain / kNarrowLanes>;

template <class Columns, int Rows, class Start>
SELFMATE_INLINE void multiply_rows(int depth, Matrix left, Panels right, Start start,
                                   MutableMatrix out) {
  using V = typename Columns::V;
  constexpr int kVectors = Columns::kVectors, kLanesOfV = Columns::kLanesOfV;
  V sums[Rows][kVectors];
  for (int row = 0; row < Rows; ++row)
    for (int v = 0; v < kVectors; ++v) sums[row][v] = start.template at<V>(row, v * kLanesOfV);
#pragma GCC unroll 4
  for (int k = 0; k < depth; ++k) {
    const float* numbers = right.numbers + k * right.row_stride;
    for (int panel = 0; panel < Columns::kPanelCount; ++panel)  // what is multiplied next
      __builtin_prefetch(numbers + depth * right.row_stride + panel * right.panel_stride);
    V columns[kVectors];
    for (int v = 0; v < kVectors; ++v) columns[v] = Columns::column(numbers, right.panel_stride, v);
    for (int row = 0; row < Rows; ++row) {
      const V factor = broadcast<V>(left.numbers[row * left.row_stride + k * left.column_stride]);
      for (int v = 0; v < kVectors; ++v) sums[row][v] = fma(factor, columns[v], sums[row][v]);
    }
  }
  for (int row = 0; row < Rows; ++row)
    for (int v = 0; v < kVectors; ++v)
      store(out.numbers + row * out.row_stride + v * kLanesOfV, sums[row][v]);
}

template <class Columns, int Rows = kMaxRows, class Start>
SELFMATE_INLINE void multiply_few_rows(int rows, int depth, Matrix left, Panels right, Start start,
                                       MutableMatrix out) {
  if constexpr (Rows > 1)
    if (rows < Rows)
      return multiply_few_rows<Columns, Rows - 1>(rows, depth, left, right, start, out);
  multiply_rows<Columns, Rows>(depth, left, right, start, out);
}

// The columns of a group: out = start + left [rows, depth] x right. Rows are split evenly: a small
// rest would not fill the pipeline.
template <class Columns, class Start>
void multiply_group(int rows, int depth, Matrix left, Panels right, Start start,
                    MutableMatrix out) {
  const int groups = (rows + kMaxRows - 1) / kMaxRows;
  for (int group = 0, row = 0; group < groups; ++group) {
    const int end = rows * (group + 1) / groups;
    multiply_few_rows<Columns>(
        end - row, depth,
        {left.numbers + row * left.row_stride, left.row_stride, left.column_stride}, right,
        start.from_row(row), {out.numbers + row * out.row_stride, out.row_stride});
    row = end;
  }
}

// The first of the columns, as many as are best multiplied together; returns how many.
template <class Start>
SELFMATE_INLINE int multiply_columns(int columns, int rows, int depth, Matrix left, Panels right,
                                     Start start, MutableMatrix out) {
  if (columns >= kMaxPanels * kPanel) {
    multiply_group<WideColumns<kMaxPanels>>(rows, depth, left, right, start, out);
    return kMaxPanels * kPanel;
  }
  if (columns >= kPanel)
    multiply_group<WideColumns<1>>(rows, depth, left, right, start, out);
  else
    multiply_group<NarrowColumns>(rows, depth, left, right, start, out);
  return kPanel;
}

// out [rows, columns] = left [rows, depth] x right [depth, columns]
inline void multiply(int rows, int depth, int columns, Matrix left, Matrix right,
                     MutableMatrix out) {
  for (int column = 0; column < columns;)
    column += multiply_columns(columns - column, rows, depth, left,
                               {right.numbers + column, right.row_stride, kPanel}, FromZero{},
                               {out.numbers + column, out.row_stride});
}

// out [rows, columns] += left [rows, depth] x right [depth, columns]
inline void add_product(int rows, int depth, int columns, Matrix left, Matrix right,
                        MutableMatrix out) {
  for (int column = 0; column < columns;)
    column += multiply_columns(
        columns - column, rows, depth, left, {right.numbers + column, right.row_stride, kPanel},
        FromMatrix{out.numbers + column, out.row_stride}, {out.numbers + column, out.row_stride});
}

// out [rows, outputs] = bias + in [rows, inputs] x the layer's matrix
inline void apply(const Linear& layer, int rows, Matrix in, MutableMatrix out) {
  for (int column = 0; column < layer.outputs;) {
    const int rest = layer.outputs - column;
    column +=
        multiply_columns(rest, rows, layer.inputs, in,
                         {layer.panels + std::ptrdiff_t(column) * layer.inputs,
                          rest < kPanel ? kGrain : kPanel, std::ptrdiff_t(kPanel) * layer.inputs},
                         FromBias{layer.bias + column}, {out.numbers + column, out.row_stride});
  }
}

// out [columns, rows] = scale * in [rows, columns]
inline void transpose(int rows, int columns, Matrix in, float scale, MutableMatrix out) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      out.numbers[column * out.row_stride + row] = scale * in.numbers[row * in.row_stride + column];
}

// Products with sparse matrices add and multiply rows one at a time. Here nothing is fused, so that
// results are the same on all processors.

// out [width] += factor * row [width]
inline void add_scaled(float factor, const float* row, std::int64_t width, float* out) {
  const Vec factors = broadcast(factor);
  std::int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) store(out + i, load(out + i) + factors * load(row + i));
  for (; i < width; ++i) out[i] += factor * row[i];
}

// out [Vectors * kLanes] = sum of factors[i] * row rows[i] of the matrix
template <int Vectors>
SELFMATE_INLINE void sum_columns(const std::int32_t* rows, const float* factors, std::int64_t count,
                                 const float* matrix, std::int64_t width, float* out) {
  Vec sums[Vectors] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec factor = broadcast(factors[i]);
    const float* row = matrix + rows[i] * width;
    for (int v = 0; v < Vectors; ++v) sums[v] += factor * load(row + v * kLanes);
  }
  for (int v = 0; v < Vectors; ++v) store(out + v * kLanes, sums[v]);
}

// out [width] = sum of factors[i] * row rows[i] of the matrix [.., width], added in order. The sums
// of several columns stay in registers.
inline void sum_rows(const std::int32_t* rows, const float* factors, std::int64_t count,
                     const float* matrix, std::int64_t width, float* out) {
  constexpr int kVectors = 8;
  std::int64_t column = 0;
  for (; column + kVectors * kLanes <= width; column += kVectors * kLanes)
    sum_columns<kVectors>(rows, factors, count, matrix + column, width, out + column);
  for (; column + kLanes <= width; column += kLanes)
    sum_columns<1>(rows, factors, count, matrix + column, width, out + column);
  for (; column < width; ++column) {
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += factors[i] * matrix[rows[i] * width + column];
    out[column] = sum;
  }
}

// out [rows, columns] = max(0, out)
inline void rectify(int rows, int columns, float* out) {
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(rows) * columns; i += kNarrowLanes)
    store(out + i, maximum(load<NarrowVec>(out + i), NarrowVec{}));
}

// out [rows, outputs] = bias + in [rows, inputs] x the layer's matrix, all tightly packed; with
// `rectified` what is below 0 becomes 0
inline void apply_dense(const Linear& layer, int rows, const float* in, bool rectified,
                        float* out) {
  apply(layer, rows, {in, layer.inputs}, {out, layer.outputs});
  if (rectified) rectify(rows, layer.outputs, out);
}

// Which of the inputs are not 0; returns how many.
inline int list_active(const float* in, int inputs, std::int32_t* active) {
  int count = 0;
  for (int i = 0; i < inputs; ++i) {
    active[count] = i;
    count += in[i] != 0;
  }
  return count;
}

// Some panels of `Width` columns: out = bias + the sum of in[k] * row k of the matrix, over the
// active inputs k
template <int Panels, int Width>
SELFMATE_INLINE void sum_active(const Linear& layer, int column, const std::int32_t* active,
                                int count, const float* in, float* out) {
  constexpr int kVectors = Width / kNarrowLanes;
  const float* panels = layer.panels + std::ptrdiff_t(column) * layer.inputs;
  const std::ptrdiff_t step = std::ptrdiff_t(Width) * layer.inputs;  // from panel to panel
  NarrowVec sums[Panels][kVectors];
  for (int panel = 0; panel < Panels; ++panel)
    for (int v = 0; v < kVectors; ++v)
      sums[panel][v] = load<NarrowVec>(layer.bias + column + panel * Width + v * kNarrowLanes);
  for (int i = 0; i < count; ++i) {
    const NarrowVec factor = broadcast<NarrowVec>(in[active[i]]);
    const float* row = panels + std::ptrdiff_t(active[i]) * Width;
    for (int panel = 0; panel < Panels; ++panel)
      for (int v = 0; v < kVectors; ++v)
        sums[panel][v] =
            fma(factor, load<NarrowVec>(row + panel * step + v * kNarrowLanes), sums[panel][v]);
  }
  for (int panel = 0; panel < Panels; ++panel)
    for (int v = 0; v < kVectors; ++v)
      store(out + column + panel * Width + v * kNarrowLanes, sums[panel][v]);
}

// As many columns as stay in registers; returns how many.
SELFMATE_INLINE int sum_active_columns(const Linear& layer, int column, const std::int32_t* active,
                                       int count, const float* in, float* out) {
  const int rest = layer.outputs - column;
  if (rest >= 2 * kPanel) {
    sum_active<2, kPanel>(layer, column, active, count, in, out);
    return 2 * kPanel;
  }
  if (rest >= kPanel)
    sum_active<1, kPanel>(layer, column, active, count, in, out);
  else
    sum_active<1, kGrain>(layer, column, active, count, in, out);
  return kPanel;
}

// As apply_dense, bit for bit, for layers of up to kMaxActive inputs of which about half are 0, as
// behind a ReLU: these are skipped. With AVX2 the dense product is faster; aarch64, where nothing
// was measured, keeps it, too.
inline void apply_active(const Linear& layer, int rows, const float* in, bool rectified,
                         float* out) {
#if SELFMATE_AVX2 || defined(__aarch64__)
  apply_dense(layer, rows, in, rectified, out);
#else
  constexpr int kRows = 8;  // share the columns that are in the cache
  std::int32_t active[kRows][kMaxActive];
  int counts[kRows];
  for (int begin = 0; begin < rows; begin += kRows) {
    const int end = rows - begin < kRows ? rows : begin + kRows;
    for (int row = begin; row < end; ++row)
      counts[row - begin] =
          list_active(in + std::ptrdiff_t(row) * layer.inputs, layer.inputs, active[row - begin]);
    for (int column = 0, width = 0; column < layer.outputs; column += width)
      for (int row = begin; row < end; ++row)
        width = sum_active_columns(layer, column, active[row - begin], counts[row - begin],
                                   in + std::ptrdiff_t(row) * layer.inputs,
                                   out + std::ptrdiff_t(row) * layer.outputs);
  }
  if (rectified) rectify(rows, layer.outputs, out);
#endif
}

// out [width] = max(0, start [width] + the sum of some rows of the matrix [.., width], in order).
// The width is a multiple of kGrain.
inline void rectified_sum(const float* start, const std::int32_t* rows, std::int64_t count,
                          const float* matrix, std::int64_t width, float* out) {
  constexpr int kVectors = kGrain / kNarrowLanes;
  for (std::int64_t column = 0; column < width; column += kGrain) {
    NarrowVec sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = load<NarrowVec>(start + column + v * kNarrowLanes);
    for (std::int64_t i = 0; i < count; ++i)
      for (int v = 0; v < kVectors; ++v)
        sums[v] += load<NarrowVec>(matrix + rows[i] * width + column + v * kNarrowLanes);
    for (int v = 0; v < kVectors; ++v)
      store(out + column + v * kNarrowLanes, maximum(sums[v], NarrowVec{}));
  }
}

// left [width] x right [width], summed in 16 lanes that are added up in order
inline float dot(const float* left, const float* right, std::int64_t width) {
  constexpr int kSums = 16;
  Vec vectors[kSums / kLanes] = {};
  std::int64_t i = 0;
  for (; i + kSums <= width; i += kSums)
    for (int v = 0; v < kSums / kLanes; ++v)
      vectors[v] += load(left + i + v * kLanes) * load(right + i + v * kLanes);
  float sums[kSums], sum = 0;
  std::memcpy(sums, vectors, sizeof sums);
  for (int lane = 0; i < width; ++i, ++lane) sums[lane] += left[i] * right[i];
  for (const float part : sums) sum += part;
  return sum;
}

}  // namespace selfmate::SELFMATE_SIMD
