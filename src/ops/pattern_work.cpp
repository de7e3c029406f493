#include "ops/pattern_work.h"

namespace glgnn {

std::shared_ptr<const Transpose> PatternWork::transposed(int threads) {
  if (!transposed_) {
    transposed_ = std::make_shared<const Transpose>(transpose(pattern_->view(), threads));
  }
  return transposed_;
}

std::shared_ptr<const SelfLoops> PatternWork::with_loops(int threads) {
  if (!with_loops_) {
    with_loops_ = std::make_shared<const SelfLoops>(add_self_loops(pattern_->view(), threads));
  }
  return with_loops_;
}

std::shared_ptr<const Transpose> PatternWork::with_loops_transposed(int threads) {
  if (!with_loops_transposed_) {
    with_loops_transposed_ =
        std::make_shared<const Transpose>(transpose(with_loops(threads)->pattern.view(), threads));
  }
  return with_loops_transposed_;
}

std::shared_ptr<const SymmetricUnion> PatternWork::symmetric(int threads) {
  if (!symmetric_) {
    symmetric_ = std::make_shared<const SymmetricUnion>(symmetric_union(pattern_->view(), threads));
  }
  return symmetric_;
}

std::shared_ptr<const SharedColumns> PatternWork::shared_columns(PatternView rows, int threads) {
  if (!shared_columns_) {
    shared_columns_ =
        std::make_shared<const SharedColumns>(find_shared_columns(pattern_->view(), rows, threads));
  }
  return shared_columns_;
}

std::shared_ptr<const std::vector<float>> PatternWork::hop_shares(const HopPairs& hops,
                                                                  int threads) {
  if (!hop_shares_) {
    auto found = std::make_shared<std::vector<float>>(pattern_->nnz() * (hops.hops + 1));
    glgnn::hop_shares(found->data(), pattern_->view(), hops, threads);
    hop_shares_ = std::move(found);
  }
  return hop_shares_;
}

}  // namespace glgnn
