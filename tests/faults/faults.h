// Allocations and file operations that fail when a test says so. This program has its own operator
// new, write, fsync and rename; the library and the C++ library call these.
#pragma once

#include <cstdint>

namespace glgnn::faults {

enum class Fault {
  kAllocation,  // operator new throws std::bad_alloc
  kWrite,       // write() says that the disk is full
  kSync,        // fsync() says that the disk is broken
  kRename,      // rename() is not permitted
};

// Fails the n-th operation (from 1) of this kind while it lives, or from there on all. With n = 0
// none: only counted.
class Injected {
 public:
  Injected(Fault fault, int64_t n, bool all_after = false);
  ~Injected();
  Injected(const Injected&) = delete;
  Injected& operator=(const Injected&) = delete;

  int64_t operations() const;  // of this kind so far
};

// While it lives, write() takes half of what it is given.
class ShortWrites {
 public:
  ShortWrites();
  ~ShortWrites();
};

}  // namespace glgnn::faults
