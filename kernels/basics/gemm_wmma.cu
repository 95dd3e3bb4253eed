// SPDX-License-Identifier: Apache-2.0
//
// C = A B with bf16 inputs and FP32 sums on the tensor cores, by way of the portable warp-level
// interface. A plain double barrier around each slice of k: the tensor pipe waits for its operands,
// as in many first versions.
#include <cuda_bf16.h>
#include <mma.h>

#include "check.cuh"

using nvcuda::wmma::accumulator;
using nvcuda::wmma::fragment;
using nvcuda::wmma::matrix_a;
using nvcuda::wmma::matrix_b;
using nvcuda::wmma::row_major;

constexpr unsigned kFragment = 16;    // one tensor instruction group works on 16 x 16 x 16
constexpr unsigned kBlockRows = 128;  // block tile 128 x 128 x 32
constexpr unsigned kBlockColumns = 128;
constexpr unsigned kSlice = 32;
constexpr unsigned kWarpRows = 64;  // warp tile 64 x 32, so a block is 2 x 4 warps
constexpr unsigned kWarpColumns = 32;
constexpr unsigned kWarps = (kBlockRows / kWarpRows) * (kBlockColumns / kWarpColumns);
constexpr unsigned kThreads = kWarps * 32;
constexpr unsigned kPadding = 8;  // bf16 values: rows start in different banks, 16-byte aligned

// m and n must be multiples of 128, k of 32; block is kThreads.
__global__ __launch_bounds__(kThreads) void gemm_wmma(
    const __nv_bfloat16* __restrict__ a,  // (m, k)
    const __nv_bfloat16* __restrict__ b,  // (k, n)
    float* __restrict__ c,                // (m, n)
    unsigned n, unsigned k) {
  // Rows of C by slice of k, and slice of k by columns of C; wmma loads from 32-byte boundaries.
  alignas(32) __shared__ __nv_bfloat16 a_tile[kBlockRows][kSlice + kPadding];
  alignas(32) __shared__ __nv_bfloat16 b_tile[kSlice][kBlockColumns + kPadding];
  const unsigned warp = threadIdx.x / 32;
  const unsigned first_row = blockIdx.y * kBlockRows;
  const unsigned first_column = blockIdx.x * kBlockColumns;
  const unsigned warp_row = warp / (kBlockColumns / kWarpColumns) * kWarpRows;
  const unsigned warp_column = warp % (kBlockColumns / kWarpColumns) * kWarpColumns;

  fragment<accumulator, kFragment, kFragment, kFragment, float> sums[kWarpRows / kFragment]
                                                                    [kWarpColumns / kFragment];
#pragma unroll
  for (auto& row : sums) {
#pragma unroll
    for (auto& sum : row) nvcuda::wmma::fill_fragment(sum, 0.0f);
  }

  constexpr unsigned kVector = 8;  // bf16 values in the 16 bytes that a thread moves at a time
  for (unsigned base = 0; base < k; base += kSlice) {
    for (unsigned i = threadIdx.x * kVector; i < kBlockRows * kSlice; i += kThreads * kVector) {
      const unsigned row = i / kSlice;
      const unsigned column = i % kSlice;
      *reinterpret_cast<uint4*>(&a_tile[row][column]) =
          *reinterpret_cast<const uint4*>(&a[std::size_t{first_row + row} * k + base + column]);
    }
    for (unsigned i = threadIdx.x * kVector; i < kSlice * kBlockColumns; i += kThreads * kVector) {
      const unsigned row = i / kBlockColumns;
      const unsigned column = i % kBlockColumns;
      *reinterpret_cast<uint4*>(&b_tile[row][column]) =
          *reinterpret_cast<const uint4*>(&b[std::size_t{base + row} * n + first_column + column]);
    }
    __syncthreads();
#pragma unroll
    for (unsigned slice = 0; slice < kSlice; slice += kFragment) {
      fragment<matrix_a, kFragment, kFragment, kFragment, __nv_bfloat16, row_major>
          a_part[kWarpRows / kFragment];
      fragment<matrix_b, kFragment, kFragment, kFragment, __nv_bfloat16, row_major>
          b_part[kWarpColumns / kFragment];
#pragma unroll
      for (unsigned r = 0; r < kWarpRows / kFragment; ++r) {
        nvcuda::wmma::load_matrix_sync(a_part[r], &a_tile[warp_row + r * kFragment][slice],
                                       kSlice + kPadding);
      }
#pragma unroll
      for (unsigned s = 0; s < kWarpColumns / kFragment; ++s) {
        const __nv_bfloat16* source = &b_tile[slice][warp_column + s * kFragment];
        nvcuda::wmma::load_matrix_sync(b_part[s], source, kBlockColumns + kPadding);
      }
#pragma unroll
      for (unsigned r = 0; r < kWarpRows / kFragment; ++r) {
#pragma unroll
        for (unsigned s = 0; s < kWarpColumns / kFragment; ++s) {
          nvcuda::wmma::mma_sync(sums[r][s], a_part[r], b_part[s], sums[r][s]);
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < kWarpRows / kFragment; ++r) {
#pragma unroll
    for (unsigned s = 0; s < kWarpColumns / kFragment; ++s) {
      const unsigned row = first_row + warp_row + r * kFragment;
      const unsigned column = first_column + warp_column + s * kFragment;
      float* target = &c[std::size_t{row} * n + column];
      nvcuda::wmma::store_matrix_sync(target, sums[r][s], n, nvcuda::wmma::mem_row_major);
    }
  }
}

namespace {

std::vector<__nv_bfloat16> random_bf16(std::size_t count, unsigned seed) {
  const std::vector<float> values = random_floats(count, seed);
  std::vector<__nv_bfloat16> rounded(count);
  for (std::size_t i = 0; i < count; ++i) rounded[i] = __float2bfloat16(values[i]);
  return rounded;
}

void run(const char* name, unsigned m, unsigned n, unsigned k) {
  REQUIRE(m % kBlockRows == 0 && n % kBlockColumns == 0 && k % kSlice == 0,
          "the kernel has no edge handling");

  const std::vector<__nv_bfloat16> host_a = random_bf16(std::size_t{m} * k, 9);
  const std::vector<__nv_bfloat16> host_b = random_bf16(std::size_t{k} * n, 10);
  DeviceBuffer<__nv_bfloat16> a(host_a);      // (m, k)
  DeviceBuffer<__nv_bfloat16> b(host_b);      // (k, n)
  DeviceBuffer<float> c(std::size_t{m} * n);  // (m, n)
  c.clear();
  gemm_wmma<<<dim3(n / kBlockColumns, m / kBlockRows), kThreads>>>(a.data(), b.data(), c.data(), n,
                                                                   k);
  finish_launch();

  // One row of every fragment and its offset within the fragment changing from one to the next:
  // each warp's tiles and each row position are covered at a sixteenth of the work.
  const std::vector<float> actual = c.download();
  std::vector<float> expected(n);
  for (unsigned row = 0; row < m; row += kFragment + 1) {
    expected.assign(n, 0.0f);
    for (unsigned i = 0; i < k; ++i) {
      const float factor = __bfloat162float(host_a[std::size_t{row} * k + i]);
      for (unsigned column = 0; column < n; ++column) {
        expected[column] += factor * __bfloat162float(host_b[std::size_t{i} * n + column]);
      }
    }
    for (unsigned column = 0; column < n; ++column) {
      const std::size_t at = std::size_t{row} * n + column;
      expect_close(name, actual[at], expected[column], 1e-3, at);
    }
  }
  passed(name);
}

}  // namespace

int main() {
  run("gemm bf16 wmma, 1024 x 1024 x 1024", 1024, 1024, 1024);
  run("gemm bf16 wmma, 2048 x 1024 x 512", 2048, 1024, 512);
}
