// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a kernel the GPU holds at once, so that a program can launch whole waves on
// any GPU, and the permission to use more shared memory than the default allows.
#pragma once

#include <algorithm>

#include "../basics/check.cuh"

template <typename Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
  CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)));
}

// For one multiprocessor; call allow_shared first where the shared memory needs it.
template <typename Kernel>
unsigned resident_blocks(Kernel kernel, unsigned threads, std::size_t shared_bytes = 0) {
  int blocks = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, static_cast<int>(threads), shared_bytes));
  REQUIRE(blocks > 0, "the kernel does not fit on a multiprocessor");
  return static_cast<unsigned>(blocks);
}

template <typename T>
void expect_all_close(const char* what, const std::vector<T>& actual,
                      const std::vector<T>& expected, double tolerance) {
  REQUIRE(actual.size() == expected.size(), what);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    expect_close(what, actual[i], expected[i], tolerance, i);
  }
}
