// What this machine can do at best, measured in the same run: bare BLAS products and a stream copy.
// All on `threads` threads, each with its own rows; seconds of the shortest run.
#pragma once

#include <algorithm>
#include <cstdint>

namespace glgnn::bench {

struct Repeats {
  int threads;
  double budget;  // seconds
};

// c = a b, a m x k and b k x n: one sgemm for each thread.
double sgemm_seconds(int64_t m, int64_t n, int64_t k, Repeats repeats);

// One product of graph learning, as bare sgemm: as one large product whose N x N matrix lies in the
// memory, and in tiles that stay in the cache. The limit is the faster.
struct ProductLimit {
  double large, tiles;
  double seconds() const { return std::min(large, tiles); }
};
// S = z z^T, z n x d.
ProductLimit similarity_limit(int64_t n, int64_t d, Repeats repeats);
// d_z = w z, w n x n.
ProductLimit gradient_limit(int64_t n, int64_t d, Repeats repeats);

// Bytes a second, read and written, of copying so many numbers.
double copy_rate(int64_t numbers, Repeats repeats);

}  // namespace glgnn::bench
