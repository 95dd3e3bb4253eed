// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's records of devices and kernels, turned into ours. What launches of one kernel share is
// written once, so a launch takes about ten bytes; which shape a launch has is looked up by a hash
// of 64 bits of its name and numbers. Not for several threads at once. All zero at first, so that
// it takes no space in the shared object.
#pragma once

#include "cupti_abi.h"
#include "recording_file.h"

namespace proofline::trace {

class LaunchWriter {
 public:
  RecordingFile& file() { return file_; }

  void write(const DeviceActivity& device);
  void write_identity(const DeviceActivity& device);
  // `is_recent`: from CUDA 11.8 on, with cluster and graph.
  void write(const KernelActivity& kernel, bool is_recent);
  // Counts records that are not written.
  void add_dropped(std::uint64_t count) { dropped_ += count; }
  void store();

 private:
  // Shapes known at once. A program with more has some written twice, which does no harm.
  static constexpr std::size_t kSlots = 1U << 14U;
  struct Slot {
    std::uint64_t hash;
    std::uint64_t id;  // and one; 0: empty
  };

  std::uint64_t shape_of(const KernelActivity& kernel, bool has_cluster);

  RecordingFile file_;
  std::uint64_t launches_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t shapes_ = 0;
  std::size_t used_slots_ = 0;
  std::uint64_t last_start_ = 0;
  std::uint32_t last_correlation_ = 0;
  Slot slots_[kSlots] = {};
};

}  // namespace proofline::trace
