// SPDX-License-Identifier: Apache-2.0
//
// Streams that are coalesced but narrow: a thread moves one byte, or one two-byte number, at a
// time, so that a request of a warp carries 32 or 64 bytes where it could carry 512. All warps are
// resident and yet too few bytes are on their way to fill the DRAM bus. The twins move sixteen
// bytes a thread over the same grid.
#include <cuda_fp16.h>

#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;   // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kVectorsAThread = 31;  // of sixteen bytes

// One byte a thread at a time. The loop is kept rolled: unrolled, the compiler would make up for
// the width with several loads in flight.
// zoo: invert_frame plants narrow-access, fixed by invert_frame_vectors
__global__ __launch_bounds__(kThreads) void invert_frame(
    const unsigned char* __restrict__ source,  // (count)
    unsigned char* __restrict__ target,        // (count)
    unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    target[i] = static_cast<unsigned char>(255 - source[i]);
  }
}

// zoo: invert_frame_vectors fixes invert_frame
__global__ __launch_bounds__(kThreads) void invert_frame_vectors(
    const uint4* __restrict__ source,  // (count)
    uint4* __restrict__ target,        // (count)
    unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const uint4 bytes = source[i];
    target[i] = make_uint4(~bytes.x, ~bytes.y, ~bytes.z, ~bytes.w);
  }
}

// Two bytes a thread at a time.
// zoo: rescale_halves plants narrow-access, fixed by rescale_halves_vectors
__global__ __launch_bounds__(kThreads) void rescale_halves(
    const __half* __restrict__ source,  // (count)
    __half* __restrict__ target,        // (count)
    unsigned count, __half scale, __half shift) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    target[i] = __hfma(source[i], scale, shift);
  }
}

constexpr unsigned kHalves = 8;  // in sixteen bytes

// Two halves in one word, both scaled and shifted.
__device__ inline unsigned rescale_pair(unsigned word, __half2 scales, __half2 shifts) {
  const __half2 pair = __hfma2(*reinterpret_cast<const __half2*>(&word), scales, shifts);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// zoo: rescale_halves_vectors fixes rescale_halves
__global__ __launch_bounds__(kThreads) void rescale_halves_vectors(
    const uint4* __restrict__ source,  // (count)
    uint4* __restrict__ target,        // (count)
    unsigned count, __half scale, __half shift) {
  const unsigned stride = gridDim.x * kThreads;
  const __half2 scales = __half2half2(scale);
  const __half2 shifts = __half2half2(shift);
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const uint4 words = source[i];
    target[i] =
        make_uint4(rescale_pair(words.x, scales, shifts), rescale_pair(words.y, scales, shifts),
                   rescale_pair(words.z, scales, shifts), rescale_pair(words.w, scales, shifts));
  }
}

namespace {

void run_invert_frame() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  const unsigned vectors = blocks * kThreads * kVectorsAThread;
  const std::size_t count = std::size_t{vectors} * sizeof(uint4);
  REQUIRE(count < (std::size_t{1} << 31), "the kernels count in 32 bits");
  std::vector<unsigned char> block(kPeriod);
  const std::vector<unsigned> drawn = random_integers(kPeriod, 256, 4);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = static_cast<unsigned char>(drawn[i]);

  DeviceBuffer<unsigned char> source(count);
  DeviceBuffer<unsigned char> target(count);
  DeviceBuffer<unsigned char> target_vectors(count);
  fill_repeating(source, block);
  target.clear();
  target_vectors.clear();
  invert_frame<<<blocks, kThreads>>>(source.data(), target.data(), static_cast<unsigned>(count));
  finish_launch();
  invert_frame_vectors<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(source.data()),
                                             reinterpret_cast<uint4*>(target_vectors.data()),
                                             vectors);
  finish_launch();

  const std::vector<unsigned char> slow = target.download();
  expect_equal("invert frame, both ways", slow, target_vectors.download());
  for (std::size_t i = 0; i < count; i += 31) {
    expect_close("invert frame", slow[i], 255 - block[i % kPeriod], 0.0, i);
  }
  passed("invert frame");
}

void run_rescale_halves() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  const unsigned vectors = blocks * kThreads * kVectorsAThread;
  const std::size_t count = std::size_t{vectors} * kHalves;
  constexpr float kScale = 1.5f;
  constexpr float kShift = 0.25f;
  const std::vector<float> drawn = random_floats(kPeriod, 5);
  std::vector<__half> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = __float2half(drawn[i]);

  DeviceBuffer<__half> source(count);
  DeviceBuffer<__half> target(count);
  DeviceBuffer<__half> target_vectors(count);
  fill_repeating(source, block);
  target.clear();
  target_vectors.clear();
  rescale_halves<<<blocks, kThreads>>>(source.data(), target.data(), static_cast<unsigned>(count),
                                       __float2half(kScale), __float2half(kShift));
  finish_launch();
  rescale_halves_vectors<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(source.data()),
                                               reinterpret_cast<uint4*>(target_vectors.data()),
                                               vectors, __float2half(kScale), __float2half(kShift));
  finish_launch();

  const std::vector<__half> slow = target.download();
  const std::vector<__half> fast = target_vectors.download();
  for (std::size_t i = 0; i < count; i += 31) {
    const double actual = __half2float(slow[i]);
    expect_close("rescale halves, both ways", actual, __half2float(fast[i]), 0.0, i);
    expect_close("rescale halves", actual, kScale * __half2float(block[i % kPeriod]) + kShift, 1e-3,
                 i);
  }
  passed("rescale halves");
}

}  // namespace

int main() {
  run_invert_frame();
  run_rescale_halves();
}
