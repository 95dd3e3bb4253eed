// SPDX-License-Identifier: Apache-2.0
//
// A matrix transposed three ways: with strided stores, through a tile in shared memory whose
// columns all lie in one bank, and through a tile with one more column, whose do not.
#include <proofline/bench.h>

namespace {

constexpr unsigned kTile = 32;
constexpr unsigned kRows = 8;  // of threads in a block; each moves kTile / kRows elements

// in, out: (n, n); block (kTile, kRows), a block for each tile.
__global__ void naive(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  for (unsigned y = blockIdx.y * kTile + threadIdx.y; y < (blockIdx.y + 1) * kTile; y += kRows) {
    if (x < n && y < n) out[std::size_t{x} * n + y] = in[std::size_t{y} * n + x];
  }
}

template <unsigned kColumns>
__global__ void through_tile(const float* __restrict__ in, float* __restrict__ out, unsigned n) {
  __shared__ float tile[kTile][kColumns];  // kTile columns of it are used
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    const unsigned y = blockIdx.y * kTile + row;
    if (x < n && y < n) tile[row][threadIdx.x] = in[std::size_t{y} * n + x];
  }
  __syncthreads();
  const unsigned out_x = blockIdx.y * kTile + threadIdx.x;
  for (unsigned row = threadIdx.y; row < kTile; row += kRows) {
    const unsigned out_y = blockIdx.x * kTile + row;
    if (out_x < n && out_y < n) out[std::size_t{out_y} * n + out_x] = tile[threadIdx.x][row];
  }
}

float value(std::size_t i) { return static_cast<float>(i * 40503 % 65536); }

void transpose(proofline::bench::Configuration& config) {
  using proofline::bench::Launch;
  const auto n = static_cast<unsigned>(config.integer("n"));
  const std::size_t count = std::size_t{n} * n;
  proofline::bench::Buffer<float> in(count);
  proofline::bench::Buffer<float> out(count);
  in.fill(value);
  config.bytes(2.0 * static_cast<double>(count * sizeof(float)));
  config.check(out, [n](std::size_t i) { return value(i % n * n + i / n); });

  const dim3 block(kTile, kRows);
  const dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
  config.measure("naive", [&](Launch launch) {
    naive<<<grid, block, 0, launch.stream>>>(in.data(), out.data(), n);
  });
  config.measure("tiled", [&](Launch launch) {
    through_tile<kTile><<<grid, block, 0, launch.stream>>>(in.data(), out.data(), n);
  });
  config.measure("padded", [&](Launch launch) {
    through_tile<kTile + 1><<<grid, block, 0, launch.stream>>>(in.data(), out.data(), n);
  });
}

}  // namespace

int main(int argc, char** argv) {
  proofline::bench::Suite suite("transpose", argc, argv);
  suite.axis("n", {1024, 2048, 4096, 8192});
  suite.run(transpose);
  return suite.finish();
}
