// SPDX-License-Identifier: Apache-2.0
//
// C = A B in FP32, twice: a shared tile with one result a thread, bound by its shared-memory reads,
// and a tile with sixteen results a thread, which uses each value that it reads from shared memory
// four times.
#include "check.cuh"

constexpr unsigned kTile = 32;  // gemm_tiled: block tile 32 x 32 x 32

// m, n and k must be multiples of kTile; block is (kTile, kTile).
__global__ void gemm_tiled(const float* __restrict__ a,  // (m, k)
                           const float* __restrict__ b,  // (k, n)
                           float* __restrict__ c,        // (m, n)
                           unsigned n, unsigned k) {
  __shared__ float a_tile[kTile][kTile];  // (rows of C, slice of k)
  __shared__ float b_tile[kTile][kTile];  // (slice of k, columns of C)
  const unsigned row = blockIdx.y * kTile + threadIdx.y;
  const unsigned column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (unsigned base = 0; base < k; base += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * k + base + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + column];
    __syncthreads();
    for (unsigned i = 0; i < kTile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

constexpr unsigned kBlockRows = 64;  // gemm_register_blocked: block tile 64 x 64 x 16
constexpr unsigned kBlockColumns = 64;
constexpr unsigned kSlice = 16;
constexpr unsigned kPerThread = 4;  // a thread owns 4 x 4 of C
constexpr unsigned kBlockThreads = (kBlockRows / kPerThread) * (kBlockColumns / kPerThread);

// m and n must be multiples of 64, k of 16; block is kBlockThreads.
__global__ __launch_bounds__(kBlockThreads) void gemm_register_blocked(
    const float* __restrict__ a,  // (m, k)
    const float* __restrict__ b,  // (k, n)
    float* __restrict__ c,        // (m, n)
    unsigned n, unsigned k) {
  __shared__ float
      a_tile[kSlice][kBlockRows + 1];  // (slice of k, rows of C), padded: it is written by columns
  __shared__ float b_tile[kSlice][kBlockColumns];  // (slice of k, columns of C)
  const unsigned first_row = blockIdx.y * kBlockRows;
  const unsigned first_column = blockIdx.x * kBlockColumns;
  const unsigned thread_row = threadIdx.x / (kBlockColumns / kPerThread) * kPerThread;
  const unsigned thread_column = threadIdx.x % (kBlockColumns / kPerThread) * kPerThread;
  float sums[kPerThread][kPerThread] = {};  // (rows, columns)

  for (unsigned base = 0; base < k; base += kSlice) {
    for (unsigned i = threadIdx.x; i < kBlockRows * kSlice; i += kBlockThreads) {
      a_tile[i % kSlice][i / kSlice] = a[(first_row + i / kSlice) * k + base + i % kSlice];
    }
    for (unsigned i = threadIdx.x; i < kSlice * kBlockColumns; i += kBlockThreads) {
      const unsigned column = i % kBlockColumns;
      b_tile[i / kBlockColumns][column] = b[(base + i / kBlockColumns) * n + first_column + column];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < kSlice; ++i) {
      float a_values[kPerThread];
      float b_values[kPerThread];
#pragma unroll
      for (unsigned j = 0; j < kPerThread; ++j) {
        a_values[j] = a_tile[i][thread_row + j];
        b_values[j] = b_tile[i][thread_column + j];
      }
#pragma unroll
      for (unsigned r = 0; r < kPerThread; ++r) {
#pragma unroll
        for (unsigned s = 0; s < kPerThread; ++s) sums[r][s] += a_values[r] * b_values[s];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned r = 0; r < kPerThread; ++r) {
#pragma unroll
    for (unsigned s = 0; s < kPerThread; ++s) {
      c[(first_row + thread_row + r) * n + first_column + thread_column + s] = sums[r][s];
    }
  }
}

namespace {

std::vector<float> multiply(const std::vector<float>& a,  // (m, k)
                            const std::vector<float>& b,  // (k, n)
                            unsigned m, unsigned n, unsigned k) {
  std::vector<float> c(std::size_t{m} * n);  // (m, n)
  for (unsigned row = 0; row < m; ++row) {
    float* target = &c[std::size_t{row} * n];
    for (unsigned i = 0; i < k; ++i) {
      const float factor = a[std::size_t{row} * k + i];
      const float* source = &b[std::size_t{i} * n];
      for (unsigned column = 0; column < n; ++column) target[column] += factor * source[column];
    }
  }
  return c;
}

enum class Variant { kTiled, kRegisterBlocked };

void run(const char* name, Variant variant, unsigned m, unsigned n, unsigned k) {
  REQUIRE(m % kBlockRows == 0 && n % kBlockColumns == 0 && k % kTile == 0,
          "the kernels have no edge handling");

  const std::vector<float> host_a = random_floats(std::size_t{m} * k, 7);
  const std::vector<float> host_b = random_floats(std::size_t{k} * n, 8);
  const std::vector<float> expected = multiply(host_a, host_b, m, n, k);
  DeviceBuffer<float> a(host_a);              // (m, k)
  DeviceBuffer<float> b(host_b);              // (k, n)
  DeviceBuffer<float> c(std::size_t{m} * n);  // (m, n)
  c.clear();
  if (variant == Variant::kTiled) {
    gemm_tiled<<<dim3(n / kTile, m / kTile), dim3(kTile, kTile)>>>(a.data(), b.data(), c.data(), n,
                                                                   k);
  } else {
    const dim3 grid(n / kBlockColumns, m / kBlockRows);
    gemm_register_blocked<<<grid, kBlockThreads>>>(a.data(), b.data(), c.data(), n, k);
  }
  finish_launch();
  const std::vector<float> actual = c.download();
  for (std::size_t i = 0; i < actual.size(); ++i)
    expect_close(name, actual[i], expected[i], 1e-4, i);
  passed(name);
}

}  // namespace

int main() {
  run("gemm tiled, 512 x 512 x 512", Variant::kTiled, 512, 512, 512);
  run("gemm register-blocked, 512 x 512 x 512", Variant::kRegisterBlocked, 512, 512, 512);
  run("gemm register-blocked, 1024 x 768 x 512", Variant::kRegisterBlocked, 1024, 768, 512);
}
