// Logistic regression, so that one sees what the graphs add to it.
#pragma once

#include <glgnn/trainer.h>

#include "modules/shared_inputs.h"

namespace glgnn {

// What it says of the validation rows (V x C), learned from the training rows. It is no module: it
// takes part in no choice.
Matrix baseline_answers(const Problem& problem, SharedInputs& shared, const Context& context);
// The same from rows that are prepared already.
Matrix baseline_answers(const Problem& problem, const Features& x, const Context& context);

}  // namespace glgnn
