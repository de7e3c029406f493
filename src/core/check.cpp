#include "core/check.h"

#include <string>

namespace glgnn {

void throw_internal_fault(const char* file, int line, const char* condition) {
  throw InternalFault(std::string("internal: ") + file + ":" + std::to_string(line) + ": found !(" +
                      condition + "), which must not be; " + kReportIt);
}

}  // namespace glgnn
