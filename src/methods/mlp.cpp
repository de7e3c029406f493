// A feed-forward network: the same two layers without a graph.
#include "methods/convolution.h"
#include "methods/methods.h"

namespace glgnn {

Method mlp_method() {
  return {.name = "mlp",
          .paper = "Rumelhart, Hinton and Williams, Nature 1986",
          .text = "feed-forward network of two layers, no graph",
          .settings = convolution_settings(),
          .fit = [](const MethodTask& task) {
            return fit_two_layers(task, [](Tape&, Var h) { return h; });
          }};
}

}  // namespace glgnn
