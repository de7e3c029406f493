#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/blas.h"
#include "kernels/cpu/sparse_rows.h"
#include "kernels/nearest_rows.h"

namespace glgnn::cpu {
namespace {

// Queries compared by one product. Products are always of so many rows, so that a row's sums do not
// depend on how many come with it.
constexpr int64_t kBlock = 32;

// out = a b^T for kBlock rows.
void products(float* out, const float* a, MatView<const float> b) {
  if (b.cols == 0) return;
  const auto columns = static_cast<int>(b.cols), rows = static_cast<int>(b.rows);
  sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(kBlock), rows, columns, 1.0f, a,
        columns, b.data, columns, 0.0f, out, rows);
}

// Calls dots(first, rows, out) for each block, which fills `rows` rows of N products.
template <class Dots>
void choose_in_blocks(int32_t* col, int64_t queries, int64_t n, const QueryTerms<float>& terms,
                      int64_t k, int threads, const Dots& dots) {
  const int64_t kept = std::min(k, n);
  const SingleThreadedBlas single(threads);
  struct Room {
    std::vector<float> t, with, u;
    std::vector<int32_t> heap = {};
  };
  const auto make_room = [&] {
    const std::vector<float> products(kBlock * n);
    return Room{products, products, std::vector<float>(kBlock * terms.u.cols)};
  };
  const int64_t blocks = (queries + kBlock - 1) / kBlock;
  parallel_for_in_rooms(blocks, threads, 1, make_room, [&](Room& room, int64_t b) {
    auto& [t, with, u, heap] = room;
    const int64_t first = b * kBlock, rows = std::min(kBlock, queries - first);
    dots(first, rows, t.data());
    std::fill(u.begin(), u.end(), 0.0f);
    std::copy(terms.u[first], terms.u[first] + rows * terms.u.cols, u.begin());
    products(with.data(), u.data(), terms.v);
    for (int64_t r = 0; r < rows; ++r) {
      float* row = t.data() + r * n;
      const float* add = with.data() + r * n;
      for (int64_t j = 0; j < n; ++j) row[j] = terms.scale[j] * row[j] + add[j] - terms.offset[j];
      best_columns(col + (first + r) * kept, row, n, kept, heap);
    }
  });
}

}  // namespace

void query_rows(int32_t* col, MatView<const float> q, MatView<const float> z,
                const QueryTerms<float>& terms, int64_t k, int threads) {
  choose_in_blocks(col, q.rows, z.rows, terms, k, threads,
                   [&](int64_t first, int64_t rows, float* out) {
                     std::vector<float> block(kBlock * q.cols, 0.0f);
                     std::copy(q[first], q[first] + rows * q.cols, block.begin());
                     products(out, block.data(), z);
                   });
}

void query_rows(int32_t* col, PatternView q, const float* values, const RowsByColumn<float>& z,
                const QueryTerms<float>& terms, int64_t k, int threads) {
  const int64_t n = z.by_column.cols;
  choose_in_blocks(col, q.rows, n, terms, k, threads, [&](int64_t first, int64_t rows, float* out) {
    std::fill(out, out + rows * n, 0.0f);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t e = q.row_ptr[first + r]; e < q.row_ptr[first + r + 1]; ++e) {
        const int64_t begin = z.by_column.row_ptr[q.col[e]];
        scatter_add(out + r * n, values[e], z.by_column.col + begin, z.values + begin,
                    z.by_column.row_size(q.col[e]));
      }
    }
  });
}

}  // namespace glgnn::cpu
