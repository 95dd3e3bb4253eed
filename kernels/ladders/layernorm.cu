// SPDX-License-Identifier: Apache-2.0
//
// Layer normalisation of the rows of a matrix: a thread for a row; a block for a row, with the
// textbook's tree in shared memory for the mean and another for the variance; and a warp for a row,
// which adds by shuffles and reads 16 bytes a lane.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kColumns = 1024;
constexpr unsigned kVectors = kColumns / 4 / kWarp;  // of four numbers, a lane's of a row
constexpr unsigned kRows = 132 * kThreads;           // 138 MB
constexpr float kEpsilon = 1e-5f;
constexpr double kTolerance = 1e-4;

// The lanes read and write a row apart, 32 sectors for 128 bytes, and read three times over.
// ladder: layernorm step 1: layernorm_threads is held by uncoalesced-global
__global__ __launch_bounds__(kThreads) void layernorm_threads(
    const float* __restrict__ input,  // (kRows, kColumns)
    const float* __restrict__ gain,   // (kColumns)
    const float* __restrict__ bias,   // (kColumns)
    float* __restrict__ output) {     // (kRows, kColumns)
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float* source = input + row * kColumns;
  float* target = output + row * kColumns;
  float sum = 0.0f;
  for (unsigned i = 0; i < kColumns; ++i) sum += source[i];
  const float mean = sum / kColumns;
  float squares = 0.0f;
  for (unsigned i = 0; i < kColumns; ++i) {
    const float difference = source[i] - mean;
    squares += difference * difference;
  }
  const float scale = rsqrtf(squares / kColumns + kEpsilon);
  for (unsigned i = 0; i < kColumns; ++i) {
    target[i] = (source[i] - mean) * scale * gain[i] + bias[i];
  }
}

// By halves; all threads get the sum.
__device__ float tree_sum(float value, float* partial) {  // (kColumns)
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned half = kColumns / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();
  return sum;
}

// 24 barriers of 32 warps for one number a thread, and only two blocks fit on a multiprocessor: at
// the end of each tree one warp adds and 31 wait.
// ladder: layernorm step 2: layernorm_blocks is held by barrier-stalls or lsu-pipe, lifted by layernorm_warps
__global__ __launch_bounds__(kColumns) void layernorm_blocks(
    const float* __restrict__ input,  // (kRows, kColumns)
    const float* __restrict__ gain,   // (kColumns)
    const float* __restrict__ bias,   // (kColumns)
    float* __restrict__ output) {     // (kRows, kColumns)
  __shared__ float partial[kColumns];
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kColumns + threadIdx.x;
  const float value = input[i];
  const float difference = value - tree_sum(value, partial) / kColumns;
  const float variance = tree_sum(difference * difference, partial) / kColumns;
  output[i] = difference * rsqrtf(variance + kEpsilon) * gain[threadIdx.x] + bias[threadIdx.x];
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// Every byte is read once and written once, with eight loads of 16 bytes a lane under way.
// ladder: layernorm step 3: layernorm_warps is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void layernorm_warps(
    const float4* __restrict__ input,  // (kRows, kColumns / 4)
    const float4* __restrict__ gain,   // (kColumns / 4)
    const float4* __restrict__ bias,   // (kColumns / 4)
    float4* __restrict__ output) {     // (kRows, kColumns / 4)
  const std::size_t row = (static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  const unsigned lane = threadIdx.x % kWarp;
  const float4* source = input + row * (kColumns / 4) + lane;
  float4* target = output + row * (kColumns / 4) + lane;
  float4 values[kVectors];
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) values[i] = source[i * kWarp];
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    sum += (values[i].x + values[i].y) + (values[i].z + values[i].w);
  }
  const float mean = warp_sum(sum) / kColumns;
  float squares = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    float4& value = values[i];
    value = make_float4(value.x - mean, value.y - mean, value.z - mean, value.w - mean);
    squares += (value.x * value.x + value.y * value.y) + (value.z * value.z + value.w * value.w);
  }
  const float scale = rsqrtf(warp_sum(squares) / kColumns + kEpsilon);
#pragma unroll
  for (unsigned i = 0; i < kVectors; ++i) {
    const float4 value = values[i];
    const float4 g = gain[i * kWarp + lane];
    const float4 b = bias[i * kWarp + lane];
    target[i * kWarp] = make_float4(value.x * scale * g.x + b.x, value.y * scale * g.y + b.y,
                                    value.z * scale * g.z + b.z, value.w * scale * g.w + b.w);
  }
}

namespace {

struct Data {
  std::vector<float> block = random_floats(kPeriod, 104);
  std::vector<float> host_gain = random_floats(kColumns, 105);
  std::vector<float> host_bias = random_floats(kColumns, 106);
  DeviceBuffer<float> input{std::size_t{kRows} * kColumns};   // (kRows, kColumns)
  DeviceBuffer<float> output{std::size_t{kRows} * kColumns};  // (kRows, kColumns)
  DeviceBuffer<float> gain{host_gain};                        // (kColumns)
  DeviceBuffer<float> bias{host_bias};                        // (kColumns)
};

void check(const char* name, const Data& data) {
  finish_launch();
  const std::vector<float> actual = data.output.download();
  for (std::size_t row = 0; row < kRows; row += 499) {
    const auto value = [&](std::size_t i) -> double {
      return data.block[(row * kColumns + i) % kPeriod];
    };
    double mean = 0.0;
    for (std::size_t i = 0; i < kColumns; ++i) mean += value(i) / kColumns;
    double variance = 0.0;
    for (std::size_t i = 0; i < kColumns; ++i) {
      variance += (value(i) - mean) * (value(i) - mean) / kColumns;
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
      const double normal = (value(i) - mean) / std::sqrt(variance + kEpsilon);
      expect_close(name, actual[row * kColumns + i], normal * data.host_gain[i] + data.host_bias[i],
                   kTolerance, row * kColumns + i);
    }
  }
  passed(name);
}

const float4* vectors(const DeviceBuffer<float>& buffer) {
  return reinterpret_cast<const float4*>(buffer.data());
}

}  // namespace

int main() {
  Data data;
  fill_repeating(data.input, data.block);
  data.output.clear();
  layernorm_threads<<<kRows / kThreads, kThreads>>>(data.input.data(), data.gain.data(),
                                                    data.bias.data(), data.output.data());
  check("layernorm, thread for a row", data);
  data.output.clear();
  layernorm_blocks<<<kRows, kColumns>>>(data.input.data(), data.gain.data(), data.bias.data(),
                                        data.output.data());
  check("layernorm, block for a row", data);
  data.output.clear();
  layernorm_warps<<<kRows / (kThreads / kWarp), kThreads>>>(
      vectors(data.input), vectors(data.gain), vectors(data.bias),
      reinterpret_cast<float4*>(data.output.data()));
  check("layernorm, warp for a row", data);
}
