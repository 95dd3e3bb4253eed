// SPDX-License-Identifier: Apache-2.0
//
// Traffic into the L2 cache, with next to none out of it: generators that publish their state after
// every draw, in whole lines that stay in the L2, which is all that such a kernel can do; and a
// private array that is written at indices known only at run time, whose stores go through to the
// L2, a sector for each lane. The second one's twin keeps the array in shared memory with the
// thread as the fastest index.
#include "fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds

constexpr unsigned kCells = 2;  // vectors that belong to a thread; 9 MB in all
constexpr unsigned kPasses = 100;
constexpr unsigned kFactor = 1664525u;
constexpr unsigned kIncrement = 1013904223u;

__host__ __device__ inline unsigned draw(unsigned state) { return state * kFactor + kIncrement; }

// Volatile, so that no store can be left out because a later one writes the same place.
__device__ inline void publish(uint4* to, uint4 state) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "r"(state.x), "r"(state.y), "r"(state.z), "r"(state.w)
               : "memory");
}

// The state is in memory after every draw, where an observer on the device could follow it.
// zoo: publish_states is healthy at l2-bandwidth
__global__ __launch_bounds__(kThreads, kBlocksResident) void publish_states(
    const uint4* __restrict__ seeds,  // (blocks, kCells, kThreads)
    uint4* __restrict__ states) {     // (blocks, kCells, kThreads)
  const unsigned first = blockIdx.x * (kCells * kThreads) + threadIdx.x;
  uint4 state[kCells];
#pragma unroll
  for (unsigned j = 0; j < kCells; ++j) state[j] = seeds[first + j * kThreads];
#pragma unroll 2
  for (unsigned pass = 0; pass < kPasses; ++pass) {
#pragma unroll
    for (unsigned j = 0; j < kCells; ++j) {
      state[j] = make_uint4(draw(state[j].x), draw(state[j].y), draw(state[j].z), draw(state[j].w));
      publish(states + first + j * kThreads, state[j]);
    }
  }
}

constexpr unsigned kWaves = 4;  // times the blocks that fit at once
constexpr unsigned kSymbols = 16;
constexpr unsigned kLoads = 8;  // of sixteen symbols each

// Where each symbol was seen last in a record, weighted: the array is written for every symbol and
// read once at the end.
// zoo: last_places plants local-memory-indexing, fixed by last_places_shared
__global__ __launch_bounds__(kThreads, kBlocksResident) void last_places(
    const uint4* __restrict__ records,  // (kLoads, count), a byte a symbol, below kSymbols
    unsigned* __restrict__ results) {   // (count)
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  unsigned last[kSymbols];
#pragma unroll
  for (unsigned i = 0; i < kSymbols; ++i) last[i] = 0;
  unsigned place = 0;
#pragma unroll 2
  for (unsigned load = 0; load < kLoads; ++load) {
    const uint4 symbols = records[load * count + record];
    const unsigned words[] = {symbols.x, symbols.y, symbols.z, symbols.w};
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) last[(word >> shift) % kSymbols] = ++place;
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kSymbols; ++i) sum += (i + 1) * last[i];
  results[record] = sum;
}

// zoo: last_places_shared fixes last_places
__global__ __launch_bounds__(kThreads, kBlocksResident) void last_places_shared(
    const uint4* __restrict__ records,  // (kLoads, count), a byte a symbol, below kSymbols
    unsigned* __restrict__ results) {   // (count)
  __shared__ unsigned last[kSymbols][kThreads];
  const std::size_t count = static_cast<std::size_t>(gridDim.x) * kThreads;
  const std::size_t record = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < kSymbols; ++i) last[i][threadIdx.x] = 0;
  unsigned place = 0;
#pragma unroll 2
  for (unsigned load = 0; load < kLoads; ++load) {
    const uint4 symbols = records[load * count + record];
    const unsigned words[] = {symbols.x, symbols.y, symbols.z, symbols.w};
#pragma unroll
    for (const unsigned word : words) {
#pragma unroll
      for (unsigned shift = 0; shift < 32; shift += 8) {
        last[(word >> shift) % kSymbols][threadIdx.x] = ++place;
      }
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (unsigned i = 0; i < kSymbols; ++i) sum += (i + 1) * last[i][threadIdx.x];
  results[record] = sum;
}

namespace {

void run_publish_states() {
  const unsigned blocks = multiprocessors() * kBlocksResident;
  const std::size_t words = std::size_t{4} * kCells * kThreads * blocks;
  const std::vector<unsigned> host = random_integers(words, 0xffffffffu, 164);
  DeviceBuffer<unsigned> seeds(host);    // (words)
  DeviceBuffer<unsigned> states(words);  // (words)
  states.clear();
  publish_states<<<blocks, kThreads>>>(reinterpret_cast<const uint4*>(seeds.data()),
                                       reinterpret_cast<uint4*>(states.data()));
  finish_launch();
  const std::vector<unsigned> actual = states.download();
  for (std::size_t i = 0; i < words; i += 101) {
    unsigned expected = host[i];
    for (unsigned pass = 0; pass < kPasses; ++pass) expected = draw(expected);
    expect_close("publish states", actual[i], expected, 0.0, i);
  }
  passed("publish states");
}

void run_last_places() {
  const unsigned blocks = multiprocessors() * kBlocksResident * kWaves;
  const std::size_t count = std::size_t{blocks} * kThreads;
  const std::vector<unsigned> drawn = random_integers(kPeriod, kSymbols, 165);
  std::vector<unsigned char> block(kPeriod);
  for (std::size_t i = 0; i < kPeriod; ++i) block[i] = static_cast<unsigned char>(drawn[i]);
  DeviceBuffer<unsigned char> records(kLoads * count * sizeof(uint4));  // (kLoads, count, 16)
  DeviceBuffer<unsigned> results(count);
  DeviceBuffer<unsigned> results_shared(count);
  fill_repeating(records, block);
  results.clear();
  results_shared.clear();
  const uint4* vectors = reinterpret_cast<const uint4*>(records.data());
  last_places<<<blocks, kThreads>>>(vectors, results.data());
  finish_launch();
  last_places_shared<<<blocks, kThreads>>>(vectors, results_shared.data());
  finish_launch();

  const std::vector<unsigned> slow = results.download();
  expect_equal("last places, both ways", slow, results_shared.download());
  for (std::size_t record = 0; record < count; record += 101) {
    unsigned last[kSymbols] = {};
    unsigned place = 0;
    for (std::size_t load = 0; load < kLoads; ++load) {
      for (std::size_t i = 0; i < sizeof(uint4); ++i) {
        last[block[((load * count + record) * sizeof(uint4) + i) % kPeriod]] = ++place;
      }
    }
    unsigned expected = 0;
    for (unsigned i = 0; i < kSymbols; ++i) expected += (i + 1) * last[i];
    expect_close("last places", slow[record], expected, 0.0, record);
  }
  passed("last places");
}

}  // namespace

int main() {
  run_publish_states();
  run_last_places();
}
