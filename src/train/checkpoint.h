// The state of a training run between two epochs, and its file: a resumed run gives the same bits.
#pragma once

#include <glgnn/config.h>
#include <glgnn/trainer.h>

#include <optional>
#include <string>
#include <vector>

#include "core/archive.h"
#include "dist/ranks.h"
#include "modules/module.h"
#include "network/estimate.h"
#include "network/gl_gnn.h"

namespace glgnn {

// What is kept of the best epoch so far.
struct BestEpoch {
  int64_t epoch = 0;
  double val_accuracy = -1;
  std::vector<Matrix> parameters;  // in the order of GlGnn::parameters()
  Matrix probabilities, network;
  std::vector<Csr> module_graphs;
  std::vector<Matrix> module_probabilities;
};

struct TrainState {
  int64_t epoch = 0;  // epochs done
  std::vector<EpochReport> history{};
  BestEpoch best{};
  EpochEstimate estimate;
};

// Tells data apart by everything that training reads of them.
uint64_t fingerprint(const Problem& problem);

// What every checkpoint begins with: the settings and a fingerprint of the data. Reading refuses
// (kUsage) others, and says which.
void write_checkpoint_head(ArchiveWriter& writer, const Problem& problem, const Config& config);
void read_checkpoint_head(ArchiveReader& reader, const std::string& path, const Problem& problem,
                          const Config& config);

// The two refusals, for files of other parts.
void read_checkpoint_settings(ArchiveReader& reader, const std::string& path, const Config& config);
[[noreturn]] void refuse_other_data(const std::string& path);

void save_checkpoint(const std::string& path, const TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config);

// Refuses (kUsage) a checkpoint of other data or other settings, and says which; kData where its
// parts do not fit the data.
void load_checkpoint(const std::string& path, TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config);

// The modules that best mode has finished, in a file: a resumed run gives the same bits.

// The stages of each module that is done.
using DoneModules = std::vector<std::optional<std::vector<ModuleResult>>>;

void save_modules(const std::string& path, const DoneModules& modules, const Problem& problem,
                  const Config& config);

// One module on its way to another process, as the checkpoint that has it alone.
std::string module_bytes(size_t module, const DoneModules& modules, const Problem& problem,
                         const Config& config);
void take_module(const std::string& bytes, DoneModules& modules, const Problem& problem,
                 const Config& config, SharedInputs& shared);

// Refuses (kUsage) a file of other data or other settings, and says which; kData where its parts do
// not fit the data.
void load_modules(const std::string& path, DoneModules& modules, const Problem& problem,
                  const Config& config, SharedInputs& shared);

// The state of paper mode between two epochs where rows are owned by ranks; the file has that of
// all rows, but no features, and any number of ranks goes on from it.
struct OwnState {
  std::vector<EpochReport>& history;
  int64_t& best_epoch;
  double& best_accuracy;
  EpochEstimate& estimate;
  std::vector<Parameter*> alike;          // on all ranks
  std::vector<Matrix*> of_own_rows;       // the rest has a row for each own row
  std::vector<SharedPattern> hop_graphs;  // near own rows (near_rows)
};

// Every rank calls them; rank 0 alone writes.
void save_over_ranks(const std::string& path, OwnState& state, const Problem& problem,
                     int64_t all_rows, const Config& config, Ranks& ranks);
// Refuses as load_checkpoint().
void load_over_ranks(const std::string& path, OwnState& state, const Problem& problem,
                     int64_t all_rows, const Config& config, Ranks& ranks);

}  // namespace glgnn
