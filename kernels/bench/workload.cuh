// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks of the large workloads share: inputs made on the GPU, and results reduced
// there to what the host can compare.
#pragma once

#include <proofline/bench.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace workload {

using proofline::bench::Buffer;
using proofline::bench::require;

// Every bit of the number depends on every bit of index and seed.
__host__ __device__ inline std::uint32_t hashed(std::uint64_t index, std::uint32_t seed) {
  std::uint64_t x = index + seed * 0x9E3779B97F4A7C15ULL;
  x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ x >> 27U) * 0x94D049BB133111EBULL;
  return static_cast<std::uint32_t>(x >> 32U);
}

// N(0, 1), since power and so clocks depend on the data.
template <class T>
__global__ void fill_normal(T* out, std::size_t count, std::uint32_t seed) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float radius = static_cast<float>(hashed(i, seed) + 0.5) * 0x1p-32F;
  const float angle = static_cast<float>(hashed(i, seed + 1)) * 0x1p-32F;
  out[i] = static_cast<T>(sqrtf(-2.0F * logf(radius)) * cospif(2.0F * angle));
}
template <class T>
void normal(Buffer<T>& out, std::uint32_t seed) {
  const auto blocks = static_cast<unsigned>((out.size() + 255) / 256);
  fill_normal<<<blocks, 256>>>(out.data(), out.size(), seed);
  require(cudaGetLastError(), "fill_normal");
}

// Bytes from `low` to `low + range - 1`.
__global__ void fill_bytes(std::uint8_t* out, std::size_t count, std::uint32_t low,
                           std::uint32_t range, std::uint32_t seed) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<std::uint8_t>(low + hashed(i, seed) % range);
}
inline void bytes(Buffer<std::uint8_t>& out, std::uint32_t low, std::uint32_t range,
                  std::uint32_t seed) {
  const auto blocks = static_cast<unsigned>((out.size() + 255) / 256);
  fill_bytes<<<blocks, 256>>>(out.data(), out.size(), low, range, seed);
  require(cudaGetLastError(), "fill_bytes");
}

// Some rows of a result, and how many of all its numbers are far from those of plain loops.
template <class T>
__global__ void pick_rows(const T* all, const std::uint32_t* rows, std::uint32_t width, T* picked) {
  for (std::uint32_t i = threadIdx.x; i < width; i += blockDim.x) {
    picked[std::size_t{blockIdx.x} * width + i] = all[std::size_t{rows[blockIdx.x]} * width + i];
  }
}
template <class T>
__global__ void count_far(const T* actual, const T* expected, std::size_t count, float absolute,
                          float relative, unsigned* far) {
  unsigned mine = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto a = static_cast<float>(actual[i]);
    const auto b = static_cast<float>(expected[i]);
    if (!(fabsf(a - b) <= absolute + relative * fabsf(b))) ++mine;  // NaN is far
  }
  if (mine != 0) atomicAdd(far, mine);
}

// A large result and how it is checked: FP64 on sampled rows, plain loops everywhere.
template <class T>
struct Checked {
  Checked(std::size_t rows, std::uint32_t width, const std::vector<std::uint32_t>& sampled_rows)
      : width(width),
        result(rows * width),
        plain(rows * width),
        sampled(sampled_rows.size()),
        exact(sampled_rows.size() * width),
        picked(sampled_rows.size() * width),
        far(1) {
    sampled.upload(sampled_rows);
  }

  // `exact` and `plain` are there. Results may be off by absolute + relative * |expected|, and by
  // twice that from the plain loops, which round too. Declared again, the narrower one counts for
  // what is measured after it.
  void declare(proofline::bench::Configuration& config, float absolute, float relative) {
    config.inspect(result, [this, absolute, relative](cudaStream_t stream) {
      pick_rows<<<static_cast<unsigned>(sampled.size()), 256, 0, stream>>>(
          result.data(), sampled.data(), width, picked.data());
      require(cudaMemsetAsync(far.data(), 0, sizeof(unsigned), stream), "cudaMemsetAsync");
      count_far<<<1024, 256, 0, stream>>>(result.data(), plain.data(), result.size(), 2 * absolute,
                                          2 * relative, far.data());
    });
    config.check(picked, exact, {absolute, relative}, "fp64 on sampled rows");
    config.check(far, std::vector<double>{0}, {}, "plain loops on the GPU");
  }

  std::uint32_t width;
  Buffer<T> result;
  Buffer<T> plain;
  Buffer<std::uint32_t> sampled;
  Buffer<double> exact;
  Buffer<T> picked;
  Buffer<unsigned> far;
};

inline double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// The first, the last, those around edges of tiles, and others in between.
inline std::vector<std::uint32_t> sampled_rows(std::uint32_t rows, std::uint32_t count) {
  std::vector<std::uint32_t> sampled = {0, rows - 1};
  for (std::uint32_t i = 0; i < count; ++i) sampled.push_back(hashed(i, 99) % rows);
  for (std::uint32_t edge = 128; edge < rows; edge += rows / 8 / 128 * 128 + 128) {
    sampled.push_back(edge - 1);
    sampled.push_back(edge);
  }
  return sampled;
}

// Launches of the workloads' C interfaces.
inline void launched(int result, const std::string& what) {
  require(static_cast<cudaError_t>(result), what.c_str());
}

}  // namespace workload
