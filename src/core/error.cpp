#include <glgnn/error.h>

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

}  // namespace glgnn
