// SPDX-License-Identifier: Apache-2.0
//
// What the kernel's machine code says, where the report holds it and the reader was asked for it
// (ReadOptions::code): registers, spills, tensor shapes, warp roles, and with PC samples who waits
// for whom. Decoding takes time, so a profile that was read without its code has none of these.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/launch/code_facts.h"
#include "analysis/sass/code_report.h"
#include "readers/code/cubin_code.h"

namespace proofline {
namespace {

constexpr FactInfo kMachineCodeFacts[] = {
    {"sass.instructions", "inst", "Machine instructions of the kernel, without the padding."},
    {"sass.registers", "register/thread", "Registers that the compiler gave each thread."},
    {"sass.live", "register", "The most general registers that hold a value at one instruction."},
    {"sass.stack.bytes", "byte", "Stack frame of a thread."},
    {"sass.spill.bytes", "byte",
     "Bytes that a thread moves to and from spilled registers, each instruction counted once."},
    {"sass.lines", "", "\"yes\" or \"no\": whether the code has a line table (-lineinfo)."},
    {"sass.optimised", "",
     "\"yes\" or \"no\": no where the code was compiled with -G, -O0 or -O1."},
    {"sass.allocates", "",
     "\"yes\" or \"no\": whether the kernel calls malloc or new, itself or in functions it calls."},
    {"sass.loops", "", "Loops of the kernel, those that only poll included."},
    {"sass.loop.overhead.share", kShare,
     "Instructions of the hot loop that only keep it going (branches, their conditions, steps of "
     "counters and addresses), of all in it."},
    {"sass.tensor.<m|n|k>", "", "Shape of the most frequent tensor instruction."},
    {"sass.roles", "", "Warp roles; 0 where all warps run the same code."},
    {"sass.roles.verdict", "",
     "none, separate (roles meet only at entry, exit and barriers of their own) or joined."},
    {"sass.roles.balance.share", kShare,
     "Time that the least busy role does not wait, over that of the busiest."},
    {"sass.barriers.shared", "", "Barriers in loops that several warp roles come to."},
    {"sass.role[<kind>].instructions", "inst",
     "Machine instructions of the load, mma or epilogue role; of several of a kind, the longest."},
    {"sass.role[<kind>].warps", "warp", "Warps of a block in the roles of this kind."},
    {"sass.role[<kind>].registers", "register/thread",
     "Registers of the role's threads, as it sets them or as the kernel has them; of several of a "
     "kind, the most."},
    {"sass.role[<kind>].samples.share", kShare,
     "PC samples of the role's warps, over all of the launch."},
    {"sass.role[<kind>].waiting.share", kShare,
     "PC samples at which the role's warps wait for another role, over all of the role."},
    {"pipeline.bubble.share", kShare,
     "Share of the mma role's time in which it waits for another role."},
    {"pipeline.bubble[<kind>].share", kShare,
     "Share of the mma role's time in which it waits for the load or the epilogue role."},
    {"memory.tma.wait.share", kShare,
     "PC samples of warps that wait at an mbarrier where bulk copies (TMA) arrive, over all."},
    {"lanes.line[<i>].place", "", "The source line that loses the i-th most lanes."},
    {"lanes.line[<i>].lost.share", kShare,
     "Lanes that do nothing at this line, over all lanes of the executed instructions."},
};

// What one kernel's code was found to be.
struct KernelCode {
  std::optional<FunctionReport> report;
  AnalysedFunction analysed;  // where there is a report
  OpcodeNames opcodes;
  std::string missing;  // why there is no report
};

KernelCode code_of(const Subject& subject) {
  KernelCode code;
  code.missing = kNoCode;
  for (const std::uint64_t index : subject.launch.modules) {
    const Module& module = subject.profile.modules[index];
    if (module.cubin.empty()) {
      if (module.cubin_bytes > 0)
        code.missing = "the code was not read (proofline diagnose --facts does)";
      continue;
    }
    Listing listing;
    std::optional<CodeFunction> kernel;
    FunctionSink sink([&](CodeFunction&& function) { kernel = std::move(function); });
    sink.wants = [&](const std::string& name) { return name == subject.launch.mangled; };
    const auto read = read_cubin_code(module.cubin, fmt::format("module-{}", index), listing, sink);
    if (!read || !kernel) continue;
    CodeAnalyst analyst(listing.opcodes, {});
    code.report =
        analyst.analyse(std::move(*kernel), &subject.profile, code.analysed, &subject.launch);
    code.opcodes = std::move(listing.opcodes);
    break;
  }
  return code;
}

void publish_machine_code(const Subject& subject, Facts& facts) {
  const KernelCode code = code_of(subject);
  publish_code_facts(
      {code.report ? &*code.report : nullptr, &code.analysed, &code.opcodes, code.missing}, facts);
}

}  // namespace

Analysis machine_code() { return {"machine code", kMachineCodeFacts, publish_machine_code}; }

}  // namespace proofline
