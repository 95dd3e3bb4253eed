// SPDX-License-Identifier: Apache-2.0
//
// How far the reading of large files has come, as progress that appears when it takes longer than
// one is glad to wait: `reading "trace.json": 43 % of 1.15 GB, about 0:03 left`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/input.h"
#include "workflow/announcer.h"

namespace proofline {

class ReadingProgress final : public InputWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ReadingProgress(Announcer& announcer, Clock::duration patience = std::chrono::seconds(1))
      : announcer_(announcer), patience_(patience) {}

  void on_read(const std::string& name, std::uint64_t bytes, std::uint64_t size) override;

 private:
  struct Part {
    std::uint64_t bytes = 0;
    std::uint64_t size = 0;
  };

  std::mutex mutex_;
  Announcer& announcer_;
  Clock::duration patience_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  std::map<std::string, Part> files_;  // all that were heard of
  Part all_;                           // their sum
};

}  // namespace proofline
