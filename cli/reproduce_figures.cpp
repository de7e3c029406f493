// The paper's figures: columns deleted by their weights, the weights, accuracy against k and M, and
// convergence.
#include <fmt/format.h>

#include <algorithm>

#include "data/message.h"
#include "reproduction.h"
#include "studies.h"

namespace glgnn::cli {
namespace {

const std::vector<std::string> kDatasets{"wine", "cancer", "digits", "citeseer", "cora"};
const std::vector<int64_t> kNeighbours{5, 10, 20, 40, 80};
const std::vector<int64_t> kModules{1, 2, 3, 4, 6, 8};

// Columns are judged with the graph, where there is one.
bool has_graph(const std::string& dataset) { return dataset == "cora" || dataset == "citeseer"; }

std::vector<double> numbers(const Cell& cell, const std::string& curve) {
  return cell.result.at("curves").at(curve).get<std::vector<double>>();
}

std::vector<double> counted_up(size_t count) {
  std::vector<double> x;
  for (size_t p = 0; p < count; ++p) x.push_back(static_cast<double>(p + 1));
  return x;
}

void add_deletion(const Cell& cell, Study& study) {
  Chart chart{"Columns deleted: " + cell.dataset,
              "deleted, in % of the columns",
              "test accuracy of a plain GCN in %",
              {}};
  StudyTable table{chart.title, {{"deleted first"}}, {}};
  std::vector<double> parts = deleted_parts();
  for (double& part : parts) {
    part *= 100;
    table.columns.push_back({fmt::format("{:.0f} %", part), true});
  }
  for (const auto* name : {"lowest", "highest", "random"}) {
    std::vector<double> values = numbers(cell, std::string("deleted_") + name);
    std::vector<std::string> row{name};
    for (double& value : values) row.push_back(fmt::format("{:.1f}", value *= 100));
    table.rows.push_back(std::move(row));
    chart.curves.push_back({name, parts, std::move(values)});
  }
  study.tables.push_back(std::move(table));
  study.charts.push_back(std::move(chart));
  std::vector<double> weights = numbers(cell, "feature_weights");
  std::vector<double> places = counted_up(weights.size());
  study.charts.push_back({"Weights of the columns: " + cell.dataset,
                          "columns, the highest weight first",
                          "weight",
                          {{cell.dataset, std::move(places), std::move(weights)}}});
}

// Accuracy over a setting: one curve and one row for each dataset.
void add_setting(const std::vector<Cell>& cells, const std::string& what, const std::string& title,
                 Study& study) {
  Chart chart{title, what, "test accuracy in %", {}};
  StudyTable table{title, {{"dataset"}}, {}};
  for (const Cell& cell : cells) {
    if (cell.what != what) continue;
    if (table.rows.empty() || table.rows.back().front() != cell.dataset) {
      table.rows.push_back({cell.dataset});
      chart.curves.push_back(accuracy_curve(cells, cell.name, cell.dataset, what));
      chart.curves.back().name = cell.dataset;
    }
    if (table.rows.size() == 1) table.columns.push_back({fmt::format("{:.0f}", cell.x), true});
    table.rows.back().push_back(accuracy_text(cell));
  }
  if (table.rows.empty()) return;
  study.tables.push_back(std::move(table));
  study.charts.push_back(std::move(chart));
}

void add_convergence(const std::vector<Cell>& cells, const std::string& dataset, Study& study) {
  Chart loss{"Convergence: " + dataset, "epoch", "loss", {}};
  for (const Cell& cell : cells) {
    if (cell.what != "M" || cell.dataset != dataset || cell.result.is_null()) continue;
    std::vector<double> values = numbers(cell, "loss"), epochs = counted_up(values.size());
    loss.curves.push_back(
        {fmt::format("M = {:.0f}", cell.x), std::move(epochs), std::move(values)});
  }
  if (!loss.curves.empty()) study.charts.push_back(std::move(loss));
}

Study shown(const std::vector<Cell>& cells) {
  Study study{
      .title = "The paper's figures",
      .notes = {"Paper mode. A plain GCN with its paper's settings reads what is left of the "
                "columns (over the nearest rows where the data have no graph), by the weights that "
                "each run gives them; means over the runs."}};
  for (const Cell& cell : cells) {
    if (cell.what == "deletion" && !cell.result.is_null()) add_deletion(cell, study);
  }
  add_setting(cells, "k", "Accuracy against k", study);
  add_setting(cells, "M", "Accuracy against M", study);
  for (const auto& dataset : kDatasets) add_convergence(cells, dataset, study);
  return study;
}

}  // namespace

Reproduction paper_figures(const Asked& asked) {
  Reproduction found;
  found.intro = fmt::format("figures of the paper: paper mode, mean and standard deviation of {}",
                            counted(asked.runs, "run"));
  found.show = shown;
  if (!wants_method(asked, "paper")) return found;
  const auto add = [&](const std::string& dataset, const std::string& what, double x,
                       const std::string& graph, const std::vector<std::string>& more) {
    Cell cell{.name = what, .dataset = dataset, .what = what, .x = x};
    cell.words = evaluate_words(asked, dataset, graph, "paper");
    cell.words.insert(cell.words.end(), more.begin(), more.end());
    found.cells.push_back(std::move(cell));
  };
  for (const auto& dataset : wanted_datasets(asked, kDatasets)) {
    const std::string graph = has_graph(dataset) ? "known" : "unknown";
    // The paper deletes columns of Cora and Citeseer; of the others where they are asked for.
    if (has_graph(dataset) || !asked.datasets.empty()) {
      add(dataset, "deletion", 0, graph, {"--study", "deletion"});
    }
    for (const int64_t k : kNeighbours) {
      add(dataset, "k", static_cast<double>(k), "unknown", {"--k", std::to_string(k)});
    }
    for (const int64_t m : kModules) {
      add(dataset, "M", static_cast<double>(m), "unknown",
          {"--modules", std::to_string(m), "--study", "convergence"});
    }
  }
  return found;
}

}  // namespace glgnn::cli
