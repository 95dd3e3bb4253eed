// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the L2 cache: windows of a table that all multiprocessors read, and a
// relaxation that writes its state back to memory in every pass. What they touch fits the L2
// several times over, and every access goes past the L1 cache by its cache operator or its scope.
#include "../basics/check.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kResident = 8;       // blocks of kThreads that fill a multiprocessor
constexpr unsigned kLoads = 4;          // of a thread, under way at once
constexpr unsigned kTiles = 1024;       // of the table, a power of two; 16 MiB
constexpr unsigned kWindowTiles = 160;  // that a block sums
constexpr unsigned kScatter = 389;      // odd, so the first tiles of the blocks spread evenly

__device__ inline float4 load_past_l1(const float4* from) {
  float4 value;
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(from));
  return value;
}

// Blocks start all over the table, so that at no time many of them ask for the same lines.
// zoo: window_sums is healthy at l2-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void window_sums(
    const float4* __restrict__ table,  // (kTiles, kLoads, kThreads)
    float4* __restrict__ sums) {       // (blocks, kThreads)
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const unsigned first = blockIdx.x * kScatter;
#pragma unroll 1
  for (unsigned step = 0; step < kWindowTiles; ++step) {
    const unsigned tile = (first + step) % kTiles;
    const float4* from = table + tile * (kLoads * kThreads) + threadIdx.x;
    float4 held[kLoads];
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) held[j] = load_past_l1(from + j * kThreads);
#pragma unroll
    for (unsigned j = 0; j < kLoads; ++j) {
      sum.x += held[j].x;
      sum.y += held[j].y;
      sum.z += held[j].z;
      sum.w += held[j].w;
    }
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

constexpr unsigned kCells = 2;  // vectors that belong to a thread
constexpr unsigned kPasses = 80;
constexpr float kRate = 0.0625f;

// Relaxed accesses of device scope may neither be kept in a register from pass to pass nor be
// served by the L1 cache.
__device__ inline float4 load_shared_state(const float4* from) {
  float4 value;
  asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "l"(from)
               : "memory");
  return value;
}

__device__ inline void store_shared_state(float4* to, float4 value) {
  asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(to), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
               : "memory");
}

__host__ __device__ inline float relax(float state, float target) {
  return fmaf(kRate, target - state, state);
}

// The state is in memory after every pass, where an observer on the device could follow it.
// zoo: relax_towards is healthy at l2-bandwidth
__global__ __launch_bounds__(kThreads, kResident) void relax_towards(
    const float4* targets,  // (blocks, kCells, kThreads)
    float4* states) {       // (blocks, kCells, kThreads)
  const unsigned first = blockIdx.x * (kCells * kThreads) + threadIdx.x;
#pragma unroll 1
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    float4 target[kCells];
    float4 state[kCells];
#pragma unroll
    for (unsigned j = 0; j < kCells; ++j) {
      target[j] = load_shared_state(targets + first + j * kThreads);
      state[j] = load_shared_state(states + first + j * kThreads);
    }
#pragma unroll
    for (unsigned j = 0; j < kCells; ++j) {
      store_shared_state(
          states + first + j * kThreads,
          make_float4(relax(state[j].x, target[j].x), relax(state[j].y, target[j].y),
                      relax(state[j].z, target[j].z), relax(state[j].w, target[j].w)));
    }
  }
}

namespace {

void run_window_sums() {
  const unsigned blocks = multiprocessors() * kResident;
  const unsigned tile_floats = 4 * kLoads * kThreads;
  const std::vector<float> host = random_floats(std::size_t{kTiles} * tile_floats, 4);
  DeviceBuffer<float> table(host);                               // (kTiles, tile_floats)
  DeviceBuffer<float> sums(std::size_t{4} * kThreads * blocks);  // (blocks, kThreads, 4)
  sums.clear();
  window_sums<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(table.data()),
                                    reinterpret_cast<float4*>(sums.data()));
  finish_launch();
  const std::vector<float> actual = sums.download();
  for (std::size_t i = 0; i < actual.size(); i += 2003) {
    const std::size_t block = i / (4 * kThreads);
    const std::size_t lane = i % (4 * kThreads);
    double expected = 0.0;
    for (unsigned step = 0; step < kWindowTiles; ++step) {
      const std::size_t tile = (block * kScatter + step) % kTiles;
      for (unsigned j = 0; j < kLoads; ++j) {
        expected += host[tile * tile_floats + j * (4 * kThreads) + lane];
      }
    }
    expect_close("window sums", actual[i], expected, 1e-3, i);
  }
  passed("window sums");
}

void run_relax_towards() {
  const unsigned blocks = multiprocessors() * kResident;
  const std::size_t floats = std::size_t{4} * kCells * kThreads * blocks;
  const std::vector<float> host_targets = random_floats(floats, 5);
  const std::vector<float> host_states = random_floats(floats, 6);
  DeviceBuffer<float> targets(host_targets);  // (floats)
  DeviceBuffer<float> states(host_states);    // (floats)
  relax_towards<<<blocks, kThreads>>>(reinterpret_cast<const float4*>(targets.data()),
                                      reinterpret_cast<float4*>(states.data()));
  finish_launch();
  const std::vector<float> actual = states.download();
  for (std::size_t i = 0; i < floats; i += 1009) {
    float expected = host_states[i];
    for (unsigned pass = 0; pass < kPasses; ++pass) expected = relax(expected, host_targets[i]);
    expect_close("relax towards", actual[i], expected, 1e-5, i);
  }
  passed("relax towards");
}

}  // namespace

int main() {
  run_window_sums();
  run_relax_towards();
}
