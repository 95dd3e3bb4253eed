// SPDX-License-Identifier: Apache-2.0
//
// More live values than registers. Both guises ask for eight resident blocks of 256 threads, which
// leaves 32 registers for a thread, and keep more values than that alive in their loop: the rest
// goes to local memory and back in every round. The first rewrites its 48 values, stores and loads
// nearly all of them again and overflows L1; the second only reads its 34 values, and L1 holds what
// it spills. The twins run the same source without the demand for eight blocks.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;

constexpr unsigned kFilters = 48;
constexpr unsigned kSamples = 32;

__host__ __device__ constexpr float decay(unsigned filter) {
  return 0.25f + 0.0078125f * static_cast<float>(filter);
}

// Feeds one track through 48 leaky integrators that all stay alive to the end. Samples are loaded
// two rounds before they are used.
__device__ inline float filter_track(const float* __restrict__ samples,  // (kSamples, tracks)
                                     unsigned track, std::size_t tracks) {
  float levels[kFilters];
#pragma unroll
  for (unsigned i = 0; i < kFilters; ++i) levels[i] = 0.0f;
  float now = samples[track];
  float next = samples[tracks + track];
#pragma unroll 1
  for (unsigned round = 0; round < kSamples; ++round) {
    const unsigned ahead = round + 2 < kSamples ? round + 2 : kSamples - 1;
    const float later = samples[ahead * tracks + track];
#pragma unroll
    for (unsigned i = 0; i < kFilters; ++i) levels[i] = fmaf(levels[i], decay(i), now);
    now = next;
    next = later;
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kFilters; i += 2) sum += levels[i] - levels[i + 1];
  return sum;
}

// zoo: filter_bank plants register-spills, fixed by filter_bank_roomy
__global__ __launch_bounds__(kThreads, kBlocksResident) void filter_bank(
    const float* __restrict__ samples,  // (kSamples, tracks)
    float* __restrict__ results) {      // (tracks)
  const unsigned track = blockIdx.x * kThreads + threadIdx.x;
  results[track] = filter_track(samples, track, static_cast<std::size_t>(gridDim.x) * kThreads);
}

// zoo: filter_bank_roomy fixes filter_bank
__global__ __launch_bounds__(kThreads) void filter_bank_roomy(
    const float* __restrict__ samples,  // (kSamples, tracks)
    float* __restrict__ results) {      // (tracks)
  const unsigned track = blockIdx.x * kThreads + threadIdx.x;
  results[track] = filter_track(samples, track, static_cast<std::size_t>(gridDim.x) * kThreads);
}

constexpr unsigned kTerms = 34;
constexpr unsigned kPoints = 64;

// Mean square of one polynomial over [-1, 1), with every coefficient alive throughout.
__device__ inline float mean_square(const float* __restrict__ coefficients,  // (kTerms, curves)
                                    unsigned curve, std::size_t curves) {
  float terms[kTerms];
#pragma unroll
  for (unsigned i = 0; i < kTerms; ++i) terms[i] = coefficients[i * curves + curve];
  float at = -1.0f;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned point = 0; point < kPoints; ++point) {
    float value = terms[kTerms - 1];
#pragma unroll
    for (unsigned i = kTerms - 1; i > 0; --i) value = fmaf(value, at, terms[i - 1]);
    sum = fmaf(value, value, sum);
    at += 2.0f / kPoints;
  }
  return sum / kPoints;
}

// zoo: curve_powers plants register-spills, fixed by curve_powers_roomy
__global__ __launch_bounds__(kThreads, kBlocksResident) void curve_powers(
    const float* __restrict__ coefficients,  // (kTerms, curves)
    float* __restrict__ results) {           // (curves)
  const unsigned curve = blockIdx.x * kThreads + threadIdx.x;
  results[curve] = mean_square(coefficients, curve, static_cast<std::size_t>(gridDim.x) * kThreads);
}

// zoo: curve_powers_roomy fixes curve_powers
__global__ __launch_bounds__(kThreads) void curve_powers_roomy(
    const float* __restrict__ coefficients,  // (kTerms, curves)
    float* __restrict__ results) {           // (curves)
  const unsigned curve = blockIdx.x * kThreads + threadIdx.x;
  results[curve] = mean_square(coefficients, curve, static_cast<std::size_t>(gridDim.x) * kThreads);
}

namespace {

void run_filter_bank(unsigned blocks) {
  const std::size_t tracks = std::size_t{blocks} * kThreads;
  const std::vector<float> block = random_floats(kPeriod, 8);
  DeviceBuffer<float> samples(kSamples * tracks);  // (kSamples, tracks)
  DeviceBuffer<float> results(tracks);
  DeviceBuffer<float> results_roomy(tracks);
  fill_repeating(samples, block);
  results.clear();
  results_roomy.clear();
  filter_bank<<<blocks, kThreads>>>(samples.data(), results.data());
  finish_launch();
  filter_bank_roomy<<<blocks, kThreads>>>(samples.data(), results_roomy.data());
  finish_launch();

  const std::vector<float> slow = results.download();
  expect_equal("filter bank, both ways", slow, results_roomy.download());
  for (std::size_t track = 0; track < tracks; track += 1009) {
    double levels[kFilters] = {};
    for (std::size_t round = 0; round < kSamples; ++round) {
      const double sample = block[(round * tracks + track) % kPeriod];
      for (unsigned i = 0; i < kFilters; ++i) levels[i] = levels[i] * decay(i) + sample;
    }
    double sum = 0.0;
    for (unsigned i = 0; i < kFilters; i += 2) sum += levels[i] - levels[i + 1];
    expect_close("filter bank", slow[track], sum, 1e-4, track);
  }
  passed("filter bank");
}

void run_curve_powers(unsigned blocks) {
  const std::size_t curves = std::size_t{blocks} * kThreads;
  const std::vector<float> block = random_floats(kPeriod, 9);
  DeviceBuffer<float> coefficients(kTerms * curves);  // (kTerms, curves)
  DeviceBuffer<float> results(curves);
  DeviceBuffer<float> results_roomy(curves);
  fill_repeating(coefficients, block);
  results.clear();
  results_roomy.clear();
  curve_powers<<<blocks, kThreads>>>(coefficients.data(), results.data());
  finish_launch();
  curve_powers_roomy<<<blocks, kThreads>>>(coefficients.data(), results_roomy.data());
  finish_launch();

  const std::vector<float> slow = results.download();
  expect_equal("curve powers, both ways", slow, results_roomy.download());
  for (std::size_t curve = 0; curve < curves; curve += 1009) {
    double sum = 0.0;
    for (unsigned point = 0; point < kPoints; ++point) {
      const double at = -1.0 + 2.0 * point / kPoints;
      double value = 0.0;
      for (std::size_t i = kTerms; i-- > 0;) {
        value = value * at + block[(i * curves + curve) % kPeriod];
      }
      sum += value * value;
    }
    expect_close("curve powers", slow[curve], sum / kPoints, 1e-4, curve);
  }
  passed("curve powers");
}

}  // namespace

int main() {
  // Four times the blocks that fit at once under the bound, so that no wave is left half full.
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident * 4;
  run_filter_bank(blocks);
  run_curve_powers(blocks);
}
