// SPDX-License-Identifier: Apache-2.0
//
// What the programs with one planted fault share. Each is built twice: as it is, and with -DFIXED
// as its clean twin.
#pragma once

#include <cstdio>
#include <cstdlib>

#ifdef FIXED
constexpr bool kFixed = true;
#else
constexpr bool kFixed = false;
#endif

// A fault shows to the tool that looks for it; that the program itself notices one is no failure.
inline int finish() {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return 0;
}

template <class T>
T* allocate(std::size_t count) {
  T* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess) std::exit(2);
  return memory;
}
