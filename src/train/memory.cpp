// Bytes that a training needs at the most. The factors count what is held at the largest moment;
// docs/cli.md (Many rows) has the estimates beside the peaks.
#include <glgnn/trainer.h>

#include <algorithm>

#include "kernels/hops.h"
#include "modules/landmarks.h"
#include "modules/module.h"
#include "train/folds.h"
#include "train/pool.h"
#include "train/resources.h"

namespace glgnn {
namespace {

constexpr int64_t kWord = 4;
constexpr int64_t kGraphEntry = 2 * kWord;        // column and weight
constexpr int64_t kGivenEntry = 2 * kGraphEntry;  // as it was read, and as training takes it
// The program, its libraries and their buffers.
constexpr int64_t kProgram = 18 << 20, kProgramOfPool = 10 << 20;

// Bytes of the parts of a training run, by what holds them (docs/math.md has the letters).
class MemoryShape {
 public:
  MemoryShape(const Features& features, int64_t given, int64_t classes, const Config& config)
      : config_(config),
        sparse_(features.is_sparse),
        n_(features.rows()),
        f_(features.cols()),
        c_(classes),
        numbers_(sparse_ ? features.sparse.nnz() : n_ * f_),
        edges_(n_ * std::min(config.k + 1, n_)),
        given_(given) {}

  // X; sparse also by columns, both again with the labels. The network of graphs: X_agg and a.
  // For a graph of the columns X is turned once.
  int64_t of_data() const {
    const int64_t turned = config_.feature_graph ? numbers_ * (sparse_ ? 5 : 1) * kWord : 0;
    return numbers_ * (sparse_ ? 48 : kWord) + 10 * n_ * c_ * kWord + turned + given_ * kGivenEntry;
  }

  // Parameters with Adam's means and the best; kept neighbours, and what is made of their three
  // patterns; the best graph, that of the hops.
  int64_t of_module_between_passes() const {
    // Sparse: two patterns with the common columns of each pair, at most all of a row.
    const int64_t of_pair = sparse_ ? 2 * (8 + 8 * (numbers_ / std::max<int64_t>(1, n_))) : 0;
    const int64_t of_patterns = config_.refresh > 1 ? (3 * 44 + of_pair) * edges_ : 0;
    // Pairs of columns with Adam's means, their pattern and its transpose; C W1 and its gradient.
    const int64_t of_columns =
        config_.feature_graph ? f_ * (5 * 60 + 2 * config_.hidden * kWord) : 0;
    return 6 * f_ * (config_.hidden + 1) * kWord + 40 * edges_ + of_patterns + of_hops() +
           of_columns;
  }

  // Shells: places and hubs of each entry of the hop graph (kernels/hops.h). Powers list
  // their near pairs; joined with its transpose a graph has hubs, over which all pairs may meet.
  int64_t of_hops() const {
    if (config_.hop_form == HopForm::kShells) {
      return 20 * std::max((is_symmetric() ? 2 : 1) * edges_, given_);
    }
    int64_t near = 0, shell = 1;
    for (int64_t hop = 0; hop < config_.hops && near < n_; ++hop) near += shell *= config_.k;
    if (is_symmetric() && config_.hops > 1) near = n_;
    return (1 + config_.hops) * kWord * n_ * std::min(near, n_);
  }

  // Layers with their gradients; two graphs from similarity to norm, with transposes. Sparse rows
  // and the readings that need Z keep it.
  int64_t of_module_in_pass() const {
    const int64_t layers = n_ * (10 * config_.hidden + 8 * c_) * kWord;
    const int64_t selected = sparse_ ? 3 * numbers_ * kWord : keeps_z() ? 2 * z_bytes() : 0;
    return layers + (is_symmetric() ? 300 : 140) * edges_ + selected;
  }

  // An evaluation pass, where its memory is not that of a training pass.
  int64_t of_module_in_evaluation() const {
    if (n_ >= kRowsWorthReleasing) return 0;
    return n_ * (3 * config_.hidden + 4 * c_) * kWord + 40 * edges_;
  }

  // Dropped-out rows of X, a block of them.
  int64_t of_dropout() const { return sparse_ ? 0 : std::min(numbers_, int64_t{1} << 22) * kWord; }

  // Dense rows: Z, and Z again in the order of the search, in floats and in bytes; the best of each
  // row so far. The marks of hops.
  int64_t of_choice() const {
    const int64_t held = 8 * (config_.k + std::max<int64_t>(config_.k, 64) + 64);
    // Sparse rows that are nearly dense are compared as dense ones.
    constexpr int64_t kSparsePart = 20;
    const bool as_sparse = sparse_ && kSparsePart * numbers_ < n_ * f_;
    const int64_t of_z =
        as_sparse ? numbers_ * kWord : 2 * z_bytes() + z_bytes() / kWord + n_ * held;
    return of_z + HopShells::search_bytes(n_, config_.hops);
  }

 private:
  bool is_symmetric() const { return config_.symmetrise != Symmetrise::kNone; }
  int64_t z_bytes() const { return n_ * (f_ + c_) * kWord; }
  bool keeps_z() const {
    return config_.similarity == Similarity::kCosine ||
           (config_.softmax_over == SoftmaxOver::kAll && config_.rescale == Rescale::kNone);
  }

  const Config& config_;
  bool sparse_;
  int64_t n_, f_, c_, numbers_, edges_, given_;
};

// The stages of earlier folds, while the last is trained: all folds choose among all of them, by
// what each said of the rows held back, in a few epochs.
int64_t of_earlier_folds(int64_t rows, int64_t edges, int64_t classes, int64_t modules,
                         bool mixes) {
  constexpr int64_t kGraphs = 26;  // that labels have changed
  constexpr int64_t kLooks = 2;    // of a module, in the mean
  const int64_t folds = folds_of_rows(rows);
  const int64_t stages = 3 * modules / 2 + (mixes ? modules : 0);
  const int64_t held_back = kLooks * modules * rows / folds;
  return (folds - 1) *
         (kGraphs * edges * kGraphEntry + (stages * rows + held_back) * classes * kWord);
}

// On two threads: two modules are at work at once.
int64_t estimate_pool_memory(const Features& features, const Csr* graph, int64_t classes,
                             const Config& config, int threads) {
  constexpr int64_t kModulesAtWork = 2;
  constexpr int64_t kSparseEntry = 3 * kWord;       // value, column, and its place by columns
  constexpr int64_t kNarrowColumns = 16 + 32 + 64;  // the singular directions of text
  constexpr int64_t kGraphsOfText = 12, kGraphsOfTables = 20;  // distinct ones in the pool
  constexpr int64_t kEdges = 40;  // of a row: up to 2 k in each view; the given ones join them
  constexpr int64_t kHidden = 64;
  const int64_t n = features.rows();
  const int64_t stored = features.is_sparse ? features.sparse.nnz() : features.dense.size();
  const int64_t given = graph ? graph->nnz() : 0;
  const int64_t edges = n * kEdges + given;
  const DataKind kind = look_at(features, n, false, threads);
  const auto modules = static_cast<int64_t>(module_pool(kind, config).size());
  const int64_t input = stored * (features.is_sparse ? kSparseEntry : kWord);
  const int64_t views = 2 * input + (kind.is_text ? n * kNarrowColumns * kWord : 0);
  const int64_t graphs = (kind.is_text ? kGraphsOfText : kGraphsOfTables) * edges * kGraphEntry;
  // A graph of the columns: these twice as rows, and each row with up to six times its entries.
  const int64_t joined = config.feature_graph ? (features.is_sparse ? 7 : 3) * input : 0;
  const int64_t predictions = modules * n * classes * kWord;
  // Layers' values and gradients, dropped-out features, blocks of similarities.
  const int64_t of_rows = n * (6 * kHidden + 16 * classes + 2 * kHidden) * kWord;
  // Similarities to all landmarks, four times each in double precision.
  const int64_t landmarks = kind.is_text ? 0 : std::min(n, kMostLandmarks);
  const int64_t similarities = 4 * landmarks * std::min(n, kMostTeachers) * 2 * kWord;
  // What each end of an edge says and hears of every class, and where the other end is.
  const bool mixes = config.class_mixing && graph && can_mix(*graph, classes);
  const int64_t messages = mixes ? given * (2 * classes + 3) * kWord : 0;
  return kProgramOfPool + input + views + joined + given * kGivenEntry + graphs + predictions +
         kModulesAtWork * (input + of_rows + similarities + messages) +
         of_earlier_folds(n, edges, classes, modules, mixes);
}

}  // namespace

int64_t estimate_memory(const Features& features, const Csr* graph, int64_t classes,
                        const Config& config, int threads) {
  if (config.mode == Mode::kBest) {
    return estimate_pool_memory(features, graph, classes, config, threads);
  }
  const MemoryShape shape(features, graph ? graph->nnz() : 0, classes, config);
  const int64_t module = shape.of_module_between_passes();
  const int64_t pass = shape.of_module_in_pass() + shape.of_module_in_evaluation();
  // The largest moment: the last module chooses its graph, or the last graph is done.
  return kProgram + shape.of_data() + shape.of_dropout() + config.modules * (module + pass) +
         std::max<int64_t>(shape.of_choice() - pass, 0);
}

}  // namespace glgnn
