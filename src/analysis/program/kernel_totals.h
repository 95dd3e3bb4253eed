// SPDX-License-Identifier: Apache-2.0
//
// Where a program's GPU time went, kernel by kernel, from a recording without counters; which
// kernels and which of their launches are worth a profile; and what can be said of those without
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/profile/profile.h"
#include "model/profile/recording.h"

namespace proofline {

// The launches of a kernel with one grid and block.
struct KernelShape {
  Dim3 grid{};
  Dim3 block{};
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
};

// The launches of one mangled name in one process.
struct KernelTotal {
  std::size_t process = 0;  // position in Recording::processes
  std::string mangled;
  std::string name;      // demangled
  std::string function;  // short
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;
  std::uint64_t median_ns = 0;
  std::uint64_t max_ns = 0;
  double share = 0;                 // of the time of all kernels
  std::vector<KernelShape> shapes;  // the one that took most time first
};

struct KernelTotals {
  std::vector<KernelTotal> kernels;  // the one that took most time first
  std::uint64_t launches = 0;
  std::uint64_t total_ns = 0;  // of all kernels; those that ran side by side count each
  std::uint64_t busy_ns = 0;   // while any kernel ran
  std::uint64_t span_ns = 0;   // from the first one's start to the last one's end
};

KernelTotals total_kernels(const Recording& recording);

struct ChosenKernel {
  std::size_t kernel = 0;  // position in KernelTotals::kernels
  std::size_t launch = 0;  // position in RecordedProcess::launches
  // Of that launch: which launch of this name it is, from 1 on, as ncu counts.
  std::uint32_t invocation = 0;
};

// Each kernel costs dozens of passes.
inline constexpr std::size_t kMostChosenKernels = 8;

// The kernels to profile when the user names none: those that take most time, until they make up
// four fifths of it, and at most so many; of each a launch that is typical and no warm-up.
std::vector<ChosenKernel> choose_kernels(const Recording& recording, const KernelTotals& totals,
                                         std::size_t most = kMostChosenKernels);

// The launch to profile of this kernel. The kernel has one at least.
ChosenKernel choose_launch(const Recording& recording, const KernelTotals& totals,
                           std::size_t kernel);

// What the recording knows of these launches, under ncu's metric names, for a diagnosis without
// counters: shape, registers, shared memory, duration, the device.
Profile recorded_profile(const Recording& recording, const KernelTotals& totals,
                         const std::vector<ChosenKernel>& chosen);

// The launches of an ncu report, as if they had been recorded.
Recording recording_of(const Profile& profile);

}  // namespace proofline
