// SPDX-License-Identifier: Apache-2.0
//
// Global accesses whose lanes lie far apart, so that every lane of a warp moves a sector of its
// own and uses four bytes of it: rows summed by one thread each, one field read out of an array of
// structures, and a transposition that writes columns. Each has a twin that moves the same numbers
// with neighbouring lanes at neighbouring addresses.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

constexpr unsigned kColumns = 256;
constexpr unsigned kParts = 4;
constexpr unsigned kPartColumns = kColumns / kParts;

// Each thread sums its own row, four stretches of it at a time for four loads in flight. The sector
// that a lane has fetched for one column is evicted before the lane wants the next column of it:
// the resident threads keep four lines each, 1 MiB on a multiprocessor and 132 MiB together.
// zoo: row_sums plants uncoalesced-global, fixed by row_sums_by_warp
__global__ __launch_bounds__(kThreads) void row_sums(
    const float* __restrict__ matrix,  // (rows, kColumns)
    float* __restrict__ sums) {        // (rows)
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float* mine = matrix + row * kColumns;
  float parts[kParts] = {};
#pragma unroll 1
  for (unsigned column = 0; column < kPartColumns; ++column) {
#pragma unroll
    for (unsigned part = 0; part < kParts; ++part) {
      parts[part] += mine[part * kPartColumns + column];
    }
  }
  sums[row] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

// A warp takes the same thirty-two rows one after the other, with its lanes along the row.
// zoo: row_sums_by_warp fixes row_sums
__global__ __launch_bounds__(kThreads) void row_sums_by_warp(
    const float* __restrict__ matrix,  // (rows, kColumns)
    float* __restrict__ sums) {        // (rows)
  const unsigned lane = threadIdx.x % kWarp;
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x - lane;
  float mine = 0.0f;
#pragma unroll 4
  for (unsigned row = 0; row < kWarp; ++row) {
    const float4* values = reinterpret_cast<const float4*>(matrix + (first + row) * kColumns);
    float sum = 0.0f;
#pragma unroll
    for (unsigned i = 0; i < kColumns / 4; i += kWarp) {
      const float4 value = values[i + lane];
      sum += (value.x + value.y) + (value.z + value.w);
    }
#pragma unroll
    for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    }
    if (lane == row) mine = sum;
  }
  sums[first + lane] = mine;
}

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float mass;
  float charge;
};
static_assert(sizeof(Particle) == 32, "a particle fills one sector");

constexpr unsigned kPerThread = 4;

__host__ __device__ inline float self_energy(float charge) { return 0.75f * charge * charge; }

// The charges lie 32 bytes apart, one in each sector.
// zoo: self_energies plants uncoalesced-global, fixed by self_energies_of_charges
__global__ __launch_bounds__(kThreads) void self_energies(
    const Particle* __restrict__ particles,  // (count)
    float* __restrict__ energies) {          // (count)
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kPerThread; ++i) {
    energies[first + i * kThreads] = self_energy(particles[first + i * kThreads].charge);
  }
}

// The same charges in an array of their own.
// zoo: self_energies_of_charges fixes self_energies
__global__ __launch_bounds__(kThreads) void self_energies_of_charges(
    const float* __restrict__ charges,  // (count)
    float* __restrict__ energies) {     // (count)
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kThreads * kPerThread) + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kPerThread; ++i) {
    energies[first + i * kThreads] = self_energy(charges[first + i * kThreads]);
  }
}

constexpr unsigned kTile = 32;
constexpr unsigned kTileRows = kThreads / kTile;  // rows that a block moves at once
constexpr unsigned kSide = 257 * kTile;           // no power of two, to spread over the slices
constexpr std::size_t kArea = std::size_t{kSide} * kSide;

// Reads along rows and writes along columns: a store of a warp touches thirty-two rows.
// zoo: swap_axes plants uncoalesced-global, fixed by swap_axes_tiled
__global__ __launch_bounds__(kThreads) void swap_axes(
    const float* __restrict__ source,  // (kSide, kSide)
    float* __restrict__ target) {      // (kSide, kSide)
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  const unsigned y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (unsigned i = 0; i < kTile; i += kTileRows) {
    target[static_cast<std::size_t>(x) * kSide + y + i] =
        source[static_cast<std::size_t>(y + i) * kSide + x];
  }
}

// Turns each tile in shared memory, so that both sides run along rows.
// zoo: swap_axes_tiled fixes swap_axes
__global__ __launch_bounds__(kThreads) void swap_axes_tiled(
    const float* __restrict__ source,       // (kSide, kSide)
    float* __restrict__ target) {           // (kSide, kSide)
  __shared__ float tile[kTile][kTile + 1];  // one column more than used: no bank conflicts
  const unsigned x = blockIdx.x * kTile + threadIdx.x;
  const unsigned y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (unsigned i = 0; i < kTile; i += kTileRows) {
    tile[threadIdx.y + i][threadIdx.x] = source[static_cast<std::size_t>(y + i) * kSide + x];
  }
  __syncthreads();
  const unsigned target_x = blockIdx.y * kTile + threadIdx.x;
  const unsigned target_y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (unsigned i = 0; i < kTile; i += kTileRows) {
    target[static_cast<std::size_t>(target_y + i) * kSide + target_x] =
        tile[threadIdx.x][threadIdx.y + i];
  }
}

namespace {

void run_row_sums() {
  const unsigned blocks = static_cast<unsigned>(multiprocessors()) * kBlocksResident;
  const std::size_t rows = std::size_t{blocks} * kThreads;
  const std::vector<float> block = random_floats(kPeriod, 1);
  DeviceBuffer<float> matrix(rows * kColumns);  // (rows, kColumns)
  DeviceBuffer<float> sums(rows);               // (rows)
  DeviceBuffer<float> sums_by_warp(rows);       // (rows)
  fill_repeating(matrix, block);
  sums.clear();
  sums_by_warp.clear();
  row_sums<<<blocks, kThreads>>>(matrix.data(), sums.data());
  finish_launch();
  row_sums_by_warp<<<blocks, kThreads>>>(matrix.data(), sums_by_warp.data());
  finish_launch();

  const std::vector<float> slow = sums.download();
  const std::vector<float> fast = sums_by_warp.download();
  for (std::size_t row = 0; row < rows; ++row) {
    expect_close("row sums, both ways", slow[row], fast[row], 1e-4, row);
  }
  for (std::size_t row = 0; row < rows; row += 101) {
    double expected = 0.0;
    for (std::size_t i = 0; i < kColumns; ++i) expected += block[(row * kColumns + i) % kPeriod];
    expect_close("row sums", slow[row], expected, 1e-4, row);
  }
  passed("row sums");
}

void run_self_energies() {
  constexpr unsigned kBlocks = 32768;
  constexpr std::size_t kCount = std::size_t{kBlocks} * kThreads * kPerThread;  // 1 GiB of them
  const std::vector<float> block_charges = random_floats(kPeriod, 2);
  std::vector<Particle> block_particles(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) {
    const float place = static_cast<float>(i);
    block_particles[i] = {place, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, block_charges[i]};
  }
  DeviceBuffer<Particle> particles(kCount);  // (kCount)
  DeviceBuffer<float> charges(kCount);       // (kCount)
  DeviceBuffer<float> from_particles(kCount);
  DeviceBuffer<float> from_charges(kCount);
  fill_repeating(particles, block_particles);
  fill_repeating(charges, block_charges);
  from_particles.clear();
  from_charges.clear();
  self_energies<<<kBlocks, kThreads>>>(particles.data(), from_particles.data());
  finish_launch();
  self_energies_of_charges<<<kBlocks, kThreads>>>(charges.data(), from_charges.data());
  finish_launch();

  const std::vector<float> slow = from_particles.download();
  const std::vector<float> fast = from_charges.download();
  expect_equal("self energies, both ways", slow, fast);
  for (std::size_t i = 0; i < kCount; i += 31) {
    expect_close("self energies", slow[i], self_energy(block_charges[i % kPeriod]), 1e-6, i);
  }
  passed("self energies");
}

void run_swap_axes() {
  const std::vector<float> block = random_floats(kPeriod, 3);
  DeviceBuffer<float> source(kArea);
  DeviceBuffer<float> target(kArea);
  DeviceBuffer<float> target_tiled(kArea);
  fill_repeating(source, block);
  target.clear();
  target_tiled.clear();
  const dim3 grid(kSide / kTile, kSide / kTile);
  const dim3 threads(kTile, kTileRows);
  swap_axes<<<grid, threads>>>(source.data(), target.data());
  finish_launch();
  swap_axes_tiled<<<grid, threads>>>(source.data(), target_tiled.data());
  finish_launch();

  const std::vector<float> slow = target.download();
  expect_equal("swap axes, both ways", slow, target_tiled.download());
  for (std::size_t i = 0; i < kArea; i += 101) {
    const std::size_t from = (i % kSide) * kSide + i / kSide;
    expect_close("swap axes", slow[i], block[from % kPeriod], 0.0, i);
  }
  passed("swap axes");
}

}  // namespace

int main() {
  run_row_sums();
  run_self_energies();
  run_swap_axes();
}
