// A sub-module of a pool: its views and its graph, a kind that classifies over it, and rounds in
// which the graph is built again from what was learned.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/model.h>
#include <glgnn/trainer.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "modules/kinds.h"
#include "modules/row_graph.h"
#include "modules/shared_inputs.h"
#include "modules/soft_labels.h"
#include "modules/views.h"

namespace glgnn {

struct ModuleSpec {
  std::vector<View> views;       // the graph's
  View input = View::kStandard;  // the kind's
  RowGraphOptions graph;
  int64_t rounds = 1;
  bool after_network = false;  // one round, taught by the network of the modules before
  bool mixes = false;          // what features alone say, once more with what given edges say
  uint32_t number = 0;         // in its pool: whose random numbers
  int32_t family = 0;          // those of a family differ in their settings alone
  int32_t group = 0;           // groups count alike where no label says which is better
  KindOptions kind = SpreadOptions{};
};

std::string kind_name(const ModuleSpec& spec);
// The settings that matter, in one line.
std::string describe(const ModuleSpec& spec);

// Soft labels, and what led to them.
struct Stage {
  Matrix p;
  std::vector<float> selection;  // how much each feature counts, largest 1
  bool chose_epoch = false;      // by validation labels
  double own_weight = 1;         // of the row's own prediction beside its neighbours'
  KindState state = SpreadState{};
  Matrix mixing = {};              // R, where the classes of given edges were heard; or empty
  std::vector<Matrix> looks = {};  // what it said of the validation rows before it chose; or empty
};

// What a kind is given in a round.
struct RoundWork {
  const ModuleSpec& spec;
  SharedInputs& shared;
  const Problem& problem;
  const Context& context;
  const std::function<const Csr&()>& graph;  // of this round, made when it is first asked for
  const RowGraphOptions& graph_options;      // that it is made with
  View input = View::kRaw;
  uint32_t number = 0, round = 0;
  const Matrix* before = nullptr;  // soft labels of the round before; empty in the first
  const Stage* first = nullptr;    // the first stage of all; null in the first round

  const Features& features() const { return shared.view(input); }
  // How well each feature alone separates the soft classes.
  std::vector<float> separation(const Matrix& p) const;
  // What a head says, propagated over the graph.
  Stage smoothed(const Stage& own, const Smoothing& smoothing) const;
};

// A stage of a module, with the graph it was made on.
struct ModuleResult {
  ModuleSpec spec;
  Stage stage;
  std::shared_ptr<const Csr> graph;  // S of that stage
  Score score;
  std::vector<Matrix> looks;           // what it, or each check, said of the validation rows
  std::vector<float> graph_selection;  // that the graph was made with; empty: none
  bool graph_knows_labels = false;     // soft labels took part in choosing neighbours
};

// What a module may start from: soft labels and a selection of features.
struct ModuleStart {
  Matrix p;
  std::vector<float> selection;
};

// Runs all rounds of a module, or one more round from `start`; gives all its stages.
std::vector<ModuleResult> run_stages(const ModuleSpec& spec, const Problem& problem,
                                     SharedInputs& shared, const Context& context,
                                     const ModuleStart* start = nullptr);

// The soft labels that features alone gave, with what the classes of neighbours in the given graph
// say of them (mixing.cpp), and R. `graph` is symmetric. Memory O(E C) for E edges; can_mix() says
// whether that is too much.
struct Mixed {
  Matrix beliefs, ratio;  // N x C, C x C
};
Mixed mix_classes(const Matrix& own, const Csr& graph, const Problem& problem, int threads);
bool can_mix(const Csr& graph, int64_t classes);
// Throws kData unless a file's R, if there is any, is one of so many classes.
void check_mixing(const std::string& what, const Matrix& ratio, int64_t classes);
// The graph that such a module hears, as other modules have theirs: S of the parts as which edges
// count, with self-loops of 1.
Csr heard_edges(const Csr& given, int threads);
// L x C: what each neighbour says to a row, by what both believe and by the part as which their
// edge counts; 1 where it says nothing.
Matrix said_by_neighbours(const Matrix& beliefs, const Matrix& ratio, int32_t row,
                          std::span<const int32_t> neighbours, std::span<const float> parts);
// What the features of one row say, with what its neighbours say.
void hear(float* p, const Matrix& said, std::span<const float> parts);

// In how many standard errors of its accuracy a module must be better than others to count as much:
// its epoch was chosen by the same labels, or it believes edges that look random.
double handicap_of(const ModuleSpec& spec, bool chose_epoch, SharedInputs& shared,
                   const Context& context);

// The stage that fits the validation rows best; the later one on a tie: it knows more.
const ModuleResult& best_stage(const std::vector<ModuleResult>& stages);

// The best stage alone, with the looks of all.
ModuleResult run_module(const ModuleSpec& spec, const Problem& problem, SharedInputs& shared,
                        const Context& context, const ModuleStart* start = nullptr);

// The record that a model keeps of it; its weight and its line of the history are the trainer's.
FittedModule finish_module(ModuleResult module, const Problem& problem, SharedInputs& shared,
                           const Context& context);

// Logistic regression, so that one sees what the graphs add to it: what it says of the validation
// rows (V x C), learned from the training rows. It is no module: it takes part in no choice.
Matrix baseline_answers(const Problem& problem, SharedInputs& shared, const Context& context);
// The same from rows that are prepared already.
Matrix baseline_answers(const Problem& problem, const Features& x, const Context& context);

// How well each column alone separates the soft classes: the part of its variance between them
// (square root), largest 1. Indicators of one block share theirs. `held`, if given, is x on the
// device, which then adds up.
std::vector<float> class_separation(const Features& x, const Matrix& p, int threads = 1,
                                    const cuda::HeldMatrix* held = nullptr);

}  // namespace glgnn
