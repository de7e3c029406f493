// The neighbours that a sub-module has chosen, kept from pass to pass, so that all rows are
// compared only when they must be.
//
// Between two choices (`refresh`) the pairs stay. And what an evaluation pass chose without labels
// serves the next training pass, which has the same parameters: a shown label only adds to the
// similarity of shown rows of its class (docs/math.md, "Labels only add").
#pragma once

#include <glgnn/config.h>

#include <memory>

#include "modules/paper/inputs.h"
#include "ops/ops.h"

namespace glgnn {

// What one forward pass of the whole model is for.
struct Pass {
  bool training = false;  // dropout, and the second graph for the loss
  uint32_t epoch = 0;     // of the random numbers
  bool choose = true;     // choose neighbours anew, or only recompute the kept similarities
};

// Scaling the kept values of a row cancels the softmax's denominator, value and gradient alike;
// only the literal reading (not rescaled) needs the sum over all rows.
inline bool needs_all_rows_sum(const Config& config) {
  return config.softmax_over == SoftmaxOver::kAll && config.rescale == Rescale::kNone;
}

class NeighbourCache {
 public:
  // `number`: the module's, for the random numbers of sampled neighbours.
  NeighbourCache(const Config& config, uint32_t number) : config_(config), number_(number) {}

  // A pattern, the row normalisers where they are needed, and what ops keep of the pattern.
  struct Chosen {
    SharedPattern pattern;
    Var lse;
    std::shared_ptr<PatternWork> work;
  };
  // The k best pairs of each row of Z under the hops.
  Chosen first(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
               const ShownLabels& labels, const Pass& pass);
  // The k best pairs of each row of Z1, of those above zero.
  Chosen second(Tape& tape, const RowsVar& z, const Pass& pass);

  // Parameters have changed: no choice made before serves another pass.
  void forget_label_free() { label_free_ = false; }
  bool is_label_free() const { return label_free_; }
  // So have the hops.
  void forget_hops();

  // In checkpoints of so many rows. What ops keep of the patterns is made again.
  template <class Archive>
  void walk(Archive& archive, int64_t rows) {
    for (Kept* kept : {&kept_[0], &kept_[1], &second_}) {
      Csr csr;  // of no rows before the first choice
      if (!Archive::kReading && kept->pattern) {
        csr.pattern = kept->pattern;
        csr.values.assign(kept->pattern->nnz(), 0.0f);
      }
      archive(csr);
      archive(kept->lse);
      if (Archive::kReading) take(*kept, csr, rows);
    }
    archive(label_free_);
    if (Archive::kReading) check_label_free();
  }

 private:
  struct Kept {
    SharedPattern pattern;
    Matrix lse;
    std::shared_ptr<PatternWork> work = nullptr;
  };

  // What a checkpoint holds; throws kData where it does not fit.
  void take(Kept& kept, const Csr& read, int64_t rows) const;
  void check_label_free() const;

  bool labels_only_add() const;
  Chosen chosen(Kept& kept, const SharedPattern& pattern, Var lse) const;

  const Config& config_;
  uint32_t number_;
  Kept kept_[2];  // of evaluation and of training: they see different labels
  Kept second_;
  // Whether kept_[0] was made without labels, with the present parameters and hops.
  bool label_free_ = false;
};

}  // namespace glgnn
