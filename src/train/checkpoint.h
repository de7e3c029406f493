// The state of a training run between two epochs, and its file: a resumed run gives the same bits.
#pragma once

#include <glgnn/config.h>
#include <glgnn/trainer.h>

#include <string>
#include <vector>

#include "core/archive.h"
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

void save_checkpoint(const std::string& path, const TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config);

// Refuses (kUsage) a checkpoint of other data or other settings, and says which; kData where its
// parts do not fit the data.
void load_checkpoint(const std::string& path, TrainState& state, GlGnn& model,
                     const Problem& problem, const Config& config);

}  // namespace glgnn
