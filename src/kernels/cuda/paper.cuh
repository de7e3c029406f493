// The pieces of a training in paper mode on the device (kernels/paper_training.h), all numbers
// being there already.
#pragma once

#include <cstdint>

#include "core/cuda/runtime.cuh"
#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/products.cuh"

namespace glgnn::cuda::paper {

inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kMostModules = 8;

inline int blocks_of(int64_t items, int each) {
  return static_cast<int>((items + each - 1) / each);
}

__device__ inline float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}
__device__ inline double warp_sum(double x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}
__device__ inline float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}
// The sum of all threads' numbers, for all of them; `room` has 32 doubles of shared memory.
__device__ inline double block_sum(double x, double* room) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / 32; ++w) sum += room[w];
  return sum;
}

// X: dense rows of `stride` numbers, a multiple of 4, of which those beyond the features are 0; or
// sparse, by rows and by columns.
struct Rows {
  int n = 0, f = 0, stride = 0;
  const float* dense = nullptr;
  const int64_t* row_ptr = nullptr;
  const int32_t* col = nullptr;
  const float* values = nullptr;
  const int64_t* column_ptr = nullptr;
  const int32_t* column_row = nullptr;
  const int64_t* column_entry = nullptr;
  int64_t entries = 0;

  __host__ __device__ bool is_sparse() const { return row_ptr != nullptr; }
};

// A graph in slots: row i has entries i k .. i k + count[i] - 1, columns ascending, of weight a. By
// columns: entries by_ptr[j] .. of column j, rows ascending. w is half of what an entry gives to
// A'_ij and to A'_ji, 0 in an empty slot: a r_i r_j / 2.
struct Edges {
  int n, k;
  int32_t* col;
  int64_t* count;
  float *a, *w, *r;
  int32_t *by_ptr, *by_row, *by_entry;
  float* by_w;

  HopGraph hop_graph() const {
    return {.col = col, .count = count, .k = k, .by_column_ptr = by_ptr, .by_column = by_row};
  }
};

// give(e, sum over f of squares_f X_if X_jf) for the rows j = other(e), e < count, by a warp.
template <class Other, class Give>
__device__ void dots_of_row(const Rows& x, const float* squares, int row, int count,
                            const Other& other, const Give& give) {
  const int lane = threadIdx.x % 32;
  if (x.is_sparse()) {
    for (int e = lane; e < count; e += 32) {
      const int j = other(e);
      int64_t a = x.row_ptr[row], b = x.row_ptr[j];
      const int64_t a_end = x.row_ptr[row + 1], b_end = x.row_ptr[j + 1];
      float sum = 0;
      while (a < a_end && b < b_end) {
        const int32_t left = x.col[a], right = x.col[b];
        if (left == right) sum = fmaf(x.values[a] * squares[left], x.values[b], sum);
        a += left <= right;
        b += right <= left;
      }
      give(e, sum);
    }
    return;
  }
  const auto fours = [](const float* from) { return reinterpret_cast<const float4*>(from); };
  const float4* const own = fours(x.dense + int64_t{row} * x.stride);
  for (int e = 0; e < count; ++e) {
    const float4* const their = fours(x.dense + int64_t{other(e)} * x.stride);
    float sum = 0;
    for (int q = lane; q < x.stride / 4; q += 32) {
      const float4 left = own[q], right = their[q], square = fours(squares)[q];
      sum = fmaf(left.x * square.x, right.x, sum);
      sum = fmaf(left.y * square.y, right.y, sum);
      sum = fmaf(left.z * square.z, right.z, sum);
      sum = fmaf(left.w * square.w, right.w, sum);
    }
    sum = warp_sum(sum);
    if (lane == 0) give(e, sum);
  }
}

// A block of `threads` works on a row: `width` threads for the columns of a matrix, all such groups
// share the row's entries. The sum over the entries (i, j) and (j, i) of weight times read(j), for
// the first group; `room` has `threads` numbers of shared memory. own(e, j) weighs
// entry e, by_column(t, j) the t-th by columns.
inline constexpr int kRowThreads = 128;
template <int width, int threads = kRowThreads, class Own, class ByColumn, class Read>
__device__ float gather_row(const Edges& g, int row, const Own& own, const ByColumn& by_column,
                            const Read& read, float* room) {
  constexpr int kParts = threads / width;
  const int part = threadIdx.x / width;
  float sum = 0;
  const int64_t begin = int64_t{row} * g.k, end = begin + g.count[row];
#pragma unroll 4
  for (int64_t e = begin + part; e < end; e += kParts) {
    const int j = g.col[e];
    sum = fmaf(own(e, j), read(j), sum);
  }
  const int last = g.by_ptr[row + 1];
#pragma unroll 4
  for (int t = g.by_ptr[row] + part; t < last; t += kParts) {
    const int j = g.by_row[t];
    sum = fmaf(by_column(t, j), read(j), sum);
  }
  __syncthreads();
  room[threadIdx.x] = sum;
  __syncthreads();
  if (part == 0) {
    for (int p = 1; p < kParts; ++p) sum += room[p * width + threadIdx.x];
  }
  return sum;
}

// start.operator()<width>() for a matrix of so many columns.
template <class Start>
void for_width(int columns, const Start& start) {
  if (columns <= 4) {
    start.template operator()<4>();
  } else if (columns <= 8) {
    start.template operator()<8>();
  } else if (columns <= 16) {
    start.template operator()<16>();
  } else {
    start.template operator()<32>();
  }
}

// ---- paper_graph.cu: graphs

// Room to sort entries by columns.
struct SortRoom {
  DeviceArray<uint32_t> key, sorted;
  DeviceArray<int32_t> entry;
  DeviceArray<uint8_t> temporary;
  size_t bytes = 0;

  explicit SortRoom(int64_t n, int64_t k);
};

// By columns; then r and w from a.
void list_by_columns(const Edges& g, SortRoom& room);
void normalise(const Edges& g);

// What makes the weights of the first graph: features, and labels where they are shown.
struct FirstSimilarity {
  Rows x;
  const float* squares;         // of the selection as it is used
  const int32_t* shown;         // the class of a row that shows it, else -1; null: none does
  float label;                  // what a shared one adds
  const uint8_t* level;         // of each entry's hop
  const float* gain = nullptr;  // of a level, as HopMarks has them; null: there are no hops
  int levels = 0;
  float row_sum = 1;
};
// Softmax of similarity and hop over a row's entries, times row_sum.
void weigh_first(const Edges& g, const FirstSimilarity& how);
// The level of chosen entries of rows first .. first + count - 1.
void find_levels(uint8_t* level, const Edges& g, const HopMarks& marks, int64_t first,
                 int64_t count);

// Rows of train[first .. first + count) that show a label choose anew among their entries and the
// shown rows of their class. `marks` are of these rows, in that order; `room` for each block.
struct Rechoosing {
  FirstSimilarity how;
  const int32_t* train;
  int train_rows, first, count;
  HopMarks marks;
  uint64_t* keys;    // kRechooseBlocks x (k + train_rows)
  int32_t* columns;  // the same
};
inline constexpr int kRechooseBlocks = 264;
void rechoose(const Edges& g, uint8_t* level, const Rechoosing& job);

// a = X1_i . X1_j, more by `label` where both show one class.
void weigh_second(const Edges& g, const float* x1, int units, const int32_t* shown, float label);

// sign(A' - A1') of each entry's pair, for both graphs; and the sums of sign A' and of sign A1'
// over each row, whose difference is the loss.
struct Compared {
  Edges first, second;
  float *sign, *second_sign;
  float *row, *second_row;
};
void compare_graphs(const Compared& job);
// The gradient of X1 through the second graph, the loss weighing `weight`.
void second_gradient(float* d_x1, const Compared& job, const float* x1, int units, float weight);

// The gradient of the similarities of the first graph's entries: from A' P and A' U, whose own
// gradients are d_p_out and d_u_out, and from the comparison.
struct EdgeGradient {
  Edges g;
  const float *p, *d_p_out, *u, *d_u_out;
  int units, classes;
  const float* sign;
  float weight;
  const float* d_degree;
  float row_sum;
  const uint8_t* level;
  int levels;  // 0: no sums by level
};
// d_s for each entry; its sums over each row by level, `levels` + 1 of them.
void edge_gradient(float* d_s, float* by_level, const EdgeGradient& job);

// ---- paper_features.cu: X, its selection and W1

// Of s, W1 and v, as the passes read them.
struct Prepared {
  const float *s, *w1, *v;
  int f, stride, h, levels;
  float shrink;
  float *scaled, *squares;  // s shrink and its square; 0 beyond f
  float* sw;                // W1, rows times s
  float* gain;              // as HopMarks has it
};
void prepare(const Prepared& p);

// X * scaled, or [labels, x1], packed for choose().
void pack_selected(PackedRows& to, const Rows& x, const float* scaled);
void pack_hidden(PackedRows& to, const float* x1, int64_t n, int units, const int32_t* shown,
                 int classes, float label);

// p = drop(X) sw; `dropped` keeps the values of sparse rows. Backward: d_sw.
void input_product(float* p, float* dropped, const Rows& x, const float* sw, int h,
                   const Drop& drop);
void input_gradient(float* d_sw, const float* dropped, const Rows& x, const float* d_p, int h,
                    const Drop& drop, float* room);
int64_t input_room(const Rows& x, int h);

// The gradients of s and W1: from d_sw, and from the similarities of the first graph's entries.
struct FeatureGradient {
  Rows x;
  Edges g;
  const float *d_s, *d_sw, *scaled, *s, *w1;
  int h;
  float shrink, decay;
  float* room;  // selection_room() numbers
  float *d_select, *d_w1;
};
int64_t selection_room(const Rows& x);
void feature_gradient(const FeatureGradient& job);

// ---- paper_layers.cu

// Both layers over A': x1 = relu(A' p), dropped = drop(x1), u = dropped w2, o = A' u, x2 = softmax.
struct Layers {
  Edges g;
  int h, c;
  const float *p, *w2;
  float *x1, *dropped, *u, *o, *x2;
  Drop drop;
};
void layers_forward(const Layers& l);
// Backwards from d_o: d_u, d_y (of A' p), d_p, and the gradient of the degrees; d_x1 is what X1 has
// from elsewhere, `row` the sums of compare_graphs() with their weight.
struct LayersGradient {
  const float *d_o, *d_x1, *row;
  float weight;
  float *d_u, *d_y, *d_p, *sums, *d_degree;
};
void layers_backward(const Layers& l, const LayersGradient& d);

// ---- paper_network.cu: the network of graphs, losses, Adam

struct Network {
  int n, c, m;
  const float *x2, *a, *b;  // x2: modules x rows x classes
  double* parts;            // network_parts() numbers
  float *alpha, *network;
};
int64_t network_parts(int m);
void network_forward(const Network& net);

struct Targets {
  const int32_t *train, *labels, *place;  // place: of a row in train, or -1
  const float* weights;
  int count;
  float weight;
};
struct NetworkGradient {
  float *d_logits, *d_mix, *row_loss;  // of the training rows
  float* d_alpha;                      // of the last row
  float *d_a, *d_b, *d_o;
};
// d_o: modules x rows x classes, before the softmax. `loss` gets the cross-entropy.
void network_backward(const Network& net, const Targets& targets, const NetworkGradient& d,
                      double* loss);
// Y, and the logarithm of each labelled row's share of its class.
void predict(float* y, float* log_right, const Network& net, const int32_t* labels);

void hop_gradient(float* d_v, const float* by_level, const float* v, int n, int levels);
// The sum of all row[i] - second_row[i], times weight; added to what `loss` has where `add`.
void sum_of_rows(double* loss, const float* row, const float* second_row, int64_t n, double weight,
                 bool add);
void sum_of_squares(double* loss, const float* x, int64_t n, double weight, bool add);

// The epoch that is run, and what Adam takes from its number.
struct Clock {
  uint32_t epoch;
  float step, scale;
};
void begin_epoch(Clock* clock, double learning_rate);
void end_epoch(Clock* clock);
void show_labels(int32_t* shown, const Targets& targets, int n, const Drop& hide);
void adam_step(float* x, float* m, float* v, const float* g, int64_t n, const Clock* clock);
// out[t] = y[list[t]], rows of c; then log_right of the rows from `val` on.
void gather_answers(float* out, const float* y, const float* log_right, const int32_t* list,
                    int rows, int c, int val);

}  // namespace glgnn::cuda::paper
