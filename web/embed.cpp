// The built page as bytes of the program.
#include "report/page.h"

#ifdef GLGNN_PAGE_FILE
// The assembler reads the file itself: a megabyte as a C++ array would take a minute to compile.
asm(".pushsection .rodata\n"
    "glgnn_page_begin:\n"
    ".incbin \"" GLGNN_PAGE_FILE
    "\"\n"
    "glgnn_page_end:\n"
    ".byte 0\n"
    ".popsection\n"
    ".globl glgnn_page_begin\n"
    ".globl glgnn_page_end\n");

extern "C" const char glgnn_page_begin[];
extern "C" const char glgnn_page_end[];
#endif

namespace glgnn {

std::string_view page_template() {
#ifdef GLGNN_PAGE_FILE
  return {glgnn_page_begin, static_cast<size_t>(glgnn_page_end - glgnn_page_begin)};
#else
  return {};
#endif
}

}  // namespace glgnn
