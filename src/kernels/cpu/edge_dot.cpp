#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/edge_dot.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/row_sums-inl.h"
#include "kernels/cpu/sparse_rows.h"
#include "kernels/edges.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

void edge_dot_row(float* s, const PatternView& pattern, MatView<const float> z, int64_t i) {
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    s[e] = dot(z[i], z[pattern.col[e]], z.cols);
  }
}

void edge_dot_backward_row(float* d_z, const float* d_s, const PatternView& pattern,
                           const TransposeView& transposed, MatView<const float> z, int64_t i) {
  weighted_row_sum<true>(d_z, z.data, z.cols, pattern.col, pattern.row_ptr[i],
                         pattern.row_ptr[i + 1], [&](int64_t e) { return d_s[e]; });
  const PatternView& back = transposed.pattern;
  weighted_row_sum<true>(d_z, z.data, z.cols, back.col, back.row_ptr[i], back.row_ptr[i + 1],
                         [&](int64_t q) { return d_s[transposed.source[q]]; });
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn {
namespace cpu {
namespace {

HWY_EXPORT(edge_dot_row);
HWY_EXPORT(edge_dot_backward_row);

}  // namespace

void edge_dot_forward(float* s, PatternView pattern, const ZDense<float>& z, int threads) {
  parallel_for(pattern.rows, threads, 64, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(edge_dot_row)(s, pattern, z.z, i);
  });
}

void edge_dot_backward(MatView<float> d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<float>& z, int threads) {
  parallel_for(pattern.rows, threads, 64, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(edge_dot_backward_row)(d_z[i], d_s, pattern, transposed, z.z, i);
  });
}

namespace {

// One row of D zeros for each thread; every loop below leaves it zero.
float* zero_rows(int threads, int64_t D) {
  static thread_local Scratch<float> room;
  return room.grow_zeroed(threads * D);
}

// What row i receives from the rows of a list, into `sums` by feature. Gives how many numbers it
// added.
template <class Weight>
int64_t pull_rows(float* sums, const PatternView& list, int64_t i, const ZSparse<float>& z,
                  Weight&& weight) {
  int64_t added = 0;
  for (int64_t e = list.row_ptr[i]; e < list.row_ptr[i + 1]; ++e) {
    const int64_t from = z.pattern.row_ptr[list.col[e]], n = z.pattern.row_size(list.col[e]);
    scatter_add(sums, weight(e), z.pattern.col + from, z.values + from, n);
    added += n;
  }
  return added;
}

// Zeroes what pull_rows has touched.
void clear_rows(float* sums, const PatternView& list, int64_t i, const PatternView& z) {
  for (int64_t e = list.row_ptr[i]; e < list.row_ptr[i + 1]; ++e) {
    const int64_t end = z.row_ptr[list.col[e] + 1];
    for (int64_t a = z.row_ptr[list.col[e]]; a < end; ++a) sums[z.col[a]] = 0;
  }
}

}  // namespace

void edge_dot_forward(float* s, PatternView pattern, const ZSparse<float>& z, int threads) {
  const int64_t D = z.pattern.cols;
  float* rows = zero_rows(threads, D);
  parallel_for(pattern.rows, threads, 64, [&](int64_t i, int thread) {
    float* row = rows + thread * D;
    const int64_t first = z.pattern.row_ptr[i], last = z.pattern.row_ptr[i + 1];
    for (int64_t a = first; a < last; ++a) row[z.pattern.col[a]] = z.values[a];
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t from = z.pattern.row_ptr[pattern.col[e]];
      s[e] = gather_dot(row, z.pattern.col + from, z.values + from,
                        z.pattern.row_size(pattern.col[e]));
    }
    for (int64_t a = first; a < last; ++a) row[z.pattern.col[a]] = 0;
  });
}

void edge_dot_backward(float* d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZSparse<float>& z, int threads) {
  const int64_t D = z.pattern.cols;
  float* rows = zero_rows(threads, D);
  parallel_for(pattern.rows, threads, 64, [&](int64_t i, int thread) {
    float* sums = rows + thread * D;
    int64_t added = pull_rows(sums, pattern, i, z, [&](int64_t e) { return d_s[e]; });
    added += pull_rows(sums, transposed.pattern, i, z,
                       [&](int64_t q) { return d_s[transposed.source[q]]; });
    for (int64_t a = z.pattern.row_ptr[i]; a < z.pattern.row_ptr[i + 1]; ++a) {
      d_z[a] += sums[z.pattern.col[a]];
    }
    // A cache line in order is as cheap as one number anywhere.
    constexpr int64_t kNumbersOfALine = kAlignment / sizeof(float);
    if (added > D / kNumbersOfALine) {
      std::fill(sums, sums + D, 0.0f);
    } else {
      clear_rows(sums, pattern, i, z.pattern);
      clear_rows(sums, transposed.pattern, i, z.pattern);
    }
  });
}

}  // namespace cpu

namespace {

// The common columns of the pairs of some rows.
struct Piece {
  std::vector<int32_t> left, right;
  int64_t size = 0;

  // Row i is marked: place[column] is 1 + where the column is in it, or 0. Written whether it is
  // common or not: a branch that nobody can foresee costs more.
  int64_t append(const int32_t* place, const int32_t* columns, int64_t count) {
    const int64_t before = size;
    if (static_cast<int64_t>(left.size()) < size + count) {
      left.resize(2 * (size + count));
      right.resize(2 * (size + count));
    }
    for (int64_t b = 0; b < count; ++b) {
      left[size] = place[columns[b]] - 1;
      right[size] = static_cast<int32_t>(b);
      size += place[columns[b]] != 0;
    }
    return size - before;
  }
};

int64_t longest_row(const PatternView& rows) {
  int64_t longest = 0;
  for (int64_t i = 0; i < rows.rows; ++i) longest = std::max(longest, rows.row_size(i));
  return longest;
}

}  // namespace

SharedColumns find_shared_columns(PatternView pairs, PatternView rows, int threads) {
  constexpr int64_t kRowsOfAPiece = 512;
  SharedColumns out;
  out.ptr.assign(pairs.nnz() + 1, 0);
  std::vector<Piece> pieces((pairs.rows + kRowsOfAPiece - 1) / kRowsOfAPiece);
  for_fixed_pieces(
      pairs.rows, kRowsOfAPiece, threads, [&](int64_t number, int64_t begin, int64_t end) {
        Piece& piece = pieces[number];
        std::vector<int32_t> place(rows.cols, 0);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = rows.row_ptr[i], last = rows.row_ptr[i + 1];
          for (int64_t a = first; a < last; ++a) {
            place[rows.col[a]] = static_cast<int32_t>(a - first + 1);
          }
          for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
            const int32_t j = pairs.col[e];
            out.ptr[e + 1] =
                piece.append(place.data(), rows.col + rows.row_ptr[j], rows.row_size(j));
          }
          for (int64_t a = first; a < last; ++a) place[rows.col[a]] = 0;
        }
      });
  for (int64_t e = 0; e < pairs.nnz(); ++e) out.ptr[e + 1] += out.ptr[e];
  out.left.reserve(out.ptr.back());
  out.right.reserve(out.ptr.back());
  for (Piece& piece : pieces) {
    out.left.insert(out.left.end(), piece.left.begin(), piece.left.begin() + piece.size);
    out.right.insert(out.right.end(), piece.right.begin(), piece.right.begin() + piece.size);
    piece = {};
  }
  return out;
}

namespace cpu {

void edge_dot_forward(float* s, PatternView pairs, const SharedColumns& shared, PatternView rows,
                      const float* values, int threads) {
  for_row_ranges(pairs.rows, 4 * pairs.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* const own = values + rows.row_ptr[i];
      for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
        const int32_t j = pairs.col[e];
        const float* const other = values + rows.row_ptr[j];
        // Four sums, as gather_dot has them: the same bits.
        const int64_t in_fours = rows.row_size(j) & ~int64_t{3};
        float sums[4] = {0, 0, 0, 0};
        for (int64_t c = shared.ptr[e]; c < shared.ptr[e + 1]; ++c) {
          const int32_t q = shared.right[c];
          sums[q < in_fours ? q & 3 : 0] += own[shared.left[c]] * other[q];
        }
        s[e] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      }
    }
  });
}

void edge_dot_backward(float* d_values, const float* d_s, PatternView pairs,
                       const TransposeView& transposed, const SharedColumns& shared,
                       PatternView rows, const float* values, int threads) {
  const int64_t longest = longest_row(rows);
  const PatternView& back = transposed.pattern;
  for_row_ranges(pairs.rows, 8 * pairs.nnz(), threads, [&](int64_t begin, int64_t end) {
    std::vector<float> sums(longest);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t size = rows.row_size(i);
      std::fill_n(sums.begin(), size, 0.0f);
      for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
        const float* const other = values + rows.row_ptr[pairs.col[e]];
        for (int64_t c = shared.ptr[e]; c < shared.ptr[e + 1]; ++c) {
          sums[shared.left[c]] += d_s[e] * other[shared.right[c]];
        }
      }
      for (int64_t q = back.row_ptr[i]; q < back.row_ptr[i + 1]; ++q) {
        const int64_t e = transposed.source[q];
        const float* const other = values + rows.row_ptr[back.col[q]];
        for (int64_t c = shared.ptr[e]; c < shared.ptr[e + 1]; ++c) {
          sums[shared.right[c]] += d_s[e] * other[shared.left[c]];
        }
      }
      float* const d_row = d_values + rows.row_ptr[i];
      for (int64_t a = 0; a < size; ++a) d_row[a] += sums[a];
    }
  });
}

}  // namespace cpu
}  // namespace glgnn
#endif
