// SPDX-License-Identifier: Apache-2.0
//
// What `profile` has to say besides its diagnosis: which kernels ran, which of them were profiled,
// and where the run is kept.
//
//   What the program ran
//
//   200 launches of 2 kernels, 215.17 us of kernel time
//
//   Kernel                      Launches      Total   Share   Median
//   --------------------------  --------  ---------  ------  -------  --------
//   scale(float*, float, long)       150  161.09 us  74.9 %  1.09 us  profiled
//   shift(float*, float, long)        50   54.08 us  25.1 %  1.09 us  profiled
//
// Times are of the light pass before, in which no counter is collected; Share is of all kernel
// time. Before the diagnosis stands whether kernels are the problem at all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/kernel_totals.h"
#include "analysis/program/program_time.h"
#include "views/document.h"

namespace proofline {

struct ListedKernel {
  KernelTotal total;
  bool profiled = false;
};

struct ProfileSummary {
  std::string folder;                 // that the run is kept in
  std::vector<ListedKernel> listing;  // costliest first; empty where none was made
  std::uint64_t launches = 0;         // of the whole program
  std::uint64_t kernel_ns = 0;
  std::optional<int> program_code;  // the program's own exit code or signal, where it is not 0
  std::string permission;           // why there are no counters; "" there are
  std::optional<ProgramTime> time;  // where the light pass recorded a timeline
  std::string timeline;             // where that is kept
};

// Whether kernels are what takes the time.
void add_program_time(const ProfileSummary& summary, Document& document);

void add_profile_summary(const ProfileSummary& summary, Document& document);

}  // namespace proofline
