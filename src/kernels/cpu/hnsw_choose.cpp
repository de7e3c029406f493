#include "kernels/hnsw_choose.h"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kernels/cpu/row_dots.h"

namespace glgnn::cpu {
namespace {

// Two parts from this many rows on: two threads build, and look-ups are not much dearer.
constexpr int64_t kRowsOfTwoParts = 16384;
constexpr size_t kLinks = 16, kBuildWidth = 80;
constexpr int64_t kSearchWidth = 48;  // at least; rows kept in view by one look-up

struct DistanceParameter {
  RowDot dot;
  int64_t cols;
};

// hnswlib wants distances: the larger the product, the nearer.
float distance(const void* x, const void* y, const void* parameter) {
  const auto& p = *static_cast<const DistanceParameter*>(parameter);
  return -p.dot(static_cast<const float*>(x), static_cast<const float*>(y), p.cols);
}

class InnerProduct final : public hnswlib::SpaceInterface<float> {
 public:
  explicit InnerProduct(int64_t cols) : parameter_{row_dot(), cols} {}
  size_t get_data_size() override { return static_cast<size_t>(parameter_.cols) * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return &parameter_; }

 private:
  DistanceParameter parameter_;
};

using Index = hnswlib::HierarchicalNSW<float>;

class PartIndexes {
 public:
  PartIndexes(MatView<const float> z, int threads)
      : space_(z.cols), parts_(z.rows < kRowsOfTwoParts ? 1 : 2) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < static_cast<int64_t>(parts_.size()); ++p) {
      const int64_t count = static_cast<int64_t>(parts_.size());
      const int64_t begin = z.rows * p / count, end = z.rows * (p + 1) / count;
      parts_[p] =
          std::make_unique<Index>(&space_, static_cast<size_t>(end - begin), kLinks, kBuildWidth);
      for (int64_t i = begin; i < end; ++i) {
        parts_[p]->addPoint(z[i], static_cast<size_t>(i));
      }
    }
  }

  void set_search_width(int64_t width) {
    for (const auto& part : parts_) part->setEf(static_cast<size_t>(width));
  }

  // Appends up to `count` rows of each part.
  void append_nearest(std::vector<int32_t>& rows, const float* z_row, int64_t count) const {
    for (const auto& part : parts_) {
      auto found = part->searchKnn(z_row, static_cast<size_t>(count));
      for (; !found.empty(); found.pop()) rows.push_back(static_cast<int32_t>(found.top().second));
    }
  }

 private:
  InnerProduct space_;
  std::vector<std::unique_ptr<Index>> parts_;
};

// t of the pairs of one row, and the order in which they are chosen.
class PairScores {
 public:
  PairScores(const ZDense<float>& z, const HopWeights<float>& hops, const ChooseOptions& options)
      : z_(z.z),
        hops_(hops),
        options_(options),
        dot_(row_dot()),
        log_other_(has_hops() ? std::log(hops.h_other) : 0.0f) {}

  struct Scored {
    float t;
    int32_t column;
    bool operator<(const Scored& other) const {
      return t != other.t ? t > other.t : column < other.column;
    }
  };

  bool has_hops() const { return hops_.near.rows > 0; }

  // The candidates (different, ascending) that may be chosen, with their t.
  void score(std::vector<Scored>& scored, const std::vector<int32_t>& candidates,
             int64_t row) const {
    scored.clear();
    int64_t near = has_hops() ? hops_.near.row_ptr[row] : 0;
    const int64_t near_end = has_hops() ? hops_.near.row_ptr[row + 1] : 0;
    for (const int32_t column : candidates) {
      if (column == row && !options_.diagonal) continue;
      const float s = dot_(z_[row], z_[column], z_.cols);
      if (options_.positive_only && !(s > 0)) continue;
      while (near < near_end && hops_.near.col[near] < column) ++near;
      const bool is_near = near < near_end && hops_.near.col[near] == column;
      scored.push_back({s + (is_near ? std::log(hops_.of(near)) : log_other_), column});
    }
  }

  // The best k first, in order.
  int64_t put_best_first(std::vector<Scored>& scored) const {
    const int64_t kept = std::min(options_.k, static_cast<int64_t>(scored.size()));
    std::partial_sort(scored.begin(), scored.begin() + kept, scored.end());
    return kept;
  }

 private:
  MatView<const float> z_;
  const HopWeights<float>& hops_;
  const ChooseOptions& options_;
  RowDot dot_;
  float log_other_;
};

void keep_different(std::vector<int32_t>& columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

}  // namespace

void hnsw_choose(int32_t* col, int64_t* count, const ZDense<float>& z,
                 const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  PartIndexes indexes(z.z, threads);
  const int64_t wanted = options.k + 1;  // the row finds itself
  indexes.set_search_width(std::max(kSearchWidth, 2 * wanted));
  const PairScores scores(z, hops, options);
#pragma omp parallel num_threads(threads)
  {
    std::vector<int32_t> candidates;
    std::vector<PairScores::Scored> scored;
#pragma omp for schedule(dynamic, 64)
    for (int64_t i = 0; i < z.rows(); ++i) {
      candidates.clear();
      indexes.append_nearest(candidates, z.z[i], wanted);
      if (scores.has_hops()) {
        candidates.insert(candidates.end(), hops.near.col + hops.near.row_ptr[i],
                          hops.near.col + hops.near.row_ptr[i + 1]);
      }
      keep_different(candidates);
      scores.score(scored, candidates, i);
      count[i] = scores.put_best_first(scored);
      int32_t* out = col + i * options.k;
      for (int64_t c = 0; c < count[i]; ++c) out[c] = scored[c].column;
      std::sort(out, out + count[i]);
    }
  }
}

double choice_recall(const int32_t* col, const int64_t* count, const ZDense<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int64_t sample,
                     int threads) {
  const PairScores scores(z, hops, options);
  sample = std::min(sample, z.rows());
  std::vector<int32_t> all(z.rows());
  for (int64_t i = 0; i < z.rows(); ++i) all[i] = static_cast<int32_t>(i);
  int64_t right = 0, possible = 0;
#pragma omp parallel num_threads(threads) reduction(+ : right, possible)
  {
    std::vector<PairScores::Scored> scored;
#pragma omp for schedule(dynamic)
    for (int64_t c = 0; c < sample; ++c) {
      const int64_t row = z.rows() * c / sample;
      scores.score(scored, all, row);
      const int64_t kept = scores.put_best_first(scored);
      if (kept == 0) continue;
      // Equally good pairs count as found, whichever of them was chosen.
      const float worst = scored[kept - 1].t;
      scores.score(scored, {col + row * options.k, col + row * options.k + count[row]}, row);
      const int64_t good = std::count_if(scored.begin(), scored.end(),
                                         [&](const auto& pair) { return pair.t >= worst; });
      right += std::min(good, kept);
      possible += kept;
    }
  }
  return possible > 0 ? static_cast<double>(right) / static_cast<double>(possible) : 1.0;
}

}  // namespace glgnn::cpu
