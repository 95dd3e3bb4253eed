// SPDX-License-Identifier: Apache-2.0
//
// An image filtered with 7 x 7 weights: both read from global memory, the weights as constants, the
// image from a tile in shared memory with its margin, and a tile of 4 x 4 results a thread, for
// which a row of the image is read once and kept in registers.
#include "../zoo/fill.cuh"

constexpr unsigned kWidth = 8192;  // of the result
constexpr unsigned kHeight = 4096;
constexpr unsigned kTaps = 7;            // each way
constexpr unsigned kPitch = kWidth + 8;  // of the image, which has a margin right and below
constexpr unsigned kLines = kHeight + kTaps - 1;
constexpr unsigned kLanes = 32;
constexpr double kTolerance = 1e-5;

__constant__ float constant_weights[kTaps][kTaps];

constexpr unsigned kBlockLines = 8;

// 49 loads of the image and 49 of the weights for 49 operations: L1 and the unit before it are busy
// for about a hundred cycles, the FMA pipe for twelve.
// ladder: convolution step 1: convolve_global is held by lsu-pipe or l1-bandwidth
__global__ __launch_bounds__(kLanes* kBlockLines) void convolve_global(
    const float* __restrict__ image,    // (kLines, kPitch)
    const float* __restrict__ weights,  // (kTaps, kTaps)
    float* __restrict__ result) {       // (kHeight, kWidth)
  const unsigned x = blockIdx.x * kLanes + threadIdx.x;
  const unsigned y = blockIdx.y * kBlockLines + threadIdx.y;
  const float* corner = image + y * kPitch + x;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < kTaps; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kTaps; ++j) {
      sum += weights[i * kTaps + j] * corner[i * kPitch + j];
    }
  }
  result[y * kWidth + x] = sum;
}

// The weights are operands of the arithmetic now. 49 loads are left, most of which straddle two
// lines, where the FMA pipe needs twelve cycles.
// ladder: convolution step 2: convolve_constant is held by lsu-pipe or l1-bandwidth
__global__ __launch_bounds__(kLanes* kBlockLines) void convolve_constant(
    const float* __restrict__ image,  // (kLines, kPitch)
    float* __restrict__ result) {     // (kHeight, kWidth)
  const unsigned x = blockIdx.x * kLanes + threadIdx.x;
  const unsigned y = blockIdx.y * kBlockLines + threadIdx.y;
  const float* corner = image + y * kPitch + x;
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kTaps; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kTaps; ++j) {
      sum += constant_weights[i][j] * corner[i * kPitch + j];
    }
  }
  result[y * kWidth + x] = sum;
}

constexpr unsigned kTileLines = 16;
constexpr unsigned kTileWidth = kLanes + kTaps - 1;

// The same 49 loads from shared memory, a wavefront each.
// ladder: convolution step 3: convolve_tile is held by shared-bandwidth or lsu-pipe
__global__ __launch_bounds__(kLanes* kTileLines) void convolve_tile(
    const float* __restrict__ image,  // (kLines, kPitch)
    float* __restrict__ result) {     // (kHeight, kWidth)
  __shared__ float tile[kTileLines + kTaps - 1][kTileWidth];
  const unsigned first_x = blockIdx.x * kLanes;
  const unsigned first_y = blockIdx.y * kTileLines;
  for (unsigned i = threadIdx.y; i < kTileLines + kTaps - 1; i += kTileLines) {
    for (unsigned j = threadIdx.x; j < kTileWidth; j += kLanes) {
      tile[i][j] = image[(first_y + i) * kPitch + first_x + j];
    }
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (unsigned i = 0; i < kTaps; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kTaps; ++j) {
      sum += constant_weights[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
    }
  }
  result[(first_y + threadIdx.y) * kWidth + first_x + threadIdx.x] = sum;
}

constexpr unsigned kOwn = 4;    // results a thread, each way
constexpr unsigned kSpan = 12;  // of a row of the image that they depend on, in whole vectors
constexpr unsigned kBigWidth = kLanes * kOwn + 8;
constexpr unsigned kBigLines = kBlockLines * kOwn;

// Three loads of 16 bytes a row of the image serve up to 112 operations: 30 loads for 784. The
// bytes of image and result take the memory as long as the operations take the FMA pipe.
// ladder: convolution step 4: convolve_registers is held by dram-bandwidth or fma-pipe or issue-slots
__global__ __launch_bounds__(kLanes* kBlockLines) void convolve_registers(
    const float* __restrict__ image,  // (kLines, kPitch)
    float* __restrict__ result) {     // (kHeight, kWidth)
  __shared__ __align__(16) float tile[kBigLines + kTaps - 1][kBigWidth];
  const unsigned first_x = blockIdx.x * kLanes * kOwn;
  const unsigned first_y = blockIdx.y * kBigLines;
  for (unsigned i = threadIdx.y; i < kBigLines + kTaps - 1; i += kBlockLines) {
    const float4* source =
        reinterpret_cast<const float4*>(image + (first_y + i) * kPitch + first_x);
    for (unsigned j = threadIdx.x; j < kBigWidth / 4; j += kLanes) {
      *reinterpret_cast<float4*>(&tile[i][4 * j]) = source[j];
    }
  }
  __syncthreads();
  float sums[kOwn][kOwn] = {};  // (lines, columns)
#pragma unroll
  for (unsigned line = 0; line < kOwn + kTaps - 1; ++line) {
    float row[kSpan];
#pragma unroll
    for (unsigned j = 0; j < kSpan; ++j)
      row[j] = tile[threadIdx.y * kOwn + line][threadIdx.x * kOwn + j];
#pragma unroll
    for (unsigned own = 0; own < kOwn; ++own) {
      if (line < own || line >= own + kTaps) continue;
#pragma unroll
      for (unsigned j = 0; j < kTaps; ++j) {
#pragma unroll
        for (unsigned column = 0; column < kOwn; ++column) {
          sums[own][column] += constant_weights[line - own][j] * row[column + j];
        }
      }
    }
  }
#pragma unroll
  for (unsigned own = 0; own < kOwn; ++own) {
    *reinterpret_cast<float4*>(result + (first_y + threadIdx.y * kOwn + own) * kWidth + first_x +
                               threadIdx.x * kOwn) =
        make_float4(sums[own][0], sums[own][1], sums[own][2], sums[own][3]);
  }
}

namespace {

static_assert(kWidth % (kLanes * kOwn) == 0 && kHeight % kBigLines == 0 &&
                  kHeight % kTileLines == 0 && kHeight % kBlockLines == 0 && kPitch % 4 == 0,
              "the grids cover the image exactly, its rows are aligned");

void check(const char* name, const std::vector<float>& block, const std::vector<float>& weights,
           const DeviceBuffer<float>& result) {
  finish_launch();
  const std::vector<float> actual = result.download();
  for (std::size_t i = 0; i < actual.size(); i += 101) {
    const std::size_t x = i % kWidth;
    const std::size_t y = i / kWidth;
    double sum = 0.0;
    for (std::size_t r = 0; r < kTaps; ++r) {
      for (std::size_t s = 0; s < kTaps; ++s) {
        sum += static_cast<double>(weights[r * kTaps + s]) *
               block[((y + r) * kPitch + x + s) % kPeriod];
      }
    }
    expect_close(name, actual[i], sum, kTolerance, i);
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<float> block = random_floats(kPeriod, 120);
  const std::vector<float> host_weights = random_floats(kTaps * kTaps, 121);
  DeviceBuffer<float> image(std::size_t{kLines} * kPitch);    // (kLines, kPitch)
  DeviceBuffer<float> result(std::size_t{kHeight} * kWidth);  // (kHeight, kWidth)
  const DeviceBuffer<float> weights(host_weights);            // (kTaps, kTaps)
  fill_repeating(image, block);
  CHECK_CUDA(cudaMemcpyToSymbol(constant_weights, host_weights.data(), sizeof(constant_weights)));

  const dim3 grid(kWidth / kLanes, kHeight / kBlockLines);
  const dim3 threads(kLanes, kBlockLines);
  result.clear();
  convolve_global<<<grid, threads>>>(image.data(), weights.data(), result.data());
  check("convolution from global memory", block, host_weights, result);
  result.clear();
  convolve_constant<<<grid, threads>>>(image.data(), result.data());
  check("convolution with constant weights", block, host_weights, result);
  result.clear();
  convolve_tile<<<dim3(kWidth / kLanes, kHeight / kTileLines), dim3(kLanes, kTileLines)>>>(
      image.data(), result.data());
  check("convolution from a tile", block, host_weights, result);
  result.clear();
  convolve_registers<<<dim3(kWidth / (kLanes * kOwn), kHeight / kBigLines), threads>>>(
      image.data(), result.data());
  check("convolution from registers", block, host_weights, result);
}
