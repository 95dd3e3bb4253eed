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
#include "analysis/launch/machine_code_facts.h"
#include "analysis/sass/code_report.h"
#include "readers/code/cubin_code.h"

namespace proofline {
namespace {

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
