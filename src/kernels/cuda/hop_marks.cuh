// The distances of kernels/hops.h on the device, as bits, for some rows at a time.
#pragma once

#include "kernels/cuda/choose.cuh"
#include "kernels/hops.h"

namespace glgnn::cuda {

class DeviceHops {
 public:
  // h_of_shell: hops() + 1 weights, the last of all other pairs.
  DeviceHops(const HopShells& shells, const float* h_of_shell);

  // How many rows are marked together, a whole number of blocks for any kernel that chooses.
  int64_t rows_at_once() const { return rows_at_once_; }
  static int64_t bytes(const HopShells& shells);

  // Of rows first .. first + count - 1, until the next call.
  HopMarks mark(int64_t first, int64_t count);

 private:
  int64_t rows_at_once_;
  HopMarks hops_;
  DeviceArray<int64_t> row_ptr_;
  DeviceArray<int32_t> col_;
  DeviceArray<uint32_t> marks_;
};

}  // namespace glgnn::cuda
