// The GCN on the complete graph with Gaussian weights.
#include <cmath>

#include "methods/convolution.h"
#include "methods/kernel_matrix.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
namespace {

MethodAnswer fit_rbf_gcn(const MethodTask& task) {
  Matrix s = gaussian_kernel(*task.problem.features, task.value("gamma"), task.context.threads);
  const int64_t n = s.rows();  // its diagonal is 1: the self-loops
  std::vector<float> factor(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    double degree = 0;
    for (int64_t j = 0; j < n; ++j) degree += s[i][j];
    factor[i] = static_cast<float>(1 / std::sqrt(degree));
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) s[i][j] *= factor[i] * factor[j];
  }
  return fit_two_layers(task,
                        [&s](Tape& tape, Var h) { return linear(tape, Tape::constant(s), h); });
}

}  // namespace

Method rbf_gcn_method() {
  return {.name = "rbf-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the complete graph, pairs weighted by a Gaussian of their distance",
          .all_pairs = 1,
          .settings = kernel_settings() + convolution_settings(),
          .fit = fit_rbf_gcn};
}

}  // namespace glgnn
