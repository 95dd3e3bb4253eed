// SPDX-License-Identifier: Apache-2.0
//
// One kernel on one screen: the verdict, the causes by rank, bars for the levels and for what warps
// wait for; on request NVIDIA's advice, every rule's answer, hot lines and every fact.
//
//   kernel 1  transpose_naive
//   78 % of global-memory sectors are not needed: the threads of a warp access scattered
//   addresses
//   memory-bound: uncoalesced global access; grid 128x128, block 32x8; 286.46 us under ncu replay
//   launch: 15.5 waves, 16 registers/thread, 0 B shared memory/block, occupancy 87 of 100 %
//   hottest line: transpose.cu:18, 61.6 % of samples, long_scoreboard
//
//   1. uncoalesced-global  high, gain 60-88 %
//      evidence: 77.8 % of global-memory sectors not needed (threshold 30 %); ...
//      next: make consecutive threads access consecutive addresses: swap loop or index order, ...
//
//   Share of peak                              Warps wait for
//   dram     ##......................  10.1 %  long_scoreboard   ####################....  83.9 %
//   l2       ##################......  74.1 %  drain             #.......................   5.4 %
//   Waits by kind: memory 98.7 %, synchronisation 0 %, compute 1.2 %, other 0.12 %
//
// The number is that of the table of kernels. "high" is how much the cause matters, the gain the
// share of the kernel's time that a fix could save. Evidence is facts, with the threshold that they
// are beyond or the ideal; --verbose adds their names. "occupancy 87 of 100 %" is achieved of
// possible. A bar is a share of that level's peak, or of all warp cycles.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "views/diagnosis/diagnosis_document.h"

namespace proofline {

struct KernelHeading {
  std::size_t id;
  std::string_view name;
  bool with_device;  // the profile has kernels of several devices
};

void add_kernel_screen(const KernelDiagnosis& kernel, const DiagnosisParts& parts,
                       const KernelHeading& heading, Document& document);

// "40-60 %", "below 1 %"; "-" for none.
std::string gain_text(const Gain& gain);

}  // namespace proofline
