// SPDX-License-Identifier: Apache-2.0
//
// A product of half-precision matrices by the warps' own matrix instructions, well tiled, with
// copies under way while it multiplies: each warp loads its operands into registers and issues an
// instruction for every 16 x 8 results, which this generation's tensor cores cannot be filled with.
// The twin has the same tiles, stages and copies, and gives the tiles in shared memory to a
// warpgroup's instructions of 64 x 256 results each. Needs sm_90a.
#include <cuda_fp16.h>

#include <cstdint>

#include "resident.cuh"

constexpr unsigned kGroup = 128;           // threads of a warpgroup
constexpr unsigned kThreads = 2 * kGroup;  // of a block
constexpr unsigned kTileRows = 128;        // of the result, of a block
constexpr unsigned kTileColumns = 256;

// Both operands have rows along the depth. A slab of a tile is a panel: 128 bytes of each row, rows
// one after the other, the eight 16-byte pieces of a row exchanged by the row's number (the swizzle
// of 128 bytes).
constexpr unsigned kPiece = 16;  // bytes
constexpr unsigned kPieceHalves = 8;
constexpr unsigned kPieces = 8;                      // of a row
constexpr unsigned kPanelRow = kPieces * kPiece;     // bytes
constexpr unsigned kPanelAlignment = 8 * kPanelRow;  // where the pattern of the swizzle repeats
constexpr unsigned kSlab = kPieces * kPieceHalves;   // of the depth
constexpr unsigned kCoreDepth = 16;                  // of a matrix instruction
constexpr unsigned kCoreSteps = kSlab / kCoreDepth;
constexpr unsigned kLeftPanel = kTileRows * kPanelRow;      // bytes
constexpr unsigned kRightPanel = kTileColumns * kPanelRow;  // bytes
constexpr unsigned kStage = kLeftPanel + kRightPanel;
constexpr unsigned kStages = 4;
constexpr unsigned kAhead = 2;  // slabs that are on their way while one is multiplied
constexpr unsigned kSharedBytes = kStages * kStage + kPanelAlignment;

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Sixteen bytes from global to shared memory without a register between.
__device__ inline void copy_async(unsigned target, const void* source) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(source) : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <unsigned kInFlight>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kInFlight) : "memory");
}

// The whole block copies rows of a panel, 32 at a time. matrix points to the tile's first row at
// the slab's first column.
template <unsigned kRows>
__device__ inline void copy_panel(unsigned panel, const __half* matrix, unsigned depth) {
  constexpr unsigned kRowsAtOnce = kThreads / kPieces;
  static_assert(kRowsAtOnce % 8 == 0, "the swizzle is the same for all rows of a thread");
  const unsigned row = threadIdx.x / kPieces;
  const unsigned piece = threadIdx.x % kPieces;
  const unsigned target = panel + row * kPanelRow + (piece ^ row % kPieces) * kPiece;
  const __half* source = matrix + row * depth + piece * kPieceHalves;
#pragma unroll
  for (unsigned i = 0; i < kRows; i += kRowsAtOnce) {
    copy_async(target + i * kPanelRow, source + i * depth);
  }
}

// Calls multiply(address) for each slab, with the slab's left panel at the address in shared memory
// and its right panel behind it. multiply may leave reads of its panels in flight, but not those of
// the slab before. kAsyncReads: they go past the path that the copies were written through.
template <bool kAsyncReads, typename Multiply>
__device__ inline void for_each_slab(const __half* __restrict__ left,
                                     const __half* __restrict__ right, unsigned depth,
                                     Multiply multiply) {
  static_assert(kStages == kAhead + 2, "a stage is free again after two more slabs");
  extern __shared__ char shared[];
  const unsigned begin = shared_address(shared);
  const unsigned panels = begin + (kPanelAlignment - begin % kPanelAlignment) % kPanelAlignment;
  const unsigned slabs = depth / kSlab;
  const auto copy_slab = [&](unsigned slab) {
    const unsigned stage = panels + slab % kStages * kStage;
    copy_panel<kTileRows>(stage, left + slab * kSlab, depth);
    copy_panel<kTileColumns>(stage + kLeftPanel, right + slab * kSlab, depth);
  };
#pragma unroll
  for (unsigned slab = 0; slab < kAhead; ++slab) {
    copy_slab(slab);
    commit_copies();
  }
#pragma unroll 1
  for (unsigned slab = 0; slab < slabs; ++slab) {
    wait_for_copies<kAhead - 1>();
    if constexpr (kAsyncReads) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (slab + kAhead < slabs) copy_slab(slab + kAhead);
    commit_copies();  // of nothing at the end, to keep the count
    multiply(panels + slab % kStages * kStage);
  }
}

constexpr unsigned kRowCores = 4;     // 16-row fragments of a warp's 64 x 64 part of the tile
constexpr unsigned kColumnCores = 8;  // 8-column fragments
constexpr unsigned kCoreSums = 4;     // of a 16 x 8 fragment, for each lane

// Four 8 x 8 matrices from shared memory, one row for each lane's address.
__device__ inline void load_cores(unsigned (&cores)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(cores[0]), "=r"(cores[1]), "=r"(cores[2]), "=r"(cores[3])
               : "r"(address)
               : "memory");
}

// sums += a * b for 16 x 16 and 16 x 8 elements.
__device__ inline void multiply_cores(float (&sums)[kCoreSums], const unsigned (&a)[4], unsigned b0,
                                      unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Stores that name their width: left to itself the compiler splits some of them.
__device__ inline void store_pair(float* place, float first, float second) {
  __stcg(reinterpret_cast<float2*>(place), make_float2(first, second));
}

// Grid: columns, rows of tiles.
// zoo: correlate_rows plants instruction-overhead, fixed by correlate_rows_warpgroup
__global__ __launch_bounds__(kThreads, 1) void correlate_rows(
    const __half* __restrict__ left,   // (rows, depth)
    const __half* __restrict__ right,  // (columns, depth)
    float* __restrict__ result,        // (rows, columns)
    unsigned depth, unsigned columns) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned part_row = threadIdx.x / 32 / 4 * (kRowCores * 16);
  const unsigned part_column = threadIdx.x / 32 % 4 * (kColumnCores * 8);
  // Rows 0 to 15 at one depth, then again eight deeper; eight columns at one depth, again eight
  // deeper, then the next eight columns.
  const unsigned left_row = part_row + lane % 16;
  const unsigned left_piece = lane / 16;
  const unsigned right_row = part_column + lane / 16 * 8 + lane % 8;
  const unsigned right_piece = lane / 8 % 2;
  float sums[kRowCores][kColumnCores][kCoreSums] = {};
  for_each_slab<false>(left + blockIdx.y * kTileRows * depth,
                       right + blockIdx.x * kTileColumns * depth, depth, [&](unsigned panel) {
                         const unsigned left_place = panel + left_row * kPanelRow;
                         const unsigned right_place = panel + kLeftPanel + right_row * kPanelRow;
#pragma unroll
                         for (unsigned k = 0; k < kCoreSteps; ++k) {
                           unsigned a[kRowCores][4];
#pragma unroll
                           for (unsigned i = 0; i < kRowCores; ++i) {
                             load_cores(a[i], left_place + i * (16 * kPanelRow) +
                                                  ((k * 2 + left_piece) ^ lane % 8) * kPiece);
                           }
#pragma unroll
                           for (unsigned j = 0; j < kColumnCores; j += 2) {
                             unsigned b[4];
                             load_cores(b, right_place + j * (8 * kPanelRow) +
                                               ((k * 2 + right_piece) ^ lane % 8) * kPiece);
#pragma unroll
                             for (unsigned i = 0; i < kRowCores; ++i) {
                               multiply_cores(sums[i][j], a[i], b[0], b[1]);
                               multiply_cores(sums[i][j + 1], a[i], b[2], b[3]);
                             }
                           }
                         }
                       });
  result += (blockIdx.y * kTileRows + part_row + lane / 4) * columns + blockIdx.x * kTileColumns +
            part_column + lane % 4 * 2;
#pragma unroll
  for (unsigned i = 0; i < kRowCores; ++i) {
#pragma unroll
    for (unsigned j = 0; j < kColumnCores; ++j) {
      float* place = result + i * 16 * columns + j * 8;
      store_pair(place, sums[i][j][0], sums[i][j][1]);
      store_pair(place + 8 * columns, sums[i][j][2], sums[i][j][3]);
    }
  }
}

constexpr unsigned kGroupRows = kTileRows / 2;  // of the result, of a warpgroup
constexpr unsigned kHeld =
    kGroupRows * kTileColumns / kGroup;  // elements of the result in a thread

// The descriptor of an operand: address, stride between groups of eight rows, kind of swizzle.
__device__ inline std::uint64_t describe(unsigned address) {
  constexpr std::uint64_t kSwizzle128 = 1;
  return std::uint64_t{(address & 0x3ffff) >> 4} | std::uint64_t{1} << 16 |
         std::uint64_t{kPanelAlignment >> 4} << 32 | kSwizzle128 << 62;
}

__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <unsigned kInFlight>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kInFlight) : "memory");
}

// clang-format off
#define HELD_8(i)                                                                                  \
  "+f"(held[i]), "+f"(held[i + 1]), "+f"(held[i + 2]), "+f"(held[i + 3]),                          \
  "+f"(held[i + 4]), "+f"(held[i + 5]), "+f"(held[i + 6]), "+f"(held[i + 7])
#define HELD_32(i) HELD_8(i), HELD_8(i + 8), HELD_8(i + 16), HELD_8(i + 24)

// held += left * right for 64 x 16 and 16 x 256 elements.
__device__ inline void multiply_panels(float (&held)[kHeld], std::uint64_t left,
                                       std::uint64_t right) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
      "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
      "%124, %125, %126, %127}, %128, %129, add, 1, 1, 0, 0; }"
      : HELD_32(0), HELD_32(32), HELD_32(64), HELD_32(96)
      : "l"(left), "l"(right), "r"(1));
}
#undef HELD_32
#undef HELD_8
// clang-format on

// A slab's products are in flight while the next slab is waited for.
// zoo: correlate_rows_warpgroup fixes correlate_rows
__global__ __launch_bounds__(kThreads, 1) void correlate_rows_warpgroup(
    const __half* __restrict__ left,   // (rows, depth)
    const __half* __restrict__ right,  // (columns, depth)
    float* __restrict__ result,        // (rows, columns)
    unsigned depth, unsigned columns) {
  // Said to be the same in all lanes, so that the descriptors stay in uniform registers.
  const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / kGroup, 0);
  float held[kHeld];
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i) held[i] = 0.0f;
  for_each_slab<true>(left + blockIdx.y * kTileRows * depth,
                      right + blockIdx.x * kTileColumns * depth, depth, [&](unsigned panel) {
                        const std::uint64_t a = describe(panel + group * (kGroupRows * kPanelRow));
                        const std::uint64_t b = describe(panel + kLeftPanel);
                        begin_products();
#pragma unroll
                        for (unsigned k = 0; k < kCoreSteps; ++k) {
                          multiply_panels(held, a + k * (kCoreDepth * 2 / kPiece),
                                          b + k * (kCoreDepth * 2 / kPiece));
                        }
                        commit_products();
                        wait_for_products<1>();
                      });
  wait_for_products<0>();
  // Four elements to a step of eight columns, two in a row and two in the row eight further down.
  const unsigned row = group * kGroupRows + threadIdx.x % kGroup / 32 * 16 + threadIdx.x % 32 / 4;
  result +=
      (blockIdx.y * kTileRows + row) * columns + blockIdx.x * kTileColumns + threadIdx.x % 4 * 2;
#pragma unroll
  for (unsigned i = 0; i < kHeld; i += 4) {
    store_pair(result + i * 2, held[i], held[i + 1]);
    store_pair(result + 8 * columns + i * 2, held[i + 2], held[i + 3]);
  }
}

namespace {

// Small whole numbers, whose sums of products are exact in either arithmetic.
std::vector<int> numbers(std::size_t count, unsigned seed) {
  constexpr int kLimit = 3;
  std::vector<int> values;
  values.reserve(count);
  for (const unsigned value : random_integers(count, 2 * kLimit + 1, seed)) {
    values.push_back(static_cast<int>(value) - kLimit);
  }
  return values;
}

std::vector<__half> as_halves(const std::vector<int>& values) {
  std::vector<__half> halves;
  halves.reserve(values.size());
  for (const int value : values) halves.push_back(__float2half(static_cast<float>(value)));
  return halves;
}

void run_correlate_rows() {
  constexpr unsigned kRows = 24 * kTileRows;
  constexpr unsigned kDepth = 4096;
  const unsigned columns = multiprocessors() / 12 * kTileColumns;  // two waves on 132
  const std::vector<int> host_left = numbers(std::size_t{kRows} * kDepth, 173);
  const std::vector<int> host_right = numbers(std::size_t{columns} * kDepth, 174);
  DeviceBuffer<__half> left(as_halves(host_left));           // (kRows, kDepth)
  DeviceBuffer<__half> right(as_halves(host_right));         // (columns, kDepth)
  DeviceBuffer<float> result(std::size_t{kRows} * columns);  // (kRows, columns)
  const dim3 grid(columns / kTileColumns, kRows / kTileRows);
  allow_shared(correlate_rows, kSharedBytes);
  allow_shared(correlate_rows_warpgroup, kSharedBytes);
  result.clear();
  correlate_rows<<<grid, kThreads, kSharedBytes>>>(left.data(), right.data(), result.data(), kDepth,
                                                   columns);
  finish_launch();
  const std::vector<float> slow = result.download();
  for (std::size_t i = 0; i < slow.size(); i += 4999) {
    int expected = 0;
    for (std::size_t k = 0; k < kDepth; ++k) {
      expected += host_left[i / columns * kDepth + k] * host_right[i % columns * kDepth + k];
    }
    expect_close("correlate rows", slow[i], expected, 0.0, i);
  }
  passed("correlate rows");

  result.clear();
  correlate_rows_warpgroup<<<grid, kThreads, kSharedBytes>>>(left.data(), right.data(),
                                                             result.data(), kDepth, columns);
  finish_launch();
  expect_equal("correlate rows warpgroup", result.download(), slow);
  passed("correlate rows warpgroup");
}

}  // namespace

int main() { run_correlate_rows(); }
