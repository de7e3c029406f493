// The ranking of `glgnn compare` as a page: every method's accuracy with its interval drawn, time
// and memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn::cli {

struct Standing {
  std::string name;
  std::vector<double> accuracy = {};  // of each run; empty: it failed
  double low = 0, high = 0, seconds = 0, memory_mb = 0;
  bool as_good = false;  // as the first, for all that these runs can tell
  std::string fault = {};

  double mean() const;  // -1 where it failed
};

struct ComparisonFacts {
  std::string dataset;
  int64_t rows = 0, runs = 0, budget = 0;
};

// One HTML text that needs nothing else; `ranked` has the best first.
std::string compare_page(const ComparisonFacts& facts, const std::vector<Standing>& ranked);

}  // namespace glgnn::cli
