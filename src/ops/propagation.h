// Propagation over a constant graph, wherever the context says.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <memory>

#include "kernels/propagate.h"

namespace glgnn {

class Propagation {
 public:
  // The graph is symmetric and must outlive this.
  Propagation(const Csr& graph, const Context& context);

  const Csr& graph() const { return graph_; }
  // The graph on the device; null where the processor computes.
  const cuda::HeldGraph* held() const { return held_.get(); }
  // As kernels/propagate.h says.
  void run(Matrix& z, const Matrix& h, int64_t steps, double alpha) const;

 private:
  const Csr& graph_;
  int threads_;
  std::shared_ptr<const cuda::HeldGraph> held_;  // of all that propagate over the graph now
};

}  // namespace glgnn
