// What ops make of a pattern alone, made when first asked for: a pattern that is kept for several
// epochs keeps it, too.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/edges.h"
#include "kernels/graph_norm.h"
#include "kernels/hops.h"

namespace glgnn {

class PatternWork {
 public:
  explicit PatternWork(SharedPattern pattern) : pattern_(std::move(pattern)) {}

  const SharedPattern& pattern() const { return pattern_; }
  std::shared_ptr<const Transpose> transposed(int threads = 1);
  std::shared_ptr<const SelfLoops> with_loops(int threads);
  std::shared_ptr<const Transpose> with_loops_transposed(int threads);
  std::shared_ptr<const SymmetricUnion> symmetric(int threads);

  // Of the pattern's pairs among `rows`, which must be the same pattern in every call.
  std::shared_ptr<const SharedColumns> shared_columns(PatternView rows, int threads);

  // What hop weight each entry has (kernels/hops.h). Other hops: forget_hops() first.
  std::shared_ptr<const std::vector<float>> hop_shares(const HopPairs& hops, int threads);
  void forget_hops() { hop_shares_ = nullptr; }
  // Where who has the pattern knows them already.
  void set_hop_shares(std::vector<float> shares) {
    hop_shares_ = std::make_shared<const std::vector<float>>(std::move(shares));
  }

 private:
  SharedPattern pattern_;
  std::shared_ptr<const Transpose> transposed_, with_loops_transposed_;
  std::shared_ptr<const SelfLoops> with_loops_;
  std::shared_ptr<const SymmetricUnion> symmetric_;
  std::shared_ptr<const SharedColumns> shared_columns_;
  std::shared_ptr<const std::vector<float>> hop_shares_;
};

// `kept` if it is of this pattern, else new.
inline std::shared_ptr<PatternWork> work_of(const SharedPattern& pattern,
                                            const std::shared_ptr<PatternWork>& kept) {
  return kept && kept->pattern() == pattern ? kept : std::make_shared<PatternWork>(pattern);
}

}  // namespace glgnn
