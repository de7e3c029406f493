// The kernels of a build without CUDA: they say so. (CMakeLists.txt takes this file or the .cu
// files.)
#include "core/cuda/device.h"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"
#include "kernels/propagate.h"

namespace glgnn::cuda {

void graph_learn_choose(int32_t*, int64_t*, float*, const ZDense<float>&, const HopWeights<float>&,
                        const ChooseOptions&) {
  require_device();
}
void graph_learn_choose(int32_t*, int64_t*, float*, const ZSparse<float>&, const HopWeights<float>&,
                        const ChooseOptions&) {
  require_device();
}
void graph_learn_lse_backward(MatView<float>, const float*, const ZDense<float>&, const float*,
                              bool) {
  require_device();
}
void graph_learn_lse_backward(float*, const float*, const ZSparse<float>&, const float*, bool) {
  require_device();
}
void nearest_rows(int32_t*, MatView<const float>, int64_t) { require_device(); }

struct HeldRows::Arrays {};
HeldRows::HeldRows(MatView<const float>, const float*, const float*, MatView<const float>) {
  require_device();
}
HeldRows::~HeldRows() = default;
void HeldRows::query(int32_t*, MatView<const float>, MatView<const float>, int64_t) const {}

struct HeldGraph::Arrays {};
HeldGraph::HeldGraph(PatternView, const float*) { require_device(); }
HeldGraph::~HeldGraph() = default;
void HeldGraph::propagate(MatView<float>, MatView<const float>, int64_t, float) const {}

}  // namespace glgnn::cuda
