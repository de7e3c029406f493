#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/cuda/choose_rows.cuh"
#include "kernels/cuda/paper.cuh"

namespace glgnn::cuda::paper {
namespace {

__global__ void list_entries(uint32_t* key, int32_t* entry, const Edges g) {
  const int64_t e = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (e >= int64_t{g.n} * g.k) return;
  const bool filled = e % g.k < g.count[e / g.k];
  key[e] = static_cast<uint32_t>(filled ? g.col[e] : g.n);
  entry[e] = static_cast<int32_t>(e);
}

__global__ void find_columns(const Edges g, const uint32_t* sorted) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t entries = int64_t{g.n} * g.k;
  if (at < entries) g.by_row[at] = g.by_entry[at] / g.k;
  if (at > g.n) return;
  g.by_ptr[at] = static_cast<int32_t>(first_not_below(sorted, int64_t{0}, entries, at));
}

__global__ void find_roots(const Edges g) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= g.n) return;
  const float* own = g.a + int64_t{row} * g.k;
  float sum = 0;
  for (int e = lane; e < g.count[row]; e += 32) sum += own[e];
  for (int t = g.by_ptr[row] + lane; t < g.by_ptr[row + 1]; t += 32) sum += g.a[g.by_entry[t]];
  sum = warp_sum(sum);
  if (lane == 0) g.r[row] = 1.0f / sqrtf(1.0f + 0.5f * sum);
}

__global__ void weigh_entries(const Edges g) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= int64_t{g.n} * g.k) return;
  const int64_t row = at / g.k;
  const bool filled = at % g.k < g.count[row];
  g.w[at] = filled ? 0.5f * g.a[at] * (g.r[row] * g.r[g.col[at]]) : 0.0f;
  if (at >= g.by_ptr[g.n]) return;
  const int e = g.by_entry[at];
  g.by_w[at] = 0.5f * g.a[e] * (g.r[e / g.k] * g.r[g.col[e]]);
}

__global__ void first_weights(const Edges g, const FirstSimilarity how) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= g.n) return;
  const int64_t begin = int64_t{row} * g.k;
  const int count = static_cast<int>(g.count[row]);
  const int label = how.shown ? how.shown[row] : -1;
  dots_of_row(
      how.x, how.squares, row, count, [&](int e) { return g.col[begin + e]; },
      [&](int e, float dot) {
        if (label >= 0 && how.shown[g.col[begin + e]] == label) dot += how.label;
        if (how.gain && how.level[begin + e] < how.levels) dot += how.gain[how.level[begin + e]];
        g.a[begin + e] = dot;
      });
  __syncwarp();
  float top = -INFINITY, sum = 0;
  for (int e = lane; e < count; e += 32) top = fmaxf(top, g.a[begin + e]);
  top = warp_max(top);
  for (int e = lane; e < count; e += 32) sum += expf(g.a[begin + e] - top);
  sum = warp_sum(sum);
  for (int e = lane; e < g.k; e += 32) {
    g.a[begin + e] = e < count ? how.row_sum * (expf(g.a[begin + e] - top) / sum) : 0.0f;
  }
}

__global__ void levels_of_rows(uint8_t* level, const Edges g, const HopMarks marks, int64_t first,
                               int64_t rows) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= rows * g.k) return;
  const int64_t r = at / g.k, e = first * g.k + at;
  const bool filled = at % g.k < g.count[first + r];
  level[e] = static_cast<uint8_t>(filled ? marks.level(r, g.col[e]) : marks.levels);
}

__device__ bool has_column(const int32_t* col, int count, int column) {
  const int place = first_not_below(col, 0, count, column);
  return place < count && col[place] == column;
}

// A block of threads for each row that shows a label.
__global__ void rechoose_rows(const Edges g, uint8_t* level,
                              const __grid_constant__ Rechoosing job) {
  __shared__ int shared_held;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const FirstSimilarity& how = job.how;
  const int64_t slots = int64_t{g.k} + job.train_rows;
  uint64_t* const keys = job.keys + blockIdx.x * slots;
  int32_t* const columns = job.columns + blockIdx.x * slots;
  for (int t = blockIdx.x; t < job.count; t += gridDim.x) {
    const int row = job.train[job.first + t], label = how.shown[row];
    if (label < 0) continue;
    const int64_t begin = int64_t{row} * g.k;
    const int count = static_cast<int>(g.count[row]);
    if (warp == 0) {
      for (int e = lane; e < count; e += 32) columns[e] = g.col[begin + e];
      int held = count;
      for (int first = 0; first < job.train_rows; first += 32) {
        const int j = first + lane < job.train_rows ? job.train[first + lane] : row;
        const bool joins =
            j != row && how.shown[j] == label && !has_column(g.col + begin, count, j);
        const unsigned all = __ballot_sync(kAllLanes, joins);
        if (joins) columns[held + __popc(all & ((1u << lane) - 1))] = j;
        held += __popc(all);
      }
      if (lane == 0) shared_held = held;
    }
    __syncthreads();
    const int held = shared_held, mine = held > warp ? (held - warp - 1) / kWarps + 1 : 0;
    dots_of_row(
        how.x, how.squares, row, mine, [&](int e) { return columns[warp + kWarps * e]; },
        [&](int e, float score) {
          const int at = warp + kWarps * e, j = columns[at];
          if (how.shown[j] == label) score += how.label;
          if (how.gain) {
            const int hop = job.marks.level(t, j);
            if (hop < how.levels) score += how.gain[hop];
          }
          keys[at] = pair_key(score, j);
        });
    __syncthreads();
    if (warp == 0) {
      if (held > g.k) keep_largest(keys, held, g.k);
      __syncwarp();
      const int kept = min(held, g.k);
      for (int e = lane; e < kept; e += 32) {
        const int j = key_column(keys[e]);
        int rank = 0;
        for (int other = 0; other < kept; ++other) rank += key_column(keys[other]) < j;
        g.col[begin + rank] = j;
        if (how.gain) level[begin + rank] = static_cast<uint8_t>(job.marks.level(t, j));
      }
      if (lane == 0) g.count[row] = kept;
    }
    __syncthreads();
  }
}

__global__ void second_weights(const Edges g, const float* x1, int units, const int32_t* shown,
                               float label) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= g.n) return;
  const int64_t begin = int64_t{row} * g.k;
  const float* own = x1 + int64_t{row} * units;
  const int count = static_cast<int>(g.count[row]);
  for (int e = 0; e < g.k; ++e) {
    float sum = 0;
    if (e < count) {
      const int j = g.col[begin + e];
      const float* other = x1 + int64_t{j} * units;
      for (int h = lane; h < units; h += 32) sum = fmaf(own[h], other[h], sum);
      sum = warp_sum(sum);
      if (shown[row] >= 0 && shown[j] == shown[row]) sum += label;
    }
    if (lane == 0) g.a[begin + e] = sum;
  }
}

// w of entry (row, column), 0 where there is none.
__device__ float weight_at(const Edges& g, int row, int column) {
  const int64_t begin = int64_t{row} * g.k;
  const int count = static_cast<int>(g.count[row]);
  const int place = first_not_below(g.col + begin, 0, count, column);
  return place < count && g.col[begin + place] == column ? g.w[begin + place] : 0.0f;
}

__device__ float sign_of(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f; }

// blockIdx.y: 0 for the entries of the first graph, 1 for those of the second.
__global__ void find_signs(const __grid_constant__ Compared job) {
  const bool second = blockIdx.y == 1;
  const Edges& g = second ? job.second : job.first;
  const Edges& other = second ? job.first : job.second;
  const int64_t e = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (e >= int64_t{g.n} * g.k) return;
  const int i = static_cast<int>(e / g.k);
  float sign = 0;
  if (e % g.k < g.count[i]) {
    const int j = g.col[e];
    const float ours = g.w[e] + weight_at(g, j, i);
    const float theirs = weight_at(other, i, j) + weight_at(other, j, i);
    sign = second ? sign_of(theirs - ours) : sign_of(ours - theirs);
  }
  (second ? job.second_sign : job.sign)[e] = sign;
}

__global__ void add_signs(const __grid_constant__ Compared job) {
  const bool second = blockIdx.y == 1;
  const Edges& g = second ? job.second : job.first;
  const float* sign = second ? job.second_sign : job.sign;
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= g.n) return;
  const int64_t begin = int64_t{row} * g.k;
  float sum = 0;
  for (int e = lane; e < g.count[row]; e += 32) sum += g.w[begin + e] * sign[begin + e];
  for (int t = g.by_ptr[row] + lane; t < g.by_ptr[row + 1]; t += 32) {
    sum += g.by_w[t] * sign[g.by_entry[t]];
  }
  sum = warp_sum(sum);
  if (lane != 0) return;
  const float first_loop = job.first.r[row] * job.first.r[row];
  const float second_loop = job.second.r[row] * job.second.r[row];
  sum += sign_of(first_loop - second_loop) * (second ? second_loop : first_loop);
  (second ? job.second_row : job.row)[row] = sum;
}

// d_a of an entry of the second graph, and of the same pair seen from its other row.
struct SecondGradient {
  const float *r, *row, *sign;
  float weight;
  __device__ float degree(int i) const { return weight * r[i] * r[i] * row[i]; }
  __device__ float operator()(int64_t e, int i, int j) const {
    return 0.5f * (degree(i) + degree(j)) - weight * sign[e] * r[i] * r[j];
  }
};

// The second graph has hubs: few rows are neighbours of thousands, which more threads share.
constexpr int kHubThreads = 512;

template <int width>
__global__ void second_gradient_rows(float* d_x1, const Edges g, const SecondGradient d_a,
                                     const float* x1, int units) {
  __shared__ float room[kHubThreads];
  const int row = blockIdx.x;
  for (int first = 0; first < units; first += width) {
    const int h = first + threadIdx.x % width;
    const float sum = gather_row<width, kHubThreads>(
        g, row, [&](int64_t e, int j) { return d_a(e, row, j); },
        [&](int t, int j) { return d_a(g.by_entry[t], row, j); },
        [&](int j) { return h < units ? x1[int64_t{j} * units + h] : 0.0f; }, room);
    if (threadIdx.x < width && h < units) d_x1[int64_t{row} * units + h] = sum;
  }
}

// x_i . y_j + x_j . y_i, this lane's part.
__device__ float both_ways(const float* x, const float* y, int64_t i, int64_t j, int columns) {
  float sum = 0;
  for (int c = threadIdx.x % 32; c < columns; c += 32) {
    sum = fmaf(x[i * columns + c], y[j * columns + c], sum);
    sum = fmaf(x[j * columns + c], y[i * columns + c], sum);
  }
  return sum;
}

__global__ void edge_gradient_rows(float* d_s, float* by_level,
                                   const __grid_constant__ EdgeGradient job) {
  const Edges& g = job.g;
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= g.n) return;
  const int64_t begin = int64_t{row} * g.k;
  const int count = static_cast<int>(g.count[row]);
  float mean = 0;  // of d_a, weighed by a
  for (int e = 0; e < count; ++e) {
    const int j = g.col[begin + e];
    float sum = both_ways(job.d_p_out, job.p, row, j, job.units) +
                both_ways(job.d_u_out, job.u, row, j, job.classes);
    sum = warp_sum(sum);
    sum += 2 * job.weight * job.sign[begin + e];
    const float d_a = 0.5f * (sum * (g.r[row] * g.r[j]) + job.d_degree[row] + job.d_degree[j]);
    mean = fmaf(d_a, g.a[begin + e], mean);
    if (lane == 0) d_s[begin + e] = d_a;
  }
  mean /= job.row_sum;
  __syncwarp();
  for (int e = lane; e < g.k; e += 32) {
    d_s[begin + e] = e < count ? g.a[begin + e] * (d_s[begin + e] - mean) : 0.0f;
  }
  if (job.levels == 0) return;
  __syncwarp();
  for (int level = 0; level <= job.levels; ++level) {
    float sum = 0;
    for (int e = lane; e < count; e += 32) {
      if (job.level[begin + e] == level) sum += d_s[begin + e];
    }
    sum = warp_sum(sum);
    if (lane == 0) by_level[int64_t{row} * (job.levels + 1) + level] = sum;
  }
}

}  // namespace

SortRoom::SortRoom(int64_t n, int64_t k) : key(n * k), sorted(n * k), entry(n * k) {
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, key.data(), sorted.data(), entry.data(),
                                        entry.data(), static_cast<int>(n * k), 0, 32, stream()),
        "asking for room to sort");
  temporary = DeviceArray<uint8_t>(static_cast<int64_t>(bytes));
}

void list_by_columns(const Edges& g, SortRoom& room) {
  const int64_t entries = int64_t{g.n} * g.k;
  list_entries<<<blocks_of(entries, kThreads), kThreads, 0, stream()>>>(room.key.data(),
                                                                        room.entry.data(), g);
  check(cudaGetLastError(), "starting to list entries");
  const int bits = std::bit_width(static_cast<unsigned>(g.n));
  // Entries of one column stay in the order of their rows.
  check(cub::DeviceRadixSort::SortPairs(room.temporary.data(), room.bytes, room.key.data(),
                                        room.sorted.data(), room.entry.data(), g.by_entry,
                                        static_cast<int>(entries), 0, bits, stream()),
        "sorting entries by columns");
  const int64_t most = std::max<int64_t>(entries, g.n + 1);
  find_columns<<<blocks_of(most, kThreads), kThreads, 0, stream()>>>(g, room.sorted.data());
  check(cudaGetLastError(), "starting to find columns");
}

void normalise(const Edges& g) {
  find_roots<<<blocks_of(g.n, kWarps), kThreads, 0, stream()>>>(g);
  check(cudaGetLastError(), "starting to add up degrees");
  weigh_entries<<<blocks_of(int64_t{g.n} * g.k, kThreads), kThreads, 0, stream()>>>(g);
  check(cudaGetLastError(), "starting to normalise a graph");
}

void weigh_first(const Edges& g, const FirstSimilarity& how) {
  first_weights<<<blocks_of(g.n, kWarps), kThreads, 0, stream()>>>(g, how);
  check(cudaGetLastError(), "starting to weigh the first graph");
}

void find_levels(uint8_t* level, const Edges& g, const HopMarks& marks, int64_t first,
                 int64_t count) {
  levels_of_rows<<<blocks_of(count * g.k, kThreads), kThreads, 0, stream()>>>(level, g, marks,
                                                                              first, count);
  check(cudaGetLastError(), "starting to find hops");
}

void rechoose(const Edges& g, uint8_t* level, const Rechoosing& job) {
  if (job.count == 0) return;
  rechoose_rows<<<std::min(job.count, kRechooseBlocks), kThreads, 0, stream()>>>(g, level, job);
  check(cudaGetLastError(), "starting to choose among rows of a class");
}

void weigh_second(const Edges& g, const float* x1, int units, const int32_t* shown, float label) {
  second_weights<<<blocks_of(g.n, kWarps), kThreads, 0, stream()>>>(g, x1, units, shown, label);
  check(cudaGetLastError(), "starting to weigh the second graph");
}

void compare_graphs(const Compared& job) {
  const Edges& g = job.first;
  find_signs<<<dim3(blocks_of(int64_t{g.n} * g.k, kThreads), 2), kThreads, 0, stream()>>>(job);
  check(cudaGetLastError(), "starting to compare graphs");
  add_signs<<<dim3(blocks_of(g.n, kWarps), 2), kThreads, 0, stream()>>>(job);
  check(cudaGetLastError(), "starting to add up differences");
}

void second_gradient(float* d_x1, const Compared& job, const float* x1, int units, float weight) {
  const SecondGradient d_a{job.second.r, job.second_row, job.second_sign, weight};
  for_width(units, [&]<int width>() {
    second_gradient_rows<width>
        <<<job.second.n, kHubThreads, 0, stream()>>>(d_x1, job.second, d_a, x1, units);
  });
  check(cudaGetLastError(), "starting the gradient of the second graph");
}

void edge_gradient(float* d_s, float* by_level, const EdgeGradient& job) {
  edge_gradient_rows<<<blocks_of(job.g.n, kWarps), kThreads, 0, stream()>>>(d_s, by_level, job);
  check(cudaGetLastError(), "starting the gradient of edges");
}

}  // namespace glgnn::cuda::paper
