#include "modules/trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/rows.h"
#include "core/validate.h"
#include "modules/module.h"

namespace glgnn {
namespace {

constexpr int64_t kMostCuts = 127;  // of a column: codes fit into a byte
constexpr int64_t kMostRowsOfATree = 20000;
constexpr double kPartOfRows = 0.7;     // that a tree learns from
constexpr int64_t kEnoughColumns = 16;  // of which a tree reads all
constexpr double kPartOfColumns = 0.5;  // of those beyond
constexpr double kShrink = 1;           // a leaf's value is that of so much more curvature

// The numbers of the training rows as places among the cuts of their column, column by column.
struct Codes {
  int64_t rows = 0;
  std::vector<std::vector<float>> cuts =
      {};                          // of each column, ascending: a code is how many are below
  std::vector<uint8_t> code = {};  // F x T

  const uint8_t* operator[](int64_t column) const { return code.data() + column * rows; }
};

// In the middle of two neighbouring numbers; where there are many, with as many rows between two.
std::vector<float> cuts_of(std::vector<float> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<std::pair<float, size_t>> borders;  // and how many numbers lie below
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] > numbers[i - 1]) {
      borders.emplace_back(numbers[i - 1] + 0.5f * (numbers[i] - numbers[i - 1]), i);
    }
  }
  std::vector<float> cuts;
  const double step = std::ssize(borders) <= kMostCuts
                          ? 0.0
                          : static_cast<double>(numbers.size()) / (kMostCuts + 1);
  double wanted = step;
  for (const auto& [at, below] : borders) {
    if (static_cast<double>(below) < wanted) continue;
    cuts.push_back(at);
    wanted = std::max(wanted + step, static_cast<double>(below) + 0.5 * step);
  }
  if (std::ssize(cuts) > kMostCuts) cuts.resize(kMostCuts);
  return cuts;
}

Codes encode(const Matrix& x, const std::vector<int32_t>& rows, int threads) {
  Codes codes{.rows = std::ssize(rows)};
  codes.cuts.resize(x.cols());
  codes.code.resize(x.cols() * codes.rows);
  parallel_for(x.cols(), threads, 1, [&](int64_t f) {
    std::vector<float> numbers;
    for (const int32_t row : rows) numbers.push_back(x[row][f]);
    const std::vector<float>& cuts = codes.cuts[f] = cuts_of(numbers);
    for (size_t t = 0; t < numbers.size(); ++t) {
      codes.code[f * codes.rows + static_cast<int64_t>(t)] = static_cast<uint8_t>(
          std::lower_bound(cuts.begin(), cuts.end(), numbers[t]) - cuts.begin());
    }
  });
  return codes;
}

struct Cut {
  double gain = 0;
  int32_t column = -1;
  int32_t code = 0;  // at most this: to the first child
};

class Boosting {
 public:
  Boosting(const Features& x, const Problem& problem, const TreesOptions& options, const Rng& rng,
           int threads)
      : options_(options),
        rng_(rng),
        threads_(threads),
        classes_(problem.classes),
        codes_(encode(x.dense, problem.train, threads)),
        weight_(training_row_weights(problem)),
        logits_(codes_.rows, classes_),
        pull_(codes_.rows, classes_),
        curve_(codes_.rows, classes_) {
    for (const int32_t row : problem.train) label_.push_back(problem.labels[row]);
    grown_.gain.assign(x.cols(), 0.0);
    Matrix& start = grown_.trees.start = Matrix(1, classes_);
    const std::vector<double> shares = class_shares(problem);
    for (int64_t c = 0; c < classes_; ++c) start[0][c] = static_cast<float>(std::log(shares[c]));
    for (int64_t t = 0; t < codes_.rows; ++t) std::copy_n(start[0], classes_, logits_[t]);
  }

  GrownTrees run() {
    for (int64_t tree = 0; tree < options_.count; ++tree) add_tree(tree);
    Matrix& values = grown_.trees.values = Matrix(std::ssize(values_) / classes_, classes_);
    std::copy(values_.begin(), values_.end(), values.data());
    return std::move(grown_);
  }

 private:
  // A leaf that may be cut.
  struct Leaf {
    int32_t node;
    int64_t begin, end;  // of its rows in rows_
    Cut best;
  };

  void add_tree(int64_t tree) {
    set_gradient();
    draw(tree);
    Trees& trees = grown_.trees;
    const auto root = static_cast<int32_t>(trees.column.size());
    trees.roots.push_back(root);
    add_node();
    std::vector<Leaf> open{{root, 0, std::ssize(rows_), {}}};
    find_cut(open.front());
    while (std::ssize(open) < options_.leaves) {
      const auto best =
          std::max_element(open.begin(), open.end(),
                           [](const Leaf& a, const Leaf& b) { return a.best.gain < b.best.gain; });
      if (best->best.column < 0) break;
      Leaf cut = *best;
      auto [first, second] = divide(cut);
      find_cut(first);
      find_cut(second);
      *best = first;
      open.push_back(second);
    }
    for (const Leaf& leaf : open) set_value(leaf);
    parallel_for(codes_.rows, threads_, 0, [&](int64_t t) {
      const float* const value = values_.data() + leaf_of(root, t) * classes_;
      for (int64_t c = 0; c < classes_; ++c) logits_[t][c] += value[c];
    });
  }

  void add_node() {
    Trees& trees = grown_.trees;
    trees.column.push_back(-1);
    trees.threshold.push_back(0);
    trees.next.push_back(-1);
    cut_.push_back(0);
  }

  int64_t leaf_of(int32_t root, int64_t t) const {
    const Trees& trees = grown_.trees;
    int32_t at = root;
    while (trees.column[at] >= 0) {
      at = trees.next[at] + (codes_[trees.column[at]][t] > cut_[at]);
    }
    return trees.next[at];
  }

  // Of the cross-entropy by the logits: minus the first derivative, and the second.
  void set_gradient() {
    parallel_for(codes_.rows, threads_, 0, [&](int64_t t) {
      const float* const logits = logits_[t];
      const float largest = *std::max_element(logits, logits + classes_);
      double sum = 0;
      for (int64_t c = 0; c < classes_; ++c) sum += std::exp(logits[c] - largest);
      for (int64_t c = 0; c < classes_; ++c) {
        const double p = std::exp(logits[c] - largest) / sum;
        pull_[t][c] = static_cast<float>(weight_[t] * ((label_[t] == c ? 1.0 : 0.0) - p));
        curve_[t][c] = static_cast<float>(weight_[t] * p * (1 - p));
      }
    });
    whole_curve_.assign(codes_.rows, 0.0f);
    for (int64_t t = 0; t < codes_.rows; ++t) {
      for (int64_t c = 0; c < classes_; ++c) whole_curve_[t] += curve_[t][c];
    }
  }

  // The rows and columns of a tree.
  void draw(int64_t tree) {
    Rng rng = rng_;
    rng.step = static_cast<uint32_t>(tree);
    const auto some = [&](int64_t of, int64_t count, uint64_t from) {
      std::vector<std::pair<float, int32_t>> keyed;
      for (int64_t i = 0; i < of; ++i) keyed.emplace_back(rng.uniform(from + i), i);
      std::nth_element(keyed.begin(), keyed.begin() + std::min(of, count), keyed.end());
      std::vector<int32_t> drawn;
      for (int64_t i = 0; i < std::min(of, count); ++i) drawn.push_back(keyed[i].second);
      std::sort(drawn.begin(), drawn.end());
      return drawn;
    };
    const auto all = static_cast<double>(codes_.rows);
    rows_ =
        some(codes_.rows, std::min<int64_t>(kMostRowsOfATree, std::llround(kPartOfRows * all)), 0);
    const auto columns = std::ssize(codes_.cuts);
    const auto part =
        static_cast<int64_t>(kPartOfColumns * static_cast<double>(columns - kEnoughColumns));
    columns_ = some(columns, std::max<int64_t>(0, part) + kEnoughColumns,
                    static_cast<uint64_t>(codes_.rows));
  }

  double worth(const double* sums) const {  // C pulls, then the curvature
    double squares = 0;
    for (int64_t c = 0; c < classes_; ++c) squares += sums[c] * sums[c];
    return squares / (sums[classes_] + kShrink);
  }

  void find_cut(Leaf& leaf) const {
    const int64_t size = leaf.end - leaf.begin;
    if (size < 2 * options_.least) return;
    std::vector<Cut> cuts(columns_.size());
    parallel_for(std::ssize(columns_), size > 1000 ? threads_ : 1, 1,
                 [&](int64_t f) { cuts[f] = best_cut(leaf, columns_[f]); });
    for (const Cut& cut : cuts) {
      if (cut.gain > leaf.best.gain) leaf.best = cut;
    }
  }

  Cut best_cut(const Leaf& leaf, int32_t column) const {
    const int64_t codes = std::ssize(codes_.cuts[column]) + 1;
    if (codes < 2) return {};
    const int64_t width = classes_ + 2;  // pulls, the curvature, rows
    std::vector<double> sums(codes * width, 0.0), all(width, 0.0), below(width, 0.0), above(width);
    const uint8_t* const code = codes_[column];
    for (int64_t r = leaf.begin; r < leaf.end; ++r) {
      const int32_t t = rows_[r];
      double* const sum = sums.data() + code[t] * width;
      for (int64_t c = 0; c < classes_; ++c) sum[c] += pull_[t][c];
      sum[classes_] += whole_curve_[t];
      sum[classes_ + 1] += 1;
    }
    for (int64_t b = 0; b < codes; ++b) {
      for (int64_t e = 0; e < width; ++e) all[e] += sums[b * width + e];
    }
    const double before = worth(all.data());
    const auto least = static_cast<double>(options_.least);
    Cut best;
    for (int64_t b = 0; b + 1 < codes; ++b) {
      for (int64_t e = 0; e < width; ++e) below[e] += sums[b * width + e];
      if (below[classes_ + 1] < least) continue;
      for (int64_t e = 0; e < width; ++e) above[e] = all[e] - below[e];
      if (above[classes_ + 1] < least) break;
      const double gain = worth(below.data()) + worth(above.data()) - before;
      if (gain > best.gain + 1e-9) best = {gain, column, static_cast<int32_t>(b)};
    }
    return best;
  }

  std::pair<Leaf, Leaf> divide(const Leaf& leaf) {
    const Cut& cut = leaf.best;
    Trees& trees = grown_.trees;
    const uint8_t* const code = codes_[cut.column];
    const auto middle = std::stable_partition(rows_.begin() + leaf.begin, rows_.begin() + leaf.end,
                                              [&](int32_t t) { return code[t] <= cut.code; }) -
                        rows_.begin();
    const auto first = static_cast<int32_t>(trees.column.size());
    add_node();
    add_node();
    trees.column[leaf.node] = cut.column;
    trees.threshold[leaf.node] = codes_.cuts[cut.column][cut.code];
    trees.next[leaf.node] = first;
    cut_[leaf.node] = cut.code;
    grown_.gain[cut.column] += cut.gain;
    return {{first, leaf.begin, middle, {}}, {first + 1, middle, leaf.end, {}}};
  }

  // Newton's step for each class alone; as they are not free of each other, a part of it.
  void set_value(const Leaf& leaf) {
    const double part =
        options_.rate * static_cast<double>(classes_ - 1) / static_cast<double>(classes_);
    std::vector<double> pull(classes_, 0.0), curve(classes_, 0.0);
    for (int64_t r = leaf.begin; r < leaf.end; ++r) {
      for (int64_t c = 0; c < classes_; ++c) {
        pull[c] += pull_[rows_[r]][c];
        curve[c] += curve_[rows_[r]][c];
      }
    }
    grown_.trees.next[leaf.node] = static_cast<int32_t>(std::ssize(values_) / classes_);
    for (int64_t c = 0; c < classes_; ++c) {
      values_.push_back(static_cast<float>(part * pull[c] / (curve[c] + kShrink)));
    }
  }

  const TreesOptions& options_;
  Rng rng_;
  int threads_;
  int64_t classes_;
  Codes codes_;
  std::vector<float> weight_;
  std::vector<int32_t> label_;
  Matrix logits_, pull_, curve_;         // T x C
  std::vector<float> whole_curve_;       // of all classes
  std::vector<int32_t> rows_, columns_;  // of the tree that grows; the rows lie leaf by leaf
  std::vector<int32_t> cut_;             // of each node, as a code
  std::vector<float> values_;
  GrownTrees grown_;
};

}  // namespace

GrownTrees grow_trees(const Features& x, const Problem& problem, const TreesOptions& options,
                      const Rng& rng, int threads) {
  return Boosting(x, problem, options, rng, threads).run();
}

Matrix tree_logits(const Trees& trees, int64_t count, const Matrix& x, int threads) {
  Matrix out(x.rows(), trees.start.cols());
  for_fixed_pieces(x.rows(), 256, threads, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::copy_n(trees.start[0], out.cols(), out[i]);
    for (int64_t tree = 0; tree < count; ++tree) {
      for (int64_t i = begin; i < end; ++i) {
        const float* const value = trees.values[trees.leaf(trees.roots[tree], x[i])];
        for (int64_t c = 0; c < out.cols(); ++c) out[i][c] += value[c];
      }
    }
  });
  return out;
}

Trees first_trees(const Trees& trees, int64_t count) {
  if (count >= std::ssize(trees.roots)) return trees;
  const auto nodes = static_cast<size_t>(trees.roots[count]);
  Trees out;
  out.start = trees.start;
  out.roots.assign(trees.roots.begin(), trees.roots.begin() + count);
  out.column.assign(trees.column.begin(), trees.column.begin() + nodes);
  out.threshold.assign(trees.threshold.begin(), trees.threshold.begin() + nodes);
  out.next.assign(trees.next.begin(), trees.next.begin() + nodes);
  const auto leaves = std::count(out.column.begin(), out.column.end(), -1);
  out.values = Matrix(leaves, trees.values.cols());
  std::copy_n(trees.values.data(), out.values.size(), out.values.data());
  return out;
}

namespace {

// By how much the cuts of a column of the table lowered the loss (square root), largest 1.
std::vector<float> selection_of(const std::vector<double>& gain, const RoundWork& work,
                                const Matrix& p) {
  const std::vector<int32_t> origin = origin_of_columns(work.features());
  std::vector<double> whole(gain.size(), 0.0);
  for (size_t f = 0; f < gain.size(); ++f) whole[origin[f]] += gain[f];
  const double largest = *std::max_element(whole.begin(), whole.end());
  if (largest <= 0) return work.separation(p);
  std::vector<float> selection;
  for (const int32_t from : origin) {
    selection.push_back(static_cast<float>(std::sqrt(whole[from] / largest)));
  }
  return selection;
}

}  // namespace

void TreesState::check(const std::string& what, const StateShape& fitted) const {
  const int64_t columns = fitted.columns(what, input), nodes = std::ssize(trees.column);
  check_count(what + ", sparse views", fitted.views.at(input).is_sparse, 0);
  check_matrix(what + ", start", trees.start, 1, fitted.classes);
  check_matrix(what + ", values", trees.values, trees.values.rows(), fitted.classes);
  check_count(what + ", thresholds", std::ssize(trees.threshold), nodes);
  check_count(what + ", children", std::ssize(trees.next), nodes);
  check_finite(what + ", thresholds", trees.threshold);
  check_indices(what + ", roots", trees.roots, 0, nodes - 1);
  check_indices(what + ", columns", trees.column, -1, columns - 1);
  for (int64_t at = 0; at < nodes; ++at) {
    const bool is_leaf = trees.column[at] < 0;
    check_range(what + ", child", trees.next[at], is_leaf ? 0 : at + 1,
                is_leaf ? trees.values.rows() - 1 : nodes - 2);
  }
}

Matrix TreesState::logits(const RowViews& rows) const {
  return tree_logits(trees, std::ssize(trees.roots), rows.at(input).dense);
}

std::vector<Stage> TreesOptions::run_round(const RoundWork& work) const {
  if (work.first) {
    return {work.smoothed(*work.first, smoothing),
            {.p = spread_labels(work.graph(), work.problem, false, work.context),
             .selection = work.first->selection,
             .own_weight = 0}};
  }
  const GrownTrees grown = grow_trees(work.features(), work.problem, *this,
                                      {seed, Stream::kTrees, work.number, 0}, work.context.threads);
  std::vector<Stage> stages;
  for (const int64_t trees : {count, count / 3}) {
    Stage stage;
    stage.p = tree_logits(grown.trees, trees, work.features().dense, work.context.threads);
    softmax_rows(stage.p, work.context.threads);
    stage.selection = selection_of(grown.gain, work, stage.p);
    clamp_training_rows(stage.p, work.problem);
    stage.state = TreesState{work.input, first_trees(grown.trees, trees)};
    stages.push_back(std::move(stage));
  }
  return stages;
}

void TreesOptions::describe(ModuleNote& note) const {
  note.add("trees", static_cast<double>(count));
  note.add("leaves", static_cast<double>(leaves));
  note.add("least", static_cast<double>(least));
  note.add("rate", rate);
  note.add("steps", static_cast<double>(smoothing.steps));
  note.add("alpha", smoothing.alpha);
}

bool TreesOptions::is_left_out(const Config& config) const { return !config.tree_heads; }

void TreesOptions::apply(const Config& config) {
  seed = config.seed;
  if (!config.propagation) smoothing.steps = 0;
}

}  // namespace glgnn
