#include "core/blas_library.h"

#include <dlfcn.h>
#include <glgnn/error.h>

#include <cstdlib>
#include <string>

#include "core/available_memory.h"

namespace glgnn {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";
constexpr int64_t kMegabyte = 1 << 20;
constexpr int64_t kLibrarySize = 48 * kMegabyte, kBuffer = 129 * kMegabyte;
constexpr int64_t kOthers = 16 * kMegabyte;  // what else may be taken while it takes its own

void require_room(int64_t bytes) {
  const auto left = left_of_address_space();
  if (!left || *left >= bytes + kOthers) return;
  throw Error(ErrorKind::kData, "too little address space for products of matrices: found " +
                                    std::to_string(*left / kMegabyte) +
                                    " MB that `ulimit -v` leaves, expected " +
                                    std::to_string((bytes + kOthers) / kMegabyte) +
                                    " MB; raise it, or use --threads 1");
}

void* open_library() { return ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL); }

// Its own threads are of no use to us, and it would take a buffer for each. It asks the environment
// how many there are; our OpenMP has asked before.
void* open_for_one_thread() {
  constexpr const char* kVariable = "OMP_NUM_THREADS";
  const char* const value = std::getenv(kVariable);
  const std::string before = value ? value : "";
  ::setenv(kVariable, "1", 1);
  void* const library = open_library();
  value ? ::setenv(kVariable, before.c_str(), 1) : ::unsetenv(kVariable);
  return library;
}

void* load() {
  require_room(kLibrarySize + kBuffer);
  void* const library = left_of_address_space() ? open_for_one_thread() : open_library();
  if (library) return library;
  throw Error(ErrorKind::kIo, std::string(::dlerror()) + "; install libopenblas0-openmp");
}

}  // namespace

void* blas_function(const char* name) {
  static void* const library = load();
  void* const function = ::dlsym(library, name);
  if (function) return function;
  throw Error(ErrorKind::kIo, std::string(kLibrary) + ": has no function " + name +
                                  "; install libopenblas0-openmp");
}

void require_blas_buffers(int64_t count) { require_room(count * kBuffer); }

}  // namespace glgnn
