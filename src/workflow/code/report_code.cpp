// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/report_code.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "base/propagate.h"
#include "readers/code/read_code.h"
#include "workflow/code/analysed_code.h"

namespace proofline {
namespace {

// Of the profiled functions, in the order of the file.
Result<std::vector<CodeFunction>> read_bytes(const ReportKernels& kernels,
                                             const InputLimits& limits) {
  std::vector<CodeFunction> functions;
  FunctionSink sink([&](CodeFunction&& function) {
    if (kernels.names.contains(function.name)) functions.push_back(std::move(function));
  });
  sink.wants = [&](const std::string& name) { return kernels.names.contains(name); };
  ASSIGN_OR_RETURN(auto input, Input::open(kernels.path, limits));
  Listing listing;
  RETURN_IF_ERROR(read_code(input, listing, sink));
  return functions;
}

// What is known of functions before they are decoded.
CodeSide undecoded(std::vector<CodeFunction>&& functions) {
  CodeSide side;
  for (CodeFunction& function : functions) {
    FunctionReport& report = side.report.functions.emplace_back();
    report.name = function.name;
    report.shown = demangle(function.name).text;
    report.entry = function.entry;
    report.arch = function.arch;
    report.container = function.container;
    report.resources = function.resources;
    report.instructions = static_cast<std::uint32_t>(function.instructions.size());
    side.functions.emplace_back().code = std::move(function);
  }
  return side;
}

// Puts the analysed functions of these names into the places of the undecoded ones.
Result<void> analyse_some(const std::string& path, const std::unordered_set<std::string>& names,
                          const InputLimits& limits, CodeSide& side) {
  if (names.empty()) return {};
  CodeOptions options;
  options.disassembler = "native";  // no other program is run for a mere explanation
  ASSIGN_OR_RETURN(auto some,
                   analyse_code(path, options, {.functions = true, .names = &names}, limits));
  std::size_t next = 0;
  for (std::size_t i = 0; i < side.functions.size(); ++i) {
    if (!names.contains(side.report.functions[i].name)) continue;
    if (next == some.functions.size()) return fail(ErrorKind::kInput, "the file has changed");
    side.report.functions[i] = std::move(some.report.functions[next]);
    side.functions[i] = std::move(some.functions[next]);
    ++next;
  }
  side.report.opcodes = std::move(some.report.opcodes);
  return {};
}

Result<ComparedCode> compare_kernels(const ReportKernels& a, const ReportKernels& b,
                                     const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto bytes_a, read_bytes(a, limits));
  ASSIGN_OR_RETURN(auto bytes_b, read_bytes(b, limits));
  ComparedCode code{undecoded(std::move(bytes_a)), undecoded(std::move(bytes_b)), {}};
  const Matching matching = match_functions(code.a.report, code.b.report, true);
  std::unordered_set<std::string> names_a;
  std::unordered_set<std::string> names_b;
  for (const KernelPair& pair : matching.pairs) {
    if (has_same_bytes(code.a.functions[pair.a].code, code.b.functions[pair.b].code)) continue;
    names_a.insert(code.a.report.functions[pair.a].name);
    names_b.insert(code.b.report.functions[pair.b].name);
  }
  RETURN_IF_ERROR(analyse_some(a.path, names_a, limits, code.a));
  RETURN_IF_ERROR(analyse_some(b.path, names_b, limits, code.b));
  code.comparison = compare_code(code.a, code.b, matching);
  return code;
}

}  // namespace

ReportKernels kernels_of(const ComparedSide& side) {
  ReportKernels kernels{side.profile->path, {}};
  for (const KernelDiagnosis* kernel : side.kernels) {
    const std::string& name = side.profile->launches[kernel->launch].mangled;
    if (!name.empty()) kernels.names.insert(name);  // ranges and graphs have none
  }
  return kernels;
}

std::optional<ComparedCode> compare_report_code(const ReportKernels& a, const ReportKernels& b,
                                                const InputLimits& limits) {
  if (a.path == "-" || b.path == "-") return std::nullopt;  // it was read already
  auto code = compare_kernels(a, b, limits);
  if (!code || code->a.functions.empty() || code->b.functions.empty()) return std::nullopt;
  return std::move(*code);
}

}  // namespace proofline
