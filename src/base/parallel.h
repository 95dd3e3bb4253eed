// SPDX-License-Identifier: Apache-2.0
//
// Independent pieces of work, spread over the machine's cores:
//
//   std::vector<KernelDiagnosis> kernels(groups.size());
//   for_each_index(groups.size(), [&](std::size_t i) { kernels[i] = diagnose(groups[i]); });
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace proofline {

// Calls work(0) to work(count - 1), each once, in any order and on several threads at a time; what
// one of them throws is thrown here.
template <class Work>
void for_each_index(std::size_t count, const Work& work) {
  // What takes long is reading a file, so that more threads would mostly cost memory.
  constexpr std::size_t kMostThreads = 4;
  const std::size_t threads =
      std::min({count, kMostThreads, std::size_t{std::thread::hardware_concurrency()}});
  std::atomic<std::size_t> next = 0;
  const auto take_turns = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> helpers;
  try {
    for (std::size_t i = 1; i < threads; ++i) {
      helpers.push_back(std::async(std::launch::async, take_turns));
    }
  } catch (const std::system_error&) {
    // Where no more threads are allowed those that there are do it all.
  }
  take_turns();
  for (std::future<void>& helper : helpers) helper.get();
}

}  // namespace proofline
