// SPDX-License-Identifier: Apache-2.0
//
// C = A B in FP32, as a first matrix product grows up: lanes along the wrong dimension, lanes along
// the right one, tiles in shared memory, a column of results a thread, a square of results a
// thread, and at last 16-byte loads of the next slice under way while this one is multiplied.
#include "../zoo/fill.cuh"

constexpr unsigned kRows = 2048;     // of A and C
constexpr unsigned kColumns = 2048;  // of B and C
constexpr unsigned kDepth = 256;     // columns of A, rows of B
constexpr unsigned kTile = 32;       // a block's results in the first three steps, both ways
constexpr double kTolerance = 1e-4;

// A lane owns a row: with every step of k the warp reads 32 numbers of A that lie kDepth apart, 32
// sectors for 128 bytes, which takes L1 about as many cycles as sectors. B is one number.
// ladder: sgemm step 1: sgemm_naive is held by uncoalesced-global, lifted by sgemm_coalesced
__global__ __launch_bounds__(kTile* kTile) void sgemm_naive(
    const float* __restrict__ a,  // (kRows, kDepth)
    const float* __restrict__ b,  // (kDepth, kColumns)
    float* __restrict__ c) {      // (kRows, kColumns)
  const unsigned row = blockIdx.x * kTile + threadIdx.x;
  const unsigned column = blockIdx.y * kTile + threadIdx.y;
  float sum = 0.0f;
  for (unsigned i = 0; i < kDepth; ++i) sum += a[row * kDepth + i] * b[i * kColumns + column];
  c[row * kColumns + column] = sum;
}

// A lane owns a column. Every product takes a load of B of 128 bytes, and A comes as four numbers a
// load at best: L1 is busy for more than a cycle for a quarter of a cycle of the FMA pipe.
// ladder: sgemm step 2: sgemm_coalesced is held by l1-bandwidth or lsu-pipe
__global__ __launch_bounds__(kTile* kTile) void sgemm_coalesced(
    const float* __restrict__ a,  // (kRows, kDepth)
    const float* __restrict__ b,  // (kDepth, kColumns)
    float* __restrict__ c) {      // (kRows, kColumns)
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = 0; i < kDepth; ++i) sum += a[row * kDepth + i] * b[i * kColumns + column];
  c[row * kColumns + column] = sum;
}

// The same loads from shared memory: 40 of them, 48 wavefronts, for 32 products of a warp, which
// are 8 cycles of the FMA pipe.
// ladder: sgemm step 3: sgemm_shared is held by shared-bandwidth, lifted by sgemm_column
__global__ __launch_bounds__(kTile* kTile) void sgemm_shared(
    const float* __restrict__ a,          // (kRows, kDepth)
    const float* __restrict__ b,          // (kDepth, kColumns)
    float* __restrict__ c) {              // (kRows, kColumns)
  __shared__ float a_tile[kTile][kTile];  // (rows of C, slice of k)
  __shared__ float b_tile[kTile][kTile];  // (slice of k, columns of C)
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (unsigned base = 0; base < kDepth; base += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * kDepth + base + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * kColumns + column];
    __syncthreads();
    for (unsigned i = 0; i < kTile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  c[row * kColumns + column] = sum;
}

constexpr unsigned kColumnTile = 64;  // sgemm_column: block tile 64 x 64 x 8
constexpr unsigned kSlice = 8;
constexpr unsigned kResults = 8;  // a thread owns 8 of one column of C
constexpr unsigned kColumnThreads = kColumnTile * kColumnTile / kResults;
static_assert(kColumnThreads == kColumnTile * kSlice, "a thread loads one number of each tile");

// Each number of B serves eight products, each of A still only one: for four steps of k eight
// loads of 16 bytes and four of 4, 20 wavefronts, for 32 products, 8 cycles of the FMA pipe.
// ladder: sgemm step 4: sgemm_column is held by shared-bandwidth, lifted by sgemm_square
__global__ __launch_bounds__(kColumnThreads) void sgemm_column(
    const float* __restrict__ a,                 // (kRows, kDepth)
    const float* __restrict__ b,                 // (kDepth, kColumns)
    float* __restrict__ c) {                     // (kRows, kColumns)
  __shared__ float a_tile[kColumnTile][kSlice];  // (rows of C, slice of k)
  __shared__ float b_tile[kSlice][kColumnTile];  // (slice of k, columns of C)
  const unsigned first_row = blockIdx.y * kColumnTile;
  const unsigned first_column = blockIdx.x * kColumnTile;
  const unsigned thread_row = threadIdx.x / kColumnTile * kResults;
  const unsigned thread_column = threadIdx.x % kColumnTile;
  float sums[kResults] = {};  // (rows)

  for (unsigned base = 0; base < kDepth; base += kSlice) {
    a_tile[threadIdx.x / kSlice][threadIdx.x % kSlice] =
        a[(first_row + threadIdx.x / kSlice) * kDepth + base + threadIdx.x % kSlice];
    b_tile[threadIdx.x / kColumnTile][thread_column] =
        b[(base + threadIdx.x / kColumnTile) * kColumns + first_column + thread_column];
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kSlice; ++i) {
      const float b_value = b_tile[i][thread_column];
#pragma unroll
      for (unsigned r = 0; r < kResults; ++r) sums[r] += a_tile[thread_row + r][i] * b_value;
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < kResults; ++r) {
    c[(first_row + thread_row + r) * kColumns + first_column + thread_column] = sums[r];
  }
}

constexpr unsigned kSquareTile = 128;  // the last two steps: block tile 128 x 128 x 8
constexpr unsigned kSquareThreads = 256;
constexpr unsigned kAcross = 16;  // threads along a row of the tile
constexpr unsigned kHalf = 4;     // a thread owns 8 x 8 of C, in quarters of 4 x 4
constexpr unsigned kPadding = 4;  // the tile of A is written by columns, and read 16 bytes at once
constexpr unsigned kApart = kSquareTile / 2;  // the distance of a thread's quarters

// Of the sums of a thread for one step of k.
__device__ __forceinline__ void add_products(
    const float (*a_tile)[kSquareTile + kPadding],  // (slice of k, rows of C)
    const float (*b_tile)[kSquareTile],             // (slice of k, columns of C)
    unsigned i, unsigned thread_row, unsigned thread_column,
    float (&sums)[2 * kHalf][2 * kHalf]) {  // (rows, columns)
  float a_values[2 * kHalf];
  float b_values[2 * kHalf];
#pragma unroll
  for (unsigned j = 0; j < kHalf; ++j) {
    a_values[j] = a_tile[i][thread_row + j];
    a_values[kHalf + j] = a_tile[i][kApart + thread_row + j];
    b_values[j] = b_tile[i][thread_column + j];
    b_values[kHalf + j] = b_tile[i][kApart + thread_column + j];
  }
#pragma unroll
  for (unsigned r = 0; r < 2 * kHalf; ++r) {
#pragma unroll
    for (unsigned s = 0; s < 2 * kHalf; ++s) sums[r][s] += a_values[r] * b_values[s];
  }
}

__device__ __forceinline__ unsigned place(unsigned j) { return j / kHalf * kApart + j % kHalf; }

// 64 products, 16 cycles of the FMA pipe, for about 8 wavefronts. What remains beside the products
// is the latency of the slice's loads, which all warps of a block wait out between two barriers.
// ladder: sgemm step 5: sgemm_square is held by fma-pipe or memory-latency
__global__ __launch_bounds__(kSquareThreads, 2) void sgemm_square(
    const float* __restrict__ a,  // (kRows, kDepth)
    const float* __restrict__ b,  // (kDepth, kColumns)
    float* __restrict__ c) {      // (kRows, kColumns)
  __shared__ __align__(16) float a_tile[kSlice][kSquareTile + kPadding];
  __shared__ __align__(16) float b_tile[kSlice][kSquareTile];
  const unsigned first_row = blockIdx.y * kSquareTile;
  const unsigned first_column = blockIdx.x * kSquareTile;
  const unsigned thread_row = threadIdx.x / kAcross * kHalf;
  const unsigned thread_column = threadIdx.x % kAcross * kHalf;
  float sums[2 * kHalf][2 * kHalf] = {};  // (rows, columns)

  for (unsigned base = 0; base < kDepth; base += kSlice) {
#pragma unroll
    for (unsigned i = threadIdx.x; i < kSquareTile * kSlice; i += kSquareThreads) {
      a_tile[i % kSlice][i / kSlice] = a[(first_row + i / kSlice) * kDepth + base + i % kSlice];
      b_tile[i / kSquareTile][i % kSquareTile] =
          b[(base + i / kSquareTile) * kColumns + first_column + i % kSquareTile];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kSlice; ++i) {
      add_products(a_tile, b_tile, i, thread_row, thread_column, sums);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < 2 * kHalf; ++r) {
#pragma unroll
    for (unsigned s = 0; s < 2 * kHalf; ++s) {
      c[(first_row + thread_row + place(r)) * kColumns + first_column + thread_column + place(s)] =
          sums[r][s];
    }
  }
}

// One load of 16 bytes a thread and matrix, under way during the products of the slice before, and
// two buffers for one barrier a slice: the products are what is left.
// ladder: sgemm step 6: sgemm_vectorised is held by fma-pipe or issue-slots
__global__ __launch_bounds__(kSquareThreads, 2) void sgemm_vectorised(
    const float* __restrict__ a,  // (kRows, kDepth)
    const float* __restrict__ b,  // (kDepth, kColumns)
    float* __restrict__ c) {      // (kRows, kColumns)
  __shared__ __align__(16) float a_tiles[2][kSlice][kSquareTile + kPadding];
  __shared__ __align__(16) float b_tiles[2][kSlice][kSquareTile];
  const unsigned first_row = blockIdx.y * kSquareTile;
  const unsigned first_column = blockIdx.x * kSquareTile;
  const unsigned thread_row = threadIdx.x / kAcross * kHalf;
  const unsigned thread_column = threadIdx.x % kAcross * kHalf;
  const unsigned a_row = threadIdx.x / 2;  // two threads load the eight numbers of a row
  const unsigned a_k = threadIdx.x % 2 * 4;
  const unsigned b_k = threadIdx.x / 32;  // a warp loads a row of 128
  const unsigned b_column = threadIdx.x % 32 * 4;
  const float* a_source = a + (first_row + a_row) * kDepth + a_k;
  const float* b_source = b + b_k * kColumns + first_column + b_column;
  float sums[2 * kHalf][2 * kHalf] = {};  // (rows, columns)

  float4 a_next = *reinterpret_cast<const float4*>(a_source);
  float4 b_next = *reinterpret_cast<const float4*>(b_source);
  unsigned buffer = 0;
  for (unsigned base = kSlice; base <= kDepth; base += kSlice) {
    a_tiles[buffer][a_k + 0][a_row] = a_next.x;
    a_tiles[buffer][a_k + 1][a_row] = a_next.y;
    a_tiles[buffer][a_k + 2][a_row] = a_next.z;
    a_tiles[buffer][a_k + 3][a_row] = a_next.w;
    *reinterpret_cast<float4*>(&b_tiles[buffer][b_k][b_column]) = b_next;
    __syncthreads();
    if (base < kDepth) {
      a_next = *reinterpret_cast<const float4*>(a_source + base);
      b_next = *reinterpret_cast<const float4*>(b_source + base * kColumns);
    }
#pragma unroll
    for (unsigned i = 0; i < kSlice; ++i) {
      add_products(a_tiles[buffer], b_tiles[buffer], i, thread_row, thread_column, sums);
    }
    buffer ^= 1;  // a warp that is ahead writes the other one, and no further
  }
#pragma unroll
  for (unsigned r = 0; r < 2 * kHalf; ++r) {
    float* row = c + (first_row + thread_row + place(r)) * kColumns + first_column + thread_column;
    *reinterpret_cast<float4*>(row) = make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
    *reinterpret_cast<float4*>(row + kApart) =
        make_float4(sums[r][4], sums[r][5], sums[r][6], sums[r][7]);
  }
}

namespace {

static_assert(kRows % kSquareTile == 0 && kColumns % kSquareTile == 0 && kDepth % kTile == 0,
              "the kernels have no edge handling");

// A few of the results of every block, in double.
void check_samples(const std::vector<float>& a, const std::vector<float>& b,
                   const std::vector<float>& c) {
  for (std::size_t i = 0; i < c.size(); i += 4099) {
    const std::size_t row = i / kColumns;
    const std::size_t column = i % kColumns;
    double sum = 0.0;
    for (std::size_t k = 0; k < kDepth; ++k) {
      sum += static_cast<double>(a[row * kDepth + k]) * b[k * kColumns + column];
    }
    expect_close("sgemm", c[i], sum, kTolerance, i);
  }
}

template <typename Kernel>
void run(const char* name, Kernel kernel, dim3 grid, dim3 block, const DeviceBuffer<float>& a,
         const DeviceBuffer<float>& b, const std::vector<float>& host_a,
         const std::vector<float>& host_b) {
  DeviceBuffer<float> c(std::size_t{kRows} * kColumns);  // (kRows, kColumns)
  c.clear();
  kernel<<<grid, block>>>(a.data(), b.data(), c.data());
  finish_launch();
  check_samples(host_a, host_b, c.download());
  passed(name);
}

}  // namespace

int main() {
  const std::vector<float> host_a = random_floats(std::size_t{kRows} * kDepth, 101);
  const std::vector<float> host_b = random_floats(std::size_t{kDepth} * kColumns, 102);
  const DeviceBuffer<float> a(host_a);  // (kRows, kDepth)
  const DeviceBuffer<float> b(host_b);  // (kDepth, kColumns)
  const dim3 tiles(kColumns / kTile, kRows / kTile);
  const dim3 tile(kTile, kTile);
  const dim3 squares(kColumns / kSquareTile, kRows / kSquareTile);
  run("sgemm naive", sgemm_naive, dim3(tiles.y, tiles.x), tile, a, b, host_a, host_b);
  run("sgemm coalesced", sgemm_coalesced, tiles, tile, a, b, host_a, host_b);
  run("sgemm shared", sgemm_shared, tiles, tile, a, b, host_a, host_b);
  run("sgemm, a column a thread", sgemm_column, dim3(kColumns / kColumnTile, kRows / kColumnTile),
      kColumnThreads, a, b, host_a, host_b);
  run("sgemm, a square a thread", sgemm_square, squares, kSquareThreads, a, b, host_a, host_b);
  run("sgemm vectorised", sgemm_vectorised, squares, kSquareThreads, a, b, host_a, host_b);
}
