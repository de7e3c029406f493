#include "kernels/nearest_rows.h"

#include <cblas.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/blas.h"

namespace glgnn::cpu {
namespace {

constexpr int64_t kBlock = 64;  // rows compared by one product
constexpr int64_t kChunk = 32;  // distances looked at before any is kept

struct Candidate {
  float t;
  int32_t j;
};

bool is_nearer(const Candidate& a, const Candidate& b) {
  return a.t != b.t ? a.t > b.t : a.j < b.j;
}

// Whether any of the next kChunk rows is nearer than `worst`; without a branch for each.
bool has_nearer(const float* dot, const float* half_square, float worst) {
  int found = 0;
  for (int64_t j = 0; j < kChunk; ++j) found |= dot[j] - half_square[j] > worst;
  return found != 0;
}

// The `kept` best of a row, as a heap whose top is the worst of them.
void choose_row(int32_t* col, const float* dot, const float* half_square, int64_t i, int64_t n,
                int64_t kept, std::vector<Candidate>& heap) {
  heap.clear();
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t last = std::min(n, first + kChunk);
    const bool full = static_cast<int64_t>(heap.size()) == kept;
    // A later row of the same distance is not nearer.
    if (full && last - first == kChunk &&
        !has_nearer(dot + first, half_square + first, heap.front().t)) {
      continue;
    }
    for (int64_t j = first; j < last; ++j) {
      if (j == i) continue;
      const Candidate candidate{dot[j] - half_square[j], static_cast<int32_t>(j)};
      if (static_cast<int64_t>(heap.size()) < kept) {
        heap.push_back(candidate);
        std::push_heap(heap.begin(), heap.end(), is_nearer);
      } else if (is_nearer(candidate, heap.front())) {
        std::pop_heap(heap.begin(), heap.end(), is_nearer);
        heap.back() = candidate;
        std::push_heap(heap.begin(), heap.end(), is_nearer);
      }
    }
  }
  for (int64_t c = 0; c < kept; ++c) col[c] = heap[c].j;
  std::sort(col, col + kept);
}

}  // namespace

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k, int threads) {
  const int64_t n = z.rows, kept = std::min(k, n - 1);
  if (kept < 1) return;
  const SingleThreadedBlas single;
  std::vector<float> half_square(n);
  for (int64_t j = 0; j < n; ++j) {
    float square = 0;
    for (int64_t d = 0; d < z.cols; ++d) square += z[j][d] * z[j][d];
    half_square[j] = square / 2;
  }
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> dots(kBlock * n, 0.0f);
    std::vector<Candidate> heap;
#pragma omp for schedule(dynamic)
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t rows = std::min(kBlock, n - first);
      if (z.cols > 0) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(rows),
                    static_cast<int>(n), static_cast<int>(z.cols), 1.0f, z[first],
                    static_cast<int>(z.cols), z.data, static_cast<int>(z.cols), 0.0f, dots.data(),
                    static_cast<int>(n));
      }
      for (int64_t r = 0; r < rows; ++r) {
        choose_row(col + (first + r) * kept, dots.data() + r * n, half_square.data(), first + r, n,
                   kept, heap);
      }
    }
  }
}

}  // namespace glgnn::cpu
