// The machine the program runs on, as results name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace glgnn {

std::string cpu_name();     // "AMD EPYC 7763", or the architecture
std::string simd_target();  // the widest vectors of this CPU: "AVX-512", "AVX2", ...
std::string blas_name();    // the library's own words

// Bytes a new allocation could get now: of the machine and of the container we are in, or what
// $GLGNN_MEMORY_LIMIT_MB says. Nothing where neither is known.
std::optional<int64_t> available_memory();

double peak_memory_mb();  // of this process so far

}  // namespace glgnn
