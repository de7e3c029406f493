#include "studies.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/rows.h"
#include "methods/methods.h"
#include "scores.h"

namespace glgnn::cli {
namespace {

bool has_edge(const Pattern& pattern, int64_t i, int32_t j) {
  return std::binary_search(pattern.col.begin() + pattern.row_ptr[i],
                            pattern.col.begin() + pattern.row_ptr[i + 1], j);
}

// visit(i, j, weight) for every edge that weighs anything; self-loops are none.
template <class Visit>
void for_each_edge(const Csr& graph, Visit visit) {
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      if (graph.pattern->col[e] != i && graph.values[e] > 0) {
        visit(i, graph.pattern->col[e], graph.values[e]);
      }
    }
  }
}

void judge(NoiseResult& result, const std::vector<Scored>& kept, int64_t all_true,
           int64_t all_wrong) {
  const int64_t right = std::ranges::count(kept, true, &Scored::is_true);
  const int64_t wrong = std::ssize(kept) - right;
  if (!kept.empty()) result.precision = static_cast<double>(right) / std::ssize(kept);
  if (all_true > 0) result.recall = static_cast<double>(right) / static_cast<double>(all_true);
  result.auc = area_under_curve(kept, all_true - right, all_wrong - wrong);
}

int64_t pairs_of_one_class(const std::vector<int32_t>& labels) {
  std::map<int32_t, int64_t> sizes;
  for (const int32_t label : labels) ++sizes[label];
  sizes.erase(-1);
  int64_t pairs = 0;
  for (const auto& [label, size] : sizes) pairs += size * (size - 1);
  return pairs;
}

}  // namespace

NoiseResult judge_edges(const NoisyGraph& noisy, bool had_graph, const Csr& learned,
                        const std::vector<int32_t>& labels) {
  NoiseResult result{.added = noisy.added.nnz()};
  int64_t edges = 0;
  std::vector<Scored> kept;
  for_each_edge(learned, [&](int64_t i, int32_t j, float weight) {
    const bool is_noise = has_edge(noisy.added, i, j);
    ++edges;
    result.kept += is_noise;
    if (had_graph) {
      if (has_edge(*noisy.graph.pattern, i, j)) kept.push_back({weight, !is_noise});
    } else if (labels[i] >= 0 && labels[j] >= 0) {
      kept.push_back({weight, labels[i] == labels[j]});
    }
  });
  const double n = static_cast<double>(noisy.added.rows);
  result.by_chance = static_cast<double>(edges) * static_cast<double>(result.added) / (n * (n - 1));
  if (had_graph) {
    judge(result, kept, noisy.graph.nnz() - result.added, result.added);
  } else {
    const int64_t known = std::ranges::count_if(labels, [](int32_t label) { return label >= 0; });
    const int64_t same = pairs_of_one_class(labels);
    judge(result, kept, same, known * (known - 1) - same);
  }
  return result;
}

double judge_columns(const std::vector<double>& weights, int64_t planted) {
  std::vector<Scored> columns;
  const int64_t true_columns = std::ssize(weights) - planted;
  for (int64_t f = 0; f < std::ssize(weights); ++f)
    columns.push_back({weights[f], f < true_columns});
  return area_under_curve(std::move(columns), 0, 0);
}

namespace {

// A column of zeros is none to a linear layer or a distance.
Features without(const Features& x, const int32_t* begin, const int32_t* end) {
  std::vector<bool> deleted(static_cast<size_t>(x.cols()), false);
  for (const int32_t* column = begin; column != end; ++column) deleted[*column] = true;
  Features out = x;
  if (x.is_sparse) {
    for (int64_t e = 0; e < x.sparse.nnz(); ++e) {
      if (deleted[x.sparse.pattern->col[e]]) out.sparse.values[e] = 0;
    }
    return out;
  }
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t f = 0; f < x.cols(); ++f) {
      if (deleted[f]) out.dense[i][f] = 0;
    }
  }
  return out;
}

}  // namespace

Curves convergence_curves(const Model& model) {
  Curves curves;
  for (const EpochReport& epoch : model.history) {
    curves["loss"].push_back(epoch.loss);
    curves["val_accuracy"].push_back(epoch.val_accuracy);
  }
  return curves;
}

const std::vector<double>& deleted_parts() {
  static const std::vector<double> parts{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
  return parts;
}

Curves deletion_curves(const Model& model, const Problem& problem,
                       const std::vector<int32_t>& labels, const std::vector<int32_t>& test,
                       uint64_t seed, const Context& context) {
  const Method& gcn = method_named(problem.graph ? "gcn" : "knn-gcn");
  const MethodValues values = draw_settings(gcn, 1, {}).front();
  Curves curves;
  std::vector<double>& weights = curves["feature_weights"];
  weights = feature_weights(model);
  std::vector<int32_t> lowest_first(weights.size());
  std::iota(lowest_first.begin(), lowest_first.end(), 0);
  const std::vector<int32_t> random =
      shuffled_rows(lowest_first, Rng{seed, Stream::kNoiseWeights, 3, 0});
  std::ranges::stable_sort(lowest_first, {}, [&](int32_t f) { return weights[f]; });
  const std::vector<int32_t> highest_first(lowest_first.rbegin(), lowest_first.rend());
  const auto judged = [&](const std::vector<int32_t>& order, double part) {
    const auto count = std::lround(part * static_cast<double>(order.size()));
    const Features left = without(*problem.features, order.data(), order.data() + count);
    Problem rest = problem;
    rest.features = &left;
    return accuracy(gcn.fit({rest, values, seed, context}).probabilities, labels, test);
  };
  for (const double part : deleted_parts()) {
    curves["deleted_lowest"].push_back(judged(lowest_first, part));
    curves["deleted_highest"].push_back(judged(highest_first, part));
    curves["deleted_random"].push_back(judged(random, part));
  }
  std::ranges::sort(weights, std::greater{});
  return curves;
}

}  // namespace glgnn::cli
