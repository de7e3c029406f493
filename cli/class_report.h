// How a model does on the test rows, class by class.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/metrics.h>
#include <glgnn/model.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn::cli {

// Counts of the test rows whose label is known.
ConfusionMatrix test_confusion(const Model& model);

// The classes that have rows: in their own order, or, where they are many, the worst recalls first.
// Printed on the standard output.
void print_class_table(const ConfusionMatrix& confusion, const std::vector<std::string>& names);

// One sentence where some class has under a tenth of another's training rows and the settings do
// not make up for it; else empty.
std::string balance_note(const Dataset& dataset, const Split& split, const Config& config);

}  // namespace glgnn::cli
