// SPDX-License-Identifier: Apache-2.0
//
// One kernel for each kind of instruction that a listing should be counted by: accesses by
// width, atomics, constants, conversions, arithmetic by type, exchanges between lanes, fences,
// clusters.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "ptx.cuh"

// Each copies one value a thread.
// sass: copy_1 one load and one store of global memory, of 1 byte
extern "C" __global__ void copy_1(const unsigned char* from, unsigned char* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
// sass: copy_2 one load and one store of global memory, of 2 bytes
extern "C" __global__ void copy_2(const unsigned short* from, unsigned short* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
// sass: copy_4 one load and one store of global memory, of 4 bytes
extern "C" __global__ void copy_4(const unsigned* from, unsigned* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
// sass: copy_8 one load and one store of global memory, of 8 bytes
extern "C" __global__ void copy_8(const uint2* from, uint2* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
// sass: copy_16 one load and one store of global memory, of 16 bytes
extern "C" __global__ void copy_16(const uint4* from, uint4* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

#if __CUDA_ARCH__ >= 1000
// sass: copy_32 one load and one store of global memory, of 32 bytes
extern "C" __global__ void copy_32(const uint4* from, uint4* to) {
  asm volatile(
      "{\n"
      ".reg .b32 v<8>;\n"
      "ld.global.v8.b32 {v0, v1, v2, v3, v4, v5, v6, v7}, [%0];\n"
      "st.global.v8.b32 [%1], {v0, v1, v2, v3, v4, v5, v6, v7};\n"
      "}\n" ::"l"(from + 2 * threadIdx.x),
      "l"(to + 2 * threadIdx.x)
      : "memory");
}
#endif

__constant__ float table[256];

// sass: constants one constant load at an address that depends on data; no global load but the
//   index
extern "C" __global__ void constants(const unsigned char* indices, float* results) {
  results[threadIdx.x] = table[indices[threadIdx.x]];
}

// sass: atomics 6 atomic operations on global memory, the first 3 of them without a result, and
//   2 on shared memory
extern "C" __global__ void atomics(unsigned* counters, float* sums, unsigned long long* wide,
                                   unsigned* results) {
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 64], 1u);
  atomicMax(&bins[threadIdx.x % 7], threadIdx.x);
  __syncthreads();
  atomicAdd(counters, threadIdx.x & 1);                    // RED: nobody reads what was there
  atomicAdd(sums + threadIdx.x % 3, 1.5f);                 // RED
  atomicMin(counters + 1 + threadIdx.x % 5, threadIdx.x);  // RED
  unsigned old = atomicAdd(counters + 8 + threadIdx.x % 5, 3u);
  old += atomicCAS(counters + 16 + threadIdx.x, 1u, old);
  old += static_cast<unsigned>(atomicExch(wide + threadIdx.x, 5ull));
  results[threadIdx.x] = old + bins[threadIdx.x % 64];
}

// sass: convert_chain FP64 to FP32 to FP16, to FP32 and BF16, to FP32 and an integer, and back:
//   every conversion feeds the next
extern "C" __global__ void convert_chain(const double* values, double* results) {
  const float single = static_cast<float>(values[threadIdx.x]);
  const __half half = __float2half_rn(single);
  const Bf16 brain = __float2bfloat16_rn(__half2float(half) + 0.5f);
  const int whole = __float2int_rz(__bfloat162float(brain));
  results[threadIdx.x] = static_cast<double>(whole);
}

// sass: convert_fp8 conversions between FP16 and the two kinds of FP8; on sm_80 by integer code
extern "C" __global__ void convert_fp8(const unsigned char* values, unsigned char* results) {
  __nv_fp8_e4m3 narrow;
  narrow.__x = values[threadIdx.x];
  results[threadIdx.x] = __nv_fp8_e5m2(static_cast<__half>(narrow)).__x;
}

// sass: half_arithmetic FP16 pairs: a sum (HADD2), a product (HMUL2 or HFMA2), HFMA2; BF16
//   pairs: HFMA2; no FP32 arithmetic
extern "C" __global__ void half_arithmetic(const __half2* values, const __nv_bfloat162* brains,
                                           __half2* results, __nv_bfloat162* brain_results) {
  const __half2 x = values[threadIdx.x];
  const __half2 y = values[threadIdx.x + 32];
  results[threadIdx.x] = __hadd2_rn(__hmul2_rn(x, y), __hfma2(x, x, y));
  const __nv_bfloat162 z = brains[threadIdx.x];
  brain_results[threadIdx.x] = __hfma2(z, z, brains[threadIdx.x + 32]);
}

// sass: double_arithmetic FP64: DADD, DMUL, DFMA
extern "C" __global__ void double_arithmetic(const double* values, double* results) {
  const double x = values[threadIdx.x];
  const double y = values[threadIdx.x + 32];
  results[threadIdx.x] = __dadd_rn(__dmul_rn(x, y), y);
  results[threadIdx.x + 32] = fma(x, x, y);
}

// sass: special_functions MUFU of 6 kinds (SIN, COS, EX2, LG2, RSQ, RCP); the exact reciprocal
//   and square root call functions for the rare values that the fast way does not do
extern "C" __global__ void special_functions(const float* values, float* results) {
  const float x = values[threadIdx.x];
  results[threadIdx.x] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + rsqrtf(x);
  results[threadIdx.x + 32] = __frcp_rn(x) + __fsqrt_rn(x);
}

// sass: exchanges SHFL of every kind, VOTE, MATCH, REDUX; no memory but one load and one store
extern "C" __global__ void exchanges(const unsigned* values, unsigned* results) {
  constexpr unsigned kAll = 0xffffffffu;
  unsigned x = values[threadIdx.x];
  x += __shfl_sync(kAll, x, x);
  x += __shfl_up_sync(kAll, x, 1);
  x += __shfl_down_sync(kAll, x, 2);
  x += __shfl_xor_sync(kAll, x, 4);
  x += __ballot_sync(kAll, x & 1);
  x += __any_sync(kAll, x & 2) + __all_sync(kAll, x & 4);
  x += __match_any_sync(kAll, x);
  x += __reduce_add_sync(kAll, x) + __reduce_max_sync(kAll, x);
  results[threadIdx.x] = x;
}

// sass: fences a fence of the block, of the device and of the system, in this order
extern "C" __global__ void fences(volatile unsigned* values) {
  values[0] = 1;
  __threadfence_block();
  values[1] = 2;
  __threadfence();
  values[2] = 3;
  __threadfence_system();
  values[3] = 4;
}

#if __CUDA_ARCH__ >= 900
// sass: cluster_exchange two barriers of the cluster, each in two halves (arrive, wait); a load
//   of another block's shared memory, which is a generic load
extern "C" __global__ __cluster_dims__(2, 1, 1) void cluster_exchange(const unsigned* values,
                                                                      unsigned* results) {
  __shared__ unsigned tile[32];
  tile[threadIdx.x] = values[threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  unsigned rank, place, value;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(place)
      : "r"(shared_address(tile + (threadIdx.x ^ 1))), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place) : "memory");
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  results[blockIdx.x * 32 + threadIdx.x] = value;
}
#endif
