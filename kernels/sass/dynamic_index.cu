// SPDX-License-Identifier: Apache-2.0
//
// Local memory that no spill explains: registers have no index, so an array that is indexed by a
// value known only when the program runs is put on the stack.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
constexpr unsigned kBins = 32;

// sass: dynamic_index LDL and STL whose address is a register that depends on data; a stack
//   frame of 128 bytes; ptxas reports no spill
extern "C" __global__ void dynamic_index(const unsigned* __restrict__ values,
                                         unsigned* __restrict__ results, unsigned count) {
  unsigned bins[kBins];
#pragma unroll
  for (unsigned& bin : bins) bin = 0;
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) ++bins[values[i * blockDim.x + threadIdx.x] % kBins];
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) results[i * blockDim.x + threadIdx.x] = bins[i];
}

// sass: static_index the same array, but every index is known: no local memory
extern "C" __global__ void static_index(const unsigned* __restrict__ values,
                                        unsigned* __restrict__ results, unsigned count) {
  unsigned bins[kBins];
#pragma unroll
  for (unsigned& bin : bins) bin = 0;
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    const unsigned value = values[i * blockDim.x + threadIdx.x] % kBins;
#pragma unroll
    for (unsigned bin = 0; bin < kBins; ++bin) bins[bin] += value == bin;
  }
#pragma unroll
  for (unsigned i = 0; i < kBins; ++i) results[i * blockDim.x + threadIdx.x] = bins[i];
}
