#include "kernels/graph_network.h"

#include "core/check.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

std::vector<MatView<const float>> values(std::span<const Var> x) {
  std::vector<MatView<const float>> views;
  for (const Var& v : x) views.push_back(v.view());
  return views;
}

std::vector<MatView<float>> gradients(std::span<const Var> x) {
  std::vector<MatView<float>> views;
  for (const Var& v : x) views.push_back(v.d_view());
  return views;
}

}  // namespace

Var network_alpha(Tape& tape, std::span<const Var> x, Var a) {
  GLGNN_ASSERT(!x.empty() && a.cols() == x[0].cols() && (a.rows() == 1 || a.rows() == x[0].rows()));
  const int64_t count = static_cast<int64_t>(x.size());
  auto [written, alpha] = tape.make(count, count, tape.recording());
  cpu::network_alpha_forward(written->view(), values(x), a.view(), tape.threads());
  if (alpha.grad) {
    tape.record([&tape, modules = std::vector<Var>(x.begin(), x.end()), a, alpha = alpha] {
      cpu::network_alpha_backward(gradients(modules), a.d_view(), alpha.grad->view(),
                                  values(modules), a.view(), tape.threads());
    });
  }
  return alpha;
}

Var network_mix(Tape& tape, std::span<const Var> x, Var weights, int64_t row) {
  GLGNN_ASSERT(weights.cols() == static_cast<int64_t>(x.size()) && row < weights.rows());
  auto [written, y] = tape.make(x[0].rows(), x[0].cols(), tape.recording());
  cpu::network_mix_forward(written->view(), values(x), (*weights.value)[row], tape.threads());
  if (y.grad) {
    tape.record([&tape, modules = std::vector<Var>(x.begin(), x.end()), weights, row, y = y] {
      float* d_weights = weights.grad ? (*weights.grad)[row] : nullptr;
      cpu::network_mix_backward(gradients(modules), d_weights, y.grad->view(), values(modules),
                                (*weights.value)[row], tape.threads());
    });
  }
  return y;
}

}  // namespace glgnn
