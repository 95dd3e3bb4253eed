// SPDX-License-Identifier: Apache-2.0
//
// A product of float matrices by tiles in shared memory whose elements are used once for each time
// that they are read: two loads of four bytes to a multiply-add, so that the data path of shared
// memory is full while the arithmetic waits. The twin reads sixteen bytes at a time and holds eight
// by eight results in a thread, so that what it has read serves eight times.
#include "resident.cuh"

constexpr unsigned kTile = 32;  // rows, columns and depth of a block's tile
constexpr unsigned kTileThreads = kTile * kTile;
constexpr unsigned kTileResident = 2;  // blocks on a multiprocessor

// Each thread has one element of the result. Rows of the left tile are longer by one: the compiler
// would otherwise read four of their elements at once.
// zoo: multiply_tiles plants shared-bandwidth, fixed by multiply_tiles_held
__global__ __launch_bounds__(kTileThreads, kTileResident) void multiply_tiles(
    const float* __restrict__ left,   // (rows, depth)
    const float* __restrict__ right,  // (depth, columns)
    float* __restrict__ result,       // (rows, columns)
    unsigned depth, unsigned columns) {
  __shared__ float left_tile[kTile][kTile + 1];
  __shared__ float right_tile[kTile][kTile];
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < depth; k += kTile) {
    left_tile[threadIdx.y][threadIdx.x] = left[row * depth + k + threadIdx.x];
    right_tile[threadIdx.y][threadIdx.x] = right[(k + threadIdx.y) * columns + column];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kTile; ++i) {
      sum = fmaf(left_tile[threadIdx.y][i], right_tile[i][threadIdx.x], sum);
    }
    __syncthreads();
  }
  result[row * columns + column] = sum;
}

constexpr unsigned kThreads = 128;
constexpr unsigned kResident = 4;       // blocks on a multiprocessor, as their registers allow
constexpr unsigned kTallRows = 64;      // of a block's part of the result
constexpr unsigned kWideColumns = 128;  // of it
constexpr unsigned kSlab = 8;           // of the depth
constexpr unsigned kShare = 8;          // rows and columns of the result for a thread
constexpr unsigned kThreadColumns = kWideColumns / kShare;
constexpr unsigned kPitch = kTallRows + 4;  // of the left slab, for the banks

__device__ inline void load_four(float* target, const float* source) {
  const float4 v = *reinterpret_cast<const float4*>(source);
  target[0] = v.x;
  target[1] = v.y;
  target[2] = v.z;
  target[3] = v.w;
}

// The left slab lies turned round, so that a thread's eight rows are side by side; of its columns
// four are in each half of the slab. The next slab is on its way while this one is multiplied.
// zoo: multiply_tiles_held fixes multiply_tiles
__global__ __launch_bounds__(kThreads, kResident) void multiply_tiles_held(
    const float* __restrict__ left,   // (rows, depth)
    const float* __restrict__ right,  // (depth, columns)
    float* __restrict__ result,       // (rows, columns)
    unsigned depth, unsigned columns) {
  __shared__ __align__(16) float left_slab[2][kSlab][kPitch];
  __shared__ __align__(16) float right_slab[2][kSlab][kWideColumns];
  constexpr unsigned kLeftLoads = kTallRows * kSlab / 4 / kThreads;
  constexpr unsigned kRightLoads = kSlab * kWideColumns / 4 / kThreads;
  constexpr unsigned kLeftVectors = kSlab / 4;          // of a row
  constexpr unsigned kRightVectors = kWideColumns / 4;  // of a row
  left += blockIdx.y * kTallRows * depth;
  right += blockIdx.x * kWideColumns;
  const unsigned row = threadIdx.x / kThreadColumns * kShare;
  const unsigned column = threadIdx.x % kThreadColumns * 4;
  float4 next_left[kLeftLoads];
  float4 next_right[kRightLoads];
  const auto load_slab = [&](unsigned k) {
#pragma unroll
    for (unsigned j = 0; j < kLeftLoads; ++j) {
      const unsigned i = j * kThreads + threadIdx.x;
      next_left[j] = *reinterpret_cast<const float4*>(left + i / kLeftVectors * depth + k +
                                                      i % kLeftVectors * 4);
    }
#pragma unroll
    for (unsigned j = 0; j < kRightLoads; ++j) {
      const unsigned i = j * kThreads + threadIdx.x;
      next_right[j] = *reinterpret_cast<const float4*>(right + (k + i / kRightVectors) * columns +
                                                       i % kRightVectors * 4);
    }
  };
  float sums[kShare][kShare] = {};
  load_slab(0);
  unsigned now = 0;
#pragma unroll 1
  for (unsigned k = 0; k < depth; k += kSlab) {
#pragma unroll
    for (unsigned j = 0; j < kLeftLoads; ++j) {
      const unsigned i = j * kThreads + threadIdx.x;
      float* to = &left_slab[now][i % kLeftVectors * 4][i / kLeftVectors];
      to[0] = next_left[j].x;
      to[kPitch] = next_left[j].y;
      to[2 * kPitch] = next_left[j].z;
      to[3 * kPitch] = next_left[j].w;
    }
#pragma unroll
    for (unsigned j = 0; j < kRightLoads; ++j) {
      const unsigned i = j * kThreads + threadIdx.x;
      *reinterpret_cast<float4*>(&right_slab[now][i / kRightVectors][i % kRightVectors * 4]) =
          next_right[j];
    }
    __syncthreads();
    if (k + kSlab < depth) load_slab(k + kSlab);
#pragma unroll
    for (unsigned i = 0; i < kSlab; ++i) {
      float a[kShare];
      float b[kShare];
      load_four(a, &left_slab[now][i][row]);
      load_four(a + 4, &left_slab[now][i][row + 4]);
      load_four(b, &right_slab[now][i][column]);
      load_four(b + 4, &right_slab[now][i][column + kWideColumns / 2]);
#pragma unroll
      for (unsigned r = 0; r < kShare; ++r) {
#pragma unroll
        for (unsigned c = 0; c < kShare; ++c) sums[r][c] = fmaf(a[r], b[c], sums[r][c]);
      }
    }
    now = 1 - now;
  }
  result += (blockIdx.y * kTallRows + row) * columns + blockIdx.x * kWideColumns + column;
#pragma unroll
  for (unsigned r = 0; r < kShare; ++r) {
    __stcg(reinterpret_cast<float4*>(result + r * columns),
           make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]));
    __stcg(reinterpret_cast<float4*>(result + r * columns + kWideColumns / 2),
           make_float4(sums[r][4], sums[r][5], sums[r][6], sums[r][7]));
  }
}

namespace {

void run_multiply_tiles() {
  constexpr unsigned kColumns = 16 * kWideColumns;
  constexpr unsigned kDepth = 512;
  const unsigned rows = multiprocessors() / 4 * kTallRows;  // whole waves on 132 multiprocessors
  const std::vector<float> host_left = random_floats(std::size_t{rows} * kDepth, 171);
  const std::vector<float> host_right = random_floats(std::size_t{kDepth} * kColumns, 172);
  DeviceBuffer<float> left(host_left);                       // (rows, kDepth)
  DeviceBuffer<float> right(host_right);                     // (kDepth, kColumns)
  DeviceBuffer<float> result(std::size_t{rows} * kColumns);  // (rows, kColumns)
  result.clear();
  multiply_tiles<<<dim3(kColumns / kTile, rows / kTile), dim3(kTile, kTile)>>>(
      left.data(), right.data(), result.data(), kDepth, kColumns);
  finish_launch();
  const std::vector<float> slow = result.download();
  for (std::size_t i = 0; i < slow.size(); i += 4999) {
    double expected = 0.0;
    for (std::size_t k = 0; k < kDepth; ++k) {
      expected +=
          double{host_left[i / kColumns * kDepth + k]} * host_right[k * kColumns + i % kColumns];
    }
    expect_close("multiply tiles", slow[i], expected, 1e-4, i);
  }
  passed("multiply tiles");

  result.clear();
  multiply_tiles_held<<<dim3(kColumns / kWideColumns, rows / kTallRows), kThreads>>>(
      left.data(), right.data(), result.data(), kDepth, kColumns);
  finish_launch();
  expect_all_close("multiply tiles held", result.download(), slow, 1e-4);
  passed("multiply tiles held");
}

}  // namespace

int main() { run_multiply_tiles(); }
