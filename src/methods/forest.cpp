// Random forest: trees of Gini splits, each grown to the end on rows drawn with replacement.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"
#include "core/rows.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
namespace {

struct TreeNode {
  int32_t column = -1;  // -1: a leaf
  float threshold = 0;  // at most this: left
  int32_t left = -1, right = -1;
  std::vector<float> shares = {};  // of the classes, in a leaf
};

class Tree {
 public:
  Tree(const Problem& problem, const Rng& rng, int64_t tried, int64_t least)
      : problem_(problem), x_(*problem.features), rng_(rng), tried_(tried), least_(least) {
    std::vector<int32_t> rows(problem.train.size());
    for (int32_t& row : rows) row = problem.train[draw(problem.train.size())];
    grow(std::move(rows));
  }

  const std::vector<float>& shares(int64_t row) const {
    int32_t at = 0;
    while (nodes_[at].column >= 0) {
      const TreeNode& node = nodes_[at];
      at = number_at(x_, row, node.column) <= node.threshold ? node.left : node.right;
    }
    return nodes_[at].shares;
  }

 private:
  struct Cut {
    double gain = 0;
    int32_t column = -1;
    float threshold = 0;
  };

  size_t draw(size_t below) {
    return rng_.block(drawn_++)[0] % static_cast<uint32_t>(std::max<size_t>(1, below));
  }

  // Sum of squared counts over the sum: what purity is measured by.
  static double purity(const std::vector<double>& counts, double rows) {
    double squares = 0;
    for (const double count : counts) squares += count * count;
    return rows > 0 ? squares / rows : 0;
  }

  Cut best_cut(const std::vector<int32_t>& rows, const std::vector<double>& counts,
               int32_t column) {
    std::vector<std::pair<float, int32_t>> sorted;
    for (const int32_t row : rows) {
      sorted.emplace_back(number_at(x_, row, column), problem_.labels[row]);
    }
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<double>(rows.size());
    const double before = purity(counts, n);
    std::vector<double> left(counts.size(), 0.0), right = counts;
    Cut best;
    for (size_t r = 0; r + 1 < sorted.size(); ++r) {
      ++left[sorted[r].second];
      --right[sorted[r].second];
      if (sorted[r].first == sorted[r + 1].first) continue;
      const auto size = static_cast<double>(r + 1);
      const double gain = purity(left, size) + purity(right, n - size) - before;
      if (gain <= best.gain + 1e-12) continue;
      // Between neighbouring floats the middle would be the larger one, and cut nothing off.
      const float middle = sorted[r].first + 0.5f * (sorted[r + 1].first - sorted[r].first);
      best = {gain, column, middle < sorted[r + 1].first ? middle : sorted[r].first};
    }
    return best;
  }

  // Columns without replacement until `tried_` of them could be cut.
  Cut choose_cut(const std::vector<int32_t>& rows, const std::vector<double>& counts) {
    std::vector<int32_t> columns(static_cast<size_t>(x_.cols()));
    std::iota(columns.begin(), columns.end(), 0);
    Cut best;
    int64_t could = 0;
    for (size_t c = 0; c < columns.size() && could < tried_; ++c) {
      std::swap(columns[c], columns[c + draw(columns.size() - c)]);
      const Cut cut = best_cut(rows, counts, columns[c]);
      could += cut.column >= 0;
      if (cut.gain > best.gain) best = cut;
    }
    return best;
  }

  int32_t grow(std::vector<int32_t> rows) {
    const auto at = static_cast<int32_t>(nodes_.size());
    nodes_.emplace_back();
    std::vector<double> counts(static_cast<size_t>(problem_.classes), 0.0);
    for (const int32_t row : rows) ++counts[problem_.labels[row]];
    const bool pure = std::ranges::count_if(counts, [](double count) { return count > 0; }) < 2;
    const bool small = std::ssize(rows) < 2 * least_;
    const Cut cut = pure || small ? Cut{} : choose_cut(rows, counts);
    if (cut.column < 0) {
      for (const double count : counts) {
        nodes_[at].shares.push_back(static_cast<float>(count / static_cast<double>(rows.size())));
      }
      return at;
    }
    const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](int32_t row) {
      return number_at(x_, row, cut.column) <= cut.threshold;
    });
    std::vector<int32_t> right(middle, rows.end());
    rows.erase(middle, rows.end());
    const int32_t to_left = grow(std::move(rows));
    const int32_t to_right = grow(std::move(right));
    nodes_[at].column = cut.column;
    nodes_[at].threshold = cut.threshold;
    nodes_[at].left = to_left;
    nodes_[at].right = to_right;
    return at;
  }

  const Problem& problem_;
  const Features& x_;
  Rng rng_;
  uint64_t drawn_ = 0;
  int64_t tried_, least_;
  std::vector<TreeNode> nodes_;
};

MethodAnswer fit_forest(const MethodTask& task) {
  const Features& x = *task.problem.features;
  const auto tried = static_cast<int64_t>(
      std::max(1.0, task.value("columns") * std::sqrt(static_cast<double>(x.cols()))));
  const int64_t trees = task.count("trees");
  Matrix p(x.rows(), task.problem.classes);
  for (int64_t t = 0; t < trees; ++t) {
    const Tree tree(task.problem, {task.seed, Stream::kModules, 1, static_cast<uint32_t>(t)}, tried,
                    task.count("least"));
    for (int64_t i = 0; i < x.rows(); ++i) {
      const std::vector<float>& shares = tree.shares(i);
      for (int64_t c = 0; c < p.cols(); ++c) p[i][c] += shares[c] / static_cast<float>(trees);
    }
  }
  return {std::move(p)};
}

}  // namespace

Method forest_method() {
  return {
      .name = "forest",
      .paper = "Breiman, ML 2001",
      .text = "random forest: the mean of trees grown on drawn rows and columns",
      .settings = {{"trees", 300, {300}, "how many"},
                   {"columns", 1, {0.5, 1, 2, 4}, "tried for a cut, times the root of all"},
                   {"least", 1, {1, 2, 4}, "rows on each side of a leaf's parent, in the mean"}},
      .fit = fit_forest};
}

}  // namespace glgnn
