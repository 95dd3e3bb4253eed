// SPDX-License-Identifier: Apache-2.0
//
// Segments of 1024 keys, each sorted by a block with a bitonic network of 55 rounds: in global
// memory, in shared memory, and with eight keys a thread in registers, where only three rounds need
// shared memory and the others are within a thread or within a warp.
#include <algorithm>

#include "../zoo/fill.cuh"

constexpr unsigned kSegment = 1024;
constexpr unsigned kPairs = kSegment / 2;  // one a thread in the first two steps
constexpr unsigned kSegments = 132 * 128;  // 69 MB
constexpr unsigned kWarp = 32;
constexpr unsigned kPerThread = 8;  // in the last step
constexpr unsigned kThreads = kSegment / kPerThread;

// One round: the thread's pair is `distance` apart and belongs into ascending order where bit
// `run` of its place is not set.
__device__ __forceinline__ void sort_pair(unsigned* keys,  // (kSegment)
                                          unsigned run, unsigned distance) {
  const unsigned low = 2 * threadIdx.x - (threadIdx.x & (distance - 1));
  const unsigned high = low + distance;
  const unsigned a = keys[low];
  const unsigned b = keys[high];
  const bool ascending = (low & run) == 0;
  keys[low] = ascending ? min(a, b) : max(a, b);
  keys[high] = ascending ? max(a, b) : min(a, b);
}

// Every round writes all keys through to L2, 3.8 GB altogether, and ends at a barrier that waits
// for its loads.
// ladder: sort step 1: sort_global is held by l2-bandwidth or barrier-stalls
__global__ __launch_bounds__(kPairs) void sort_global(unsigned* keys) {  // (segments, kSegment)
  unsigned* own = keys + static_cast<std::size_t>(blockIdx.x) * kSegment;
  for (unsigned run = 2; run <= kSegment; run *= 2) {
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      sort_pair(own, run, distance);
      __syncthreads();
    }
  }
}

// In the 40 rounds of distances below 32 two lanes of a warp meet in each bank, and each of the 55
// rounds ends at a barrier.
// ladder: sort step 2: sort_shared is held by shared-bank-conflicts or barrier-stalls
__global__ __launch_bounds__(kPairs) void sort_shared(unsigned* keys) {  // (segments, kSegment)
  __shared__ unsigned own[kSegment];
  unsigned* segment = keys + static_cast<std::size_t>(blockIdx.x) * kSegment;
  own[threadIdx.x] = segment[threadIdx.x];
  own[threadIdx.x + kPairs] = segment[threadIdx.x + kPairs];
  __syncthreads();
  for (unsigned run = 2; run <= kSegment; run *= 2) {
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      sort_pair(own, run, distance);
      __syncthreads();
    }
  }
  segment[threadIdx.x] = own[threadIdx.x];
  segment[threadIdx.x + kPairs] = own[threadIdx.x + kPairs];
}

// Thread t has the keys of places 8 t to 8 t + 7. Of 55 rounds 27 are within the thread, at an
// operation of the ALU a key, and 25 within the warp, at a shuffle and two operations a key.
// ladder: sort step 3: sort_registers is held by integer-pipe
__global__ __launch_bounds__(kThreads) void sort_registers(
    unsigned* keys) {  // (segments, kSegment)
  __shared__ unsigned exchange[kPerThread][kThreads];
  unsigned* segment = keys + static_cast<std::size_t>(blockIdx.x) * kSegment;
  unsigned own[kPerThread];
  // In any order: they are to be sorted.
#pragma unroll
  for (unsigned i = 0; i < kPerThread; ++i) own[i] = segment[i * kThreads + threadIdx.x];

#pragma unroll
  for (unsigned run = 2; run <= kSegment; run *= 2) {
#pragma unroll
    for (unsigned distance = run / 2; distance > 0; distance /= 2) {
      if (distance < kPerThread) {
#pragma unroll
        for (unsigned i = 0; i < kPerThread; ++i) {
          if ((i & distance) != 0) continue;
          const bool ascending = ((threadIdx.x * kPerThread + i) & run) == 0;
          const unsigned smaller = min(own[i], own[i + distance]);
          const unsigned larger = max(own[i], own[i + distance]);
          own[i] = ascending ? smaller : larger;
          own[i + distance] = ascending ? larger : smaller;
        }
      } else {
        const unsigned apart = distance / kPerThread;  // threads
        // The lower one of an ascending pair keeps the smaller key.
        const bool smaller =
            ((threadIdx.x & apart) == 0) == ((threadIdx.x & (run / kPerThread)) == 0);
        if (apart >= kWarp) {
          __syncthreads();
#pragma unroll
          for (unsigned i = 0; i < kPerThread; ++i) exchange[i][threadIdx.x] = own[i];
          __syncthreads();
        }
#pragma unroll
        for (unsigned i = 0; i < kPerThread; ++i) {
          const unsigned other = apart >= kWarp ? exchange[i][threadIdx.x ^ apart]
                                                : __shfl_xor_sync(0xffffffffu, own[i], apart);
          own[i] = smaller ? min(own[i], other) : max(own[i], other);
        }
      }
    }
  }
  uint4* target = reinterpret_cast<uint4*>(segment + threadIdx.x * kPerThread);
  target[0] = make_uint4(own[0], own[1], own[2], own[3]);
  target[1] = make_uint4(own[4], own[5], own[6], own[7]);
}

namespace {

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned threads, const std::vector<unsigned>& block) {
  DeviceBuffer<unsigned> keys(std::size_t{kSegments} * kSegment);  // (kSegments, kSegment)
  fill_repeating(keys, block);
  kernel<<<kSegments, threads>>>(keys.data());
  finish_launch();
  const std::vector<unsigned> actual = keys.download();
  std::vector<unsigned> expected(kSegment);
  for (std::size_t segment = 0; segment < kSegments; segment += 41) {
    const std::size_t first = segment * kSegment;
    for (std::size_t i = 0; i < kSegment; ++i) expected[i] = block[(first + i) % kPeriod];
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < kSegment; ++i) {
      expect_close(name, actual[first + i], expected[i], 0.0, first + i);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  const std::vector<unsigned> block = random_integers(kPeriod, 1u << 31, 119);
  run("sort in global memory", sort_global, kPairs, block);
  run("sort in shared memory", sort_shared, kPairs, block);
  run("sort in registers", sort_registers, kThreads, block);
}
