// clang's libFuzzer on one target: fuzz_readers TARGET [libFuzzer's options] FOLDER.
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

namespace {

const glgnn::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  target = *argc > 1 ? glgnn::fuzz::find_target((*argv)[1]) : nullptr;
  if (!target) {
    std::fputs("fuzz_readers: the first argument is the name of a target\n", stderr);
    std::exit(2);
  }
  (*argv)[1] = (*argv)[0];
  ++*argv;
  --*argc;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, size_t size) {
  glgnn::fuzz::run_target(*target, {reinterpret_cast<const char*>(bytes), size});
  return 0;
}
