// SPDX-License-Identifier: Apache-2.0
//
// Two element-wise operations. GELU on halves: with literals and a tanh that are double, in float
// with a half a thread, and with eight halves a thread. And a tensor scaled by image and channel
// with a bias by row and by column: every thread divides its index down to the four, or a block
// takes a row, and they are the block's.
#include <cuda_fp16.h>

#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;           // the most that a multiprocessor holds
constexpr unsigned kHalves = 8;                   // in sixteen bytes
constexpr unsigned kElements = 132 * 2048 * 256;  // halves, 138 MB
constexpr double kHalfTolerance = 4e-3;

// `0.5`, `1.0` and the constants are double, and so are tanh and all the rest: some fifty
// operations of the FP64 pipe for two bytes, on two paths of tanh that most warps both take.
// ladder: elementwise step 1: gelu_double is held by fp64-pipe or branch-divergence
__global__ __launch_bounds__(kThreads) void gelu_double(
    const __half* __restrict__ input,  // (count)
    __half* __restrict__ output,       // (count)
    unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    const float x = __half2float(input[i]);
    output[i] = __float2half(0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))));
  }
}

// The same, since (1 + tanh u) / 2 is 1 / (1 + exp(-2 u)).
__device__ __forceinline__ float gelu(float x) {
  const float u = 0.7978845608f * (x + 0.044715f * x * x * x);
  return __fdividef(x, 1.0f + __expf(-2.0f * u));
}

// A warp moves 64 bytes each way and executes about thirty instructions for them.
// ladder: elementwise step 2: gelu_half is held by narrow-access, lifted by gelu_vectors
__global__ __launch_bounds__(kThreads) void gelu_half(const __half* __restrict__ input,  // (count)
                                                      __half* __restrict__ output,       // (count)
                                                      unsigned count) {
  const unsigned stride = gridDim.x * kThreads;
#pragma unroll 1
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += stride) {
    output[i] = __float2half(gelu(__half2float(input[i])));
  }
}

__device__ __forceinline__ unsigned gelu_pair(unsigned word) {
  const float2 pair = __half22float2(*reinterpret_cast<const __half2*>(&word));
  const __half2 result = __floats2half2_rn(gelu(pair.x), gelu(pair.y));
  return *reinterpret_cast<const unsigned*>(&result);
}

// 512 bytes a warp each way: the memory is what is left.
// ladder: elementwise step 3: gelu_vectors is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void gelu_vectors(
    const uint4* __restrict__ input,  // (count)
    uint4* __restrict__ output,       // (count)
    unsigned count) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const uint4 words = input[i];
  output[i] =
      make_uint4(gelu_pair(words.x), gelu_pair(words.y), gelu_pair(words.z), gelu_pair(words.w));
}

constexpr unsigned kImages = 8;
constexpr unsigned kChannels = 32;
constexpr unsigned kRows = 132;
constexpr unsigned kColumns = 1024;  // 35 million numbers, 138 MB
constexpr double kTolerance = 1e-5;

// Five divisions by numbers that only the running program knows, 17 instructions each, of which
// three are a conversion or a reciprocal, for one multiplication and two additions.
// ladder: elementwise step 4: bias_divide is held by instruction-overhead, lifted by bias_rows
__global__ __launch_bounds__(kThreads) void bias_divide(
    const float* __restrict__ input,        // (images, channels, rows, columns)
    const float* __restrict__ scales,       // (images, channels)
    const float* __restrict__ row_bias,     // (channels, rows)
    const float* __restrict__ column_bias,  // (channels, columns)
    float* __restrict__ output,             // (images, channels, rows, columns)
    unsigned images, unsigned channels, unsigned rows, unsigned columns) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= images * channels * rows * columns) return;
  const unsigned column = i % columns;
  const unsigned row = i / columns % rows;
  const unsigned channel = i / (columns * rows) % channels;
  const unsigned image = i / (columns * rows * channels);
  output[i] = input[i] * scales[image * channels + channel] + row_bias[channel * rows + row] +
              column_bias[channel * columns + column];
}

// A block for a row: its place is computed once a thread for four numbers, with 16 bytes at a time.
// ladder: elementwise step 5: bias_rows is held by dram-bandwidth
__global__ __launch_bounds__(kThreads) void bias_rows(
    const float4* __restrict__ input,        // (images, channels, rows, columns / 4)
    const float* __restrict__ scales,        // (images, channels)
    const float* __restrict__ row_bias,      // (channels, rows)
    const float4* __restrict__ column_bias,  // (channels, columns / 4)
    float4* __restrict__ output,             // (images, channels, rows, columns / 4)
    unsigned channels, unsigned rows, unsigned vectors) {
  const unsigned row = blockIdx.x;
  const unsigned channel = blockIdx.y;
  const unsigned plane = blockIdx.z * channels + channel;
  const float scale = scales[plane];
  const float bias = row_bias[channel * rows + row];
  for (unsigned j = threadIdx.x; j < vectors; j += kThreads) {
    const unsigned i = (plane * rows + row) * vectors + j;
    const float4 value = input[i];
    const float4 more = column_bias[channel * vectors + j];
    output[i] = make_float4(value.x * scale + bias + more.x, value.y * scale + bias + more.y,
                            value.z * scale + bias + more.z, value.w * scale + bias + more.w);
  }
}

namespace {

void check_gelu(const char* name, const std::vector<__half>& block,
                const DeviceBuffer<__half>& output) {
  finish_launch();
  const std::vector<__half> actual = output.download();
  for (std::size_t i = 0; i < actual.size(); i += 31) {
    const double x = __half2float(block[i % kPeriod]);
    const double expected = 0.5 * x * (1.0 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    expect_close(name, __half2float(actual[i]), expected, kHalfTolerance, i);
  }
  passed(name);
}

void run_gelu() {
  const std::vector<float> drawn = random_floats(kPeriod, 122);
  std::vector<__half> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = __float2half(6.0f * drawn[i]);
  DeviceBuffer<__half> input(kElements);
  DeviceBuffer<__half> output(kElements);
  fill_repeating(input, block);
  output.clear();
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  gelu_double<<<blocks, kThreads>>>(input.data(), output.data(), kElements);
  check_gelu("gelu in double", block, output);
  output.clear();
  gelu_half<<<blocks, kThreads>>>(input.data(), output.data(), kElements);
  check_gelu("gelu, a half a thread", block, output);
  output.clear();
  gelu_vectors<<<kElements / kHalves / kThreads, kThreads>>>(
      reinterpret_cast<const uint4*>(input.data()), reinterpret_cast<uint4*>(output.data()),
      kElements / kHalves);
  check_gelu("gelu, eight halves a thread", block, output);
}

struct Bias {
  std::vector<float> block = random_floats(kPeriod, 123);
  std::vector<float> host_scales = random_floats(kImages * kChannels, 124);
  std::vector<float> host_rows = random_floats(kChannels * kRows, 125);
  std::vector<float> host_columns = random_floats(kChannels * kColumns, 126);
  DeviceBuffer<float> input{std::size_t{kImages} * kChannels * kRows * kColumns};
  DeviceBuffer<float> output{std::size_t{kImages} * kChannels * kRows * kColumns};
  DeviceBuffer<float> scales{host_scales};    // (kImages, kChannels)
  DeviceBuffer<float> rows{host_rows};        // (kChannels, kRows)
  DeviceBuffer<float> columns{host_columns};  // (kChannels, kColumns)
};

void check_bias(const char* name, const Bias& bias) {
  finish_launch();
  const std::vector<float> actual = bias.output.download();
  for (std::size_t i = 0; i < actual.size(); i += 31) {
    const std::size_t column = i % kColumns;
    const std::size_t row = i / kColumns % kRows;
    const std::size_t plane = i / kColumns / kRows;
    const std::size_t channel = plane % kChannels;
    const double expected = static_cast<double>(bias.block[i % kPeriod]) * bias.host_scales[plane] +
                            bias.host_rows[channel * kRows + row] +
                            bias.host_columns[channel * kColumns + column];
    expect_close(name, actual[i], expected, kTolerance, i);
  }
  passed(name);
}

void run_bias() {
  Bias bias;
  fill_repeating(bias.input, bias.block);
  bias.output.clear();
  bias_divide<<<blocks_for(bias.input.size(), kThreads), kThreads>>>(
      bias.input.data(), bias.scales.data(), bias.rows.data(), bias.columns.data(),
      bias.output.data(), kImages, kChannels, kRows, kColumns);
  check_bias("bias by divided index", bias);
  bias.output.clear();
  bias_rows<<<dim3(kRows, kChannels, kImages), kThreads>>>(
      reinterpret_cast<const float4*>(bias.input.data()), bias.scales.data(), bias.rows.data(),
      reinterpret_cast<const float4*>(bias.columns.data()),
      reinterpret_cast<float4*>(bias.output.data()), kChannels, kRows, kColumns / 4);
  check_bias("bias, block for a row", bias);
}

}  // namespace

int main() {
  run_gelu();
  run_bias();
}
