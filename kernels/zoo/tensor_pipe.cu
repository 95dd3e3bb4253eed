// SPDX-License-Identifier: Apache-2.0
//
// Two kernels at the roof of the tensor cores: a bfloat16 product with both operands in shared
// memory, and an 8-bit integer product with one operand in registers. Each block multiplies tiles
// that it has loaded once, over and over, so that nothing but the matrix instructions can limit it.
// Two warpgroups of a block hold an accumulator of 64 x 256 each: while one has nothing in flight,
// the other keeps the tensor cores busy. Needs sm_90a.
#include <cstdint>
#include <cstring>

#include "../basics/check.cuh"

constexpr unsigned kGroup = 128;                            // threads of a warpgroup
constexpr unsigned kThreads = 2 * kGroup;                   // of a block
constexpr unsigned kGroupRows = 64;                         // of the result, of a warpgroup
constexpr unsigned kRows = 2 * kGroupRows;                  // of the result, of a block
constexpr unsigned kColumns = 256;                          // of the result
constexpr unsigned kHeld = kGroupRows * kColumns / kGroup;  // elements of the result in a thread

// Operands lie in panels: 128 bytes of each row, rows one after the other, the eight 16-byte pieces
// of a row exchanged by the row's number (the swizzle of 128 bytes).
constexpr unsigned kPiece = 16;                      // bytes
constexpr unsigned kPanelRow = 128;                  // bytes
constexpr unsigned kPanelAlignment = 8 * kPanelRow;  // where the pattern of the swizzle repeats
constexpr unsigned kInstructionDepth = 32;           // bytes of a row that one instruction takes
constexpr unsigned kPanelSteps = kPanelRow / kInstructionDepth;

// The descriptor of an operand: address, stride between groups of eight rows, kind of swizzle.
__device__ inline std::uint64_t describe(std::uint32_t shared_address) {
  constexpr std::uint64_t kSwizzle128 = 1;
  return std::uint64_t{(shared_address & 0x3ffff) >> 4} | std::uint64_t{1} << 16 |
         std::uint64_t{kPanelAlignment >> 4} << 32 | kSwizzle128 << 62;
}

__device__ inline char* panels_of(char* shared) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  return shared + (kPanelAlignment - address % kPanelAlignment) % kPanelAlignment;
}

// A whole block loads a panel from a matrix of row_bytes a row.
__device__ inline void load_panel(char* panel, const char* matrix, unsigned rows,
                                  unsigned row_bytes) {
  constexpr unsigned kPieces = kPanelRow / kPiece;
  for (unsigned i = threadIdx.x; i < rows * kPieces; i += kThreads) {
    const unsigned row = i / kPieces;
    const unsigned piece = i % kPieces;
    *reinterpret_cast<uint4*>(panel + row * kPanelRow + (piece ^ row % kPieces) * kPiece) =
        *reinterpret_cast<const uint4*>(matrix + std::size_t{row} * row_bytes + piece * kPiece);
  }
}

// The tensor cores read shared memory through another path than the stores above.
__device__ inline void publish_panels() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
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
#define HELD_8(constraint, held, i)                                                      \
  constraint(held[i]), constraint(held[i + 1]), constraint(held[i + 2]),                 \
  constraint(held[i + 3]), constraint(held[i + 4]), constraint(held[i + 5]),             \
  constraint(held[i + 6]), constraint(held[i + 7])
#define HELD_32(constraint, held, i)                                                     \
  HELD_8(constraint, held, i), HELD_8(constraint, held, i + 8),                          \
  HELD_8(constraint, held, i + 16), HELD_8(constraint, held, i + 24)
#define HELD_128(constraint, held)                                                       \
  HELD_32(constraint, held, 0), HELD_32(constraint, held, 32),                           \
  HELD_32(constraint, held, 64), HELD_32(constraint, held, 96)
#define OPERANDS_128                                                                     \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on

__device__ inline void multiply_bf16(float (&held)[kHeld], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" OPERANDS_128
      "}, %128, %129, add, 1, 1, 0, 0; }"
      : HELD_128("+f", held)
      : "l"(a), "l"(b), "r"(1));
}

__device__ inline void multiply_s8(int (&held)[kHeld], const unsigned (&a)[4], std::uint64_t b) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %133, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {" OPERANDS_128
      "}, {%128, %129, %130, %131}, %132, add; }"
      : HELD_128("+r", held)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}

#undef HELD_8
#undef HELD_32
#undef HELD_128
#undef OPERANDS_128

// Where the elements that a thread holds lie in its warpgroup's part of the result: four to a step
// of eight columns, two in a row and two in the row eight further down.
__device__ inline unsigned held_row() {
  return threadIdx.x % kGroup / 32 * 16 + threadIdx.x % 32 / 4;
}
__device__ inline unsigned held_column() { return threadIdx.x % 4 * 2; }

template <typename Pair, typename T>
__device__ inline void store_held(T* result, const T (&held)[kHeld]) {
#pragma unroll
  for (unsigned i = 0; i < kHeld; i += 4) {
    T* to = result + held_row() * kColumns + held_column() + i * 2;
    *reinterpret_cast<Pair*>(to) = Pair{held[i], held[i + 1]};
    *reinterpret_cast<Pair*>(to + 8 * kColumns) = Pair{held[i + 2], held[i + 3]};
  }
}

constexpr unsigned kPanels = 2;                       // of a bfloat16 operand
constexpr unsigned kDepth = kPanels * kPanelRow / 2;  // bfloat16 elements of its row
constexpr unsigned kPanelA = kGroupRows * kPanelRow;  // bytes
constexpr unsigned kPanelB = kColumns * kPanelRow;    // bytes
constexpr unsigned kTileBytes = kPanels * (2 * kPanelA + kPanelB);
constexpr unsigned kRounds = 512;

// The result is kRounds times the product of the block's rows with all rows of the second matrix.
// zoo: project_rows is healthy at tensor-pipe
__global__ __launch_bounds__(kThreads, 1) void project_rows(
    const char* __restrict__ rows,   // (blocks * kRows, kDepth), bfloat16
    const char* __restrict__ basis,  // (kColumns, kDepth), bfloat16
    float* __restrict__ result) {    // (blocks * kRows, kColumns)
  extern __shared__ char shared[];
  constexpr unsigned kRowBytes = kPanels * kPanelRow;
  char* panels = panels_of(shared);
  // Said to be the same in all lanes, so that the descriptors stay in uniform registers.
  const unsigned group = __shfl_sync(0xffffffffu, threadIdx.x / kGroup, 0);
  const std::size_t first = std::size_t{blockIdx.x} * kRows;
  for (unsigned p = 0; p < kPanels; ++p) {
    for (unsigned g = 0; g < 2; ++g) {
      load_panel(panels + (g * kPanels + p) * kPanelA,
                 rows + (first + g * kGroupRows) * kRowBytes + p * kPanelRow, kGroupRows,
                 kRowBytes);
    }
    load_panel(panels + 2 * kPanels * kPanelA + p * kPanelB, basis + p * kPanelRow, kColumns,
               kRowBytes);
  }
  publish_panels();

  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(panels));
  const std::uint64_t a = describe(address + group * kPanels * kPanelA);
  const std::uint64_t b = describe(address + 2 * kPanels * kPanelA);
  float held[kHeld];
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i) held[i] = 0.0f;
#pragma unroll 1
  for (unsigned round = 0; round < kRounds; ++round) {
    begin_products();
#pragma unroll
    for (unsigned p = 0; p < kPanels; ++p) {
#pragma unroll
      for (unsigned k = 0; k < kPanelSteps; ++k) {
        multiply_bf16(held, a + (p * kPanelA + k * kInstructionDepth) / 16,
                      b + (p * kPanelB + k * kInstructionDepth) / 16);
      }
    }
    commit_products();
    wait_for_products<1>();
  }
  wait_for_products<0>();
  store_held<float2>(result + (first + group * kGroupRows) * kColumns, held);
}

constexpr unsigned kFilters = 4;            // banks in shared memory, a panel each
constexpr unsigned kSignature = kPanelRow;  // 8-bit elements of a row
constexpr unsigned kBankBytes = kFilters * kPanelB;
constexpr unsigned kBankRounds = 256;

// The result is kBankRounds times the sum of the products with all banks.
// zoo: score_signatures is healthy at tensor-pipe
__global__ __launch_bounds__(kThreads, 1) void score_signatures(
    const char* __restrict__ signatures,  // (blocks * kRows, kSignature), 8-bit integers
    const char* __restrict__ banks,       // (kFilters, kColumns, kSignature), 8-bit integers
    int* __restrict__ result) {           // (blocks * kRows, kColumns)
  extern __shared__ char shared[];
  char* panels = panels_of(shared);
  const std::size_t first = std::size_t{blockIdx.x} * kRows + threadIdx.x / kGroup * kGroupRows;
  for (unsigned f = 0; f < kFilters; ++f) {
    load_panel(panels + f * kPanelB, banks + f * kPanelB, kColumns, kPanelRow);
  }
  // Of each step's 32 columns a thread holds four, and four sixteen columns on, in two rows.
  unsigned signature[kPanelSteps][4];
#pragma unroll
  for (unsigned k = 0; k < kPanelSteps; ++k) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const std::size_t row = first + held_row() + i % 2 * 8;
      const unsigned column = k * kInstructionDepth + i / 2 * 16 + threadIdx.x % 4 * 4;
      signature[k][i] = *reinterpret_cast<const unsigned*>(signatures + row * kSignature + column);
    }
  }
  publish_panels();

  const std::uint64_t b = describe(static_cast<std::uint32_t>(__cvta_generic_to_shared(panels)));
  int held[kHeld];
#pragma unroll
  for (unsigned i = 0; i < kHeld; ++i) held[i] = 0;
#pragma unroll 1
  for (unsigned round = 0; round < kBankRounds; ++round) {
    begin_products();
#pragma unroll
    for (unsigned f = 0; f < kFilters; ++f) {
#pragma unroll
      for (unsigned k = 0; k < kPanelSteps; ++k) {
        multiply_s8(held, signature[k], b + (f * kPanelB + k * kInstructionDepth) / 16);
      }
    }
    commit_products();
    wait_for_products<1>();
  }
  wait_for_products<0>();
  store_held<int2>(result + first * kColumns, held);
}

namespace {

constexpr unsigned kSampleStep = 997;

// Small whole numbers, whose sums of products are exact in either arithmetic.
std::vector<int> numbers(std::size_t count, int limit, unsigned seed) {
  std::vector<int> values;
  values.reserve(count);
  for (const unsigned value : random_integers(count, 2 * limit + 1, seed)) {
    values.push_back(static_cast<int>(value) - limit);
  }
  return values;
}

// A bfloat16 is the upper half of a float.
std::vector<std::uint16_t> as_bf16(const std::vector<int>& values) {
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const int value : values) {
    const float wide = static_cast<float>(value);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &wide, sizeof bits);
    halves.push_back(static_cast<std::uint16_t>(bits >> 16));
  }
  return halves;
}

long long dot(const int* a, const int* b, unsigned count) {
  long long sum = 0;
  for (unsigned i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

void allow_shared_memory(const void* kernel, unsigned bytes) {
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
}

void run_project_rows() {
  const unsigned blocks = multiprocessors();
  const std::size_t row_count = std::size_t{kRows} * blocks;
  const std::vector<int> host_rows = numbers(row_count * kDepth, 3, 21);
  const std::vector<int> host_basis = numbers(std::size_t{kColumns} * kDepth, 3, 22);
  DeviceBuffer<std::uint16_t> rows(as_bf16(host_rows));    // (row_count, kDepth)
  DeviceBuffer<std::uint16_t> basis(as_bf16(host_basis));  // (kColumns, kDepth)
  DeviceBuffer<float> result(row_count * kColumns);        // (row_count, kColumns)
  result.clear();
  const unsigned bytes = kTileBytes + kPanelAlignment;
  allow_shared_memory(reinterpret_cast<const void*>(project_rows), bytes);
  project_rows<<<blocks, kThreads, bytes>>>(reinterpret_cast<const char*>(rows.data()),
                                            reinterpret_cast<const char*>(basis.data()),
                                            result.data());
  finish_launch();
  const std::vector<float> actual = result.download();
  for (std::size_t i = 0; i < actual.size(); i += kSampleStep) {
    const long long expected = kRounds * dot(&host_rows[i / kColumns * kDepth],
                                             &host_basis[i % kColumns * kDepth], kDepth);
    expect_close("project rows", actual[i], static_cast<double>(expected), 0.0, i);
  }
  passed("project rows");
}

void run_score_signatures() {
  const unsigned blocks = multiprocessors();
  const std::size_t row_count = std::size_t{kRows} * blocks;
  const std::vector<int> host_signatures = numbers(row_count * kSignature, 31, 23);
  const std::vector<int> host_banks =
      numbers(std::size_t{kFilters} * kColumns * kSignature, 31, 24);
  DeviceBuffer<std::int8_t> signatures(
      std::vector<std::int8_t>(host_signatures.begin(), host_signatures.end()));
  DeviceBuffer<std::int8_t> banks(std::vector<std::int8_t>(host_banks.begin(), host_banks.end()));
  DeviceBuffer<int> result(row_count * kColumns);  // (row_count, kColumns)
  result.clear();
  const unsigned bytes = kBankBytes + kPanelAlignment;
  allow_shared_memory(reinterpret_cast<const void*>(score_signatures), bytes);
  score_signatures<<<blocks, kThreads, bytes>>>(reinterpret_cast<const char*>(signatures.data()),
                                                reinterpret_cast<const char*>(banks.data()),
                                                result.data());
  finish_launch();
  const std::vector<int> actual = result.download();
  for (std::size_t i = 0; i < actual.size(); i += kSampleStep) {
    long long expected = 0;
    for (unsigned f = 0; f < kFilters; ++f) {
      expected +=
          kBankRounds * dot(&host_signatures[i / kColumns * kSignature],
                            &host_banks[(f * kColumns + i % kColumns) * kSignature], kSignature);
    }
    expect_close("score signatures", actual[i], static_cast<double>(expected), 0.0, i);
  }
  passed("score signatures");
}

}  // namespace

int main() {
  run_project_rows();
  run_score_signatures();
}
