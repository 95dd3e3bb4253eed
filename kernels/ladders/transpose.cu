// SPDX-License-Identifier: Apache-2.0
//
// A matrix transposed: element by element, through a tile in shared memory whose columns share a
// bank, and through a padded tile.
#include "../zoo/fill.cuh"

constexpr unsigned kTile = 32;
constexpr unsigned kLines = 8;  // of a tile, at once
constexpr unsigned kRows = 6144;
constexpr unsigned kColumns = 4096;  // 101 MB
static_assert(kRows % kTile == 0 && kColumns % kTile == 0, "the grid covers the matrix exactly");

// A warp writes 32 numbers a row of the result apart: 32 sectors for 128 bytes.
// ladder: transpose step 1: transpose_plain is held by uncoalesced-global, lifted by transpose_pad
__global__ __launch_bounds__(kTile* kLines) void transpose_plain(
    const float* __restrict__ source,  // (kRows, kColumns)
    float* __restrict__ target) {      // (kColumns, kRows)
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  const unsigned first = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (unsigned i = 0; i < kTile; i += kLines) {
    target[column * kRows + first + i] = source[(first + i) * kColumns + column];
  }
}

template <unsigned kPadding>
__device__ __forceinline__ void transpose_through_tile(
    const float* __restrict__ source,  // (kRows, kColumns)
    float* __restrict__ target) {      // (kColumns, kRows)
  __shared__ float tile[kTile][kTile + kPadding];
  const unsigned first_row = blockIdx.y * kTile;
  const unsigned first_column = blockIdx.x * kTile;
#pragma unroll
  for (unsigned i = threadIdx.y; i < kTile; i += kLines) {
    tile[i][threadIdx.x] = source[(first_row + i) * kColumns + first_column + threadIdx.x];
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = threadIdx.y; i < kTile; i += kLines) {
    target[(first_column + i) * kRows + first_row + threadIdx.x] = tile[threadIdx.x][i];
  }
}

// Global memory is read and written packed, but the 32 numbers of a column are in one bank.
// ladder: transpose step 2: transpose_raw is held by shared-bank-conflicts, lifted by transpose_pad
__global__ __launch_bounds__(kTile* kLines) void transpose_raw(
    const float* __restrict__ source,  // (kRows, kColumns)
    float* __restrict__ target) {      // (kColumns, kRows)
  transpose_through_tile<0>(source, target);
}

// A copy's traffic, at a copy's rate.
// ladder: transpose step 3: transpose_pad is held by dram-bandwidth or l2-bandwidth or memory-latency
__global__ __launch_bounds__(kTile* kLines) void transpose_pad(
    const float* __restrict__ source,  // (kRows, kColumns)
    float* __restrict__ target) {      // (kColumns, kRows)
  transpose_through_tile<1>(source, target);
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, const DeviceBuffer<float>& source,
         const std::vector<float>& block) {
  DeviceBuffer<float> target(source.size());  // (kColumns, kRows)
  target.clear();
  kernel<<<dim3(kColumns / kTile, kRows / kTile), dim3(kTile, kLines)>>>(source.data(),
                                                                         target.data());
  finish_launch();
  const std::vector<float> actual = target.download();
  for (std::size_t i = 0; i < actual.size(); i += 7) {
    const std::size_t from = i % kRows * kColumns + i / kRows;
    expect_close(name, actual[i], block[from % kPeriod], 0.0, i);
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<float> block = random_floats(kPeriod, 112);
  DeviceBuffer<float> source(std::size_t{kRows} * kColumns);  // (kRows, kColumns)
  fill_repeating(source, block);
  run("transpose, element by element", transpose_plain, source, block);
  run("transpose through a tile", transpose_raw, source, block);
  run("transpose through a padded tile", transpose_pad, source, block);
}
