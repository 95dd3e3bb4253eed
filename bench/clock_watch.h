// SPDX-License-Identifier: Apache-2.0
//
// Watches a GPU's SM clock, what holds it back, and its power, by NVML, from a thread of its own:
// a query takes longer than a short kernel, so it must not be on the measuring thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "sampler.h"
#include "tools/machine/nvml.h"

namespace proofline::bench {

class ClockWatch {
 public:
  // Of the GPU that NVML counts as this. Where the library cannot be used, nothing is ever known.
  explicit ClockWatch(std::uint32_t index, const std::string& library = "libnvidia-ml.so.1");
  ~ClockWatch();
  ClockWatch(const ClockWatch&) = delete;
  ClockWatch& operator=(const ClockWatch&) = delete;

  // The newest clock and power, and whether the GPU was held back at any moment since the last
  // call.
  ClockReading read();

  // The SM clock while application clocks or a lock set it; absent: not seen.
  std::optional<double> locked_mhz() const;

 private:
  void watch(std::uint32_t index, const std::string& library);
  void look(const NvmlGpu& gpu);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  bool is_ready_ = false;  // has looked once, or cannot
  std::optional<double> sm_mhz_;
  std::optional<double> watts_;
  std::optional<double> locked_mhz_;
  bool throttled_now_ = false;
  bool throttled_since_ = false;
  std::thread thread_;
};

}  // namespace proofline::bench
