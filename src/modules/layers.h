// The trained head: two layers on the features, then propagation of the logits over the module's
// graph.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <optional>
#include <vector>

#include "modules/multinomial.h"

namespace glgnn {

struct GnnOptions {
  int64_t hidden = 32;
  double dropout = 0.5;
  double weight_decay = 5e-4;
  double learning_rate = 0.02;
  int64_t epochs = 120;
  int64_t patience =
      8;              // checks, one every five epochs, that may fit the validation rows no better
  int64_t steps = 8;  // of propagation
  double alpha = 0.1;
  double teacher_weight = 1;  // of the rows the teacher is sure of, all together
  double teacher_sure = 0.8;  // the least probability that counts as sure
  double consistency = 0.5;   // weight of the distance to the sharpened prediction
  uint64_t seed = 0;
  uint32_t owner = 0;  // whose random numbers: the module's
  uint32_t round = 0;
};

// The two layers: relu(x w1 + b1) w2 + b2.
struct GnnLayers {
  LinearHead first, second;

  Matrix logits(const Features& x) const;
};

struct GnnResult {
  Matrix p;                      // of the best check
  std::vector<float> selection;  // the size of each feature's weights, largest 1
  GnnLayers layers;
  std::vector<Matrix> looks;  // what every check said of the validation rows
};

struct LayersState {
  static constexpr bool kInLogits = true;
  View input = View::kRaw;
  GnnLayers layers;
  std::optional<PrototypeState> prototypes;  // averaged with the layers

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    walk_view(archive, state.input);
    LinearHead::walk(archive, state.layers.first);
    LinearHead::walk(archive, state.layers.second);
    bool has_prototypes = state.prototypes.has_value();
    archive(has_prototypes);
    if constexpr (Archive::kReading) {
      if (has_prototypes) state.prototypes.emplace();
    }
    if (has_prototypes) PrototypeState::walk(archive, *state.prototypes);
  }
  void check(const std::string& what, const StateShape& fitted) const;
  void add_views(std::set<View>& views) const {
    views.insert(input);
    if (prototypes) prototypes->add_views(views);
  }
  Matrix logits(const RowViews& rows) const;
};

struct LayersOptions {
  static constexpr const char* kName = "layers";
  // Multinomial prototypes that come before, teach the layers, and are averaged with them.
  struct Teacher {
    View input = View::kUnit;
    MultinomialOptions prototypes = {};
  };
  GnnOptions training = {};
  std::optional<Teacher> teacher = {};

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState& state, const Matrix& p, const RoundWork& work) const;
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);
};

// `teacher` may be empty. Stops when the validation rows are not fitted better for so many checks.
// `held`, if given, is x on the device, where the layers are then trained.
GnnResult train_gnn(const Features& x, const Csr& graph, const Problem& problem,
                    const Matrix& teacher, const GnnOptions& options, const Context& context,
                    const cuda::HeldMatrix* held = nullptr);

}  // namespace glgnn
