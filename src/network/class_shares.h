// How common the classes are where nobody gave a label.
//
// Who labels ten rows of every class says nothing about how common the classes are, and a model
// that learned from such rows takes a rare class for as common as any other. The rows without a
// label tell: if the network says "yes" to 80 % of the labelled rows that are yes and to 30 % of
// those that are no, and to 35 % of the rows without a label, then about a tenth of these are yes
// (Saerens, Latinne and Decaestecker, Neural Computation 14, 2002; Lipton, Wang and Smola, ICML
// 2018). The answers that count are those of drawings that did not choose by the row
// (network/estimate.h); others flatter the network, and then the shares come out wrong.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <span>
#include <vector>

#include "network/estimate.h"

namespace glgnn {

// Whether all classes have as many labels, so that somebody picked them class by class.
bool picked_by_class(const std::vector<int32_t>& labels, const std::vector<int32_t>& labelled,
                     int64_t classes);

// The share of each class among the rows without a label, divided by its share among the labelled
// ones, which is the same for all: between what the rows tell and equal shares, by how likely each
// is. Empty where the network does not tell the classes apart by two standard errors, or the rows
// say nothing that equal shares would not, by one.
std::vector<float> class_factors(const std::vector<HeldBack>& held,
                                 const std::vector<Drawing>& drawings, int64_t classes);

// The soft labels of rows among which the classes are so much more or less common; no factors: as
// they are.
void weigh_classes(Matrix& p, const std::vector<float>& factors);
void weigh_classes(std::span<float> p, const std::vector<float>& factors);  // of one row

}  // namespace glgnn
