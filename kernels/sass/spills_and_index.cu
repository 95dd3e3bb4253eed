// SPDX-License-Identifier: Apache-2.0
//
// Both uses of local memory in one loop: an array indexed by data, and more live values than the
// 32 registers that a thread may have.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
constexpr unsigned kBins = 32;
constexpr unsigned kSums = 40;

// sass: spills_and_index LDL and STL at fixed places of the stack and at places that depend on
//   data; the stack frame is the array's 128 bytes and what is spilled
extern "C" __global__ __maxnreg__(32) void spills_and_index(const unsigned* __restrict__ values,
                                                            float* __restrict__ results,
                                                            unsigned count) {
  float bins[kBins];
#pragma unroll
  for (float& bin : bins) bin = 0.0f;
  float sums[kSums];
#pragma unroll
  for (float& sum : sums) sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    const unsigned value = values[i * blockDim.x + threadIdx.x];
    float& bin = bins[value % kBins];
    bin += 1.0f;
#pragma unroll
    for (unsigned k = 0; k < kSums; ++k) {
      sums[k] = fmaf(sums[k], 0.25f + 0.0078125f * static_cast<float>(k), bin);
    }
  }
  float sum = bins[count % kBins];
#pragma unroll
  for (unsigned k = 0; k < kSums; k += 2) sum += sums[k] - sums[k + 1];
  results[threadIdx.x] = sum;
}
