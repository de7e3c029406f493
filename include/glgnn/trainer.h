// Training. The library prints nothing and sees no test label: progress goes to a callback.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/model.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace glgnn {

// What there is to learn from. Labels are -1 outside train and val (reveal_labels).
struct Problem {
  const Features* features = nullptr;  // scaled in paper mode, as read in best mode
  const Csr* graph = nullptr;          // null: the graph is unknown
  std::vector<int32_t> labels;
  std::vector<int32_t> train, val;
  bool val_is_drawn = false;  // any labelled row may validate: best mode may hold back others, too
  int64_t classes = 0;
  std::vector<std::string> left_out{};  // best mode: modules not to try (less_promising)
  bool classes_alike = false;           // a class counts as much as any other; fit() sets it for
                                        // class_weights = balanced
};

// What fit() does besides training.
struct FitOptions {
  std::function<bool(const EpochReport&)> on_epoch{};  // false: stop now, as after Ctrl-C
  std::string checkpoint{};                            // file to keep the state in; empty: none
  double checkpoint_seconds = 5;                       // at most this much work is lost
  bool resume = false;                  // continue from the checkpoint, to the same bits
  std::vector<std::string> left_out{};  // for fit_dataset(): Problem::left_out
};

// What fit() gives back.
struct FitResult {
  Model model;               // parameters, predictions and graphs of the best epoch
  bool interrupted = false;  // on_epoch said stop; the checkpoint holds the state
};

// Paper mode trains config.epochs epochs (0 and k = 0 must be resolved: resolve_auto) and keeps the
// last epoch with the best validation accuracy. Best mode trains a pool of modules and joins the
// best of them.
FitResult fit(const Problem& problem, const Config& config, const Context& context,
              const FitOptions& options = {});

// How often fit() will call on_epoch: once an epoch in paper mode; in best mode once for each
// module of each fold and once for the network of graphs.
int64_t planned_epochs(const Problem& problem, const Config& config, int threads = 1);

// How often best mode will train, each time with other labels held back to validate.
int64_t planned_folds(const Problem& problem, const Config& config);

// The modules that did worse in a model of best mode. Who fits the same rows again with more labels
// may leave them out.
std::vector<std::string> less_promising(const Model& model);

// In paper mode replaces k = 0 and epochs = 0 by the paper's figures for its sets, else by rules on
// the size.
Config resolve_auto(Config config, const Dataset& dataset);

// Bytes that fit() will need at the most, to be said before it starts. `graph`: the given one, if
// it takes part.
int64_t estimate_memory(const Features& features, const Csr* graph, int64_t classes,
                        const Config& config, int threads = 1);

}  // namespace glgnn
