// SPDX-License-Identifier: Apache-2.0
//
// What comparing two profiles says, member by member.
#include <array>

#include "base/json_writer.h"
#include "base/record_schema.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {
namespace {

void write_refused_condition(JsonWriter& json) {
  json.key("if");
  json.raw(R"({"properties":{"refused":{"const":false}}})");
  json.key("then");
  json.raw(R"({"required":["duration","explanation","findings","facts","unchanged_facts"]})");
}

}  // namespace

Record describe(const ComparedKernel* /*type*/) {
  using Kernel = ComparedKernel;
  return {
      about("compared_kernel"),
      member<&Kernel::name>("name", "demangled"),
      member<&Kernel::function>("function",
                                "without namespaces, template arguments and parameters"),
      member<&Kernel::grid>("grid", "x, y, z; null where the result is no kernel"),
      member<&Kernel::block>("block", "x, y, z; null where the result is no kernel"),
      group("device",
            {
                member<&Kernel::device_name>("name", "\"\" unknown"),
                member<&Kernel::compute_capability>("cc", "compute capability; \"\" unknown"),
            }),
      group("launches",
            {
                inlined<&Kernel::spread>(),
                member<&Kernel::launch>("representative",
                                        "the launch of median duration, whose facts these are"),
            }),
      member<&Kernel::time_share>("time_share", "of all profiled time on its side").share(),
      member<&Kernel::verdict>("verdict"),
  };
}

Record describe(const DurationFactor* /*type*/) {
  using Factor = DurationFactor;
  return {
      about("factor"),
      member<&Factor::name>("name"),
      member<&Factor::unit>("unit"),
      member<&Factor::a>("a"),
      member<&Factor::b>("b"),
      member<&Factor::ratio>("ratio", "what it does to the duration; above 1 = slower"),
      member<&Factor::share>("share",
                             "of the change in duration, on a log scale; null where the durations "
                             "are the same"),
  };
}

Record describe(const Decomposition* /*type*/) {
  return {
      about("decomposition", "The ratios multiply to the ratio of durations."),
      member<&Decomposition::id>("id").one_of({"issue", "dram"}),
      member<&Decomposition::factors>("factors").items(2),
  };
}

Record describe(const StallChange* /*type*/) {
  return {
      about("stall"),
      member<&StallChange::reason>("reason"),
      constant("unit", "cycle/inst"),
      member<&StallChange::a>("a").at_least(0),
      member<&StallChange::b>("b").at_least(0),
  };
}

Record describe(const Explanation* /*type*/) {
  return {
      about("explanation"),
      member<&Explanation::sentences>("sentences").not_empty(),
      member<&Explanation::decompositions>("decompositions"),
      member<&Explanation::stalls>(
          "stalls", "cycles that a warp waits for each instruction, largest change first"),
  };
}

Record describe(const FindingChange* /*type*/) {
  return {
      about("finding_change"),
      member<&FindingChange::id>("id").pattern(kRuleIdPattern),
      member<&FindingChange::status>("status",
                                     "unknown: found on one side, not evaluated on the other"),
      member<&FindingChange::a>("gain_a"),
      member<&FindingChange::b>("gain_b"),
      member<&FindingChange::remark>("remark"),
  };
}

Record describe(const FactChange* /*type*/) {
  return {
      about("fact_change"),
      member<&FactChange::name>("name").not_empty(),
      member<&FactChange::unit>("unit", "\"share\" is 0 to 1"),
      member<&FactChange::a>("a", "null: absent, not zero"),
      member<&FactChange::b>("b", "null: absent, not zero"),
      member<&FactChange::absence>("absence", "why one side is absent"),
      member<&FactChange::change>("change", "b - a"),
      member<&FactChange::relative>("relative", "change over a"),
      member<&FactChange::effect>("effect").share(),
  };
}

Record describe(const KernelComparison* /*type*/) {
  using Pair = KernelComparison;
  constexpr auto kCompared = [](const Pair& pair) { return !pair.refused; };
  return {
      about("pair").schema(write_refused_condition),
      member<&Pair::match>("match", "how the two were found to be the same kernel"),
      member<&Pair::refused>("refused", "then nothing was compared"),
      member<&Pair::differences>("differences"),
      member<&Pair::a>("a"),
      member<&Pair::b>("b"),
      group("duration",
            {
                constant("kind", "ncu-replay"),
                derived("a_ns", "median", [](const Pair& pair) { return pair.a.spread.median_ns; }),
                derived("b_ns", "median", [](const Pair& pair) { return pair.b.spread.median_ns; }),
                member<&Pair::change_ns>("change_ns"),
                member<&Pair::ratio>("ratio", "B over A"),
                member<&Pair::spread>(
                    "spread",
                    "where the difference lies in the spread of launches; unknown: one launch on "
                    "each side"),
            },
            "under ncu's replay; not wall time")
          .when(kCompared),
      member<&Pair::explanation>("explanation").when(kCompared),
      member<&Pair::findings>("findings").when(kCompared),
      member<&Pair::facts>("facts", "that changed: duration first, then by effect")
          .not_empty()
          .when(kCompared),
      member<&Pair::unchanged_facts>("unchanged_facts").when(kCompared),
  };
}

Record describe(const UnmatchedKernel* /*type*/) {
  return {
      about("unmatched"),
      member<&UnmatchedKernel::kernel>("kernel"),
      member<&UnmatchedKernel::reason>("reason"),
      member<&UnmatchedKernel::candidate>("candidate", "the nearest on the other side"),
  };
}

Record describe(const ProfileComparison* /*type*/) {
  using Comparison = ProfileComparison;
  return {
      about("compared_profiles"),
      member<&Comparison::differences>("differences", "of the captures as a whole"),
      member<&Comparison::kernels>("pairs",
                                   "kernels that both sides have, largest change of time first"),
      member<&Comparison::only_in_a>("only_in_a"),
      member<&Comparison::only_in_b>("only_in_b"),
  };
}

Record describe(const ComparisonResult* /*type*/) {
  using Result = ComparisonResult;
  return {
      about("comparison"),
      schema_version(),
      tool(),
      derived("sources", "A, then B",
              [](const Result& result) {
                return std::array{result.profiles->a, result.profiles->b};
              }),
      derived(
          "notes", "what to know about reading them; the place begins with the side",
          [](const Result& result) -> const std::vector<Note>& { return result.profiles->notes; }),
      inlined([](const Result& result) -> const ProfileComparison& { return *result.profiles; }),
      member<&Result::code>("code",
                            "the machine code of the profiled functions; null: a side has none "
                            "that can be read"),
  };
}

Record describe(const BaselineComparison* /*type*/) {
  using Baseline = BaselineComparison;
  return {
      about("baseline", "A profile against an earlier one."),
      derived("a", [](const Baseline& one) -> const DiagnosisSource& { return one.profiles->a; }),
      derived("b", [](const Baseline& one) -> const DiagnosisSource& { return one.profiles->b; }),
      derived("refusal", "why nothing was compared; \"\" it was",
              [](const Baseline& one) { return refusal(*one.profiles); }),
      inlined([](const Baseline& one) -> const ProfileComparison& { return *one.profiles; }),
  };
}

ResultSchema comparison_record() {
  return {"comparison",
          "What `proofline compare --format json` prints of two profiles",
          {record_of<ComparisonResult>}};
}

}  // namespace proofline
