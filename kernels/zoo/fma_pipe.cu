// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the single-precision multiply-add units: orbits of an affine map and
// the sum of a polynomial over a grid of points. Both work in registers, on enough independent
// values to hide the latency of an addition.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kWaves = 8;     // of blocks
constexpr unsigned kChains = 8;    // independent values of a thread
constexpr unsigned kUnrolled = 32;
constexpr unsigned kOrbitSteps = 20 * kUnrolled;

// zoo: affine_orbits is healthy at fma-pipe
__global__ __launch_bounds__(kThreads, kResident) void affine_orbits(
    const float* __restrict__ starts,  // (blocks * kThreads)
    float* __restrict__ ends,          // (blocks * kThreads)
    float slope, float offset) {
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  float at[kChains];
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) at[c] = starts[thread] + static_cast<float>(c);
#pragma unroll 1
  for (unsigned step = 0; step < kOrbitSteps; step += kUnrolled) {
#pragma unroll
    for (unsigned u = 0; u < kUnrolled; ++u) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) at[c] = fmaf(at[c], slope, offset);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) sum += at[c];
  ends[thread] = sum;
}

constexpr unsigned kDegree = 32;
constexpr unsigned kPoints = 20;  // where each value's polynomial is taken
constexpr float kSpacing = 0.03125f;

__constant__ float coefficients[kDegree + 1];  // highest power first

// Horner's rule on kChains values at once, at kPoints points from each value on.
// zoo: polynomial_means is healthy at fma-pipe
__global__ __launch_bounds__(kThreads, kResident) void polynomial_means(
    const float4* __restrict__ values,  // (blocks, 2, kThreads)
    float4* __restrict__ means) {       // (blocks, 2, kThreads)
  static_assert(kChains == 8, "two vectors a thread");
  const unsigned first = blockIdx.x * (2 * kThreads) + threadIdx.x;
  const float4 low = values[first];
  const float4 high = values[first + kThreads];
  float x[kChains] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  float sum[kChains] = {};
#pragma unroll 1
  for (unsigned point = 0; point < kPoints; ++point) {
    float value[kChains];
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) value[c] = coefficients[0];
#pragma unroll
    for (unsigned k = 1; k <= kDegree; ++k) {
#pragma unroll
      for (unsigned c = 0; c < kChains; ++c) value[c] = fmaf(value[c], x[c], coefficients[k]);
    }
#pragma unroll
    for (unsigned c = 0; c < kChains; ++c) {
      sum[c] += value[c];
      x[c] += kSpacing;
    }
  }
#pragma unroll
  for (unsigned c = 0; c < kChains; ++c) sum[c] *= 1.0f / kPoints;
  means[first] = make_float4(sum[0], sum[1], sum[2], sum[3]);
  means[first + kThreads] = make_float4(sum[4], sum[5], sum[6], sum[7]);
}

namespace {

void run_affine_orbits() {
  constexpr float kSlope = 0.998046875f;
  constexpr float kOffset = 0.0078125f;
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::vector<float> host = random_floats(std::size_t{kThreads} * blocks, 31);
  DeviceBuffer<float> starts(host);       // (blocks * kThreads)
  DeviceBuffer<float> ends(host.size());  // (blocks * kThreads)
  ends.clear();
  affine_orbits<<<blocks, kThreads>>>(starts.data(), ends.data(), kSlope, kOffset);
  finish_launch();
  const std::vector<float> actual = ends.download();
  for (std::size_t i = 0; i < actual.size(); i += 8191) {
    float expected = 0.0f;
    for (unsigned c = 0; c < kChains; ++c) {
      float at = host[i] + static_cast<float>(c);
      for (unsigned step = 0; step < kOrbitSteps; ++step) at = std::fmaf(at, kSlope, kOffset);
      expected += at;
    }
    expect_close("affine orbits", actual[i], expected, 1e-4, i);
  }
  passed("affine orbits");
}

void run_polynomial_means() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t count = std::size_t{kChains} * kThreads * blocks;
  // The values repeat a block of noise, which spares the host the making of all of them.
  constexpr std::size_t kPeriod = std::size_t{1} << 20;
  const std::vector<float> noise = random_floats(kPeriod, 32);
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = noise[i % kPeriod];
  const std::vector<float> host_coefficients = random_floats(kDegree + 1, 33);
  DeviceBuffer<float> values(host);  // (blocks, 2, kThreads, 4)
  DeviceBuffer<float> means(count);  // (blocks, 2, kThreads, 4)
  means.clear();
  CHECK_CUDA(cudaMemcpyToSymbol(coefficients, host_coefficients.data(),
                                host_coefficients.size() * sizeof(float)));
  polynomial_means<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(values.data()),
                                         reinterpret_cast<float4*>(means.data()));
  finish_launch();
  const std::vector<float> actual = means.download();
  for (std::size_t i = 0; i < count; i += 8191) {
    double sum = 0.0;
    for (unsigned point = 0; point < kPoints; ++point) {
      const double x = static_cast<double>(host[i]) + point * static_cast<double>(kSpacing);
      double value = 0.0;
      for (const float coefficient : host_coefficients) value = value * x + coefficient;
      sum += value;
    }
    expect_close("polynomial means", actual[i], sum / kPoints, 1e-4, i);
  }
  passed("polynomial means");
}

}  // namespace

int main() {
  run_affine_orbits();
  run_polynomial_means();
}
