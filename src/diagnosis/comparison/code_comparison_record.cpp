// SPDX-License-Identifier: Apache-2.0
//
// What comparing two listings or binaries says, member by member.
#include "analysis/sass/code_record.h"
#include "base/record_schema.h"
#include "diagnosis/comparison/compare_code.h"

namespace proofline {

Record describe(const CodeChange* /*type*/) {
  return {
      about("code_change", "Something countable that differs."),
      member<&CodeChange::aspect>("aspect"),
      member<&CodeChange::what>("what"),
      member<&CodeChange::a>("a"),
      member<&CodeChange::b>("b"),
      member<&CodeChange::unit>("unit", "\"\" a count; \"share\" is 0 to 1"),
  };
}

Record describe(const ChangedInstruction::Side* /*type*/) {
  using Side = ChangedInstruction::Side;
  return {
      about("instruction_side"),
      address<&Side::address>("address"),
      member<&Side::text>("text", "where bytes are compared, these"),
      member<&Side::samples>("samples", "share of the launch's; null: it has none").at_least(0),
  };
}

Record describe(const ChangedInstruction* /*type*/) {
  return {
      about("changed_instruction"),
      member<&ChangedInstruction::change>("change"),
      member<&ChangedInstruction::a>("a", "null: only in B"),
      member<&ChangedInstruction::b>("b", "null: only in A"),
  };
}

Record describe(const ChangedBlock::Side* /*type*/) {
  using Side = ChangedBlock::Side;
  return {
      about("block_side"),
      address<&Side::address>("address"),
      address<&Side::loop>("loop", "address of the innermost loop around it"),
      member<&Side::depth>("depth", "loops around it"),
      member<&Side::hot>("hot", "in the hot loop"),
      member<&Side::samples>("samples", "share of the launch's; null: it has none").at_least(0),
  };
}

Record describe(const ChangedBlock* /*type*/) {
  return {
      about("block"),
      member<&ChangedBlock::a>("a", "null: only in B"),
      member<&ChangedBlock::b>("b", "null: only in A"),
      member<&ChangedBlock::instructions>("instructions", "in the order of the code").not_empty(),
  };
}

Record describe(const CodeDiff* /*type*/) {
  return {
      about("code_diff"),
      derived("same_code", "null: not all of it was read",
              [](const CodeDiff& diff) { return is_same(diff.sameness); })
          .null_unless([](const CodeDiff& diff) { return diff.sameness != Sameness::kUnknown; }),
      member<&CodeDiff::sameness>("sameness"),
      group("instructions",
            {
                member<&CodeDiff::common>("common",
                                          "in both, in the same order; the padding after the code "
                                          "too where bytes were compared"),
                member<&CodeDiff::removed>("removed", "only in A"),
                member<&CodeDiff::added>("added", "only in B"),
                member<&CodeDiff::moved>("moved", "in both, elsewhere in the same block"),
                member<&CodeDiff::rewired>("rewired",
                                           "of common and moved: read the result of another "
                                           "instruction, or branch to another one"),
                member<&CodeDiff::estimated>("estimated",
                                             "parts are too different to be aligned: all of them "
                                             "count as removed and added"),
                member<&CodeDiff::bytes_changed>("bytes_changed"),
            }),
      group("control",
            {
                member<&CodeDiff::control_changed>("changed"),
                member<&CodeDiff::stall_cycles_a>("stall_cycles_a"),
                member<&CodeDiff::stall_cycles_b>("stall_cycles_b"),
            },
            "control bits, where the instructions are the same")
          .null_unless([](const CodeDiff& diff) { return diff.control_known; }),
  };
}

Record describe(const FunctionComparison* /*type*/) {
  using Pair = FunctionComparison;
  return {
      about("compared_function"),
      member<&Pair::name_a>("a", "mangled"),
      member<&Pair::name_b>("b", "mangled"),
      member<&Pair::match>("match", "how the two were found to be the same function"),
      inlined<&Pair::diff>(),
      member<&Pair::changes>("changes"),
      member<&Pair::unknown>("unknown", "what one side does not tell, so that it is not compared"),
      derived("by_bytes",
              "bytes were compared, by position: all of them are the same, or not all was decoded",
              [](const Pair& pair) { return pair.diff.by_bytes; }),
      member<&Pair::blocks>("blocks", "in which something changed, the hottest first"),
  };
}

Record describe(const CodeComparison::Alone* /*type*/) {
  using Alone = CodeComparison::Alone;
  return {
      about("alone", "A function of one side only."),
      member<&Alone::name>("name", "mangled"),
      member<&Alone::reason>("reason"),
  };
}

Record describe(const CodeComparison* /*type*/) {
  return {
      about("compared_code"),
      member<&CodeComparison::pairs>("functions",
                                     "that both sides have: those with samples on what changed "
                                     "first, then those with more changes"),
      member<&CodeComparison::only_in_a>("only_in_a"),
      member<&CodeComparison::only_in_b>("only_in_b"),
  };
}

Record describe(const CodeComparisonResult* /*type*/) {
  using Result = CodeComparisonResult;
  return {
      about("code_comparison"),
      schema_version(),
      tool(),
      member<&Result::sources>("sources", "A, then B").items(2, 2),
      member<&Result::notes>("notes"),
      inlined([](const Result& result) -> const CodeComparison& { return *result.comparison; }),
  };
}

ResultSchema code_comparison_record() {
  return {"code-comparison",
          "What `proofline compare --format json` prints of two listings, binaries or folders of "
          "Triton's cache, and with --code of two reports",
          {record_of<CodeComparisonResult>}};
}

}  // namespace proofline
