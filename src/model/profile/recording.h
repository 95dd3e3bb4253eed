// SPDX-License-Identifier: Apache-2.0
//
// A Recording is what our recorder saw of one run of a program, launch by launch and without
// hardware counters: which kernels ran, in which order, with which shape, and for how long. Plain
// data; names are kept exactly as the program has them (a stranger's text: views escape them).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

struct RecordedDevice {
  std::uint32_t id = 0;
  std::string name;
  std::uint32_t cc_major = 0;
  std::uint32_t cc_minor = 0;
  // The rest by the names that ncu gives a device's attributes ("multiprocessor_count").
  std::vector<std::pair<std::string, std::uint64_t>> attributes;
};

struct RecordedLaunch {
  std::uint32_t name = 0;  // position in RecordedProcess::names
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint64_t start_ns = 0;  // of the GPU's clock, as CUPTI converts it
  std::uint64_t end_ns = 0;
  // Which launch of this name in this process, in the order of the calls; the first is 1. So ncu
  // counts too.
  std::uint32_t invocation = 0;
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t registers = 0;  // for each thread
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint32_t local_bytes = 0;    // for each thread
  std::uint32_t shared_config = 0;  // shared memory that the SM was set to; 0: unknown
  Dim3 cluster{};                   // 0: the launch has no clusters, or CUPTI does not say
};

// One process that used CUDA; a program may start several.
struct RecordedProcess {
  std::uint32_t pid = 0;
  std::uint64_t unix_ns = 0;  // when it first used CUDA
  std::string executable;
  std::uint32_t driver_version = 0;  // as CUDA counts: 13000
  std::uint32_t cupti_version = 0;
  std::vector<RecordedDevice> devices;
  std::vector<std::string> names;        // mangled
  std::vector<RecordedLaunch> launches;  // in the order of their start on the GPU
  std::uint64_t dropped = 0;             // launches that CUPTI could not hand over
  std::uint64_t untimed = 0;             // launches without a time; they are not in `launches`
  std::string trouble;                   // why nothing could be recorded; "" where it could
};

struct Recording {
  std::vector<RecordedProcess> processes;  // in the order in which they first used CUDA
  std::vector<Note> notes;                 // what was lost: cut files, processes without CUPTI
};

}  // namespace proofline
