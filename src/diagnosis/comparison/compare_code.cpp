// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/comparison/compare_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/launch/occupancy_calculator.h"
#include "arch/arch.h"
#include "diagnosis/comparison/changed_blocks.h"
#include "model/profile/kernel_name.h"

namespace proofline {
namespace {

// Where no launch bound tells the block's size.
constexpr std::uint32_t kUsualThreads = 256;

// "sm_90a" -> "9.0", "sm_120" -> "12.0"
std::string compute_capability(std::string_view arch) {
  const std::uint32_t sm = sm_number(arch);
  return fmt::format("{}.{}", sm / 10, sm % 10);
}

std::uint32_t block_threads(const FunctionResources& resources) {
  if (resources.required_threads) return *resources.required_threads;
  return resources.max_threads.value_or(kUsualThreads);
}

std::optional<Occupancy> occupancy_of(const FunctionReport& function, std::uint32_t threads) {
  const SmLimits* limits = find_sm_limits(compute_capability(function.arch));
  if (limits == nullptr || !function.resources.registers) return std::nullopt;
  BlockResources block;
  block.threads = threads;
  block.registers_per_thread = *function.resources.registers;
  block.shared_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(function.resources.shared_bytes.value_or(0), 1U << 30U));
  block.barriers = function.resources.barriers.value_or(0);
  return calculate_occupancy(*limits, block);
}

class Changes {
 public:
  Changes(const FunctionReport& a, const FunctionReport& b, FunctionComparison& result)
      : a_(a), b_(b), result_(result) {}

  // What the compiler tells of a function beside its code.
  void collect_resources() {
    resources();
    occupancy();
  }

  // Counts of what is in the code are comparable only where all of it was read.
  void collect(bool wholly_read) {
    using enum CodeAspect;
    number(kFunction, "instructions", a_.stats.instructions, b_.stats.instructions);
    collect_resources();
    if (!wholly_read) {
      result_.unknown.emplace_back("the code itself, of which a part is unknown");
      return;
    }
    number(kResources, "live registers, most", a_.live_registers, b_.live_registers);
    for (const LocalUse use : {LocalUse::kSpill, LocalUse::kArray, LocalUse::kCallFrame}) {
      number(use == LocalUse::kSpill ? kResources : kFunction,
             "local memory, " + std::string(to_string(use)), accesses(a_, use), accesses(b_, use));
    }
    number(kFunction, "warp roles", static_cast<double>(a_.roles.roles.size()),
           static_cast<double>(b_.roles.roles.size()));
    number(kFunction, "loops", static_cast<double>(a_.loops.size()),
           static_cast<double>(b_.loops.size()));
    hot_loops();
    stats(kFunction, "", a_.stats, b_.stats);
    number(kFunction, "predicated instructions", a_.stats.predicated, b_.stats.predicated);
  }

 private:
  void number(CodeAspect aspect, std::string what, double a, double b, std::string unit = "") {
    if (a != b) result_.changes.push_back({aspect, std::move(what), a, b, std::move(unit)});
  }

  template <class T>
  void resource(const char* what, const std::optional<T>& a, const std::optional<T>& b,
                const char* unit = "") {
    if (a && b) {
      number(CodeAspect::kResources, what, static_cast<double>(*a), static_cast<double>(*b), unit);
    } else if (a || b) {
      result_.unknown.emplace_back(what);
    }
  }

  static double accesses(const FunctionReport& function, LocalUse use) {
    const LocalUseCounts& counts = function.local.of(use);
    return counts.loads.accesses + counts.stores.accesses;
  }

  void resources() {
    resource("registers", a_.resources.registers, b_.resources.registers);
    resource("static shared memory", a_.resources.shared_bytes, b_.resources.shared_bytes, "B");
    resource("stack frame", a_.resources.stack_bytes, b_.resources.stack_bytes, "B");
    resource("named barriers", a_.resources.barriers, b_.resources.barriers);
    resource("launch bound, threads", a_.resources.max_threads, b_.resources.max_threads);
    resource("launch bound, blocks", a_.resources.min_blocks, b_.resources.min_blocks);
  }

  void stats(CodeAspect aspect, const std::string& where, const CodeStats& a, const CodeStats& b) {
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      number(aspect, where + std::string(to_string(static_cast<InstructionClass>(i))),
             a.by_class[i], b.by_class[i]);
    }
    std::map<std::pair<InstructionClass, std::uint32_t>, std::pair<double, double>> widths;
    for (const auto& row : a.widths) widths[{row.kind, row.width}].first = row.count;
    for (const auto& row : b.widths) widths[{row.kind, row.width}].second = row.count;
    for (const auto& [key, counts] : widths) {
      number(aspect, fmt::format("{}{} of {} B", where, to_string(key.first), key.second),
             counts.first, counts.second);
    }
  }

  void hot_loops() {
    if (!a_.hot_loop || !b_.hot_loop) return;
    const CodeStats& a = a_.loops[*a_.hot_loop].stats;
    const CodeStats& b = b_.loops[*b_.hot_loop].stats;
    number(CodeAspect::kHotLoop, "hot loop: instructions", a.instructions, b.instructions);
    stats(CodeAspect::kHotLoop, "hot loop: ", a, b);
  }

  void occupancy() {
    const std::uint32_t threads = block_threads(b_.resources);
    if (threads != block_threads(a_.resources)) return;
    const auto a = occupancy_of(a_, threads);
    const auto b = occupancy_of(b_, threads);
    if (!a || !b) return;
    number(CodeAspect::kResources,
           fmt::format("theoretical occupancy at {} threads per block", threads), a->share,
           b->share, "share");
  }

  const FunctionReport& a_;
  const FunctionReport& b_;
  FunctionComparison& result_;
};

// Samples on blocks that changed.
double hotness(const FunctionComparison& pair) {
  double sum = 0;
  for (const ChangedBlock& block : pair.blocks) sum += block.samples();
  return sum;
}

}  // namespace

std::string_view to_string(CodeAspect aspect) {
  switch (aspect) {
    case CodeAspect::kResources: return "resources";
    case CodeAspect::kHotLoop: return "hot-loop";
    case CodeAspect::kFunction: return "function";
  }
  return "";
}

bool is_same(Sameness sameness) {
  return sameness != Sameness::kDifferent && sameness != Sameness::kBytesDiffer &&
         sameness != Sameness::kUnknown;
}

Matching match_functions(const CodeReport& a, const CodeReport& b, bool force) {
  // The names must stay where they are while they are matched.
  std::vector<std::string> short_names;
  short_names.reserve(a.functions.size() + b.functions.size());
  const auto subjects = [&](const CodeReport& report) {
    std::vector<MatchSubject> list;
    for (const FunctionReport& function : report.functions) {
      short_names.push_back(short_function_name(function.shown));
      MatchSubject& subject = list.emplace_back();
      subject.name = function.shown;
      subject.function = short_names.back();
    }
    return list;
  };
  const auto list_a = subjects(a);
  const auto list_b = subjects(b);
  return match_kernels(list_a, list_b, force);
}

bool has_same_bytes(const CodeFunction& a, const CodeFunction& b) {
  return a.complete && b.complete && !a.encodings.empty() && a.arch == b.arch &&
         a.encodings == b.encodings && a.relocations == b.relocations;
}

CodeComparison compare_code(const CodeSide& a, const CodeSide& b, const Matching& matching) {
  CodeComparison comparison;
  for (const KernelPair& pair : matching.pairs) {
    FunctionComparison& one = comparison.pairs.emplace_back();
    one.a = pair.a;
    one.b = pair.b;
    one.match = pair.kind;
    const FunctionReport& report_a = a.report.functions[pair.a];
    const FunctionReport& report_b = b.report.functions[pair.b];
    one.name_a = report_a.name;
    one.name_b = report_b.name;
    const AnalysedFunction& function_a = a.functions[pair.a];
    const AnalysedFunction& function_b = b.functions[pair.b];
    const bool same = has_same_bytes(function_a.code, function_b.code);
    const bool decoded = !same && report_a.wholly_read() && report_b.wholly_read();
    one.diff = diff_code({function_a.code, function_a.flow, a.report.opcodes},
                         {function_b.code, function_b.flow, b.report.opcodes}, decoded);
    Changes changes(report_a, report_b, one);
    if (same) {
      changes.collect_resources();
      continue;
    }
    one.blocks = changed_blocks(a, b, one);
    changes.collect(decoded);
  }
  std::stable_sort(comparison.pairs.begin(), comparison.pairs.end(),
                   [](const FunctionComparison& x, const FunctionComparison& y) {
                     return std::pair(hotness(x), x.diff.changed()) >
                            std::pair(hotness(y), y.diff.changed());
                   });
  for (const Unpaired& one : matching.only_in_a) {
    comparison.only_in_a.push_back(
        {one.position, a.report.functions[one.position].name, one.reason});
  }
  for (const Unpaired& one : matching.only_in_b) {
    comparison.only_in_b.push_back(
        {one.position, b.report.functions[one.position].name, one.reason});
  }
  return comparison;
}

CodeComparison compare_code(const CodeSide& a, const CodeSide& b, bool force) {
  return compare_code(a, b, match_functions(a.report, b.report, force));
}

CodeComparisonResult result_of(const CodeSide& a, const CodeSide& b,
                               const CodeComparison& comparison) {
  CodeComparisonResult result;
  result.comparison = &comparison;
  for (const CodeReport* report : {&a.report, &b.report}) {
    result.sources.push_back({report->path, report->format, report->producer});
    result.notes.insert(result.notes.end(), report->notes.begin(), report->notes.end());
  }
  return result;
}

}  // namespace proofline
