#include <glgnn/context.h>
#include <omp.h>

namespace glgnn {

Context default_context(uint64_t seed) { return {omp_get_max_threads(), seed}; }

}  // namespace glgnn
