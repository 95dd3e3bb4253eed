// SPDX-License-Identifier: Apache-2.0
//
// What the programs of this folder share: a kernel that takes as long as it is told, a host that is
// busy as long as it is told, and the end of a program whose call failed.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define REQUIRE(call)                                                                \
  do {                                                                               \
    const cudaError_t error_ = (call);                                               \
    if (error_ != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));           \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)

// The blocks wait for so many of their SM's cycles; `out` keeps the compiler from knowing better.
__global__ void work(long long cycles, int* out) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  if (out != nullptr && cycles < 0) *out = 1;
}

// About as many cycles as an H200 has in a microsecond.
constexpr long long kCyclesPerUs = 1900;

inline void launch_work(double us, cudaStream_t stream = nullptr, int blocks = 132) {
  work<<<blocks, 128, 0, stream>>>(static_cast<long long>(us * kCyclesPerUs), nullptr);
  REQUIRE(cudaGetLastError());
}

inline void busy_host(double us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Everything is loaded and warm before a program shows what it is about.
inline void warm_up() {
  for (int i = 0; i < 3; ++i) launch_work(1);
  REQUIRE(cudaDeviceSynchronize());
}

inline int finish() {
  REQUIRE(cudaDeviceSynchronize());
  return 0;
}
