#include "kernels/graph_network.h"

#include <vector>

#include "core/parallel.h"

// With attention by row all matrices have the same shape, and their numbers are walked as one list;
// attention that all rows share has few numbers and is left to ref.
namespace glgnn::cpu {
namespace {

constexpr int64_t kPiece = 2048;

int64_t piece_count(int64_t numbers) { return (numbers + kPiece - 1) / kPiece; }

double product_sum(const float* a, const float* x, const float* y, int64_t begin, int64_t end) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t e = begin; e < end; ++e) sum += static_cast<double>(a[e]) * x[e] * y[e];
  return sum;
}

double product_sum(const float* x, const float* y, int64_t begin, int64_t end) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t e = begin; e < end; ++e) sum += static_cast<double>(x[e]) * y[e];
  return sum;
}

// The sums of all pieces, one row of `count` for each, added in order.
std::vector<double> add_pieces(const std::vector<double>& sums, int64_t count) {
  std::vector<double> all(count, 0.0);
  for (size_t s = 0; s < sums.size(); ++s) all[s % count] += sums[s];
  return all;
}

}  // namespace

void network_alpha_forward(MatView<float> alpha, std::span<const MatView<const float>> x,
                           MatView<const float> a, int threads) {
  if (a.rows != x[0].rows) return ref::network_alpha_forward<float>(alpha, x, a);
  const int64_t count = static_cast<int64_t>(x.size()), numbers = x[0].size();
  std::vector<double> sums(piece_count(numbers) * count * count);
  for_fixed_pieces(numbers, kPiece, threads, [&](int64_t piece, int64_t begin, int64_t end) {
    double* own = sums.data() + piece * count * count;
    for (int64_t u = 0; u < count; ++u) {
      for (int64_t v = 0; v <= u; ++v) {
        own[u * count + v] = product_sum(a.data, x[u].data, x[v].data, begin, end);
      }
    }
  });
  const std::vector<double> all = add_pieces(sums, count * count);
  for (int64_t u = 0; u < count; ++u) {
    for (int64_t v = 0; v <= u; ++v) {
      alpha[u][v] = alpha[v][u] =
          static_cast<float>(all[u * count + v] / static_cast<double>(x[0].rows));
    }
  }
}

void network_alpha_backward(std::span<const MatView<float>> d_x, MatView<float> d_a,
                            MatView<const float> d_alpha, std::span<const MatView<const float>> x,
                            MatView<const float> a, int threads) {
  if (a.rows != x[0].rows) return ref::network_alpha_backward<float>(d_x, d_a, d_alpha, x, a);
  const int64_t count = static_cast<int64_t>(x.size());
  const float scale = 1.0f / static_cast<float>(x[0].rows);
  for_fixed_pieces(x[0].size(), kPiece, threads, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t u = 0; u < count; ++u) {
      for (int64_t v = 0; v < count; ++v) {
        const float both = scale * (d_alpha[u][v] + d_alpha[v][u]), one = scale * d_alpha[u][v];
        const float *x_u = x[u].data, *x_v = x[v].data;
        for (int64_t e = begin; d_x[u].data && e < end; ++e) {
          d_x[u].data[e] += both * a.data[e] * x_v[e];
        }
        for (int64_t e = begin; d_a.data && e < end; ++e) d_a.data[e] += one * x_u[e] * x_v[e];
      }
    }
  });
}

void network_mix_forward(MatView<float> y, std::span<const MatView<const float>> x,
                         const float* weight, int threads) {
  for_fixed_pieces(y.size(), kPiece, threads, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) y.data[e] = weight[0] * x[0].data[e];
    for (size_t u = 1; u < x.size(); ++u) {
      for (int64_t e = begin; e < end; ++e) y.data[e] += weight[u] * x[u].data[e];
    }
  });
}

void network_mix_backward(std::span<const MatView<float>> d_x, float* d_weight,
                          MatView<const float> d_y, std::span<const MatView<const float>> x,
                          const float* weight, int threads) {
  const int64_t count = static_cast<int64_t>(x.size());
  std::vector<double> sums(piece_count(d_y.size()) * count);
  for_fixed_pieces(d_y.size(), kPiece, threads, [&](int64_t piece, int64_t begin, int64_t end) {
    for (int64_t u = 0; u < count; ++u) {
      sums[piece * count + u] = product_sum(d_y.data, x[u].data, begin, end);
      for (int64_t e = begin; d_x[u].data && e < end; ++e) {
        d_x[u].data[e] += weight[u] * d_y.data[e];
      }
    }
  });
  const std::vector<double> all = add_pieces(sums, count);
  for (int64_t u = 0; d_weight && u < count; ++u) d_weight[u] += static_cast<float>(all[u]);
}

}  // namespace glgnn::cpu
