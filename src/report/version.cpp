#include "report/version.h"

namespace glgnn {

std::string version() { return GLGNN_VERSION; }

std::string commit() { return GLGNN_COMMIT; }

}  // namespace glgnn
