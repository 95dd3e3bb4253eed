// SPDX-License-Identifier: Apache-2.0
//
// What every program in this folder needs around its kernels: a check of each CUDA call, device
// memory that frees itself, reproducible input, and a comparison with the expected result that ends
// the program on the first mismatch. A program that exits 0 has launched its kernels and found
// their results right, so its profile can be trusted.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK_CUDA(call)                                                 \
  do {                                                                   \
    const cudaError_t check_cuda_status = (call);                        \
    if (check_cuda_status != cudaSuccess) {                              \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(check_cuda_status));               \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

// For preconditions of a launch: a shape that a kernel cannot take is a mistake in the program,
// said before the launch.
#define REQUIRE(condition, why)                                                      \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, why, #condition); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

// A launch reports a bad configuration at once and a fault in the kernel only at the next
// synchronisation.
inline void finish_launch() {
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
}

inline unsigned blocks_for(std::size_t items, std::size_t per_block) {
  return static_cast<unsigned>((items + per_block - 1) / per_block);
}

inline int multiprocessors() {
  int device = 0;
  int count = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    CHECK_CUDA(cudaMalloc(&data_, count * sizeof(T)));
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) {
    CHECK_CUDA(cudaMemcpy(data_, host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { CHECK_CUDA(cudaFree(data_)); }

  void clear() { CHECK_CUDA(cudaMemset(data_, 0, count_ * sizeof(T))); }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    CHECK_CUDA(cudaMemcpy(host.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// The same seed gives the same input on every machine: mt19937 is specified bit for bit, the
// standard distributions are not, hence the division by hand.
inline std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(engine() >> 8) / static_cast<float>(1 << 24) - 0.5f;
  return values;
}

inline std::vector<unsigned> random_integers(std::size_t count, unsigned limit, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<unsigned> values(count);
  for (unsigned& value : values) value = static_cast<unsigned>(engine() % limit);
  return values;
}

// The tolerance is relative above 1 and absolute below, so that one number serves sums and
// near-zero values alike.
inline void expect_close(const char* what, double actual, double expected, double tolerance,
                         std::size_t index = 0) {
  if (std::abs(actual - expected) <= tolerance * std::fmax(1.0, std::abs(expected))) return;
  std::fprintf(stderr, "%s: element %zu is %.9g, expected %.9g\n", what, index, actual, expected);
  std::exit(1);
}

template <typename T>
void expect_equal(const char* what, const std::vector<T>& actual, const std::vector<T>& expected) {
  REQUIRE(actual.size() == expected.size(), what);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    std::fprintf(stderr, "%s: element %zu is %.9g, expected %.9g\n", what, i,
                 static_cast<double>(actual[i]), static_cast<double>(expected[i]));
    std::exit(1);
  }
}

inline void passed(const char* what) { std::printf("%s: ok\n", what); }
