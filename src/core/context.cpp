#include <glgnn/context.h>
#include <omp.h>

namespace glgnn {

Context default_context() { return {omp_get_max_threads()}; }

}  // namespace glgnn
