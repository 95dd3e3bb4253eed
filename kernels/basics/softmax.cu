// SPDX-License-Identifier: Apache-2.0
//
// A row-wise softmax two ways: a warp a row with the row kept in registers (one read, one write),
// and a block a row that reads a long row three times, the later times from cache.
#include <algorithm>

#include "check.cuh"

constexpr unsigned kWarp = 32;
constexpr unsigned kFullMask = 0xffffffffu;
constexpr unsigned kWarpsPerBlock = 8;
constexpr unsigned kThreads = kWarpsPerBlock * kWarp;

__device__ float max_of_warp(float value) {
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kFullMask, value, offset));
  }
  return value;
}

__device__ float sum_of_warp(float value) {
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(kFullMask, value, offset);
  return value;
}

// columns is exactly kPerLane * 32.
template <unsigned kPerLane>
__global__ void softmax_warp_per_row(const float* __restrict__ input,  // (rows, columns)
                                     float* __restrict__ output,       // (rows, columns)
                                     unsigned rows) {
  constexpr unsigned kColumns = kPerLane * kWarp;
  const unsigned row = blockIdx.x * kWarpsPerBlock + threadIdx.x / kWarp;
  if (row >= rows) return;
  const std::size_t first = std::size_t{row} * kColumns + threadIdx.x % kWarp;
  float values[kPerLane];
  float largest = -INFINITY;
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) {
    values[i] = input[first + i * kWarp];
    largest = fmaxf(largest, values[i]);
  }
  largest = max_of_warp(largest);
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) {
    values[i] = __expf(values[i] - largest);
    sum += values[i];
  }
  const float scale = 1.0f / sum_of_warp(sum);
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) output[first + i * kWarp] = values[i] * scale;
}

// Joins one value a warp into one for the block; every thread gets the result.
template <float (*kFold)(float)>
__device__ float fold_block(float value, float neutral, float* warps /* (kWarpsPerBlock) */) {
  value = kFold(value);
  __syncthreads();  // the array may still be read from the fold before
  if (threadIdx.x % kWarp == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  return kFold(threadIdx.x % kWarp < kWarpsPerBlock ? warps[threadIdx.x % kWarp] : neutral);
}

// One block a row; block is kThreads.
__global__ void softmax_block_per_row(const float* __restrict__ input,  // (gridDim.x, columns)
                                      float* __restrict__ output,       // (gridDim.x, columns)
                                      unsigned columns) {
  __shared__ float warps[kWarpsPerBlock];
  const std::size_t first = std::size_t{blockIdx.x} * columns;
  float largest = -INFINITY;
  for (unsigned i = threadIdx.x; i < columns; i += kThreads)
    largest = fmaxf(largest, input[first + i]);
  largest = fold_block<max_of_warp>(largest, -INFINITY, warps);
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < columns; i += kThreads)
    sum += __expf(input[first + i] - largest);
  const float scale = 1.0f / fold_block<sum_of_warp>(sum, 0.0f, warps);
  for (unsigned i = threadIdx.x; i < columns; i += kThreads) {
    output[first + i] = __expf(input[first + i] - largest) * scale;
  }
}

namespace {

void run(const char* name, unsigned rows, unsigned columns) {
  constexpr unsigned kPerLane = 16;
  REQUIRE(rows > 0 && columns > 0, "an empty matrix has no softmax");

  const std::vector<float> host = random_floats(std::size_t{rows} * columns, 11);
  DeviceBuffer<float> input(host);          // (rows, columns)
  DeviceBuffer<float> output(host.size());  // (rows, columns)
  output.clear();
  if (columns == kPerLane * kWarp) {
    const unsigned blocks = blocks_for(rows, kWarpsPerBlock);
    softmax_warp_per_row<kPerLane><<<blocks, kThreads>>>(input.data(), output.data(), rows);
  } else {
    softmax_block_per_row<<<rows, kThreads>>>(input.data(), output.data(), columns);
  }
  finish_launch();

  constexpr unsigned kRowStep = 13;  // odd, so that every warp of a block gets its turn
  const std::vector<float> actual = output.download();
  for (unsigned row = 0; row < rows; row += kRowStep) {
    const float* values = &host[std::size_t{row} * columns];
    const double largest = *std::max_element(values, values + columns);
    double sum = 0.0;
    for (unsigned i = 0; i < columns; ++i) sum += std::exp(values[i] - largest);
    for (unsigned i = 0; i < columns; ++i) {
      const std::size_t at = std::size_t{row} * columns + i;
      // Scaled by the number of columns so that a typical value is 1 and the tolerance means
      // digits.
      expect_close(name, double{actual[at]} * columns,
                   std::exp(values[i] - largest) / sum * columns, 1e-4, at);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  run("softmax, a warp a row, 16384 x 512", 16384, 512);
  run("softmax, a block a row, 4096 x 4096", 4096, 4096);
  run("softmax, a block a row, 256 x 32000", 256, 32000);
}
