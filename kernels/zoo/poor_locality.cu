// SPDX-License-Identifier: Apache-2.0
//
// Clean streams at the DRAM roof that fetch the same bytes several times, since L2 has lost them by
// the time they are wanted again: four statistics of a field in four passes over it, and a filter
// across layers each of which is larger than L2. The twins take the bytes once: one pass for all
// statistics, and threads that march through the layers with the last five in registers.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kWarps = kThreads / kWarp;

// As many blocks as an H200 holds at once. Fixed, so that the bytes of a launch are too.
constexpr unsigned kStatisticsBlocks = 132 * 8;
constexpr unsigned kVectorsAThread = 64;
constexpr unsigned kFieldVectors = kStatisticsBlocks * kThreads * kVectorsAThread;  // 264 MiB
constexpr float kThreshold = 0.375f;

struct Statistics {
  float sum = 0.0f;
  float squares = 0.0f;
  float peak = 0.0f;
  float above = 0.0f;  // how many values lie above the threshold
};

__device__ inline void add_sum(Statistics& to, float4 value) {
  to.sum += (value.x + value.y) + (value.z + value.w);
}
__device__ inline void add_squares(Statistics& to, float4 value) {
  to.squares += (value.x * value.x + value.y * value.y) + (value.z * value.z + value.w * value.w);
}
__device__ inline void add_peak(Statistics& to, float4 value) {
  to.peak = fmaxf(
      to.peak, fmaxf(fmaxf(fabsf(value.x), fabsf(value.y)), fmaxf(fabsf(value.z), fabsf(value.w))));
}
__device__ inline void add_above(Statistics& to, float4 value) {
  to.above += ((value.x > kThreshold ? 1.0f : 0.0f) + (value.y > kThreshold ? 1.0f : 0.0f)) +
              ((value.z > kThreshold ? 1.0f : 0.0f) + (value.w > kThreshold ? 1.0f : 0.0f));
}

// Combines what the threads of a block have found and writes it.
__device__ inline void write_statistics(Statistics mine, float4* __restrict__ results) {
  __shared__ float4 partial[kWarps];
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    mine.sum += __shfl_xor_sync(0xffffffffu, mine.sum, offset);
    mine.squares += __shfl_xor_sync(0xffffffffu, mine.squares, offset);
    mine.peak = fmaxf(mine.peak, __shfl_xor_sync(0xffffffffu, mine.peak, offset));
    mine.above += __shfl_xor_sync(0xffffffffu, mine.above, offset);
  }
  if (threadIdx.x % kWarp == 0) {
    partial[threadIdx.x / kWarp] = make_float4(mine.sum, mine.squares, mine.peak, mine.above);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float4 total = partial[0];
#pragma unroll
    for (unsigned i = 1; i < kWarps; ++i) {
      total.x += partial[i].x;
      total.y += partial[i].y;
      total.z = fmaxf(total.z, partial[i].z);
      total.w += partial[i].w;
    }
    results[blockIdx.x] = total;
  }
}

// One pass over the field for each statistic. The statistics do not need each other, so the passes
// need no barrier between them.
// zoo: field_summary plants poor-locality, unique bytes 276840960, fixed by field_summary_fused
__global__ __launch_bounds__(kThreads) void field_summary(
    const float4* __restrict__ field,  // (kFieldVectors)
    float4* __restrict__ results) {    // (kStatisticsBlocks), a Statistics each
  constexpr unsigned kStride = kStatisticsBlocks * kThreads;
  const unsigned first = blockIdx.x * kThreads + threadIdx.x;
  Statistics mine;
#pragma unroll 4
  for (unsigned i = 0; i < kVectorsAThread; ++i) add_sum(mine, field[i * kStride + first]);
#pragma unroll 4
  for (unsigned i = 0; i < kVectorsAThread; ++i) add_squares(mine, field[i * kStride + first]);
#pragma unroll 4
  for (unsigned i = 0; i < kVectorsAThread; ++i) add_peak(mine, field[i * kStride + first]);
#pragma unroll 4
  for (unsigned i = 0; i < kVectorsAThread; ++i) add_above(mine, field[i * kStride + first]);
  write_statistics(mine, results);
}

// zoo: field_summary_fused fixes field_summary
__global__ __launch_bounds__(kThreads) void field_summary_fused(
    const float4* __restrict__ field,  // (kFieldVectors)
    float4* __restrict__ results) {    // (kStatisticsBlocks), a Statistics each
  constexpr unsigned kStride = kStatisticsBlocks * kThreads;
  const unsigned first = blockIdx.x * kThreads + threadIdx.x;
  Statistics mine;
#pragma unroll 4
  for (unsigned i = 0; i < kVectorsAThread; ++i) {
    const float4 value = field[i * kStride + first];
    add_sum(mine, value);
    add_squares(mine, value);
    add_peak(mine, value);
    add_above(mine, value);
  }
  write_statistics(mine, results);
}

constexpr unsigned kLayerVectors = 4096 * 4096 / 4;  // 64 MiB, where L2 has 50
constexpr unsigned kLayers = 12;
constexpr unsigned kReach = 5;  // layers that one result needs
constexpr unsigned kResultLayers = kLayers - kReach + 1;

__host__ __device__ inline float binomial(float a, float b, float c, float d, float e) {
  return 0.0625f * (a + e) + 0.25f * (b + d) + 0.375f * c;
}

__device__ inline float4 binomial_vectors(const float4& a, const float4& b, const float4& c,
                                          const float4& d, const float4& e) {
  return make_float4(binomial(a.x, b.x, c.x, d.x, e.x), binomial(a.y, b.y, c.y, d.y, e.y),
                     binomial(a.z, b.z, c.z, d.z, e.z), binomial(a.w, b.w, c.w, d.w, e.w));
}

// One layer of results after the other: every layer but the outer ones is fetched five times, each
// time after five whole layers have passed through L2.
// zoo: smooth_layers plants poor-locality, unique bytes 1342177280, fixed by smooth_layers_marching
__global__ __launch_bounds__(kThreads) void smooth_layers(
    const float4* __restrict__ layers,  // (kLayers, kLayerVectors)
    float4* __restrict__ results) {     // (kResultLayers, kLayerVectors)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const float4* from = layers + static_cast<std::size_t>(blockIdx.y) * kLayerVectors + i;
  results[static_cast<std::size_t>(blockIdx.y) * kLayerVectors + i] =
      binomial_vectors(from[0], from[kLayerVectors], from[2 * kLayerVectors],
                       from[3 * kLayerVectors], from[4 * kLayerVectors]);
}

// zoo: smooth_layers_marching fixes smooth_layers
__global__ __launch_bounds__(kThreads) void smooth_layers_marching(
    const float4* __restrict__ layers,  // (kLayers, kLayerVectors)
    float4* __restrict__ results) {     // (kResultLayers, kLayerVectors)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  float4 window[kReach];
#pragma unroll
  for (unsigned layer = 0; layer < kLayers; ++layer) {
    window[layer % kReach] = layers[static_cast<std::size_t>(layer) * kLayerVectors + i];
    if (layer + 1 < kReach) continue;
    const unsigned result = layer + 1 - kReach;
    results[static_cast<std::size_t>(result) * kLayerVectors + i] = binomial_vectors(
        window[result % kReach], window[(result + 1) % kReach], window[(result + 2) % kReach],
        window[(result + 3) % kReach], window[(result + 4) % kReach]);
  }
}

namespace {

void expect_statistics(const char* what, const DeviceBuffer<float>& results,
                       const std::vector<float>& block) {
  double sum = 0.0;
  double squares = 0.0;
  double peak = 0.0;
  double above = 0.0;
  constexpr std::size_t kField = std::size_t{kFieldVectors} * 4;
  for (std::size_t i = 0; i < kPeriod; ++i) {
    const std::size_t times = kField / kPeriod + (i < kField % kPeriod ? 1 : 0);
    const double value = block[i];
    sum += static_cast<double>(times) * value;
    squares += static_cast<double>(times) * value * value;
    peak = std::fmax(peak, std::abs(value));
    if (block[i] > kThreshold) above += static_cast<double>(times);
  }
  const std::vector<float> actual = results.download();
  double totals[4] = {};
  for (std::size_t i = 0; i < actual.size(); i += 4) {
    totals[0] += actual[i];
    totals[1] += actual[i + 1];
    totals[2] = std::fmax(totals[2], actual[i + 2]);
    totals[3] += actual[i + 3];
  }
  // The values cancel, so what rounding leaves is held against how many there are.
  expect_close(what, totals[0] / kField, sum / kField, 1e-6, 0);
  expect_close(what, totals[1], squares, 1e-4, 1);
  expect_close(what, totals[2], peak, 0.0, 2);
  expect_close(what, totals[3], above, 0.0, 3);
  passed(what);
}

void run_field_summary() {
  const std::vector<float> block = random_floats(kPeriod, 21);
  DeviceBuffer<float> field(std::size_t{kFieldVectors} * 4);
  DeviceBuffer<float> results(std::size_t{kStatisticsBlocks} * 4);  // (kStatisticsBlocks, 4)
  DeviceBuffer<float> results_fused(std::size_t{kStatisticsBlocks} * 4);
  fill_repeating(field, block);
  results.clear();
  results_fused.clear();
  const float4* vectors = reinterpret_cast<const float4*>(field.data());
  field_summary<<<kStatisticsBlocks, kThreads>>>(vectors,
                                                 reinterpret_cast<float4*>(results.data()));
  finish_launch();
  field_summary_fused<<<kStatisticsBlocks, kThreads>>>(
      vectors, reinterpret_cast<float4*>(results_fused.data()));
  finish_launch();
  expect_statistics("field summary", results, block);
  expect_statistics("field summary, fused", results_fused, block);
}

void run_smooth_layers() {
  constexpr std::size_t kLayer = std::size_t{kLayerVectors} * 4;
  const std::vector<float> block = random_floats(kPeriod, 22);
  DeviceBuffer<float> layers(kLayers * kLayer);  // (kLayers, kLayer)
  DeviceBuffer<float> results(kResultLayers * kLayer);
  DeviceBuffer<float> results_marching(kResultLayers * kLayer);
  fill_repeating(layers, block);
  results.clear();
  results_marching.clear();
  const float4* vectors = reinterpret_cast<const float4*>(layers.data());
  constexpr unsigned kBlocks = kLayerVectors / kThreads;
  smooth_layers<<<dim3(kBlocks, kResultLayers), kThreads>>>(
      vectors, reinterpret_cast<float4*>(results.data()));
  finish_launch();
  smooth_layers_marching<<<kBlocks, kThreads>>>(vectors,
                                                reinterpret_cast<float4*>(results_marching.data()));
  finish_launch();

  const std::vector<float> slow = results.download();
  const std::vector<float> fast = results_marching.download();
  for (std::size_t i = 0; i < slow.size(); i += 31) {
    const auto at = [&](std::size_t layer) { return block[(i + layer * kLayer) % kPeriod]; };
    const float expected = binomial(at(0), at(1), at(2), at(3), at(4));
    expect_close("smooth layers", slow[i], expected, 1e-6, i);
    expect_close("smooth layers, marching", fast[i], expected, 1e-6, i);
  }
  passed("smooth layers");
}

}  // namespace

int main() {
  run_field_summary();
  run_smooth_layers();
}
