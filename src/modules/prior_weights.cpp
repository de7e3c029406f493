#include "modules/prior_weights.h"

#include <cstddef>

// The assembler reads the file itself: a megabyte as a C++ array would take a minute to compile.
asm(".pushsection .rodata\n"
    "glgnn_prior_begin:\n"
    ".incbin \"" GLGNN_PRIOR_FILE
    "\"\n"
    "glgnn_prior_end:\n"
    ".byte 0\n"
    ".popsection\n"
    ".globl glgnn_prior_begin\n"
    ".globl glgnn_prior_end\n");

extern "C" const unsigned char glgnn_prior_begin[];
extern "C" const unsigned char glgnn_prior_end[];

namespace glgnn {

std::span<const unsigned char> prior_weights() {
  return {glgnn_prior_begin, static_cast<size_t>(glgnn_prior_end - glgnn_prior_begin)};
}

}  // namespace glgnn
