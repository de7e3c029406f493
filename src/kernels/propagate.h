// Personalised propagation over a symmetric graph S: z_0 = h, z_{t+1} = (1 - alpha) S z_t + alpha
// h, the result is z after `steps` steps; h and z are N x C.
//
// Linear in h, and symmetric as S is, so that the backward is the same function: d_h +=
// propagate(d_z). Nothing is saved. Cost O(steps nnz C).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <functional>
#include <memory>

namespace glgnn {
namespace ref {

template <class T>
void propagate(MatView<T> z, PatternView pattern, const T* values, MatView<const T> h,
               int64_t steps, T alpha);

}  // namespace ref

namespace cpu {

// Called before each step with z_t, of which a row has its first h.cols numbers at z + row *
// stride: fills in the rows beyond those of h, which others own.
using FillRows = std::function<void(float* z, int64_t stride)>;

// The pattern may have more columns than rows: `fill` gives what these rows have.
void propagate(MatView<float> z, PatternView pattern, const float* values, MatView<const float> h,
               int64_t steps, float alpha, int threads, const FillRows& fill = {});

}  // namespace cpu

namespace cuda {

// S on the device, for as many calls as are wanted.
class HeldGraph {
 public:
  struct Arrays;
  HeldGraph(PatternView pattern, const float* values);
  ~HeldGraph();

  const Arrays& arrays() const { return *arrays_; }

  void propagate(MatView<float> z, MatView<const float> h, int64_t steps, float alpha) const;

 private:
  std::unique_ptr<const Arrays> arrays_;
};

}  // namespace cuda
}  // namespace glgnn
