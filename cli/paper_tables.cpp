// The paper's tables of accuracies, as it prints them, and our own in the same form; and what all
// reproductions share.
#include <fmt/format.h>
#include <glgnn/error.h>

#include <algorithm>

#include "data/message.h"
#include "reproduction.h"
#include "text.h"

namespace glgnn::cli {
namespace {

struct PaperRow {
  std::string name;             // as the paper calls it
  std::string method;           // of `evaluate --method`; "paper" and "best" are our own modes
  std::vector<double> figures;  // in % for each dataset; below 0: the paper has none
};

struct PaperTable {
  std::string graph;  // known or unknown
  std::vector<std::string> datasets;
  std::vector<PaperRow> rows;
};

// The paper's FMA is not public: fma46 stands in its place (data/fma46/README.md), so that its
// column is no repetition.
const PaperTable kTable1{
    "unknown",
    {"wine", "cancer", "digits", "citeseer", "cora", "20news", "fma46"},
    {
        {"LogReg", "logreg", {92.1, 93.3, 85.5, 62.2, 60.8, 42.7, 37.3}},
        {"Linear SVM", "linear-svm", {93.9, 90.6, 87.1, 58.3, 58.9, 40.3, 35.7}},
        {"RBF SVM", "rbf-svm", {94.1, 91.7, 86.9, 60.2, 59.7, 41.0, 38.3}},
        {"Random forest", "forest", {93.7, 92.1, 83.1, 60.7, 58.7, 40.0, 37.9}},
        {"FFNN", "mlp", {89.7, 92.9, 36.3, 56.7, 56.1, 38.6, 33.2}},
        {"LP", "label-propagation", {89.8, 76.6, 91.9, 23.2, 37.8, 35.3, 14.1}},
        {"ManiReg", "manireg", {90.5, 81.8, 83.9, 67.7, 62.3, 46.6, 34.2}},
        {"SemiEmb", "semi-emb", {91.9, 89.7, 90.9, 68.1, 63.1, 46.9, 34.1}},
        {"Sparse-GCN", "sparse-gcn", {63.5, 72.5, 13.4, 33.1, 30.6, 24.7, 23.4}},
        {"Dense-GCN", "dense-gcn", {90.6, 90.5, 35.6, 58.4, 59.1, 40.1, 34.5}},
        {"RBF-GCN", "rbf-gcn", {90.6, 92.6, 70.8, 58.1, 57.1, 39.3, 33.7}},
        {"kNN-GCN", "knn-gcn", {93.2, 93.8, 91.3, 68.3, 66.5, 41.3, 37.8}},
        {"kNN-GAT", "gat", {93.6, 74.5, 92.8, 69.3, 65.7, 41.3, 23.9}},
        {"kNN-LDS", "lds", {97.3, 94.4, 92.5, 71.5, 71.5, 46.4, 39.7}},
        {"GL-GNN", "paper", {98.3, 96.8, 93.7, 73.5, 74.0, 51.1, 40.0}},
        {"GL-GNN, best mode", "best", {-1, -1, -1, -1, -1, -1, -1}},
    }};

const PaperTable kTable3{"known",
                         {"cora", "citeseer"},
                         {
                             {"GCN", "gcn", {81.5, 70.3}},
                             {"SemiEmb", "semi-emb", {59.0, 59.6}},
                             {"DeepWalk", "deepwalk", {67.2, 43.2}},
                             {"ICA", "ica", {75.1, 69.1}},
                             {"Planetoid", "planetoid", {75.7, 64.7}},
                             {"GMNN", "gmnn", {83.4, 73.0}},
                             {"GRCN", "grcn", {84.2, 73.6}},
                             {"GraphHeat", "graph-heat", {83.7, 72.5}},
                             {"GLCN", "glcn", {85.5, 72.0}},
                             {"DIAL-GNN", "idgl", {84.5, 74.1}},
                             {"Graphite", "graphite", {82.1, 71.0}},
                             {"GL-GNN", "paper", {85.5, 76.3}},
                             {"GL-GNN, best mode", "best", {-1, -1}},
                         }};

// One row for each name, one column for each dataset.
template <class Text>
StudyTable by_method(const std::vector<Cell>& cells, const std::string& title, Text text) {
  StudyTable table{title, {{"method"}}, {}};
  for (const Cell& cell : cells) {
    if (cell.name != cells.front().name) break;
    table.columns.push_back({cell.dataset, true});
  }
  for (size_t c = 0; c < cells.size(); ++c) {
    if (c % (table.columns.size() - 1) == 0) table.rows.push_back({cells[c].name});
    table.rows.back().push_back(text(cells[c]));
  }
  return table;
}

std::string cost_text(const Cell& cell) {
  if (cell.result.is_null()) return "-";
  return fmt::format("{}, {:.0f} MB", duration_text(cell.number("seconds_mean")),
                     cell.number("peak_memory_mb"));
}

}  // namespace

Reproduction accuracy_table(const Asked& asked) {
  const PaperTable& paper = asked.table == "table1" ? kTable1 : kTable3;
  Reproduction found;
  found.intro = fmt::format(
      "{} of the paper, graph {}: mean and standard deviation of {}, {} settings of each rival "
      "tried by validation; the paper's figure in brackets",
      asked.table, paper.graph, counted(asked.runs, "run"), asked.budget);
  for (const PaperRow& row : paper.rows) {
    if (!wants_method(asked, row.method)) continue;
    for (const auto& dataset : wanted_datasets(asked, paper.datasets)) {
      const auto at = std::ranges::find(paper.datasets, dataset) - paper.datasets.begin();
      found.cells.push_back({.name = row.name,
                             .dataset = dataset,
                             .what = "accuracy",
                             .figure = row.figures[static_cast<size_t>(at)],
                             .words = evaluate_words(asked, dataset, paper.graph, row.method)});
    }
  }
  found.show = [title = "The paper's " + asked.table](const std::vector<Cell>& cells) {
    return Study{.title = title,
                 .notes = {},
                 .tables = {by_method(cells, "Test accuracy", accuracy_text),
                            by_method(cells,
                                      "Time of a run with its search, and memory at the "
                                      "most",
                                      cost_text)}};
  };
  return found;
}

Reproduction reproduction_of(const Asked& asked) {
  Reproduction found;
  if (asked.table == "table1" || asked.table == "table3")
    found = accuracy_table(asked);
  else if (asked.table == "table2")
    found = noise_table(asked);
  else if (asked.table == "figures")
    found = paper_figures(asked);
  else
    throw Error(ErrorKind::kUsage, "reproduce: found " + quote(asked.table) +
                                       ", expected table1, table2, table3, figures or all");
  if (!found.cells.empty()) return found;
  throw Error(ErrorKind::kUsage, "--methods: none of them is in " + asked.table +
                                     "; `glgnn methods` has the names, paper and best are ours");
}

bool is_ours(const std::string& method) { return method == "paper" || method == "best"; }

bool wants_method(const Asked& asked, const std::string& method) {
  return asked.methods.empty() || std::ranges::find(asked.methods, method) != asked.methods.end();
}

std::vector<std::string> wanted_datasets(const Asked& asked, const std::vector<std::string>& all) {
  for (const auto& name : asked.datasets) {
    if (std::ranges::find(all, name) != all.end()) continue;
    throw Error(ErrorKind::kUsage, fmt::format("--datasets: found {}, expected some of {}",
                                               quote(name), joined(all, ", ")));
  }
  return asked.datasets.empty() ? all : asked.datasets;
}

std::vector<std::string> evaluate_words(const Asked& asked, const std::string& dataset,
                                        const std::string& graph, const std::string& method) {
  std::vector<std::string> words{dataset, "--graph", graph, "--runs", std::to_string(asked.runs)};
  words.insert(words.end(), {is_ours(method) ? "--mode" : "--method", method});
  if (!is_ours(method)) words.insert(words.end(), {"--budget", std::to_string(asked.budget)});
  if (method == "paper" && asked.epochs) {
    words.insert(words.end(), {"--epochs", std::to_string(*asked.epochs)});
  }
  return words;
}

std::string accuracy_text(const Cell& cell) {
  const std::string theirs = cell.figure < 0 ? "" : fmt::format(" ({:.1f})", cell.figure);
  if (cell.result.is_null()) return "failed" + theirs;
  return fmt::format("{:.1f} ± {:.1f}{}", 100 * cell.number("test_accuracy_mean"),
                     100 * cell.number("test_accuracy_std"), theirs);
}

Curve accuracy_curve(const std::vector<Cell>& cells, const std::string& name,
                     const std::string& dataset, const std::string& what) {
  Curve curve{name, {}, {}};
  for (const Cell& cell : cells) {
    if (cell.name != name || cell.dataset != dataset || cell.what != what) continue;
    if (cell.result.is_null()) continue;
    curve.x.push_back(cell.x);
    curve.y.push_back(100 * cell.number("test_accuracy_mean"));
    curve.spread.push_back(100 * cell.number("test_accuracy_std"));
  }
  return curve;
}

}  // namespace glgnn::cli
