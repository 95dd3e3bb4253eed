// SPDX-License-Identifier: Apache-2.0
//
// The PC samples of a launch, and how they fall on the instructions of its code. A sample names the
// instruction that waits, not the one that it waits for: analysis/sass/waits.h tells that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/sass/flow.h"
#include "analysis/sass/waits.h"
#include "model/code/listing.h"
#include "model/profile/profile.h"

namespace proofline {

// As a report has them, by address.
struct PcSamples {
  // What a sampled warp was doing.
  struct State {
    std::string metric;
    std::string reason;   // as vocabulary/stall_reasons.h spells it
    bool stalled = true;  // neither issuing nor ready to issue
  };
  struct Row {
    std::uint64_t address = 0;
    std::size_t state = 0;  // in states
    double count = 0;
  };
  std::vector<State> states;
  std::vector<Row> rows;
  double total = 0;
  std::string missing;  // why there are no rows
};

PcSamples read_pc_samples(const Profile& profile, const Launch& launch);

// Of one function in one launch.
struct CodeSamples {
  struct Row {
    std::uint64_t samples = 0;  // of warps in any state
    std::uint64_t stalled = 0;
    std::vector<std::uint64_t> by_reason;  // in the order of `reasons`; empty where samples is 0
    // How often warps, and how often threads, executed it; absent where that was not counted.
    std::optional<std::uint64_t> executed;
    std::optional<std::uint64_t> threads_executed;
    std::optional<std::uint64_t> threads_predicated_on;  // of them, those whose predicate held
  };
  std::vector<std::string> reasons;  // as vocabulary/stall_reasons.h spells them; "selected" too
  std::vector<Row> rows;             // one for each instruction
  std::uint64_t total = 0;           // of the launch: what fell on other functions too
  std::string missing;               // why no instruction has samples
};

// Samples of an instruction or of a source line, with the names of their reasons.
struct RowSamples {
  std::uint64_t samples = 0;  // of warps in any state
  std::uint64_t stalled = 0;
  std::vector<std::pair<std::string, std::uint64_t>> reasons;  // those that have samples
  std::optional<std::uint64_t> executed;                       // by warps; absent: not counted
};
RowSamples named(const CodeSamples& samples, const CodeSamples::Row& row);

// The instances of the PC samples, kInstructionsExecuted, kThreadsExecuted and
// kThreadsPredicatedOn must have been read.
CodeSamples samples_of(const Profile& profile, const Launch& launch, const CodeFunction& function);

ExecutionCounts execution_counts(const CodeSamples& samples);
// What most of the warps that are stalled at an instruction wait for; "" where none is.
std::string main_reason(const CodeSamples& samples, std::uint32_t instruction);

struct HotInstruction {
  std::uint32_t instruction = 0;
  std::uint64_t stalled = 0;  // samples
  double share = 0;           // of all samples of the launch
  std::string reason;         // what most of the warps stalled there wait for
  std::optional<std::uint64_t> executed;
  TracedWaits traced;
};

// A function with what was measured in it; what it names must outlive it.
struct SampledFunction {
  const CodeFunction& code;
  const Flow& flow;
  const OpcodeNames& opcodes;
  const CodeSamples& samples;
  const ExecutionCounts& executed;  // of the samples
};

// The instructions with the most stalled samples, most first, then by address.
std::vector<HotInstruction> hottest(const SampledFunction& function, std::size_t most);

}  // namespace proofline
