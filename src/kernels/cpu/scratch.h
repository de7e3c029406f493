// Working memory that grows, is kept for the next call, and is aligned for vectors of any width.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace glgnn::cpu {

// A cache line, and the widest vector.
inline constexpr std::size_t kAlignment = 64;

template <class T>
class Scratch {
 public:
  // Room for `count` numbers; what they hold is not defined.
  T* grow(int64_t count) {
    if (count > capacity_) {
      data_.reset();
      capacity_ = 0;
      data_.reset(static_cast<T*>(::operator new (static_cast<std::size_t>(count) * sizeof(T),
                                                  std::align_val_t{kAlignment})));
      capacity_ = count;
    }
    return data_.get();
  }
  T* grow_zeroed(int64_t count) {
    T* data = grow(count);
    std::fill(data, data + count, T(0));
    return data;
  }
  // Gives the memory back where it is so much that to ask for it again costs nothing beside the
  // work on it.
  void release_if_large() {
    constexpr int64_t kLarge = int64_t{1} << 25;
    if (capacity_ * static_cast<int64_t>(sizeof(T)) < kLarge) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t capacity_ = 0;
};

}  // namespace glgnn::cpu
