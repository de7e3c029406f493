// Learning curves: accuracy over the number of labels, where a rule chooses which row is labelled
// next.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn::cli {

struct GrowOptions {
  std::string range;               // "10:100"
  int64_t step = 10;               // labels between two trainings
  std::vector<std::string> rules;  // suggest, random, uncertainty; empty: all
  double test_fraction = 0.3;      // of the labelled rows: they judge, and are never suggested
  size_t runs = 10;
  bool with_graph = false, json = false, quiet = false;
};

// Prints the curves, means over the runs; gives the exit status. Each run draws its test rows and
// its first labels by its seed, the same for all rules.
int grow_labels(const Dataset& dataset, const Config& config, const GrowOptions& options,
                const Context& context);

}  // namespace glgnn::cli
