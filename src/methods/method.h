// A rival: a method of others that is run beside ours, on the same data, splits and labels.
#pragma once

#include <glgnn/context.h>
#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

// A setting of one method; every one is a number.
struct MethodSetting {
  std::string name;
  double start = 0;           // as its paper has it: always tried
  std::vector<double> tried;  // what the search draws from
  std::string text;
};

using MethodValues = std::map<std::string, double, std::less<>>;

// One training. No label but those of the training and validation rows is in `problem`.
struct MethodTask {
  const Problem& problem;
  const MethodValues& values;
  uint64_t seed = 0;
  Context context;

  double value(std::string_view name) const { return values.find(name)->second; }
  int64_t count(std::string_view name) const { return static_cast<int64_t>(value(name)); }
};

struct MethodAnswer {
  Matrix probabilities;                // N x C
  int64_t best_epoch = 0, epochs = 0;  // 0: it has none
  Csr graph = {};                      // that it reads or learns; may be empty
};

struct Method {
  std::string name;
  std::string paper;  // authors, where, year
  std::string text;   // one line: what it is, as we read the paper
  bool needs_graph = false;
  int64_t all_pairs = 0;  // numbers it keeps for each pair of rows; 0: memory grows with N alone
  std::vector<MethodSetting> settings;
  MethodAnswer (*fit)(const MethodTask&) = nullptr;
};

}  // namespace glgnn
