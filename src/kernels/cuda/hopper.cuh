// The instructions of compute capability 9.0 that our tiles are made of: copies that complete on a
// barrier in shared memory, and products of whole tiles by four warps together (wgmma).
#pragma once

#include <cstdint>

// Only code for that device has them.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define GLGNN_HOPPER
#endif

namespace glgnn::cuda {

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// A barrier in shared memory; a phase ends when `arrivals` threads have arrived and the bytes that
// were announced have come.
struct Barrier {
  uint64_t state;

  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)),
                 "r"(arrivals));
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  __device__ void arrive_and_expect(uint32_t bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)),
        "r"(bytes)
        : "memory");
  }
  // Until the phase of this parity has ended.
  __device__ void wait(uint32_t parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra.uni ended;\n"
        "bra.uni again;\n"
        "ended:\n"
        "}\n" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
};

// After the barriers are made, so that the copy engine sees them.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// `bytes` from device memory to shared memory, both ends at multiples of 16.
__device__ inline void copy_to_shared(void* to, const void* from, uint32_t bytes,
                                      Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}

// Where a tile of 128-byte rows lies in shared memory, its 16-byte parts swizzled within each group
// of eight rows. `at` is a multiple of 1024 plus a multiple of 32 below 128 (a step along the row).
__device__ inline uint64_t tile_descriptor(uint32_t at) {
  constexpr uint64_t kRowGroup = 1024 >> 4, kSwizzle128 = 1;
  return (uint64_t{at & 0x3FFFF} >> 4) | uint64_t{1} << 16 | kRowGroup << 32 | kSwizzle128 << 62;
}

__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void finish_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// The three products of 64 rows with some columns over a slab of 64 features, the small ones first:
// rest x leading, leading x rest, leading x leading. `product` makes or adds one step of 16 of
// them; the rest's halves lie rows_rest and columns_rest bytes behind the leading ones.
template <class Product>
__device__ inline void multiply_slab(uint32_t rows, uint32_t rows_rest, uint32_t columns,
                                     uint32_t columns_rest, Product&& product) {
  begin_products();
#pragma unroll
  for (int part = 0; part < 3; ++part) {
    const uint32_t a = rows + (part == 0 ? rows_rest : 0);
    const uint32_t b = columns + (part == 1 ? columns_rest : 0);
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      product(tile_descriptor(a + 32 * step), tile_descriptor(b + 32 * step), part + step > 0);
    }
  }
  finish_products();
}

// A turn through the stages of shared memory.
template <int stages>
struct Turn {
  int stage = 0;
  uint32_t parity = 0;
  __device__ void next() {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

#define GLGNN_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define GLGNN_D16(i) GLGNN_D4(i), GLGNN_D4(i + 4), GLGNN_D4(i + 8), GLGNN_D4(i + 12)

// d = a b^T, added to d where `add`: 64 rows of 16 halves by 128 columns of 16 halves. Thread t of
// the four warps has rows 16 (t / 32) + t % 32 / 4 and 8 below; d[4 c .. 4 c + 3] are columns
// 8 c + 2 (t % 4), one more, and the same of the second row.
__device__ inline void product_64x128(float (&d)[64], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n"
      "}\n"
      : GLGNN_D16(0), GLGNN_D16(16), GLGNN_D16(32), GLGNN_D16(48)
      : "l"(a), "l"(b), "r"(add));
}

// The same with 64 columns.
__device__ inline void product_64x64(float (&d)[32], uint64_t a, uint64_t b, int add) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n"
      "}\n"
      : GLGNN_D16(0), GLGNN_D16(16)
      : "l"(a), "l"(b), "r"(add));
}

// d = a b^T, added to d where `add`: 64 rows by 64 columns of 8 numbers rounded to TF32; a is in
// registers, where thread t has columns t % 4 (a0, a1: its two rows) and t % 4 + 4 (a2, a3).
__device__ inline void product_64x64_tf32(float (&d)[32], float a0, float a1, float a2, float a3,
                                          uint64_t b, int add) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, %36, p, 1, 1;\n"
      "}\n"
      : GLGNN_D16(0), GLGNN_D16(16)
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)),
        "r"(__float_as_uint(a3)), "l"(b), "r"(add));
}

#undef GLGNN_D16
#undef GLGNN_D4

// How many registers each thread of this warpgroup has from now on.
template <int count>
__device__ inline void give_registers_back() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
}
template <int count>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
}

// 2^x, to two units in the last place.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace glgnn::cuda
