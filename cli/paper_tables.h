// The paper's tables of accuracies, as it prints them.
#pragma once

#include <string>
#include <vector>

namespace glgnn::cli {

struct PaperRow {
  std::string name;             // as the paper calls it
  std::string method;           // of `evaluate --method`; "paper" and "best" are our own modes
  std::vector<double> figures;  // in % for each dataset; below 0: the paper has none
};

struct PaperTable {
  std::string name;
  std::string graph;  // known or unknown
  std::vector<std::string> datasets;
  std::vector<PaperRow> rows;
};

// kUsage where there is none of this name.
const PaperTable& paper_table(const std::string& name);

}  // namespace glgnn::cli
