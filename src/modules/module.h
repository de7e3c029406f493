// One sub-module of best mode: its views and its graph, a head that classifies over it, and rounds
// in which the graph is rebuilt from what was learned.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/model.h>
#include <glgnn/trainer.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "modules/landmarks.h"
#include "modules/layers.h"
#include "modules/prototypes.h"
#include "modules/row_graph.h"
#include "modules/soft_labels.h"
#include "modules/views.h"

namespace glgnn {

enum class Head {
  kSpread,       // labels spread over the graph
  kGaussian,     // class prototypes with one covariance
  kMultinomial,  // class prototypes as distributions over features
  kGnn,          // two trained layers and propagation
  kGnnTaught,    // the same, taught by multinomial prototypes and averaged with them
  kLandmark,     // every row compared with all labelled ones
};

struct ModuleSpec {
  Head head = Head::kGnn;
  std::vector<View> views;           // the graph's
  View input = View::kStandard;      // the head's
  View teacher_input = View::kUnit;  // of the prototypes that teach
  RowGraphOptions graph;
  int64_t rounds = 1;
  bool after_network = false;  // one round, taught by the network of the modules before
  bool class_mass = false;
  bool start_by_spreading = false;  // Gaussian prototypes: else from the nearest means
  GaussianOptions gaussian;
  MultinomialOptions multinomial;
  GnnOptions gnn;
  LandmarkOptions landmark;

  // Whether its training looks at the validation rows more often than once a stage.
  bool head_chooses_epoch() const { return head == Head::kGnn || head == Head::kGnnTaught; }
};

// The settings that matter to this head, in one line.
std::string describe(const ModuleSpec& spec);

struct ModuleResult {
  ModuleSpec spec;
  Matrix p;                          // soft labels of the best stage
  std::shared_ptr<const Csr> graph;  // S of that stage
  std::vector<float> selection;      // how much each feature counts, largest 1
  Score score;
  std::vector<Matrix> looks;  // what each stage and check said of the validation rows
  // What a new row needs beside the above.
  GnnLayers layers;                    // empty: the best stage has no trained layers
  bool has_prototypes = false;         // the best stage has class prototypes
  LandmarkHead landmarks;              // empty: the best stage has none
  double own_weight = 1;               // of the row's own prediction beside its neighbours'
  std::vector<float> graph_selection;  // that the graph was made with; empty: none
  bool graph_knows_labels = false;     // soft labels took part in choosing neighbours
};

// What the modules of one fit share: the views, and graphs made from features alone.
class SharedInputs {
 public:
  // Problem and its features (as read from the file) must outlive this.
  SharedInputs(const Problem& problem, const Context& context);

  const Problem& problem() const { return problem_; }
  const Features& view(View view) { return views_.get(view); }
  // The graph of a module before anything is learned; safe to call from several threads.
  std::shared_ptr<const Csr> first_graph(const ModuleSpec& spec, const Context& context);

 private:
  const Problem& problem_;
  Views views_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Csr>> graphs_;
};

// What a module may start from: soft labels and a selection of features.
struct ModuleStart {
  Matrix p;
  std::vector<float> selection;
};

// Runs all rounds of a module, or one more round from `start`.
ModuleResult run_module(const ModuleSpec& spec, SharedInputs& shared, const Context& context,
                        const ModuleStart* start = nullptr);

// How new rows are treated by a module: what a model file keeps of it. The parameters' names begin
// with `name`.
ModuleForm freeze_module(const ModuleResult& module, SharedInputs& shared, const Context& context,
                         const std::string& name, std::vector<NamedMatrix>& parameters);

// How well each column alone separates the soft classes: the part of its variance between them
// (square root), largest 1.
std::vector<float> class_separation(const Features& x, const Matrix& p);

}  // namespace glgnn
