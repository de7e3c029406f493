// The graph convolutional network on the graph that comes with the data.
#include "methods/convolution.h"
#include "methods/methods.h"

namespace glgnn {

Method gcn_method() {
  return {.name = "gcn",
          .paper = "Kipf and Welling, ICLR 2017",
          .text = "graph convolutions, two layers, over the given graph",
          .needs_graph = true,
          .settings = convolution_settings(),
          .fit = [](const MethodTask& task) {
            return fit_two_layers(task, spread_over(normalised_graph(*task.problem.graph)));
          }};
}

}  // namespace glgnn
