// The ways to train: fit() over several processes, and what it does in each mode.
#pragma once

#include <glgnn/trainer.h>

#include <string>
#include <vector>

#include "dist/ranks.h"
#include "network/gl_gnn.h"

namespace glgnn {

// fit() by several processes, each with the same arguments: in best mode they share the modules, to
// the bits of one. Only rank 0 gets a model, and only it may have callbacks and a checkpoint.
FitResult fit_over_ranks(const Problem& problem, const Config& config, const Context& context,
                         const FitOptions& options, Ranks& ranks);

// Where a training runs: the context with the processor or a GPU, which in paper mode may be worth
// its start for small tables too. Throws where a GPU is asked for and none can be used.
Context device_of_training(const Context& context, const Features& features, bool has_graph,
                           const Config& config);

// Whether a GPU runs whole epochs of these readings of the paper (kernels/paper_training.h).
bool runs_whole_epochs(const Features& features, bool has_graph, const Config& config);

// Training in paper mode: modules and their network of graphs together, by gradient.
FitResult fit_paper(const Problem& problem, const Config& config, const Context& context,
                    const FitOptions& options);

// Puts the loss of an epoch of paper mode into its report; kData where it is not finite.
void set_loss(EpochReport& report, const LossTerms& loss);

// Training in best mode: a pool of modules, each on its own, then the network of graphs over them.

// The ranks share the modules; rank 0 alone gets the model.
FitResult fit_pool(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options, Ranks& ranks);

// The lines that describe the modules of every fold in turn, in the order of their training.
std::vector<std::string> planned_modules(const Problem& problem, const Config& config,
                                         int threads = 1);

// Training in paper mode where rows are owned by ranks and none has all of their features.

// Throws kUsage where the settings are not those that rows over ranks have.
void check_paper_over_ranks(const Problem& problem, const Config& config, int64_t all_rows,
                            const Ranks& ranks);

struct OwnResult {
  Matrix probabilities;              // of own rows, in the best epoch
  std::vector<EpochReport> history;  // the same on all ranks, as is the rest
  int64_t best_epoch = 0;
  Estimate estimate;
  bool interrupted = false;
};

// As fit_paper(), with the features of own rows (rows_of_rank) and the labels, train
// and val of all rows. Rank 0 asks on_epoch; the checkpoint must be one file for all
// ranks. Sums over rows run by rank: the choice of
// neighbours in the first epoch is that of one process, later ones differ by rounding.
OwnResult fit_paper_over_ranks(const Problem& problem, int64_t all_rows, const Config& config,
                               const Context& context, const FitOptions& options, Ranks& ranks);

}  // namespace glgnn
