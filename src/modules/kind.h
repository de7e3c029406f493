// What every kind of module answers, in one header and one source of its own (kinds.h has the
// list).
//
//   its options, which a pool sets:
//     kName                        the word for it
//     run_round(work)              how it is fitted: the stages of one round, what knows most last
//     finish(state, p, work)       what its state lacks still when the module is one that is kept
//     describe(note)               its settings, in a line
//     is_left_out(config), apply(config)     the settings it reads
//   its state, which a model keeps:
//     walk(archive, state)         what is in the file
//     check(what, fitted)          throws kData unless it fits the model that it was read with
//     add_views(views)             the views it reads
//     logits(rows)                 what it says of rows never seen; empty: what their neighbours
//     say kInLogits                    whether neighbours' logits are averaged, or their
//     probabilities
#pragma once

#include <glgnn/matrix.h>

#include <map>
#include <string>

#include "modules/views.h"

namespace glgnn {

struct RoundWork;  // what a kind is given in a round (module.h)
struct Stage;      // what it leaves: soft labels, a selection of features, a state
struct KindState;  // one of the kinds' states (kinds.h)

// How predictions are propagated over the graph; no steps: it is not used.
struct Smoothing {
  int64_t steps = 2;
  double alpha = 0.2;

  // Of a row's own prediction beside its neighbours'.
  double own_weight() const { return steps > 0 ? alpha : 1; }
};

// What a state that was read from a file has to fit.
struct StateShape {
  std::map<View, ViewShape> views;  // of the fitted rows
  int64_t classes = 0;
  bool is_kept = true;  // else of a checkpoint: what finish() makes is not there yet

  // The columns of a view, which kData says is missing.
  int64_t columns(const std::string& what, View view) const;
};

// A line of words and "name=value".
struct ModuleNote {
  std::string text;

  void add(const std::string& word) { text += (text.empty() ? "" : " ") + word; }
  void add(const std::string& name, double value);
};

}  // namespace glgnn
