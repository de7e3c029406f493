// The graph of propagate.cu, for other work on the device.
#pragma once

#include "core/cuda/runtime.cuh"
#include "kernels/propagate.h"

namespace glgnn::cuda {

struct HeldGraph::Arrays {
  int64_t rows;
  DeviceArray<int64_t> row_ptr;
  DeviceArray<int32_t> col;
  DeviceArray<float> values;

  // As kernels/propagate.h says, of numbers on the device. `z` and `spare` have the size of `h`;
  // the result is in the one that is given back.
  float* propagate(float* z, float* spare, const float* h, int64_t cols, int64_t steps,
                   float alpha) const;
};

}  // namespace glgnn::cuda
