// SPDX-License-Identifier: Apache-2.0
//
// A matrix transpose three ways: straight through global memory (its writes are strided), through a
// shared tile whose columns fall into one bank, and through a tile padded by one column. The last
// also runs on a shape that is no multiple of the tile.
#include "check.cuh"

constexpr unsigned kTile = 32;     // a tile is kTile x kTile
constexpr unsigned kTileRows = 8;  // a block is kTile x kTileRows threads, four elements a thread

__global__ void transpose_naive(const float* __restrict__ input,  // (rows, columns)
                                float* __restrict__ output,       // (columns, rows)
                                unsigned rows, unsigned columns) {
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  for (unsigned j = threadIdx.y; j < kTile; j += kTileRows) {
    const unsigned row = blockIdx.y * kTile + j;
    if (row < rows && column < columns) {
      output[std::size_t{column} * rows + row] = input[std::size_t{row} * columns + column];
    }
  }
}

// kPadding 0 puts a tile's column into a single bank, 1 spreads it over all of them.
template <unsigned kPadding>
__global__ void transpose_tiled(const float* __restrict__ input,  // (rows, columns)
                                float* __restrict__ output,       // (columns, rows)
                                unsigned rows, unsigned columns) {
  __shared__ float tile[kTile][kTile + kPadding];
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  for (unsigned j = threadIdx.y; j < kTile; j += kTileRows) {
    const unsigned row = blockIdx.y * kTile + j;
    if (row < rows && column < columns) {
      tile[j][threadIdx.x] = input[std::size_t{row} * columns + column];
    }
  }
  __syncthreads();
  const unsigned output_column = blockIdx.y * kTile + threadIdx.x;
  for (unsigned j = threadIdx.y; j < kTile; j += kTileRows) {
    const unsigned output_row = blockIdx.x * kTile + j;
    if (output_row < columns && output_column < rows) {
      output[std::size_t{output_row} * rows + output_column] = tile[threadIdx.x][j];
    }
  }
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned rows, unsigned columns) {
  REQUIRE(rows > 0 && columns > 0, "an empty matrix has no grid");

  const std::vector<float> input = random_floats(std::size_t{rows} * columns, 2);
  std::vector<float> expected(input.size());
  for (unsigned row = 0; row < rows; ++row) {
    for (unsigned column = 0; column < columns; ++column) {
      expected[std::size_t{column} * rows + row] = input[std::size_t{row} * columns + column];
    }
  }

  DeviceBuffer<float> source(input);         // (rows, columns)
  DeviceBuffer<float> target(input.size());  // (columns, rows)
  target.clear();
  kernel<<<dim3(blocks_for(columns, kTile), blocks_for(rows, kTile)), dim3(kTile, kTileRows)>>>(
      source.data(), target.data(), rows, columns);
  finish_launch();
  expect_equal(name, target.download(), expected);
  passed(name);
}

}  // namespace

int main() {
  run("transpose naive, 4096 x 4096", transpose_naive, 4096, 4096);
  run("transpose tiled, 4096 x 4096", transpose_tiled<0>, 4096, 4096);
  run("transpose tiled and padded, 4096 x 4096", transpose_tiled<1>, 4096, 4096);
  run("transpose tiled and padded, 1000 x 3001", transpose_tiled<1>, 1000, 3001);
}
