// SPDX-License-Identifier: Apache-2.0
//
// Stores to shared memory by width, and two ways to bring 4-bit weights to the tensor cores:
// decoded in registers and stored once, sixteen bytes at a time, into the tile that is
// multiplied; or stored as floats one by one, read again, converted and stored a second time.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
#include "ptx.cuh"

constexpr unsigned kThreads = 128;

// Every thread stores one vector, and reads another thread's, so that the store must happen.
template <typename Vector>
__device__ inline void exchange(const Vector* __restrict__ values, Vector* __restrict__ results) {
  __shared__ Vector tile[kThreads];
  tile[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  results[threadIdx.x] = tile[threadIdx.x ^ 33];
}

// sass: store_bytes one store to shared memory, of 1 byte
extern "C" __global__ void store_bytes(const unsigned char* values, unsigned char* results) {
  exchange(values, results);
}
// sass: store_halves one store to shared memory, of 2 bytes
extern "C" __global__ void store_halves(const unsigned short* values, unsigned short* results) {
  exchange(values, results);
}
// sass: store_words one store to shared memory, of 4 bytes
extern "C" __global__ void store_words(const unsigned* values, unsigned* results) {
  exchange(values, results);
}
// sass: store_pairs one store to shared memory, of 8 bytes
extern "C" __global__ void store_pairs(const uint2* values, uint2* results) {
  exchange(values, results);
}
// sass: store_quads one store to shared memory, of 16 bytes
extern "C" __global__ void store_quads(const uint4* values, uint4* results) {
  exchange(values, results);
}

constexpr unsigned kM = 64;
constexpr unsigned kN = 32;
constexpr unsigned kK = 64;
constexpr unsigned kProductK = 16;
constexpr unsigned kSums = kM * kN / kThreads;
constexpr unsigned kDecoded = kN * kK / kThreads;  // weights of one thread: 16, in 8 bytes

// Two 4-bit floats (1 sign, 2 exponent, 1 mantissa bit), 16 bits apart, as BF16. Their bits are put
// where BF16 has its own, and the product mends the exponent: subnormal numbers come out right too.
__device__ inline unsigned decode_pair(unsigned nibbles) {
  const unsigned bits = (nibbles & 0x00080008u) << 12 | (nibbles & 0x00070007u) << 6;
  const unsigned scale = 0x7e807e80u;        // 2 to the power 126, twice
  const unsigned minus_zeros = 0x80008000u;  // leave the sign of a zero alone
  unsigned decoded;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(decoded) : "r"(bits), "r"(scale), "r"(minus_zeros));
  return decoded;
}

__device__ inline uint4 decode_eight(unsigned nibbles) {
  return make_uint4(decode_pair(nibbles), decode_pair(nibbles >> 4), decode_pair(nibbles >> 8),
                    decode_pair(nibbles >> 12));
}

// sums += left * right. The left operand comes from global memory, in the order of its registers;
// the right one was written to shared memory by the threads of this block.
__device__ inline void multiply(float (&sums)[kSums], const uint4* __restrict__ lefts,
                                const Bf16* right) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  fence_to_async();
#endif
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kK; k += kProductK) {
    const uint4 loaded = lefts[k / kProductK * kThreads + threadIdx.x];
    const unsigned left[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    products_begin();
    multiply_group(sums, left, swizzled_tile(right + k));
    products_finish();
#else
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned n = 0; n < kN; n += 16) {
      unsigned pairs[4];
      load_matrices(pairs, right + (n + lane % 16) * kK + k + lane / 16 * 8);
      multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2]), left, pairs[0], pairs[2]);
      multiply_warp(reinterpret_cast<float(&)[4]>(sums[n / 2 + 4]), left, pairs[1], pairs[3]);
    }
#endif
  }
  __syncthreads();
}

__device__ inline void write_sums(float4* __restrict__ results, const float (&sums)[kSums]) {
#pragma unroll
  for (unsigned i = 0; i < kSums / 4; ++i) {
    results[i * kThreads + threadIdx.x] =
        make_float4(sums[4 * i], sums[4 * i + 1], sums[4 * i + 2], sums[4 * i + 3]);
  }
}

// sass: decode_once the loop: bit operations, 8 products of BF16 pairs, 2 STS.128 (one for each
//   eight weights), then tensor instructions (4 HGMMA on sm_90a, else 16 HMMA); no scalar store
//   to shared memory, no LDS (but for LDSM), no conversion
extern "C" __global__ __launch_bounds__(kThreads) void decode_once(
    const uint4* __restrict__ lefts,   // (tiles, kM * kK) of BF16
    const uint2* __restrict__ rights,  // (tiles, kN * kK) of 4 bits
    float4* __restrict__ results, unsigned tiles) {
  __shared__ alignas(1024) Bf16 right[kN * kK];
  float sums[kSums] = {};
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const uint2 packed = rights[tile * kThreads + threadIdx.x];
    uint4* const target = reinterpret_cast<uint4*>(right) + threadIdx.x * (kDecoded / 8);
    target[0] = decode_eight(packed.x);
    target[1] = decode_eight(packed.y);
    multiply(sums, lefts + tile * (kM * kK / 8), right);
  }
  write_sums(results, sums);
}

// sass: decode_twice the loop: 16 conversions from integers and 16 STS of 4 bytes, a barrier, 16
//   LDS of 4 bytes, 16 conversions from FP32 to BF16, 16 STS of 2 bytes, a barrier, then the
//   same tensor instructions: two passes
extern "C" __global__ __launch_bounds__(kThreads) void decode_twice(
    const uint4* __restrict__ lefts,   // (tiles, kM * kK) of BF16
    const uint2* __restrict__ rights,  // (tiles, kN * kK) of 4 bits
    float4* __restrict__ results, unsigned tiles) {
  __shared__ alignas(1024) Bf16 right[kN * kK];
  __shared__ float staged[kN * kK];
  float sums[kSums] = {};
#pragma unroll 1
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const uint2 packed = rights[tile * kThreads + threadIdx.x];
#pragma unroll
    for (unsigned i = 0; i < kDecoded; ++i) {
      const unsigned nibble = (i < 8 ? packed.x >> 4 * i : packed.y >> 4 * (i - 8)) & 15;
      const float size = static_cast<float>(nibble & 7);
      staged[i * kThreads + threadIdx.x] = nibble & 8 ? -size : size;
    }
    __syncthreads();
    // What other threads have staged, so that the barrier is needed.
#pragma unroll
    for (unsigned i = 0; i < kDecoded; ++i) {
      const unsigned place = i * kThreads + (threadIdx.x ^ 33);
      right[place] = __float2bfloat16_rn(staged[place]);
    }
    multiply(sums, lefts + tile * (kM * kK / 8), right);
  }
  write_sums(results, sums);
}
