// Every setting of the method, once: the command line, the model file, the log and the
// documentation all walk the same list (src/core/config.cpp), which also holds each setting's
// sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

enum class Mode { kPaper, kBest };
enum class Scaling { kAuto, kNone, kStandard, kMax, kRowSum, kRowUnit, kStandardUnit, kTfidf };
enum class SelectStart { kNearOne, kUniform };
enum class EvalLabels { kZero, kTrain };
enum class Similarity { kDot, kCosine };
enum class SoftmaxOver { kAll, kKept };
enum class HopForm { kShells, kPowers };
enum class GivenGraph { kAlways, kStart, kUnion };
enum class LastGraph { kSecond, kFirst };
enum class Rescale { kSumK, kSumOne, kLargestOne, kNone };
enum class Symmetrise { kMean, kMax, kNone };
enum class Aggregation { kMean, kTrained, kPrevious, kConstant };
enum class Attention { kPerRow, kShared };
enum class NetworkWeight { kMatrix, kScalar };
enum class DecayOn { kFirst, kAll };
enum class ClassWeights { kNone, kBalanced };
enum class ClassShares { kLearned, kLabels };

// All settings, with their defaults; `glgnn settings` has a sentence for each.
struct Config {
  Mode mode = Mode::kBest;
  uint64_t seed = 0;
  int64_t modules = 3;
  int64_t k = 0;       // 0: from the data (resolve_auto)
  int64_t epochs = 0;  // 0: from the data (resolve_auto)
  int64_t hidden = 32;
  ClassWeights class_weights = ClassWeights::kNone;
  ClassShares class_shares = ClassShares::kLearned;  // best mode
  Scaling scaling = Scaling::kAuto;

  SelectStart select_start = SelectStart::kNearOne;
  bool select_non_negative = false;
  double label_weight = -1;  // below 0: the square root of the temperature
  double label_hide = 0.5;
  EvalLabels eval_labels = EvalLabels::kZero;

  Similarity similarity = Similarity::kDot;
  double temperature = 0;  // 0: 0.1, or 0.2 where a graph is given
  bool diagonal = false;
  SoftmaxOver softmax_over = SoftmaxOver::kAll;
  int64_t hops = 2;
  HopForm hop_form = HopForm::kShells;
  double near_start = 1.0;
  double second_start = 1.0;
  double far_start = 0.1;
  GivenGraph given_graph = GivenGraph::kAlways;
  LastGraph last_graph = LastGraph::kSecond;
  bool sample_neighbours = false;
  Rescale rescale = Rescale::kSumK;
  Symmetrise symmetrise = Symmetrise::kMean;
  int64_t refresh = 1;

  bool bias = false;
  bool feature_graph = false;
  Aggregation aggregation = Aggregation::kMean;
  Attention attention = Attention::kPerRow;
  NetworkWeight network_weight = NetworkWeight::kMatrix;
  double network_start = 5.0;
  bool alpha_mean = true;

  double mu1 = 0.01;
  double mu2 = 1.0;
  double weight_decay = 5e-4;
  DecayOn decay_on = DecayOn::kFirst;
  double dropout = 0.5;
  double learning_rate = 0.01;

  // Best mode only: how many modules are tried, and its parts, each of which can be left out.
  int64_t members = 0;  // 0: from the data
  int64_t folds = 0;    // 0: from the data
  bool spread_heads = true;
  bool prototype_heads = true;
  bool gnn_heads = true;
  bool landmark_heads = true;
  bool tree_heads = true;
  bool prior_heads = true;
  bool votes = true;
  bool propagation = true;
  bool second_round = true;
  bool edge_trust = true;
  bool class_mixing = true;
  bool label_links = true;
  bool feature_weights = true;
  bool teacher = true;
  bool consistency = true;
  bool class_mass = true;
  bool network_round = true;
  bool averaging = true;
};

// One setting as people see it.
struct Setting {
  std::string name;
  std::string mode;      // the mode that reads it: "paper", "best", or empty for both
  std::string value;     // as set() accepts it
  std::string allowed;   // "true|false", "0 ..", "dot|cosine"
  std::string text;      // one sentence
  bool is_part = false;  // switches a part of best mode off, to see what it is worth
};

// All settings with the values of `config`, in the order of the documentation.
std::vector<Setting> list_settings(const Config& config);

// Sets one by name; an unknown name or a value that does not fit throws kUsage and names what
// would.
void set_setting(Config& config, std::string_view name, std::string_view value);

// The value of one setting as text.
std::string get_setting(const Config& config, std::string_view name);

}  // namespace glgnn
