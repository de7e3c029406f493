#include "faults.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace glgnn::faults {
namespace {

constexpr int kNothing = -1;
std::atomic<int> armed = kNothing;
std::atomic<int64_t> done = 0, failing = 0;
std::atomic<bool> all_fail = false, writes_are_short = false;

bool fails(Fault fault) {
  if (armed.load(std::memory_order_relaxed) != static_cast<int>(fault)) return false;
  const int64_t number = ++done, n = failing;
  return n > 0 && (number == n || (all_fail && number > n));
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails(Fault::kAllocation)) throw std::bad_alloc();
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(size);
  } else if (::posix_memalign(&memory, alignment, size) != 0) {
    memory = nullptr;
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

Injected::Injected(Fault fault, int64_t n, bool all_after) {
  done = 0;
  failing = n;
  all_fail = all_after;
  armed = static_cast<int>(fault);
}
Injected::~Injected() { armed = kNothing; }
int64_t Injected::operations() const { return done; }

ShortWrites::ShortWrites() { writes_are_short = true; }
ShortWrites::~ShortWrites() { writes_are_short = false; }

}  // namespace glgnn::faults

using glgnn::faults::Fault;

void* operator new(std::size_t size) { return glgnn::faults::allocate(size, 1); }
void* operator new[](std::size_t size) { return glgnn::faults::allocate(size, 1); }
// The C++ library's own would call ours, but the address sanitizer has another.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return glgnn::faults::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return glgnn::faults::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  if (glgnn::faults::fails(Fault::kWrite)) {
    errno = ENOSPC;
    return -1;
  }
  if (glgnn::faults::writes_are_short && size > 1) size = (size + 1) / 2;
  return ::syscall(SYS_write, file, bytes, size);
}

int fsync(int file) {
  if (glgnn::faults::fails(Fault::kSync)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
  if (glgnn::faults::fails(Fault::kRename)) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"
