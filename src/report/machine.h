// The machine the program runs on, as results name it.
#pragma once

#include <string>

namespace glgnn {

std::string cpu_name();     // "AMD EPYC 7763", or the architecture
std::string simd_target();  // the widest vectors of this CPU: "AVX-512", "AVX2", ...
std::string blas_name();    // the library's own words

double peak_memory_mb();  // of this process so far

}  // namespace glgnn
