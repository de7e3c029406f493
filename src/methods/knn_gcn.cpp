// The GCN on a graph of nearest neighbours.
#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/row_neighbours.h"

namespace glgnn {

Method knn_gcn_method() {
  return {.name = "knn-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the graph of each row's k nearest rows",
          .settings = neighbour_settings() + convolution_settings(),
          .fit = [](const MethodTask& task) {
            return fit_two_layers(task, spread_over(neighbour_graph(task)));
          }};
}

}  // namespace glgnn
