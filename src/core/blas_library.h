// OpenBLAS, loaded when it is first asked for. It takes 128 MB of address space as soon as it is
// loaded and again for each thread that multiplies, and where `ulimit -v` refuses them it asks for
// ever: so we look before it does, and who multiplies nothing needs none.
#pragma once

#include <cstdint>

namespace glgnn {

// The function of that name; loads the library at the first call. Throws kIo if it is not there,
// kData where the address space does not suffice.
void* blas_function(const char* name);

// Throws kData where `ulimit -v` leaves too little for the buffers of so many more threads.
void require_blas_buffers(int64_t count);

}  // namespace glgnn
