// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the device's memory: a copy and a weighted sum of two streams. Both
// move each byte once, in sixteen-byte pieces, over arrays of several times the L2 cache.
#include <algorithm>

#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;  // blocks of kThreads that fill a multiprocessor
constexpr unsigned kVectors = 4;   // of a thread of the copy
constexpr unsigned kWaves = 32;    // of blocks of the copy
constexpr unsigned kStreams = 2;   // vectors that a thread of the sum takes from each array at once
constexpr unsigned kSteps = 32;    // of a thread of the sum

// A block copies one contiguous tile; all loads of a thread are under way before its first store.
// zoo: copy_frames is healthy at dram-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void copy_frames(
    const float4* __restrict__ source,  // (blocks, kVectors, kThreads)
    float4* __restrict__ target) {      // (blocks, kVectors, kThreads)
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kVectors * kThreads) + threadIdx.x;
  float4 held[kVectors];
#pragma unroll
  for (unsigned j = 0; j < kVectors; ++j) held[j] = source[first + j * kThreads];
#pragma unroll
  for (unsigned j = 0; j < kVectors; ++j) target[first + j * kThreads] = held[j];
}

// A resident grid walks over the arrays with the stride of the whole grid.
// zoo: blend_frames is healthy at dram-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void blend_frames(
    const float4* __restrict__ base,     // (kSteps, kStreams, grid)
    const float4* __restrict__ overlay,  // (kSteps, kStreams, grid)
    float4* __restrict__ blended,        // (kSteps, kStreams, grid)
    float opacity) {
  const unsigned grid = gridDim.x * kThreads;
  unsigned at = blockIdx.x * kThreads + threadIdx.x;
#pragma unroll 1
  for (unsigned step = 0; step < kSteps; ++step, at += kStreams * grid) {
    float4 below[kStreams];
    float4 above[kStreams];
#pragma unroll
    for (unsigned j = 0; j < kStreams; ++j) {
      below[j] = base[at + j * grid];
      above[j] = overlay[at + j * grid];
    }
#pragma unroll
    for (unsigned j = 0; j < kStreams; ++j) {
      blended[at + j * grid] =
          make_float4(fmaf(opacity, above[j].x, below[j].x), fmaf(opacity, above[j].y, below[j].y),
                      fmaf(opacity, above[j].z, below[j].z), fmaf(opacity, above[j].w, below[j].w));
    }
  }
}

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22;  // floats
constexpr std::size_t kMaxPieces = 1024;

// A large input without a large host array: piece p is the pattern from element p on, so that no
// two pieces are alike.
class Pattern {
 public:
  explicit Pattern(unsigned seed) : values_(random_floats(kPiece + kMaxPieces, seed)) {}
  float at(std::size_t i) const { return values_[i % kPiece + i / kPiece]; }
  void fill(DeviceBuffer<float>& buffer) const {
    REQUIRE(buffer.size() <= kPiece * kMaxPieces, "the pattern ends before the buffer");
    for (std::size_t first = 0; first < buffer.size(); first += kPiece) {
      const std::size_t floats = std::min(kPiece, buffer.size() - first);
      CHECK_CUDA(cudaMemcpy(buffer.data() + first, values_.data() + first / kPiece,
                            floats * sizeof(float), cudaMemcpyHostToDevice));
    }
  }

 private:
  std::vector<float> values_;
};

// The whole result would take longer to fetch than to compute, so pieces of it are compared.
template <typename Expected>
void expect_samples(const char* name, const DeviceBuffer<float>& actual, Expected expected) {
  constexpr std::size_t kSamples = 64;
  constexpr std::size_t kSampleFloats = 4096;
  std::vector<float> sample(kSampleFloats);
  for (std::size_t s = 0; s < kSamples; ++s) {
    const std::size_t first = (actual.size() - kSampleFloats) / (kSamples - 1) * s;
    CHECK_CUDA(cudaMemcpy(sample.data(), actual.data() + first, kSampleFloats * sizeof(float),
                          cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < kSampleFloats; ++i) {
      expect_close(name, sample[i], expected(first + i), 1e-6, first + i);
    }
  }
  passed(name);
}

float4* vectors(DeviceBuffer<float>& buffer) { return reinterpret_cast<float4*>(buffer.data()); }

void run_copy() {
  const unsigned blocks = multiprocessors() * kResident * kWaves;
  const std::size_t floats = std::size_t{4} * kVectors * kThreads * blocks;
  const Pattern pattern(1);
  DeviceBuffer<float> source(floats);  // (floats)
  DeviceBuffer<float> target(floats);  // (floats)
  pattern.fill(source);
  target.clear();
  copy_frames<<<blocks, kThreads>>>(vectors(source), vectors(target));
  finish_launch();
  expect_samples("copy frames", target, [&](std::size_t i) { return pattern.at(i); });
}

void run_blend() {
  constexpr float kOpacity = 0.375f;
  const unsigned blocks = multiprocessors() * kResident;
  const std::size_t floats = std::size_t{4} * kSteps * kStreams * kThreads * blocks;
  const Pattern base_pattern(2);
  const Pattern overlay_pattern(3);
  DeviceBuffer<float> base(floats);     // (floats)
  DeviceBuffer<float> overlay(floats);  // (floats)
  DeviceBuffer<float> blended(floats);  // (floats)
  base_pattern.fill(base);
  overlay_pattern.fill(overlay);
  blended.clear();
  blend_frames<<<blocks, kThreads>>>(vectors(base), vectors(overlay), vectors(blended), kOpacity);
  finish_launch();
  expect_samples("blend frames", blended, [&](std::size_t i) {
    return std::fmaf(kOpacity, overlay_pattern.at(i), base_pattern.at(i));
  });
}

}  // namespace

int main() {
  run_copy();
  run_blend();
}
