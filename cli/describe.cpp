#include "describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "data/message.h"
#include "model/frozen_model.h"
#include "report/model_columns.h"
#include "text.h"

namespace glgnn::cli {
namespace {

// Graphs of one kind that compare rows in the same views.
struct GraphGroup {
  std::string name;
  double weight = 0;
  int64_t graphs = 0;
};

std::string group_name(const FittedModule& module, size_t number) {
  const auto found = compares(module);
  if (!found) return fmt::format("graph {}", number + 1);
  return module.kind + " on " + joined(found->views, "+");
}

}  // namespace

std::string scaling_words(Scaling scaling) {
  switch (scaling) {
    case Scaling::kAuto:
      return "rows of length 1, weighed by rarity where validation says so";
    case Scaling::kNone:
      return "as they are";
    case Scaling::kStandard:
      return "standardised";
    case Scaling::kMax:
      return "divided by the largest";
    case Scaling::kRowSum:
      return "rows of sum 1";
    case Scaling::kRowUnit:
      return "rows of length 1";
    case Scaling::kStandardUnit:
      return "standardised, rows of length 1";
    case Scaling::kTfidf:
      return "weighed by rarity, rows of length 1";
  }
  return "";
}

std::string data_sentence(const Dataset& dataset, const Config& config) {
  const auto features =
      counted(dataset.features.cols(), dataset.features.is_sparse ? "sparse feature" : "feature");
  // Best mode prepares them in several ways at once.
  const std::string prepared =
      config.mode == Mode::kBest ? "" : " (" + scaling_words(config.scaling) + ")";
  return fmt::format("{}: {}, {}{}, {} classes", dataset.name, counted(dataset.rows(), "row"),
                     features, prepared, dataset.classes());
}

std::string split_sentence(const Split& split, int64_t in_turn) {
  const auto labelled = static_cast<int64_t>(split.train.size() + split.val.size());
  std::string text;
  if (in_turn > 0) {
    text = fmt::format("{} labelled ({} validate in turn)", labelled,
                       in_turn == labelled ? "all" : std::to_string(in_turn));
  } else {
    text = fmt::format("{} labelled", split.train.size());
    if (!split.val.empty()) text += fmt::format(", {} validation", split.val.size());
  }
  if (!split.test.empty()) text += fmt::format(", {} test", split.test.size());
  return text;
}

std::string network_sentence(const Model& model) {
  constexpr size_t kShown = 10;
  const std::vector<double> weights = module_weights(model);
  std::vector<GraphGroup> groups;
  for (size_t m = 0; m < weights.size(); ++m) {
    const std::string name = group_name(model.modules[m], m);
    const auto same = std::ranges::find(groups, name, &GraphGroup::name);
    GraphGroup& group = same != groups.end() ? *same : groups.emplace_back(GraphGroup{name});
    group.weight += weights[m];
    ++group.graphs;
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &GraphGroup::weight);
  std::vector<std::string> parts;
  for (const GraphGroup& group : groups) {
    if (parts.size() == kShown) break;
    parts.push_back(fmt::format("{} {:.2f}", group.name, group.weight));
    if (group.graphs > 1) parts.back() += fmt::format(" ({} graphs)", group.graphs);
  }
  if (groups.size() > kShown) parts.push_back(fmt::format("{} more", groups.size() - kShown));
  return joined(parts, " - ");
}

std::vector<std::string> key_features(const Model& model, size_t limit) {
  const ModelColumns columns(model);
  const auto weights = columns.merged(feature_weights(model));
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(limit, order.size()); ++i) {
    names.push_back(fmt::format("{} {:.2f}", columns.names()[order[i]], weights[order[i]]));
  }
  return names;
}

std::vector<std::string> estimate_sentences(const Model& model) {
  const Estimate& estimate = model.estimate;
  if (estimate.rows == 0) return {};
  const std::string always = quote(model.class_names[static_cast<size_t>(estimate.majority_class)]);
  std::vector<std::string> sentences{
      fmt::format("estimated accuracy {}   (between {} and {} with 95 % confidence, judged by {})",
                  percent(estimate.accuracy), percent(estimate.low), percent(estimate.high),
                  counted(estimate.rows, "labelled row")),
      fmt::format("beside it   always saying {} {}", always, percent(estimate.majority_share))};
  if (estimate.baseline >= 0) {
    sentences.back() += ", logistic regression " + percent(estimate.baseline);
  }
  if (estimate.accuracy <= estimate.majority_share) {
    const std::string why =
        model.class_factors.empty()
            ? ": the columns tell nothing about the labels, or more labels are needed"
            : ", which is so common; to find the rare rows, look at their probabilities, or give "
              "--class_shares labels";
    sentences.push_back("no better than always saying " + always + why);
  } else if (estimate.low <= estimate.majority_share) {
    sentences.push_back("perhaps no better than always saying " + always +
                        ": more labels would show it");
  }
  return sentences;
}

std::string shares_sentence(const Model& model) {
  if (model.class_factors.empty()) return {};
  std::vector<std::string> parts;
  const std::vector<double> shares = class_shares(model);
  for (size_t c = 0; c < shares.size(); ++c) {
    parts.push_back(fmt::format("{} {}", quote(model.class_names[c]), percent(shares[c])));
  }
  return "as many labels of every class: they do not tell how common it is; the rows without a "
         "label "
         "look like " +
         joined(parts, ", ") + " and are judged so (--class_shares labels: as if all were alike)";
}

std::string given_edges_sentence(const Pattern& given, const Model& model) {
  const Pattern& learned = *model.fused_graph.pattern;
  int64_t edges = 0, kept = 0;
  for (int64_t i = 0; i < given.rows; ++i) {
    const auto begin = learned.col.begin() + learned.row_ptr[i];
    const auto end = learned.col.begin() + learned.row_ptr[i + 1];
    for (int64_t e = given.row_ptr[i]; e < given.row_ptr[i + 1]; ++e) {
      if (given.col[e] <= i) continue;
      ++edges;
      kept += std::binary_search(begin, end, given.col[e]);
    }
  }
  if (kept == edges) return {};
  return fmt::format(
      "given graph   {} of {} kept; the others look random (--edge_trust false: all)", kept,
      counted(edges, "edge"));
}

EpochReport best_epoch(const Model& model) {
  const auto found = std::find_if(model.history.begin(), model.history.end(),
                                  [&](const auto& line) { return line.epoch == model.best_epoch; });
  return found != model.history.end() ? *found : EpochReport{};
}

std::vector<std::string> split_notes(const Dataset& dataset, const Split& split, Mode mode) {
  std::vector<bool> trained(static_cast<size_t>(dataset.classes()));
  for (const int32_t row : split.train) {
    trained[static_cast<size_t>(dataset.labels[static_cast<size_t>(row)])] = true;
  }
  std::vector<std::string> missing, notes;
  for (size_t c = 0; c < trained.size(); ++c) {
    if (!trained[c]) missing.push_back(dataset.class_names[c]);
  }
  if (!missing.empty()) {
    notes.push_back("no row to train on, so never predicted: class " + listed(missing));
  }
  if (split.val.empty() && mode == Mode::kBest) {
    notes.push_back(
        "no label is held back, so nothing tells which modules are the better ones: all count "
        "alike");
  }
  return notes;
}

}  // namespace glgnn::cli
