// SPDX-License-Identifier: Apache-2.0
//
// More live values than registers: a thread may have 32, and 48 running sums stay alive through
// the loop. The twin has the same source and room for it.
//
// sass: arch sm_80 sm_90a sm_100a sm_120
constexpr unsigned kSums = 48;

__device__ inline float run_sums(const float* __restrict__ values, unsigned count) {
  float sums[kSums];
#pragma unroll
  for (unsigned i = 0; i < kSums; ++i) sums[i] = 0.0f;
#pragma unroll 1
  for (unsigned round = 0; round < count; ++round) {
    const float value = values[round * blockDim.x + threadIdx.x];
#pragma unroll
    for (unsigned i = 0; i < kSums; ++i) {
      sums[i] = fmaf(sums[i], 0.25f + 0.0078125f * static_cast<float>(i), value);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kSums; i += 2) sum += sums[i] - sums[i + 1];
  return sum;
}

// sass: spills LDL and STL in the loop; the stack frame is no larger than what is spilled
extern "C" __global__ __maxnreg__(32) void spills(const float* __restrict__ values,
                                                  float* __restrict__ results, unsigned count) {
  results[threadIdx.x] = run_sums(values, count);
}

// sass: spills_not the same loop of 48 FFMA; no LDL, no STL, no stack frame
extern "C" __global__ void spills_not(const float* __restrict__ values, float* __restrict__ results,
                                      unsigned count) {
  results[threadIdx.x] = run_sums(values, count);
}
