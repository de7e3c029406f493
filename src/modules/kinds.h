// The kinds of module. A new one is a header and a source that answer the questions of kind.h, its
// options and its state in the lists here, and the modules of it that train/pool.cpp tries.
#pragma once

#include <glgnn/error.h>
#include <glgnn/matrix.h>
#include <glgnn/model.h>

#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "modules/gaussian.h"
#include "modules/landmarks.h"
#include "modules/layers.h"
#include "modules/multinomial.h"
#include "modules/prior.h"
#include "modules/spread.h"
#include "modules/trees.h"

namespace glgnn {

// What a module of the paper's kind keeps for rows never seen; its selection s is in the record.

struct PaperState {
  Matrix w1, w2;  // the two layers
  Matrix v;       // of the hops
  Matrix b1, b2;  // of the layers; empty: none

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    archive(state.w1);
    archive(state.w2);
    archive(state.v);
    archive(state.b1);
    archive(state.b2);
  }
};

using KindOptions = std::variant<SpreadOptions, GaussianOptions, MultinomialOptions, LayersOptions,
                                 LandmarkOptions, TreesOptions, PriorOptions>;

// A file has the place of a state in this list: a new one comes last.
struct KindState : std::variant<SpreadState, PrototypeState, LayersState, LandmarkState, TreesState,
                                PriorState> {
  using variant::variant;
};

// How a new row meets a module of a pool: its neighbours, and what the kind says of the row itself.
struct PoolState {
  std::vector<View> views;   // in which rows are compared
  int64_t k = 0;             // neighbours in each view
  bool euclidean = false;    // else by the angle between rows
  double self_weight = 1;    // of the self-loop
  double label_weight = 0;   // of soft labels beside the features
  double own_weight = 1;     // of the row itself beside its neighbours; 1: these do not count
  std::vector<float> links;  // weights of the features in comparisons; empty: all alike
  Matrix mixing;  // R of mixing.cpp, by which the rows at given edges are heard; or empty
  KindState kind;
};

// Whether rows that are alike are heard, and whether those that given edges join, which new rows do
// not have. Else a row's own features decide alone, and the graph only shows which rows are alike.
inline bool hears_alike(const PoolState& state) { return state.own_weight < 1; }
inline bool hears_given(const PoolState& state) { return !state.mixing.empty(); }

// What a fitted module keeps for rows never seen.
struct ModuleState : std::variant<PoolState, PaperState> {
  using variant::variant;
};

// The views that these modules compare rows in or read.
std::set<View> views_read(const std::vector<FittedModule>& modules);

// One of several states: which, and what is in it.
template <class Archive, class States>
void walk_kind(Archive& archive, States& states) {
  auto kind = static_cast<uint8_t>(states.index());
  archive(kind);
  if constexpr (Archive::kReading) {
    const auto choose = [&]<size_t... I>(std::index_sequence<I...>) {
      return ((kind == I && (states.template emplace<I>(), true)) || ...);
    };
    if (!choose(std::make_index_sequence<std::variant_size_v<typename States::variant>>())) {
      throw Error(ErrorKind::kData, "unknown kind of module " + std::to_string(kind) +
                                        "; the model is of another version");
    }
  }
  std::visit(
      [&](auto& state) {
        using State = std::remove_cvref_t<decltype(state)>;
        if constexpr (std::is_same_v<State, PoolState>)
          walk_pool_state(archive, state);
        else
          State::walk(archive, state);
      },
      states);
}

template <class Archive, class State>
void walk_pool_state(Archive& archive, State& state) {
  walk_list(archive, state.views, [](Archive& a, auto& view) { walk_view(a, view); });
  archive(state.k);
  archive(state.euclidean);
  archive(state.self_weight);
  archive(state.label_weight);
  archive(state.own_weight);
  archive(state.links);
  archive.since(15, state.mixing);
  walk_kind(archive, state.kind);
}

}  // namespace glgnn
