// Skip-gram with negative sampling: vectors of rows, from which the rows met with them can be told,
// and vectors of rows as neighbours of others.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace glgnn {

class SkipGram {
 public:
  // The edges must outlive this.
  SkipGram(const Pattern& edges, int64_t dimension, uint64_t seed)
      : edges_(edges),
        vectors_(edges.rows, dimension),
        contexts_(edges.rows, dimension),
        moved_(static_cast<size_t>(dimension)),
        draws_{seed, Stream::kModules, 2, 0} {
    const Rng start{seed, Stream::kInit, 40, 0};
    for (int64_t e = 0; e < vectors_.size(); ++e) {
      vectors_.data()[e] =
          (start.uniform(static_cast<uint64_t>(e)) - 0.5f) / static_cast<float>(dimension);
    }
    // Rows are met as often as they have edges; rare ones are drawn a little more.
    double sum = 0;
    for (int64_t i = 0; i < edges_.rows; ++i) {
      sum += std::pow(static_cast<double>(edges_.view().row_size(i)), 0.75);
      chances_.push_back(sum);
    }
  }

  // A path of rows over the edges; shorter where it comes to an end.
  std::vector<int32_t> walk(int32_t from, int64_t length) {
    std::vector<int32_t> path{from};
    while (std::ssize(path) < length) {
      const int64_t begin = edges_.row_ptr[path.back()];
      const auto degree = static_cast<uint32_t>(edges_.view().row_size(path.back()));
      if (degree == 0) break;
      path.push_back(edges_.col[begin + draw() % degree]);
    }
    return path;
  }

  // One step on each two rows of a path that are at most `window` apart; `near_more`: a smaller
  // window now and then, so that near rows count more.
  void learn(const std::vector<int32_t>& path, int64_t window, bool near_more, double rate) {
    for (int64_t at = 0; at < std::ssize(path); ++at) {
      const int64_t reach = near_more ? 1 + draw() % static_cast<uint32_t>(window) : window;
      const int64_t last = std::min<int64_t>(std::ssize(path) - 1, at + reach);
      for (int64_t other = std::max<int64_t>(0, at - reach); other <= last; ++other) {
        if (other != at) meet(path[other], path[at], rate, [this] { return any_row(); });
      }
    }
  }

  // `row` is met with `other`, and not with rows that draw_apart() names.
  template <class DrawApart>
  void meet(int32_t row, int32_t other, double rate, DrawApart&& draw_apart) {
    std::ranges::fill(moved_, 0.0f);
    float* vector = vectors_[row];
    push(vector, other, 1, rate);
    for (int64_t n = 0; n < kNegatives; ++n) {
      const int32_t apart = draw_apart();
      if (apart != other) push(vector, apart, 0, rate);
    }
    for (size_t d = 0; d < moved_.size(); ++d) vector[d] += moved_[d];
  }

  // One of a list by chance.
  int32_t one_of(const std::vector<int32_t>& list) {
    return list[draw() % static_cast<uint32_t>(list.size())];
  }

  Matrix vectors() && { return std::move(vectors_); }

 private:
  static constexpr int64_t kNegatives = 5;

  uint32_t draw() {
    if (drawn_ % 4 == 0) block_ = draws_.block(drawn_ / 4);
    return block_[drawn_++ % 4];
  }

  int32_t any_row() {
    const double at = Rng::to_uniform(draw()) * chances_.back();
    return static_cast<int32_t>(std::ranges::lower_bound(chances_, at) - chances_.begin());
  }

  // One step on log sigmoid(v . c), or on log(1 - sigmoid(v . c)) for `together` = 0.
  void push(const float* vector, int32_t row, int together, double rate) {
    float* context = contexts_[row];
    float product = 0;
    for (size_t d = 0; d < moved_.size(); ++d) product += vector[d] * context[d];
    const auto step = static_cast<float>(rate * (together - 1 / (1 + std::exp(-double{product}))));
    for (size_t d = 0; d < moved_.size(); ++d) {
      moved_[d] += step * context[d];
      context[d] += step * vector[d];
    }
  }

  const Pattern& edges_;
  Matrix vectors_, contexts_;
  std::vector<float> moved_;  // a row's step, taken at the end
  Rng draws_;
  uint64_t drawn_ = 0;
  std::array<uint32_t, 4> block_{};
  std::vector<double> chances_;
};

}  // namespace glgnn
