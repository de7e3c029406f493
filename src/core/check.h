// For our own faults only: a shape that the code above must have got right. The process goes on,
// for it may be somebody else's: the fault is an exception that says whose it is.
#pragma once

#include <stdexcept>

namespace glgnn {

inline constexpr const char* kReportIt =
    "this is our own fault: please report it with the command line and the output of `glgnn info`";

class InternalFault : public std::logic_error {
 public:
  using logic_error::logic_error;
};

[[noreturn]] void throw_internal_fault(const char* file, int line, const char* condition);

}  // namespace glgnn

#define GLGNN_ASSERT(condition)                                                           \
  do {                                                                                    \
    if (!(condition)) ::glgnn::throw_internal_fault(__FILE_NAME__, __LINE__, #condition); \
  } while (false)
