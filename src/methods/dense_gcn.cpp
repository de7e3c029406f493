// The GCN on the graph in which every pair of rows has the same small weight.
#include "methods/convolution.h"
#include "methods/methods.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

// Every pair weighs 1 / N, so that D^-1/2 (A + I) D^-1/2 is (I + 11'/N) / 2: a row meets the mean
// of all. With larger weights all rows would become the same.
MethodAnswer fit_dense_gcn(const MethodTask& task) {
  const int64_t n = task.problem.features->rows();
  const Matrix mean(1, n, 1.0f / static_cast<float>(n));
  return fit_two_layers(task, [&mean](Tape& tape, Var h) {
    const Var middle = linear(tape, Tape::constant(mean), h);
    return add_bias(tape, scale(tape, h, 0.5f), scale(tape, middle, 0.5f));
  });
}

}  // namespace

Method dense_gcn_method() {
  return {.name = "dense-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the complete graph, every pair with the weight 1/N",
          .settings = convolution_settings(),
          .fit = fit_dense_gcn};
}

}  // namespace glgnn
