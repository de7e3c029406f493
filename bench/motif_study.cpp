#include <glgnn/data.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>

#include "bench/explanations.h"
#include "bench/motifs.h"
#include "cli/scores.h"
#include "core/clock.h"
#include "core/rows.h"
#include "data/data.h"

namespace glgnn::bench {
namespace {

using Pair = std::pair<int32_t, int32_t>;

constexpr int64_t kMotifs = 80, kColumns = 10;

// Rows and edges while they are put together.
class Builder {
 public:
  explicit Builder(uint64_t seed) : rng_{seed, Stream::kNoiseEdges, 7, 0} {}

  int32_t size() const { return static_cast<int32_t>(labels_.size()); }
  int32_t below(int32_t limit) {
    return std::min(limit - 1,
                    static_cast<int32_t>(rng_.uniform(drawn_++) * static_cast<float>(limit)));
  }
  int32_t add(int32_t label, int32_t motif) {
    labels_.push_back(label);
    motif_.push_back(motif);
    return size() - 1;
  }
  void link(int32_t a, int32_t b) {
    if (a != b) edges_.insert({std::min(a, b), std::max(a, b)});
  }

  // Each row after the first `links` is linked to so many others, by their degrees.
  void attach_by_degree(int32_t rows, int32_t links) {
    std::vector<int32_t> ends;
    for (int32_t i = 0; i < links; ++i) ends.push_back(add(0, -1));
    while (size() < rows) {
      std::set<int32_t> others;
      while (std::ssize(others) < links)
        others.insert(ends[below(static_cast<int32_t>(ends.size()))]);
      const int32_t row = add(0, -1);
      for (const int32_t other : others) {
        link(row, other);
        ends.insert(ends.end(), {row, other});
      }
    }
  }
  void binary_tree(int32_t rows) {
    for (int32_t i = 0; i < rows; ++i) {
      add(0, -1);
      if (i > 0) link(i, (i - 1) / 2);
    }
  }
  // A motif of rows with these classes and edges, its first row linked to the base.
  void hang(int32_t number, int32_t base, const std::vector<int32_t>& classes,
            const std::vector<Pair>& edges) {
    const int32_t first = size();
    for (const int32_t label : classes) add(label, number);
    for (const auto& [a, b] : edges) link(first + a, first + b);
    link(first, below(base));
  }
  void link_by_chance(int32_t count) {
    const size_t wanted = edges_.size() + static_cast<size_t>(count);
    while (edges_.size() < wanted) {
      const int32_t a = below(size()), b = below(size());
      link(a, b);
    }
  }

  MotifSet finish(const std::string& name, std::vector<std::string> classes) const {
    MotifSet out{.data = {}, .motif = motif_};
    out.data.name = name;
    out.data.labels = labels_;
    out.data.class_names = std::move(classes);
    out.data.features.dense = Matrix(size(), kColumns, 1.0f);
    auto pattern = std::make_shared<Pattern>();
    pattern->rows = pattern->cols = size();
    std::vector<std::vector<int32_t>> neighbours(labels_.size());
    for (const auto& [a, b] : edges_) {
      neighbours[a].push_back(b);
      neighbours[b].push_back(a);
    }
    for (auto& row : neighbours) {
      std::ranges::sort(row);
      pattern->col.insert(pattern->col.end(), row.begin(), row.end());
      pattern->row_ptr.push_back(pattern->nnz());
    }
    out.data.graph.values.assign(pattern->col.size(), 1.0f);
    out.data.graph.pattern = std::move(pattern);
    out.data.has_graph = true;
    return out;
  }

 private:
  Rng rng_;
  uint64_t drawn_ = 0;
  std::vector<int32_t> labels_, motif_;
  std::set<Pair> edges_;
};

// Degree, and the mean degree of the neighbours.
void use_degrees(Dataset& data) {
  const Pattern& graph = *data.graph.pattern;
  const auto degree = [&](int64_t i) {
    return static_cast<float>(graph.row_ptr[i + 1] - graph.row_ptr[i]);
  };
  Matrix x(data.rows(), 2);
  for (int64_t i = 0; i < data.rows(); ++i) {
    float sum = 0;
    for (int64_t e = graph.row_ptr[i]; e < graph.row_ptr[i + 1]; ++e) sum += degree(graph.col[e]);
    x[i][0] = degree(i);
    x[i][1] = sum / std::max(1.0f, degree(i));
  }
  data.features.dense = std::move(x);
  data.feature_names = {"degree", "degree of neighbours"};
}

Split random_split(const Dataset& data, uint64_t seed) {
  return make_split(data.labels, data.classes(), {.train = 0.8, .test = 0.2}, seed);
}

class Tally {
 public:
  Tally(std::string model, std::string explainer, double accuracy) {
    line_ = {std::move(model), std::move(explainer), accuracy};
  }

  // `edges`: importance, and whether it is one of the motif.
  void add(const std::vector<cli::Scored>& edges, double seconds) {
    const auto trues = std::ranges::count(edges, true, &cli::Scored::is_true);
    if (trues == 0 || trues == std::ssize(edges)) return;
    line_.auc_of_row += cli::area_under_curve(edges, 0, 0);
    line_.seconds += seconds;
    ++line_.rows;
    all_.insert(all_.end(), edges.begin(), edges.end());
  }
  void add_kept(double under_masks, double under_largest) {
    line_.under_masks += under_masks;
    line_.under_largest += under_largest;
    ++kept_;
  }
  MotifLine finish() const {
    MotifLine line = line_;
    const double rows = static_cast<double>(std::max<int64_t>(1, line.rows));
    line.under_masks /= std::max(1.0, kept_);
    line.under_largest /= std::max(1.0, kept_);
    line.auc = cli::area_under_curve(all_, 0, 0);
    line.auc_of_row /= rows;
    line.seconds /= rows;
    return line;
  }

 private:
  MotifLine line_;
  double kept_ = 0;  // rows of add_kept
  std::vector<cli::Scored> all_;
};

// 1 for the `count` largest.
std::vector<float> largest_of(const std::vector<double>& values, int64_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](size_t e) { return values[e]; });
  std::vector<float> out(values.size(), 0.0f);
  for (int64_t e = 0; e < count; ++e) out[order[e]] = 1;
  return out;
}

template <class Explain>
void explain_with(Tally& tally, const std::vector<bool>& is_true, Explain explain) {
  const auto start = Clock::now();
  const std::vector<double> importance = explain();
  const double spent = seconds_since(start);
  std::vector<cli::Scored> scored;
  for (size_t e = 0; e < is_true.size(); ++e) scored.push_back({importance[e], is_true[e]});
  tally.add(scored, spent);
}

void study_gcn(const MotifSet& set, const std::vector<int32_t>& rows, const MotifOptions& options,
               const Context& context, std::vector<MotifLine>& lines) {
  const Split split = random_split(set.data, options.seed);
  const MotifGcn gcn(set.data, split, options.seed, context);
  Tally masks("plain GCN", "GNNExplainer", gcn.test_accuracy()),
      one("plain GCN", "one at a time", gcn.test_accuracy()),
      random("plain GCN", "random", gcn.test_accuracy());
  for (const int32_t row : rows) {
    if (options.stopped()) break;
    const std::vector<Pair> edges = gcn.edges_near(row);
    std::vector<bool> is_true;
    for (const auto& [a, b] : edges) {
      is_true.push_back(set.motif[a] == set.motif[row] && set.motif[b] == set.motif[row]);
    }
    std::vector<double> found;
    explain_with(masks, is_true,
                 [&] { return found = gcn.learned_masks(row, edges, options.seed).edges; });
    masks.add_kept(
        gcn.probability(row, edges, {found.begin(), found.end()}),
        gcn.probability(row, edges, largest_of(found, std::ranges::count(is_true, true))));
    explain_with(one, is_true, [&] { return gcn.lost_without(row, edges); });
    explain_with(random, is_true, [&] {
      const Rng rng{options.seed, Stream::kInit, 902, static_cast<uint32_t>(row)};
      std::vector<double> drawn;
      for (size_t e = 0; e < edges.size(); ++e) drawn.push_back(rng.uniform(e));
      return drawn;
    });
  }
  for (const Tally* tally : {&masks, &one, &random}) lines.push_back(tally->finish());
}

void study_ours(const MotifSet& set, const std::vector<int32_t>& rows, const MotifOptions& options,
                const Context& context, std::vector<MotifLine>& lines) {
  Dataset data = set.data;
  use_degrees(data);
  const Split split = random_split(data, options.seed);
  std::vector<int32_t> seen = split.train;
  seen.insert(seen.end(), split.val.begin(), split.val.end());
  const Problem problem{.features = &data.features,
                        .graph = &data.graph,
                        .labels = reveal_labels(data.labels, seen),
                        .train = split.train,
                        .val = split.val,
                        .classes = data.classes()};
  Config config;
  config.seed = options.seed;
  Model model = fit(problem, config, context).model;
  const double right = accuracy(model.probabilities, data.labels, split.test);
  keep_data(model, data, split);
  const auto frozen = freeze(model, context);
  Tally masks("GL-GNN, best mode", "GNNExplainer", right),
      one("GL-GNN, best mode", "one at a time", right),
      random("GL-GNN, best mode", "random", right);
  for (const int32_t row : rows) {
    if (options.stopped()) break;
    const LocalRow local(*frozen, row);
    const Judge judge(local);
    std::vector<bool> is_true;
    for (const int32_t other : local.neighbours()) {
      is_true.push_back(set.motif[other] == set.motif[row]);
    }
    explain_with(masks, is_true,
                 [&] { return optimised_masks(local, judge, {.seed = options.seed}).edges; });
    explain_with(one, is_true, [&] { return importance_of(local, judge).edges; });
    explain_with(random, is_true, [&] {
      return random_importance(local, options.seed + static_cast<uint64_t>(row)).edges;
    });
  }
  for (const Tally* tally : {&masks, &one, &random}) lines.push_back(tally->finish());
}

}  // namespace

bool is_motif_set(const std::string& name) {
  return name == "ba-shapes" || name == "tree-cycles" || name == "tree-cycles-root";
}

MotifSet make_motif_set(const std::string& name, uint64_t seed) {
  Builder builder(seed);
  const bool houses = name == "ba-shapes";
  if (houses)
    builder.attach_by_degree(300, 5);
  else
    builder.binary_tree(511);
  const int32_t base = name == "tree-cycles-root" ? 1 : builder.size();
  for (int32_t m = 0; m < kMotifs; ++m) {
    if (houses)  // two middle rows, two at the bottom, the roof
      builder.hang(m, base, {1, 1, 2, 2, 3}, {{0, 1}, {0, 3}, {1, 2}, {2, 3}, {0, 4}, {1, 4}});
    else
      builder.hang(m, base, {1, 1, 1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}});
  }
  if (houses) builder.link_by_chance(builder.size() / 10);
  return builder.finish(name, houses ? std::vector<std::string>{"base", "middle", "bottom", "top"}
                                     : std::vector<std::string>{"tree", "cycle"});
}

std::vector<MotifLine> study_motifs(const MotifSet& set, const MotifOptions& options,
                                    const Context& context) {
  std::vector<int32_t> rows;
  for (int32_t i = 1; i < set.data.rows(); ++i) {
    if (set.motif[i] != set.motif[i - 1]) rows.push_back(i);  // the first of its motif
  }
  rows = shuffled_rows(std::move(rows), Rng{options.seed, Stream::kSplit, 4, 0});
  rows.resize(std::min(rows.size(), static_cast<size_t>(options.rows)));
  std::vector<MotifLine> lines;
  study_gcn(set, rows, options, context, lines);
  study_ours(set, rows, options, context, lines);
  return lines;
}

}  // namespace glgnn::bench
