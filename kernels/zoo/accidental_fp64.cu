// SPDX-License-Identifier: Apache-2.0
//
// Double-precision work that nobody needs, until its pipe is full: a recurrence of floats whose
// literals lack their suffix, so that every term is widened and added up in double, and divisions
// of several values by one divisor, each of which finds the divisor's reciprocal again. The twins
// stay in float, and find the reciprocal once.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWaves = 4;  // times the blocks that fit at once

constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kStages = 96;

// One stage of a filter with a polynomial in its feedback. It contracts, so that its rounding
// errors do not grow. The literals are doubles, and make all of it so.
__host__ __device__ inline float feed_back_widened(float input, float y) {
  const double gains[] = {0.0043, -0.0047, 0.0053, -0.0059, 0.0067, -0.0071, 0.0083, -0.009,
                          0.011,  -0.013,  0.021,  -0.03,   0.05,   -0.07,   0.11};
  auto sum = 0.0;
#pragma unroll
  for (const auto gain : gains) sum = sum * y + gain;
  return sum * y + 0.7 * input;
}

// The same with a suffix to each literal.
__device__ inline float feed_back(float input, float y) {
  const float gains[] = {0.0043f, -0.0047f, 0.0053f, -0.0059f, 0.0067f, -0.0071f, 0.0083f, -0.009f,
                         0.011f,  -0.013f,  0.021f,  -0.03f,   0.05f,   -0.07f,   0.11f};
  float sum = 0.0f;
#pragma unroll
  for (const float gain : gains) sum = sum * y + gain;
  return sum * y + 0.7f * input;
}

// zoo: settle_filters plants fp64-pipe, fixed by settle_filters_narrow
__global__ __launch_bounds__(kThreads, kBlocksResident) void settle_filters(
    const float2* __restrict__ inputs,  // (blocks * kThreads)
    float2* __restrict__ outputs) {     // (blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const float2 input = inputs[thread];
  float2 y = make_float2(0.0f, 0.0f);
#pragma unroll 2
  for (unsigned stage = 0; stage < kStages; ++stage) {
    y.x = feed_back_widened(input.x, y.x);
    y.y = feed_back_widened(input.y, y.y);
  }
  outputs[thread] = y;
}

// zoo: settle_filters_narrow fixes settle_filters
__global__ __launch_bounds__(kThreads, kBlocksResident) void settle_filters_narrow(
    const float2* __restrict__ inputs,  // (blocks * kThreads)
    float2* __restrict__ outputs) {     // (blocks * kThreads)
  const unsigned thread = blockIdx.x * kThreads + threadIdx.x;
  const float2 input = inputs[thread];
  float2 y = make_float2(0.0f, 0.0f);
#pragma unroll 2
  for (unsigned stage = 0; stage < kStages; ++stage) {
    y.x = feed_back(input.x, y.x);
    y.y = feed_back(input.y, y.y);
  }
  outputs[thread] = y;
}

constexpr unsigned kDecayResident = 5;  // blocks on a multiprocessor, as their registers allow
constexpr unsigned kCells = 4;          // of a thread
constexpr unsigned kDecaySteps = 128;

// Implicit steps of a decay with a source, each step at a rate of its own.
// zoo: decay_cells plants fp64-pipe, fixed by decay_cells_reciprocal
__global__ __launch_bounds__(kThreads, kDecayResident) void decay_cells(
    const double* __restrict__ sources,  // (blocks, kCells, kThreads)
    const double* __restrict__ rates,    // (kDecaySteps)
    double* __restrict__ cells) {        // (blocks, kCells, kThreads)
  const unsigned first = blockIdx.x * (kCells * kThreads) + threadIdx.x;
  double source[kCells];
  double cell[kCells];
#pragma unroll
  for (unsigned j = 0; j < kCells; ++j) cell[j] = source[j] = sources[first + j * kThreads];
#pragma unroll 1
  for (unsigned step = 0; step < kDecaySteps; ++step) {
    const double divisor = 1.0 + rates[step];
#pragma unroll
    for (unsigned j = 0; j < kCells; ++j) cell[j] = (cell[j] + source[j]) / divisor;
  }
#pragma unroll
  for (unsigned j = 0; j < kCells; ++j) cells[first + j * kThreads] = cell[j];
}

// zoo: decay_cells_reciprocal fixes decay_cells
__global__ __launch_bounds__(kThreads, kDecayResident) void decay_cells_reciprocal(
    const double* __restrict__ sources,  // (blocks, kCells, kThreads)
    const double* __restrict__ rates,    // (kDecaySteps)
    double* __restrict__ cells) {        // (blocks, kCells, kThreads)
  const unsigned first = blockIdx.x * (kCells * kThreads) + threadIdx.x;
  double source[kCells];
  double cell[kCells];
#pragma unroll
  for (unsigned j = 0; j < kCells; ++j) cell[j] = source[j] = sources[first + j * kThreads];
#pragma unroll 1
  for (unsigned step = 0; step < kDecaySteps; ++step) {
    const double factor = 1.0 / (1.0 + rates[step]);
#pragma unroll
    for (unsigned j = 0; j < kCells; ++j) cell[j] = (cell[j] + source[j]) * factor;
  }
#pragma unroll
  for (unsigned j = 0; j < kCells; ++j) cells[first + j * kThreads] = cell[j];
}

namespace {

void run_settle_filters() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kWaves;
  const std::vector<float> host = random_floats(std::size_t{2} * blocks * kThreads, 153);
  DeviceBuffer<float> inputs(host);          // (blocks * kThreads, 2)
  DeviceBuffer<float> outputs(host.size());  // (blocks * kThreads, 2)
  const float2* source = reinterpret_cast<const float2*>(inputs.data());
  float2* target = reinterpret_cast<float2*>(outputs.data());
  outputs.clear();
  settle_filters<<<blocks, kThreads>>>(source, target);
  finish_launch();
  const std::vector<float> slow = outputs.download();
  for (std::size_t i = 0; i < host.size(); i += 101) {
    float expected = 0.0f;
    for (unsigned stage = 0; stage < kStages; ++stage) {
      expected = feed_back_widened(host[i], expected);
    }
    expect_close("settle filters", slow[i], expected, 1e-5, i);
  }
  passed("settle filters");

  outputs.clear();
  settle_filters_narrow<<<blocks, kThreads>>>(source, target);
  finish_launch();
  expect_all_close("settle filters narrow", outputs.download(), slow, 1e-5);
  passed("settle filters narrow");
}

void run_decay_cells() {
  const unsigned blocks = multiprocessors() * kDecayResident * kWaves;
  const std::vector<float> drawn = random_floats(std::size_t{blocks} * kCells * kThreads, 154);
  const std::vector<double> host_sources(drawn.begin(), drawn.end());
  std::vector<double> host_rates;
  for (const float value : random_floats(kDecaySteps, 155)) host_rates.push_back(1.0 + value);
  DeviceBuffer<double> sources(host_sources);       // (blocks, kCells, kThreads)
  DeviceBuffer<double> rates(host_rates);           // (kDecaySteps)
  DeviceBuffer<double> cells(host_sources.size());  // (blocks, kCells, kThreads)
  cells.clear();
  decay_cells<<<blocks, kThreads>>>(sources.data(), rates.data(), cells.data());
  finish_launch();
  const std::vector<double> slow = cells.download();
  for (std::size_t i = 0; i < slow.size(); i += 101) {
    double expected = host_sources[i];
    for (const double rate : host_rates) expected = (expected + host_sources[i]) / (1.0 + rate);
    expect_close("decay cells", slow[i], expected, 1e-12, i);
  }
  passed("decay cells");

  cells.clear();
  decay_cells_reciprocal<<<blocks, kThreads>>>(sources.data(), rates.data(), cells.data());
  finish_launch();
  expect_all_close("decay cells reciprocal", cells.download(), slow, 1e-12);
  passed("decay cells reciprocal");
}

}  // namespace

int main() {
  run_settle_filters();
  run_decay_cells();
}
