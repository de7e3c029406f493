// What this machine can do at best, measured in the same run: bare BLAS products and a stream copy.
#pragma once

#include <cstdint>

namespace glgnn::bench {

// Both on `threads` threads, each with its own rows; seconds of the shortest run.

// c = a b^T with c m x n, a m x k and b n x k: one sgemm for each thread.
double sgemm_seconds(int64_t m, int64_t n, int64_t k, int threads, double budget);
// c = a b with a m x k and b k x n.
double sgemm_plain_seconds(int64_t m, int64_t n, int64_t k, int threads, double budget);
// z z^T, z n x d, in tiles that stay in the cache: one sgemm for each.
double sgemm_tiles_seconds(int64_t n, int64_t d, int threads, double budget);

// Bytes a second, read and written, of copying blocks that do not fit into the caches.
double copy_rate(int threads, double budget);

}  // namespace glgnn::bench
