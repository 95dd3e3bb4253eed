// SPDX-License-Identifier: Apache-2.0
//
// What NVML says of the GPU while programs are measured that do not watch it themselves: whether it
// was held back, and who else is on it. Only where the machine has one: which of several a program
// uses is not known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/measurement/benchmark.h"
#include "model/note.h"
#include "tools/machine/nvml.h"

namespace proofline {

class GpuWatch {
 public:
  GpuWatch();

  // For results that say nothing of the machine themselves.
  const BenchmarkMachine& machine() const { return machine_; }

  // Call it while none of our programs runs: any process on the GPU is somebody else's.
  void look_for_others();
  // Before a run, and several times a second while it lasts.
  void begin_run();
  void look();
  // Of the run that ended: where the GPU was held back at half of the looks or more, all its
  // samples are taken to be, but for those of a program that knows its clock.
  void tag(Benchmark& result) const;

  // Who was seen.
  std::vector<Note> notes() const;

 private:
  BenchmarkMachine machine_;
  std::unique_ptr<const NvmlGpu> gpu_;
  std::map<std::uint32_t, std::string> others_;  // names by process id
  bool begun_ = false;
  std::size_t looks_ = 0;
  std::size_t held_back_ = 0;
};

}  // namespace proofline
