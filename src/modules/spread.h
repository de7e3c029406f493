// Labels spread over the graph until they have reached every row they can reach.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <vector>

#include "modules/kind.h"

namespace glgnn {

// A new row gets what its neighbours have.
struct SpreadState {
  static constexpr bool kInLogits = false;
  template <class Archive, class State>
  static void walk(Archive&, State&) {}
  void check(const std::string&, const StateShape&) const {}
  void add_views(std::set<View>&) const {}
  Matrix logits(const RowViews&) const { return {}; }
};

// So many edges does a label travel at the most, with so much of the labels themselves in each
// step.
inline constexpr int64_t kSpreadSteps = 60;
inline constexpr double kSpreadBack = 0.01;

struct SpreadOptions {
  static constexpr const char* kName = "spread";
  bool class_mass = false;    // scale the classes to their shares of the labels
  double back = kSpreadBack;  // the larger, the nearer labels stay to their rows

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState&, const Matrix&, const RoundWork&) const {}
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config&) {}
};

Matrix spread_labels(const Csr& graph, const Problem& problem, bool class_mass,
                     const Context& context, double back = kSpreadBack);

}  // namespace glgnn
