// SPDX-License-Identifier: Apache-2.0
//
// More machine code than the instruction caches of a multiprocessor hold. The first guise runs
// through one body of 260 KiB, the second lets each warp of a block run through a body of its own,
// 290 KiB together. The twins do the same arithmetic in rolled loops of a few KiB. There is
// independent arithmetic enough in each thread to keep the schedulers busy, if only the
// instructions come.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;

// Constants that end up in the instructions. body: one for each piece of code that must differ.
__host__ __device__ constexpr float shift(unsigned body, unsigned series) {
  return 0.25f + static_cast<float>((series * 37 + body * 53) % 256) / 512.0f;
}
__host__ __device__ constexpr float weight(unsigned body, unsigned series) {
  return 0.125f + static_cast<float>((series * 29 + body * 101) % 256) / 1024.0f;
}

// Each value moves towards a fixed point and then takes in some of the one kStride before it. That
// ties all of them together: the compiler cannot work on one after the other.
constexpr unsigned kStride = 31;
template <unsigned kSeries>
__host__ __device__ __forceinline__ void step(float (&values)[kSeries], float x, unsigned body) {
#pragma unroll
  for (unsigned s = 0; s < kSeries; ++s) values[s] = fmaf(values[s], x, shift(body, s));
  float carried = values[kSeries - kStride];
#pragma unroll
  for (unsigned i = 0; i < kSeries; ++i) {
    const unsigned s = i * kStride % kSeries;
    const float own = values[s];
    values[s] = fmaf(carried, weight(body, s), own);
    carried = own;
  }
}

// kSteps steps, all unrolled: 2 * kSeries * kSteps instructions of 16 bytes. Halved by recursion,
// because the compiler may refuse to unroll a loop so large.
template <unsigned kBody, unsigned kSteps, unsigned kSeries>
__device__ __forceinline__ void advance(float (&values)[kSeries], float x) {
  if constexpr (kSteps == 1) {
    step(values, x, kBody);
  } else {
    advance<kBody, kSteps / 2>(values, x);
    advance<kBody, kSteps - kSteps / 2>(values, x);
  }
}

template <unsigned kSeries>
__device__ __forceinline__ float total(const float (&values)[kSeries]) {
  float sum = 0.0f;
#pragma unroll
  for (unsigned s = 0; s < kSeries; ++s) sum += values[s];
  return sum;
}

constexpr unsigned kManySeries = 122;
constexpr unsigned kManySteps = 69;
constexpr unsigned kManyPoints = 2;  // for each thread
constexpr unsigned kManyWaves = 4;

// All series at each point, in one straight line of code.
// zoo: series_totals plants instruction-cache, fixed by series_totals_rolled
__global__ __launch_bounds__(kThreads) void series_totals(
    const float* __restrict__ points,  // (kManyPoints, gridDim.x, kThreads)
    float* __restrict__ totals) {      // (kManyPoints, gridDim.x, kThreads)
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned point = 0; point < kManyPoints; ++point) {
    const unsigned i = point * stride + blockIdx.x * kThreads + threadIdx.x;
    const float x = points[i];
    float values[kManySeries];
#pragma unroll
    for (unsigned s = 0; s < kManySeries; ++s) values[s] = x;
    advance<0, kManySteps>(values, x);
    totals[i] = total(values);
  }
}

// zoo: series_totals_rolled fixes series_totals
__global__ __launch_bounds__(kThreads) void series_totals_rolled(
    const float* __restrict__ points,  // (kManyPoints, gridDim.x, kThreads)
    float* __restrict__ totals) {      // (kManyPoints, gridDim.x, kThreads)
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned point = 0; point < kManyPoints; ++point) {
    const unsigned i = point * stride + blockIdx.x * kThreads + threadIdx.x;
    const float x = points[i];
    float values[kManySeries];
#pragma unroll
    for (unsigned s = 0; s < kManySeries; ++s) values[s] = x;
#pragma unroll 1
    for (unsigned i = 0; i < kManySteps; ++i) advance<0, 1>(values, x);
    totals[i] = total(values);
  }
}

constexpr unsigned kFewSeries = 56;
constexpr unsigned kFewSteps = 21;
constexpr unsigned kFewPoints = 8;  // for each thread

template <unsigned kBody>
__device__ __forceinline__ float straight(float x) {
  float values[kFewSeries];
#pragma unroll
  for (unsigned s = 0; s < kFewSeries; ++s) values[s] = x;
  advance<kBody, kFewSteps>(values, x);
  return total(values);
}

template <unsigned kBody>
__device__ __forceinline__ float rolled(float x) {
  float values[kFewSeries];
#pragma unroll
  for (unsigned s = 0; s < kFewSeries; ++s) values[s] = x;
#pragma unroll 1
  for (unsigned i = 0; i < kFewSteps; ++i) advance<kBody, 1>(values, x);
  return total(values);
}

// Each warp of a block has a model of its own, as generated code would have it.
// zoo: evaluate_models plants instruction-cache, fixed by evaluate_models_rolled
__global__ __launch_bounds__(kThreads, 2) void evaluate_models(
    const float* __restrict__ points,  // (kFewPoints, gridDim.x, kThreads)
    float* __restrict__ results) {     // (kFewPoints, gridDim.x, kThreads)
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned point = 0; point < kFewPoints; ++point) {
    const unsigned i = point * stride + blockIdx.x * kThreads + threadIdx.x;
    const float x = points[i];
    float value = 0.0f;
    switch (threadIdx.x / kLanes) {
      case 0: value = straight<1>(x); break;
      case 1: value = straight<2>(x); break;
      case 2: value = straight<3>(x); break;
      case 3: value = straight<4>(x); break;
      case 4: value = straight<5>(x); break;
      case 5: value = straight<6>(x); break;
      case 6: value = straight<7>(x); break;
      default: value = straight<8>(x); break;
    }
    results[i] = value;
  }
}

// zoo: evaluate_models_rolled fixes evaluate_models
__global__ __launch_bounds__(kThreads, 2) void evaluate_models_rolled(
    const float* __restrict__ points,  // (kFewPoints, gridDim.x, kThreads)
    float* __restrict__ results) {     // (kFewPoints, gridDim.x, kThreads)
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned point = 0; point < kFewPoints; ++point) {
    const unsigned i = point * stride + blockIdx.x * kThreads + threadIdx.x;
    const float x = points[i];
    float value = 0.0f;
    switch (threadIdx.x / kLanes) {
      case 0: value = rolled<1>(x); break;
      case 1: value = rolled<2>(x); break;
      case 2: value = rolled<3>(x); break;
      case 3: value = rolled<4>(x); break;
      case 4: value = rolled<5>(x); break;
      case 5: value = rolled<6>(x); break;
      case 6: value = rolled<7>(x); break;
      default: value = rolled<8>(x); break;
    }
    results[i] = value;
  }
}

namespace {

template <unsigned kSeries>
double reference(unsigned body, unsigned steps, float x) {
  float values[kSeries];
  for (float& value : values) value = x;
  for (unsigned i = 0; i < steps; ++i) step(values, x, body);
  double total = 0.0;
  for (const float value : values) total += value;
  return total;
}

// Launches both kernels on the same points. body_of: the body of code for a point, given its index.
template <unsigned kSeries, typename Kernel, typename BodyOf>
void run(const char* name, Kernel kernel, const char* twin_name, Kernel twin, unsigned blocks,
         unsigned points_a_thread, unsigned steps, BodyOf body_of) {
  const std::vector<float> host =
      random_floats(std::size_t{points_a_thread} * blocks * kThreads, 61);
  DeviceBuffer<float> points(host);         // (points_a_thread, blocks, kThreads)
  DeviceBuffer<float> values(host.size());  // (points_a_thread, blocks, kThreads)
  values.clear();
  kernel<<<blocks, kThreads>>>(points.data(), values.data());
  finish_launch();
  const std::vector<float> slow = values.download();
  for (std::size_t i = 0; i < host.size(); i += 2011) {
    expect_close(name, slow[i], reference<kSeries>(body_of(i), steps, host[i]), 1e-4, i);
  }
  passed(name);

  values.clear();
  twin<<<blocks, kThreads>>>(points.data(), values.data());
  finish_launch();
  expect_all_close(twin_name, values.download(), slow, 1e-5);
  passed(twin_name);
}

}  // namespace

int main() {
  static_assert(kWarps == 8, "evaluate_models has a case for each warp");
  run<kManySeries>("series totals", series_totals, "series totals rolled", series_totals_rolled,
                   multiprocessors() * resident_blocks(series_totals, kThreads) * kManyWaves,
                   kManyPoints, kManySteps, [](std::size_t) { return 0u; });
  run<kFewSeries>(
      "evaluate models", evaluate_models, "evaluate models rolled", evaluate_models_rolled,
      multiprocessors() * resident_blocks(evaluate_models, kThreads), kFewPoints, kFewSteps,
      [](std::size_t i) { return static_cast<unsigned>(i % kThreads / kLanes) + 1; });
}
