// SPDX-License-Identifier: Apache-2.0
//
// Softmax over the rows of a matrix: a thread for a row, in the three passes of the formula; a warp
// for a row, in the same three passes; and a warp for a row that it reads once and keeps in
// registers.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kColumns = 2048;
constexpr unsigned kPerLane = kColumns / kWarp;
constexpr unsigned kRows = 132 * kThreads;  // 8 KiB each, 277 MB together, five times the L2
constexpr double kTolerance = 1e-6;         // absolute: the results are about 1 / kColumns

// The lanes read a row apart, three times over, and write so: 32 sectors for 128 bytes, each time.
// ladder: softmax step 1: softmax_threads is held by uncoalesced-global, lifted by softmax_warps
__global__ __launch_bounds__(kThreads) void softmax_threads(
    const float* __restrict__ input,  // (kRows, kColumns)
    float* __restrict__ output) {     // (kRows, kColumns)
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float* source = input + row * kColumns;
  float* target = output + row * kColumns;
  float largest = -INFINITY;
  for (unsigned i = 0; i < kColumns; ++i) largest = fmaxf(largest, source[i]);
  float sum = 0.0f;
  for (unsigned i = 0; i < kColumns; ++i) sum += __expf(source[i] - largest);
  const float scale = 1.0f / sum;
  for (unsigned i = 0; i < kColumns; ++i) target[i] = __expf(source[i] - largest) * scale;
}

__device__ __forceinline__ float warp_maximum(float value) {
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// The rows of all resident warps are 512 KiB a multiprocessor and 67 MB together, more than L1 and
// L2 hold: most of the second and the third reading comes from the memory once more.
// ladder: softmax step 2: softmax_warps is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void softmax_warps(
    const float* __restrict__ input,  // (kRows, kColumns)
    float* __restrict__ output) {     // (kRows, kColumns)
  const std::size_t row = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  const float* source = input + row * kColumns;
  float* target = output + row * kColumns;
  float largest = -INFINITY;
#pragma unroll 8
  for (unsigned i = lane; i < kColumns; i += kWarp) largest = fmaxf(largest, source[i]);
  largest = warp_maximum(largest);
  float sum = 0.0f;
#pragma unroll 8
  for (unsigned i = lane; i < kColumns; i += kWarp) sum += __expf(source[i] - largest);
  const float scale = 1.0f / warp_sum(sum);
#pragma unroll 8
  for (unsigned i = lane; i < kColumns; i += kWarp) {
    target[i] = __expf(source[i] - largest) * scale;
  }
}

// Every byte is read once and written once.
// ladder: softmax step 3: softmax_registers is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void softmax_registers(
    const float* __restrict__ input,  // (kRows, kColumns)
    float* __restrict__ output) {     // (kRows, kColumns)
  const std::size_t row = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  const float* source = input + row * kColumns;
  float* target = output + row * kColumns;
  float values[kPerLane];
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) values[i] = source[i * kWarp + lane];
  float largest = values[0];
#pragma unroll
  for (unsigned i = 1; i < kPerLane; ++i) largest = fmaxf(largest, values[i]);
  largest = warp_maximum(largest);
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) {
    values[i] = __expf(values[i] - largest);
    sum += values[i];
  }
  const float scale = 1.0f / warp_sum(sum);
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) target[i * kWarp + lane] = values[i] * scale;
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned blocks, const DeviceBuffer<float>& input,
         const std::vector<float>& block) {
  DeviceBuffer<float> output(input.size());  // (kRows, kColumns)
  output.clear();
  kernel<<<blocks, kThreads>>>(input.data(), output.data());
  finish_launch();
  const std::vector<float> actual = output.download();
  for (std::size_t row = 0; row < kRows; row += 499) {
    const std::size_t first = row * kColumns;
    double sum = 0.0;
    for (std::size_t i = 0; i < kColumns; ++i) sum += std::exp(block[(first + i) % kPeriod]);
    for (std::size_t i = 0; i < kColumns; ++i) {
      expect_close(name, actual[first + i], std::exp(block[(first + i) % kPeriod]) / sum,
                   kTolerance, first + i);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  std::vector<float> block = random_floats(kPeriod, 103);
  for (float& value : block) value *= 8.0f;
  DeviceBuffer<float> input(std::size_t{kRows} * kColumns);  // (kRows, kColumns)
  fill_repeating(input, block);
  run("softmax, thread for a row", softmax_threads, kRows / kThreads, input, block);
  run("softmax, warp for a row", softmax_warps, kRows / (kThreads / kWarp), input, block);
  run("softmax in registers", softmax_registers, kRows / (kThreads / kWarp), input, block);
}
