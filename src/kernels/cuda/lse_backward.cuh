// The gradient of the log-sum-exp on the device (kernels/graph_learn.h says what is computed).
#pragma once

#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {

// The bytes that lse_backward() takes on the device beside the packed rows.
int64_t lse_backward_bytes(const DeviceRows& z);

// All on the device. d_z: the gradient of the dense numbers or of the sparse values, added to.
void lse_backward(float* d_z, const float* d_lse, const DeviceRows& z, const PackedRows& packed,
                  const float* lse, bool diagonal);

}  // namespace glgnn::cuda
