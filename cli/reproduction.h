// What `glgnn reproduce` measures, cell by cell, and how it is shown.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/json.h"
#include "study_page.h"

namespace glgnn::cli {

// One call of `glgnn evaluate`.
struct Cell {
  std::string name;                     // of its row or curve
  std::string dataset;                  // of its column or chart
  std::string what;                     // which part of the study it belongs to
  double x = 0;                         // its place on a curve
  double figure = -1;                   // the paper's, in %; below 0: it has none
  std::vector<std::string> words = {};  // for `evaluate`, all but --threads
  Json result = nullptr;                // null: it failed, or was not measured yet
  std::string fault = {};

  double number(const std::string& key) const { return result.at(key).get<double>(); }
};

struct Asked {
  std::string table;  // table1, table2, table3, figures
  std::vector<std::string> datasets, methods;
  int64_t runs = 10, budget = 8;
  std::optional<int64_t> epochs;  // of paper mode, for a quick look
};

struct Reproduction {
  std::string intro;
  std::vector<Cell> cells;
  std::function<Study(const std::vector<Cell>&)> show;
};

// kUsage for a table that is none, or a dataset that is not in it, or methods none of which are.
Reproduction reproduction_of(const Asked& asked);

Reproduction accuracy_table(const Asked& asked);  // table1 (graph unknown) and table3 (known)
Reproduction noise_table(const Asked& asked);     // table2
Reproduction paper_figures(const Asked& asked);

// What they share.
bool is_ours(const std::string& method);  // paper or best
bool wants_method(const Asked& asked, const std::string& method);
// Those asked for, else all; kUsage where one of them is not among all.
std::vector<std::string> wanted_datasets(const Asked& asked, const std::vector<std::string>& all);
std::vector<std::string> evaluate_words(const Asked& asked, const std::string& dataset,
                                        const std::string& graph, const std::string& method);
std::string accuracy_text(const Cell& cell);  // "93.2 ± 1.0 (93.8)": ours, and the paper's
// Of the cells with this name and part of the study on a dataset, those that were measured.
Curve accuracy_curve(const std::vector<Cell>& cells, const std::string& name,
                     const std::string& dataset, const std::string& what);

}  // namespace glgnn::cli
