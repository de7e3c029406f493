// Table 2 of the paper, noise: random edges as it adds them, curves over more of them beside
// rivals, and columns that say nothing.
#include <fmt/format.h>

#include <algorithm>

#include "data/data.h"
#include "data/message.h"
#include "reproduction.h"

namespace glgnn::cli {
namespace {

// What the paper prints. The part of all ordered pairs that it added is inferred from its counts.
struct PaperNoise {
  std::string dataset, graph;
  double part;
  double clean, noisy;  // accuracy in %, without and with the noise; below 0: not known
  std::string left;     // of the noise
};

const std::vector<PaperNoise> kPaper{
    {"wine", "unknown", 0.2, 98.3, 97.5, "3560 of 6390"},
    {"cancer", "unknown", 0.1, 96.8, 96.3, "5060 of 32475"},
    {"digits", "unknown", 0.2, 93.6, 92.4, "3399 of 645397"},
    {"cora", "known", 0.001, 85.6, 84.5, "24 of 7291"},
    {"citeseer", "known", 0.001, 75.3, 74.4, "31 of 11031"},
    {"20news", "unknown", 0.0005, 50.1, -1, "38 of 46407"},
    {"fma46", "unknown", 0.0001, -1, -1, "9 of 6397 (its own FMA)"},
};

const std::vector<std::string> kMethods{"paper", "best", "gcn",    "knn-gcn",
                                        "grcn",  "idgl", "pro-gnn"};
const std::vector<double> kLevels{0, 0.5, 1, 2, 5};  // of the edges there are
const std::vector<double> kColumns{0, 1, 5};         // of the columns there are
constexpr double kEdgesOfARow = 20;  // where no graph is known, so many are "the edges there are"

double pairs_part(const DatasetCard& card, bool known, double level) {
  const auto rows = static_cast<double>(card.rows);
  const double edges = known ? 2 * static_cast<double>(card.edges) : kEdgesOfARow * rows;
  return level * edges / (rows * (rows - 1));
}

std::string number_word(double value) { return fmt::format("{:.6g}", value); }

void add_cells(const Asked& asked, const PaperNoise& paper, std::vector<Cell>& cells) {
  const DatasetCard card = shipped_card(paper.dataset);
  const auto add = [&](const std::string& method, const std::string& what, double x,
                       const std::string& option, double value) {
    Cell cell{.name = method, .dataset = paper.dataset, .what = what, .x = x};
    cell.words = evaluate_words(asked, paper.dataset, paper.graph, method);
    if (value > 0) cell.words.insert(cell.words.end(), {option, number_word(value)});
    cells.push_back(std::move(cell));
  };
  const bool known = paper.graph == "known";
  for (const auto& method : kMethods) {
    if (!wants_method(asked, method)) continue;
    for (const double level : kLevels) {
      if (level == 0 && method == "gcn" && !known) continue;  // it has no graph then
      add(method, "level", 100 * level, "--noise", pairs_part(card, known, level));
    }
    if (!is_ours(method)) continue;
    add(method, "paper's", 0, "--noise", paper.part);
    for (const double part : kColumns) add(method, "columns", part, "--noise-columns", part);
  }
}

const Cell* find(const std::vector<Cell>& cells, const std::string& name,
                 const std::string& dataset, const std::string& what, double x) {
  for (const Cell& cell : cells) {
    if (cell.name == name && cell.dataset == dataset && cell.what == what && cell.x == x) {
      return &cell;
    }
  }
  return nullptr;
}

// "97.5 ± 0.3 (98.3)", or why there is none.
std::string text_of(const Cell* cell, double figure) {
  if (!cell) return "-";
  Cell with = *cell;
  with.figure = figure;
  return accuracy_text(with);
}

StudyTable edges_table(const std::vector<Cell>& cells) {
  StudyTable table{"Random edges as the paper adds them",
                   {{"dataset"},
                    {"mode"},
                    {"without", true},
                    {"with noise", true},
                    {"added", true},
                    {"kept", true},
                    {"by chance", true},
                    {"lift", true},
                    {"precision", true},
                    {"recall", true},
                    {"AUC", true},
                    {"the paper kept", true}},
                   {}};
  for (const Cell& cell : cells) {
    if (cell.what != "paper's") continue;
    const PaperNoise& paper = *std::ranges::find(kPaper, cell.dataset, &PaperNoise::dataset);
    std::vector<std::string> row{
        cell.dataset, cell.name,
        text_of(find(cells, cell.name, cell.dataset, "level", 0), paper.clean),
        text_of(&cell, paper.noisy)};
    if (!cell.result.is_null()) {
      const double kept = cell.number("noise_edges_kept_mean"),
                   chance = cell.number("noise_edges_kept_by_chance_mean");
      row.insert(row.end(), {fmt::format("{:.0f}", cell.number("noise_edges_mean")),
                             fmt::format("{:.0f}", kept), fmt::format("{:.0f}", chance),
                             chance > 0 ? fmt::format("{:.2f}", kept / chance) : "-",
                             fmt::format("{:.3f}", cell.number("true_edge_precision_mean")),
                             fmt::format("{:.3f}", cell.number("true_edge_recall_mean")),
                             fmt::format("{:.3f}", cell.number("true_edge_auc_mean"))});
    } else {
      row.insert(row.end(), 7, "-");
    }
    row.push_back(paper.left);
    table.rows.push_back(std::move(row));
  }
  return table;
}

StudyTable levels_table(const std::vector<Cell>& cells, const std::string& dataset) {
  StudyTable table{"More noise: " + dataset, {{"method"}}, {}};
  for (const double level : kLevels) {
    table.columns.push_back({fmt::format("{:.0f} %", 100 * level), true});
  }
  table.columns.push_back({"AUC of true edges", true});
  for (const auto& method : kMethods) {
    std::vector<std::string> row{method};
    std::string auc = "-";
    for (const double level : kLevels) {
      const Cell* cell = find(cells, method, dataset, "level", 100 * level);
      row.push_back(text_of(cell, -1));
      if (cell && level > 0 && !cell->result.is_null()) {
        auc = fmt::format("{:.3f}", cell->number("true_edge_auc_mean"));
      }
    }
    row.push_back(auc);
    if (find(cells, method, dataset, "level", 100 * kLevels.back())) {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

StudyTable columns_table(const std::vector<Cell>& cells) {
  StudyTable table{"Columns that say nothing", {{"dataset"}, {"mode"}}, {}};
  for (const double part : kColumns) {
    table.columns.push_back({fmt::format("{:.0f} times as many", part), true});
    if (part > 0) table.columns.push_back({"AUC of the weights", true});
  }
  for (const Cell& cell : cells) {
    if (cell.what != "columns" || cell.x != 0) continue;
    std::vector<std::string> row{cell.dataset, cell.name};
    for (const double part : kColumns) {
      const Cell* at = find(cells, cell.name, cell.dataset, "columns", part);
      row.push_back(text_of(at, -1));
      if (part == 0) continue;
      row.push_back(at->result.is_null() ? "-"
                                         : fmt::format("{:.3f}", at->number("column_auc_mean")));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Study shown(const std::vector<Cell>& cells) {
  Study study{
      .title = "The paper's table 2: noise",
      .notes = {
          "by chance: what a random graph with as many edges as the learned one would keep of the "
          "noise; lift: kept, over that. True edges are those of the given graph, judged against "
          "the noise (whose weights, from U(0, 1), give it away: by them alone the AUC is 1); "
          "where no graph is known, pairs of one class, judged against all other pairs.",
          "More noise: in % of the edges of the given graph; where there is none, of 20 a row. The "
          "last column is that of the most noise."}};
  const StudyTable paper = edges_table(cells), columns = columns_table(cells);
  if (!paper.rows.empty()) study.tables.push_back(paper);
  std::vector<std::string> datasets;
  for (const Cell& cell : cells) {
    if (datasets.empty() || datasets.back() != cell.dataset) datasets.push_back(cell.dataset);
  }
  for (const auto& dataset : datasets) {
    study.tables.push_back(levels_table(cells, dataset));
    Chart chart{"Accuracy under noise: " + dataset,
                "random edges, in % of the edges there are",
                "test accuracy in %",
                {}};
    for (const auto& row : study.tables.back().rows) {
      chart.curves.push_back(accuracy_curve(cells, row.front(), dataset, "level"));
    }
    study.charts.push_back(std::move(chart));
  }
  if (!columns.rows.empty()) study.tables.push_back(columns);
  return study;
}

}  // namespace

Reproduction noise_table(const Asked& asked) {
  std::vector<std::string> all;
  for (const PaperNoise& paper : kPaper) all.push_back(paper.dataset);
  Reproduction found;
  found.intro = fmt::format(
      "table2 of the paper: noise; mean and standard deviation of {}, {} settings of each rival "
      "tried by validation; the paper's figure in brackets",
      counted(asked.runs, "run"), asked.budget);
  for (const auto& dataset : wanted_datasets(asked, all)) {
    add_cells(asked, *std::ranges::find(kPaper, dataset, &PaperNoise::dataset), found.cells);
  }
  found.show = shown;
  return found;
}

}  // namespace glgnn::cli
