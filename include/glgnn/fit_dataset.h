// From a dataset to a model in one call, as `glgnn fit` does it, and the steps of that call.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <cstdint>

namespace glgnn {

// The first split that came with the data; else split_labels().
Split default_split(const Dataset& dataset, uint64_t seed);

// Every labelled row is used: `test_fraction` of them for the test, and a fifth of the others
// validates. Where a class has a single label and the others have few, all of them train.
Split split_labels(const Dataset& dataset, double test_fraction, uint64_t seed);

// kData when there is nothing to tell apart in the training rows, as in a split from elsewhere.
void check_split(const Dataset& dataset, const Split& split);

// k, epochs and scaling as they will be used; kUsage when they do not fit the data.
Config resolve_settings(const Config& config, const Dataset& dataset);

// The same where the split is known: the scaling of sparse features that was left to us is the one
// that suits its validation rows.
Config resolve_settings(const Config& config, const Dataset& dataset, const Split& split);

// The rows of `split` that fit() may learn from, with no other label in it. Keeps pointers to the
// features and, where `with_graph`, to the dataset's graph.
Problem make_problem(const Dataset& dataset, const Features& scaled, const Split& split,
                     bool with_graph);

// How many rows will judge: the validation rows, or in folds all that one of them holds back.
int64_t planned_validation(const Problem& problem, const Config& config);

// Resolves the settings, scales the features, fits, and keeps the data in the model; the dataset's
// graph is used if it has one. Nothing is printed.
FitResult fit_dataset(Dataset dataset, const Split& split, const Config& config,
                      const Context& context, const FitOptions& options = {});

}  // namespace glgnn
