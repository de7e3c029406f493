// Whether the threads of a context can be had.
#pragma once

namespace glgnn {

// Throws kUsage where the system does not let so many threads run at once, which the OpenMP runtime
// would answer by ending the process. To be called before the first loop.
void require_threads(int threads);

}  // namespace glgnn
