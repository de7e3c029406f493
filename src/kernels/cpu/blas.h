// BLAS is called inside our own parallel loops, so it must not start threads of its own.
#pragma once

namespace glgnn::cpu {

// Makes BLAS single-threaded, once for the process.
void use_single_threaded_blas();

}  // namespace glgnn::cpu
