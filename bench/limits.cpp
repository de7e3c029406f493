#include <cstring>
#include <vector>

#include "bench/bench.h"
#include "kernels/cpu/blas.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kTile = 288;  // rows and columns of the tiles of kernels/cpu

// A product c = a op(b) with c m x n of the given row strides; sgemm takes 32-bit sizes.
struct Sgemm {
  CBLAS_TRANSPOSE transpose_b;
  int64_t m, n, k, stride_a, stride_b, stride_c;
  float keep = 0;  // of what c held

  void operator()(float* c, const float* a, const float* b) const {
    const auto narrow = [](int64_t size) { return static_cast<int>(size); };
    cpu::sgemm(CblasRowMajor, CblasNoTrans, transpose_b, narrow(m), narrow(n), narrow(k), 1.0f, a,
               narrow(stride_a), b, narrow(stride_b), keep, c, narrow(stride_c));
  }
};

std::vector<float> numbers(int64_t count) {
  return std::vector<float>(static_cast<size_t>(count), 0.5f);
}

double large_seconds(CBLAS_TRANSPOSE transpose_b, int64_t m, int64_t n, int64_t k,
                     Repeats repeats) {
  const cpu::SingleThreadedBlas single(repeats.threads);
  const auto a = numbers(m * k), b = numbers(n * k);
  auto c = numbers(m * n);
  const int64_t stride_b = transpose_b == CblasTrans ? k : n;
  return shortest_seconds(repeats.budget, [&] {
#pragma omp parallel for num_threads(repeats.threads) schedule(static, 1)
    for (int part = 0; part < repeats.threads; ++part) {
      const int64_t begin = part * m / repeats.threads, end = (part + 1) * m / repeats.threads;
      const Sgemm product{transpose_b, end - begin, n, k, k, stride_b, n};
      product(c.data() + begin * n, a.data() + begin * k, b.data());
    }
  });
}

// visit(tile, i, j, rows, columns) for every tile of N x N that begins at row i and column j.
template <class Visit>
double tiles_seconds(int64_t n, Repeats repeats, const Visit& visit) {
  const cpu::SingleThreadedBlas single(repeats.threads);
  return shortest_seconds(repeats.budget, [&] {
#pragma omp parallel num_threads(repeats.threads)
    {
      auto tile = numbers(kTile * kTile);
#pragma omp for schedule(dynamic)
      for (int64_t i = 0; i < n; i += kTile) {
        for (int64_t j = 0; j < n; j += kTile) {
          visit(tile.data(), i, j, std::min(kTile, n - i), std::min(kTile, n - j));
        }
      }
    }
  });
}

}  // namespace

double sgemm_seconds(int64_t m, int64_t n, int64_t k, Repeats repeats) {
  return large_seconds(CblasNoTrans, m, n, k, repeats);
}

ProductLimit similarity_limit(int64_t n, int64_t d, Repeats repeats) {
  const auto z = numbers(n * d);
  const auto visit = [&](float* tile, int64_t i, int64_t j, int64_t rows, int64_t columns) {
    const Sgemm product{CblasTrans, rows, columns, d, d, d, kTile};
    product(tile, z.data() + i * d, z.data() + j * d);
  };
  return {large_seconds(CblasTrans, n, n, d, repeats), tiles_seconds(n, repeats, visit)};
}

ProductLimit gradient_limit(int64_t n, int64_t d, Repeats repeats) {
  const auto z = numbers(n * d);
  auto d_z = numbers(n * d);
  const auto visit = [&](float* tile, int64_t i, int64_t j, int64_t rows, int64_t columns) {
    const Sgemm product{CblasNoTrans, rows, d, columns, kTile, d, d, j == 0 ? 0.0f : 1.0f};
    product(d_z.data() + i * d, tile, z.data() + j * d);
  };
  return {large_seconds(CblasNoTrans, n, d, n, repeats), tiles_seconds(n, repeats, visit)};
}

double copy_rate(int64_t count, Repeats repeats) {
  const auto from = numbers(count);
  auto to = numbers(count);
  const double seconds = shortest_seconds(repeats.budget, [&] {
#pragma omp parallel for num_threads(repeats.threads) schedule(static, 1)
    for (int part = 0; part < repeats.threads; ++part) {
      const int64_t begin = part * count / repeats.threads;
      const int64_t end = (part + 1) * count / repeats.threads;
      std::memcpy(to.data() + begin, from.data() + begin,
                  static_cast<size_t>(end - begin) * sizeof(float));
    }
  });
  return 2.0 * static_cast<double>(count) * sizeof(float) / seconds;
}

}  // namespace glgnn::bench
