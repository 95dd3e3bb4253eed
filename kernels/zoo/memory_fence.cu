// SPDX-License-Identifier: Apache-2.0
//
// Fences after every small store. A fence holds its warp until all that the warp has written is
// visible to the others, so a message a fence costs a round trip to the L2 for 128 bytes. The twins
// write all their messages first and pay for one fence.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;

// Stands for the work that a message reports.
__host__ __device__ inline unsigned scramble(unsigned value) {
  value = (value ^ (value >> 16)) * 0x7feb352du;
  return value ^ (value >> 15);
}

constexpr unsigned kMessages = 64;  // of each warp, one word a lane

// A log for each warp whose reader may follow it at any time: the message first, then the new
// length, and a fence between them.
// zoo: append_logs plants memory-fence, fixed by append_logs_at_once
__global__ __launch_bounds__(kThreads, kBlocksResident) void append_logs(
    unsigned* __restrict__ logs,   // (warps, kMessages, kLanes)
    volatile unsigned* lengths) {  // (warps)
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
#pragma unroll 1
  for (unsigned message = 0; message < kMessages; ++message) {
    const unsigned at = (warp * kMessages + message) * kLanes + lane;
    logs[at] = scramble(at);
    __threadfence();
    if (lane == 0) lengths[warp] = message + 1;
  }
}

// zoo: append_logs_at_once fixes append_logs
__global__ __launch_bounds__(kThreads, kBlocksResident) void append_logs_at_once(
    unsigned* __restrict__ logs,   // (warps, kMessages, kLanes)
    volatile unsigned* lengths) {  // (warps)
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
#pragma unroll 1
  for (unsigned message = 0; message < kMessages; ++message) {
    const unsigned at = (warp * kMessages + message) * kLanes + lane;
    logs[at] = scramble(at);
  }
  __threadfence();
  if (lane == 0) lengths[warp] = kMessages;
}

constexpr unsigned kTilesABlock = 64;

// Adds one to a counter; what the thread has written before is visible to whoever sees the new
// count.
__device__ inline void arrive_release(unsigned* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

// Tiles with a counter each, on which a consumer would wait for the threads of the tile. They
// release every tile.
// zoo: finish_tiles plants memory-fence, fixed by finish_tiles_batched
__global__ __launch_bounds__(kThreads, kBlocksResident) void finish_tiles(
    unsigned* __restrict__ tiles,  // (gridDim.x, kTilesABlock, kThreads)
    unsigned* arrived) {           // (gridDim.x, kTilesABlock)
#pragma unroll 1
  for (unsigned i = 0; i < kTilesABlock; ++i) {
    const unsigned tile = blockIdx.x * kTilesABlock + i;
    const unsigned at = tile * kThreads + threadIdx.x;
    tiles[at] = scramble(at);
    arrive_release(arrived + tile);
  }
}

// One fence for all tiles of the block, then the counts without any order among them: each lane
// counts its whole warp in at some of the tiles.
// zoo: finish_tiles_batched fixes finish_tiles
__global__ __launch_bounds__(kThreads, kBlocksResident) void finish_tiles_batched(
    unsigned* __restrict__ tiles,  // (gridDim.x, kTilesABlock, kThreads)
    unsigned* arrived) {           // (gridDim.x, kTilesABlock)
#pragma unroll 1
  for (unsigned i = 0; i < kTilesABlock; ++i) {
    const unsigned at = (blockIdx.x * kTilesABlock + i) * kThreads + threadIdx.x;
    tiles[at] = scramble(at);
  }
  __threadfence();
  __syncwarp();
#pragma unroll 1
  for (unsigned i = threadIdx.x % kLanes; i < kTilesABlock; i += kLanes) {
    atomicAdd(arrived + blockIdx.x * kTilesABlock + i, kLanes);
  }
}

namespace {

std::vector<unsigned> scrambled(std::size_t count) {
  std::vector<unsigned> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = scramble(static_cast<unsigned>(i));
  return values;
}

// kernel: one with the arguments of append_logs.
template <typename Kernel>
void run_logs(const char* name, Kernel kernel) {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const std::size_t warps = std::size_t{blocks} * kWarps;
  DeviceBuffer<unsigned> logs(warps * kMessages * kLanes);  // (warps, kMessages, kLanes)
  DeviceBuffer<unsigned> lengths(warps);                    // (warps)
  logs.clear();
  lengths.clear();
  kernel<<<blocks, kThreads>>>(logs.data(), lengths.data());
  finish_launch();
  expect_equal(name, logs.download(), scrambled(logs.size()));
  expect_equal(name, lengths.download(), std::vector<unsigned>(warps, kMessages));
  passed(name);
}

// kernel: one with the arguments of finish_tiles.
template <typename Kernel>
void run_tiles(const char* name, Kernel kernel) {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const std::size_t tile_count = std::size_t{blocks} * kTilesABlock;
  DeviceBuffer<unsigned> tiles(tile_count * kThreads);  // (tile_count, kThreads)
  DeviceBuffer<unsigned> arrived(tile_count);           // (tile_count)
  tiles.clear();
  arrived.clear();
  kernel<<<blocks, kThreads>>>(tiles.data(), arrived.data());
  finish_launch();
  expect_equal(name, tiles.download(), scrambled(tiles.size()));
  expect_equal(name, arrived.download(), std::vector<unsigned>(tile_count, kThreads));
  passed(name);
}

}  // namespace

int main() {
  run_logs("append logs", append_logs);
  run_logs("append logs at once", append_logs_at_once);
  run_tiles("finish tiles", finish_tiles);
  run_tiles("finish tiles batched", finish_tiles_batched);
}
