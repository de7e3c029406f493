#include <glgnn/error.h>

#include <string>

#include "core/check.h"

namespace glgnn {

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
    case ErrorKind::kUnsupported:
      return 2;
    case ErrorKind::kData:
      return 3;
    case ErrorKind::kIo:
      return 4;
    case ErrorKind::kDevice:
      return 5;
  }
  return 70;
}

void throw_internal_fault(const char* file, int line, const char* condition) {
  throw InternalFault(std::string("internal: ") + file + ":" + std::to_string(line) + ": found !(" +
                      condition + "), which must not be; " + kReportIt);
}

}  // namespace glgnn
