// CUDA's runtime as our kernels use it: every call is checked, memory frees itself, all work of a
// thread is in one stream.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace glgnn::cuda {

// Throws an Error of kind kDevice that says what failed and what to do.
void check(cudaError_t status, const std::string& what);

// The calling thread's stream: threads work on the device side by side. What one makes for others
// is there before it is given to them (wait_for_device).
cudaStream_t stream();
void wait_for_device();

// For work that fills the device alone, one call at a time.
std::unique_lock<std::mutex> lock_device();

// While this lives, the calling thread's stream() is another one.
class OnStream {
 public:
  explicit OnStream(cudaStream_t other);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  cudaStream_t before_;
};

// Throws where `bytes` more do not fit, before anything is done; `advice` says what would.
void require_memory(int64_t bytes, const std::string& what, const std::string& advice);

void* allocate(int64_t bytes);
void release(void* memory) noexcept;

// Numbers on the device.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(int64_t size)
      : data_(static_cast<T*>(allocate(size * int64_t{sizeof(T)}))), size_(size) {}
  DeviceArray(const T* host, int64_t size) : DeviceArray(size) {
    if (size == 0) return;
    check(cudaMemcpyAsync(data_, host, size * sizeof(T), cudaMemcpyHostToDevice, stream()),
          "copying to the device");
  }
  ~DeviceArray() { release(data_); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  int64_t size() const { return size_; }

  void fill_bytes(int byte) {
    if (size_ == 0) return;
    check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), stream()), "filling device memory");
  }
  // Waits until the numbers are there.
  void copy_to(T* host) const {
    if (size_ > 0) {
      check(cudaMemcpyAsync(host, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream()),
            "copying from the device");
    }
    wait_for_device();
  }

 private:
  T* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace glgnn::cuda
