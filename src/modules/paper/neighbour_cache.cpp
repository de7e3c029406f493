#include "modules/paper/neighbour_cache.h"

#include "core/rng.h"
#include "core/validate.h"

namespace glgnn {

void NeighbourCache::forget_hops() {
  label_free_ = false;
  for (Kept& kept : kept_) {
    if (kept.work) kept.work->forget_hops();
  }
}

void NeighbourCache::take(Kept& kept, const Csr& read, int64_t rows) const {
  kept.pattern = nullptr;
  if (read.rows() == 0) return;
  check_csr("neighbours", read, rows, rows);
  for (int64_t i = 0; i < rows; ++i) {
    check_range("neighbours of a row", read.pattern->view().row_size(i), 0, config_.k);
  }
  const bool has_sums = &kept != &second_ && needs_all_rows_sum(config_);
  if (has_sums) check_matrix("sums of rows", kept.lse, rows, 1);
  kept.pattern = read.pattern;
}

void NeighbourCache::check_label_free() const {
  check_count("neighbours chosen without labels", kept_[0].pattern != nullptr || !label_free_, 1);
}

// Whether showing labels changes nothing but the similarity of shown rows of one class.
bool NeighbourCache::labels_only_add() const {
  return config_.similarity == Similarity::kDot && !needs_all_rows_sum(config_);
}

// Patterns that are chosen anew in every epoch have nothing to keep.
NeighbourCache::Chosen NeighbourCache::chosen(Kept& kept, const SharedPattern& pattern,
                                              Var lse) const {
  if (config_.refresh > 1) kept.work = work_of(pattern, kept.work);
  return {pattern, lse, kept.work};
}

NeighbourCache::Chosen NeighbourCache::first(Tape& tape, const RowsVar& z, const HopPairs& hops,
                                             Var hop_weights, const ShownLabels& labels,
                                             const Pass& pass) {
  Kept& kept = kept_[pass.training];
  if (!pass.choose && kept.pattern) return chosen(kept, kept.pattern, Tape::constant(kept.lse));
  ChooseOptions options{.k = config_.k, .diagonal = config_.diagonal};
  if (kept.pattern) options.likely = kept.pattern->view();
  Choice choice;
  const bool draws = pass.training && config_.sample_neighbours;
  if (draws && !needs_all_rows_sum(config_)) {
    kept.lse = Matrix();
  } else if (pass.training && label_free_ && labels_only_add()) {
    choice.pattern = rechoose_groups(tape, z, hops, hop_weights, options, *kept_[0].pattern,
                                     labels.rows_of_class);
    kept = {choice.pattern, Matrix()};
  } else {
    choice = graph_learn_choose(tape, z, &hops, hop_weights, options, needs_all_rows_sum(config_));
    kept = {choice.pattern, *choice.lse.value};
  }
  if (draws) {
    const Rng rng{config_.seed, Stream::kSampleNeighbours, number_, pass.epoch};
    choice.pattern = sample_neighbours(tape, z, hops, hop_weights, options, rng);
    kept.pattern = choice.pattern;
    kept.work = nullptr;
  }
  label_free_ = !pass.training && config_.eval_labels == EvalLabels::kZero;
  return chosen(kept, choice.pattern, choice.lse);
}

NeighbourCache::Chosen NeighbourCache::second(Tape& tape, const RowsVar& z, const Pass& pass) {
  if (pass.choose || !second_.pattern) {
    ChooseOptions options{.k = config_.k, .diagonal = config_.diagonal, .positive_only = true};
    if (second_.pattern) options.likely = second_.pattern->view();
    second_.pattern = graph_learn_choose(tape, z, nullptr, {}, options, false).pattern;
  }
  return chosen(second_, second_.pattern, {});
}

}  // namespace glgnn
