// SPDX-License-Identifier: Apache-2.0
//
// Input for buffers larger than a program wants to draw at random. Copies alone, no kernel: every
// launch of these programs is profiled.
#pragma once

#include <algorithm>

#include "../basics/check.cuh"

// Elements drawn at random. No power of two, so that the rows of a matrix differ from each other; a
// multiple of 16, so that the copies stay aligned whatever the element.
constexpr std::size_t kPeriod = 1'000'016;

// Element i of the buffer becomes block[i % block.size()].
template <typename T>
void fill_repeating(DeviceBuffer<T>& buffer, const std::vector<T>& block) {
  std::size_t filled = std::min(block.size(), buffer.size());
  CHECK_CUDA(cudaMemcpy(buffer.data(), block.data(), filled * sizeof(T), cudaMemcpyHostToDevice));
  while (filled < buffer.size()) {
    const std::size_t next = std::min(filled, buffer.size() - filled);
    CHECK_CUDA(cudaMemcpy(buffer.data() + filled, buffer.data(), next * sizeof(T),
                          cudaMemcpyDeviceToDevice));
    filled += next;
  }
}
