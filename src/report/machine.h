// The machine and the program, as results name them.
#pragma once

#include <string>

namespace glgnn {

// The machine the program runs on, as results name it.

std::string cpu_name();     // "AMD EPYC 7763", or the architecture
std::string simd_target();  // the widest vectors of this CPU: "AVX-512", "AVX2", ...
std::string blas_name();    // the library's own words

// The most memory that this process has held so far, without that of the process that started it.
double peak_memory_mb();

// Which program this is.
std::string version();  // "0.2.0"
std::string commit();   // what it was built from, or "unknown"

}  // namespace glgnn
