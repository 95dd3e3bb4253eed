// SPDX-License-Identifier: Apache-2.0
//
// Lanes that are there but switched off: most instructions carry a predicate that is true for a few
// lanes of the warp only, so that they take a full slot for a fraction of the work. The predicates
// are written in PTX, because a compiler that saw the conditions would branch where it thinks that
// better. The twins give every lane work of its own.
#include "resident.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksResident = 8;  // of 256 threads, the most that a multiprocessor holds
constexpr unsigned kLanes = 32;

constexpr unsigned kCell = 8;  // elements, of which the first is at the border
constexpr unsigned kSteps = 64;
constexpr unsigned kCells = 132 * 2048 * 4;
static_assert(kCells % kThreads == 0, "the grids cover the elements exactly");

// Where border is not 0: twelve steps of Horner's scheme at x for the correction.
__device__ __forceinline__ void correct_border(float& correction, float x, unsigned border) {
  asm("{\n"
      ".reg .pred border;\n"
      "setp.ne.u32 border, %2, 0;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3f000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbe800000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3e000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbf000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3e800000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbe000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3f000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbe800000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3e000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbf000000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0f3e800000;\n"
      "@border fma.rn.f32 %0, %0, %1, 0fbe000000;\n"
      "}\n"
      : "+f"(correction)
      : "f"(x), "r"(border));
}

// The same for all.
__host__ __device__ inline void correct(float& correction, float x) {
#pragma unroll
  for (unsigned i = 0; i < 12; ++i) {
    const float coefficient = i % 3 == 0 ? 0.5f : i % 3 == 1 ? -0.25f : 0.125f;
    correction = fmaf(correction, x, i / 3 % 2 == 0 ? coefficient : -coefficient);
  }
}

__host__ __device__ inline float relax(float value, float x) { return fmaf(value, 0.5f, x); }

// One element a thread. All are relaxed; one in eight, at the border of its cell, is corrected.
// zoo: relax_cells plants lane-predication, fixed by relax_cells_whole
__global__ __launch_bounds__(kThreads, kBlocksResident) void relax_cells(
    const float* __restrict__ elements,  // (kCells, kCell)
    float* __restrict__ relaxed) {       // (kCells, kCell)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned border = i % kCell == 0;
  const float x = elements[i];
  float value = x;
  float correction = x;
#pragma unroll 4
  for (unsigned step = 0; step < kSteps; ++step) {
    correct_border(correction, x, border);
    value = relax(value, x);
  }
  relaxed[i] = value + correction;
}

// One cell a thread: each has eight elements to relax and one to correct.
// zoo: relax_cells_whole fixes relax_cells
__global__ __launch_bounds__(kThreads, kBlocksResident) void relax_cells_whole(
    const float4* __restrict__ elements,  // (kCells, kCell / 4)
    float4* __restrict__ relaxed) {       // (kCells, kCell / 4)
  const unsigned i = (blockIdx.x * kThreads + threadIdx.x) * 2;
  const float4 low = elements[i];
  const float4 high = elements[i + 1];
  const float x[kCell] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  float value[kCell];
#pragma unroll
  for (unsigned j = 0; j < kCell; ++j) value[j] = x[j];
  float correction = x[0];
#pragma unroll 4
  for (unsigned step = 0; step < kSteps; ++step) {
    correct(correction, x[0]);
#pragma unroll
    for (unsigned j = 0; j < kCell; ++j) value[j] = relax(value[j], x[j]);
  }
  value[0] += correction;
#pragma unroll
  for (unsigned j = 1; j < kCell; ++j) value[j] += x[j];
  relaxed[i] = make_float4(value[0], value[1], value[2], value[3]);
  relaxed[i + 1] = make_float4(value[4], value[5], value[6], value[7]);
}

constexpr unsigned kWidth = 8;  // of a row
constexpr unsigned kRounds = 64;
constexpr unsigned kRows = 132 * 64 * 64;
static_assert(kRows * kWidth % kThreads == 0, "the grids cover the rows exactly");

// A round of mixing where inside is not 0.
__device__ __forceinline__ void mix_inside(unsigned& word, unsigned salt, unsigned inside) {
  asm("{\n"
      ".reg .pred inside;\n"
      "setp.ne.u32 inside, %2, 0;\n"
      "@inside add.u32 %0, %0, %1;\n"
      "@inside mul.lo.u32 %0, %0, 0x2c1b3c6d;\n"
      "@inside xor.b32 %0, %0, 0x5bd1e995;\n"
      "@inside shf.l.wrap.b32 %0, %0, %0, 13;\n"
      "@inside add.u32 %0, %0, 0x165667b1;\n"
      "@inside shf.l.wrap.b32 %0, %0, %0, 7;\n"
      "}\n"
      : "+r"(word)
      : "r"(salt), "r"(inside));
}

// The same for all.
__host__ __device__ inline unsigned rotate(unsigned word, unsigned bits) {
  return word << bits | word >> (32 - bits);
}
__host__ __device__ inline unsigned mix(unsigned word, unsigned salt) {
  word = (word + salt) * 0x2c1b3c6du ^ 0x5bd1e995u;
  return rotate(rotate(word, 13) + 0x165667b1u, 7);
}

// A row a warp: the lanes past the end of the row are masked, from the load to the store.
// zoo: mix_rows plants lane-predication, fixed by mix_rows_packed
__global__ __launch_bounds__(kThreads, kBlocksResident) void mix_rows(
    const unsigned* __restrict__ words,  // (kRows, kWidth)
    unsigned* __restrict__ mixed) {      // (kRows, kWidth)
  const unsigned lane = threadIdx.x % kLanes;
  const unsigned row = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
  const unsigned inside = lane < kWidth;
  const unsigned* source = words + row * kWidth + lane;
  unsigned word = 0;
  asm("{\n"
      ".reg .pred inside;\n"
      "setp.ne.u32 inside, %2, 0;\n"
      "@inside ld.global.nc.u32 %0, [%1];\n"
      "}\n"
      : "+r"(word)
      : "l"(source), "r"(inside));
#pragma unroll 8
  for (unsigned round = 0; round < kRounds; ++round) mix_inside(word, row, inside);
  asm volatile(
      "{\n"
      ".reg .pred inside;\n"
      "setp.ne.u32 inside, %2, 0;\n"
      "@inside st.global.u32 [%0], %1;\n"
      "}\n" ::"l"(mixed + row * kWidth + lane),
      "r"(word), "r"(inside)
      : "memory");
}

// Four rows a warp.
// zoo: mix_rows_packed fixes mix_rows
__global__ __launch_bounds__(kThreads, kBlocksResident) void mix_rows_packed(
    const unsigned* __restrict__ words,  // (kRows, kWidth)
    unsigned* __restrict__ mixed) {      // (kRows, kWidth)
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  unsigned word = words[i];
#pragma unroll 8
  for (unsigned round = 0; round < kRounds; ++round) word = mix(word, i / kWidth);
  mixed[i] = word;
}

namespace {

void run_relax_cells() {
  constexpr std::size_t kCount = std::size_t{kCells} * kCell;
  const std::vector<float> host = random_floats(kCount, 131);
  DeviceBuffer<float> elements(host);   // (kCells, kCell)
  DeviceBuffer<float> relaxed(kCount);  // (kCells, kCell)
  relaxed.clear();
  relax_cells<<<kCount / kThreads, kThreads>>>(elements.data(), relaxed.data());
  finish_launch();
  const std::vector<float> slow = relaxed.download();
  for (std::size_t i = 0; i < kCount; i += 1009) {
    float value = host[i];
    float correction = host[i];
    for (unsigned step = 0; step < kSteps; ++step) {
      if (i % kCell == 0) correct(correction, host[i]);
      value = relax(value, host[i]);
    }
    expect_close("relax cells", slow[i], value + correction, 1e-5, i);
  }
  passed("relax cells");

  relaxed.clear();
  relax_cells_whole<<<kCells / kThreads, kThreads>>>(
      reinterpret_cast<const float4*>(elements.data()), reinterpret_cast<float4*>(relaxed.data()));
  finish_launch();
  expect_all_close("relax cells whole", relaxed.download(), slow, 1e-6);
  passed("relax cells whole");
}

void run_mix_rows() {
  constexpr std::size_t kCount = std::size_t{kRows} * kWidth;
  const std::vector<unsigned> host = random_integers(kCount, 0xffffffffu, 132);
  DeviceBuffer<unsigned> words(host);    // (kRows, kWidth)
  DeviceBuffer<unsigned> mixed(kCount);  // (kRows, kWidth)
  mixed.clear();
  mix_rows<<<kRows * kLanes / kThreads, kThreads>>>(words.data(), mixed.data());
  finish_launch();
  const std::vector<unsigned> slow = mixed.download();
  for (std::size_t i = 0; i < kCount; i += 101) {
    unsigned word = host[i];
    for (unsigned round = 0; round < kRounds; ++round) {
      word = mix(word, static_cast<unsigned>(i / kWidth));
    }
    expect_close("mix rows", slow[i], word, 0.0, i);
  }
  passed("mix rows");

  mixed.clear();
  mix_rows_packed<<<kCount / kThreads, kThreads>>>(words.data(), mixed.data());
  finish_launch();
  expect_equal("mix rows packed", mixed.download(), slow);
  passed("mix rows packed");
}

}  // namespace

int main() {
  run_relax_cells();
  run_mix_rows();
}
