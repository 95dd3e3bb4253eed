// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_comparison_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "views/json_parts.h"

namespace proofline {
namespace {

std::string address_member(std::uint32_t address) { return fmt::format("{:#06x}", address); }

void write_block_side(std::string_view name, const std::optional<ChangedBlock::Side>& side,
                      JsonWriter& json) {
  json.key(name);
  if (!side) return json.null();
  json.begin_object();
  json.member("address", address_member(side->address));
  json.key("loop");
  side->loop ? json.text(address_member(*side->loop)) : json.null();
  json.member("depth", std::uint64_t{side->depth});
  json.member("hot", side->hot);
  json.member("samples", side->samples);
  json.end_object();
}

void write_instruction_side(std::string_view name,
                            const std::optional<ChangedInstruction::Side>& side, JsonWriter& json) {
  json.key(name);
  if (!side) return json.null();
  json.begin_object();
  json.member("address", address_member(side->address));
  json.member("text", side->text);
  json.member("samples", side->samples);
  json.end_object();
}

void write_code_diff(const FunctionComparison& pair, JsonWriter& json) {
  json.objects("blocks", pair.blocks, [&](const ChangedBlock& block) {
    write_block_side("a", block.a, json);
    write_block_side("b", block.b, json);
    json.objects("instructions", block.instructions, [&](const ChangedInstruction& one) {
      json.member("change", to_string(one.change));
      write_instruction_side("a", one.a, json);
      write_instruction_side("b", one.b, json);
    });
  });
}

void write_side(const CodeReport& report, JsonWriter& json) {
  write_source({report.path, report.format, report.producer}, json);
}

void write_alone(std::string_view name, const CodeReport& report,
                 const std::vector<CodeComparison::Alone>& alone, JsonWriter& json) {
  json.objects(name, alone, [&](const auto& one) {
    json.member("name", report.functions[one.function].name);
    json.member("reason", one.reason);
  });
}

void write_pair(const CodeSide& a, const CodeSide& b, const FunctionComparison& pair,
                JsonWriter& json) {
  json.begin_object();
  json.member("a", a.report.functions[pair.a].name);
  json.member("b", b.report.functions[pair.b].name);
  json.member("match", to_string(pair.match));
  if (pair.diff.sameness == Sameness::kUnknown) {
    json.key("same_code");
    json.null();
  } else {
    json.member("same_code", is_same(pair.diff.sameness));
  }
  json.member("sameness", to_string(pair.diff.sameness));
  json.key("instructions");
  json.begin_object();
  json.member("common", std::uint64_t{pair.diff.common});
  json.member("removed", std::uint64_t{pair.diff.removed});
  json.member("added", std::uint64_t{pair.diff.added});
  json.member("moved", std::uint64_t{pair.diff.moved});
  json.member("rewired", std::uint64_t{pair.diff.rewired});
  json.member("estimated", pair.diff.estimated);
  json.member("bytes_changed", std::uint64_t{pair.diff.bytes_changed});
  json.end_object();
  json.key("control");
  if (pair.diff.control_known) {
    json.begin_object();
    json.member("changed", std::uint64_t{pair.diff.control_changed});
    json.member("stall_cycles_a", pair.diff.stall_cycles_a);
    json.member("stall_cycles_b", pair.diff.stall_cycles_b);
    json.end_object();
  } else {
    json.null();
  }
  json.objects("changes", pair.changes, [&](const CodeChange& change) {
    json.member("aspect", to_string(change.aspect));
    json.member("what", change.what);
    json.member("a", change.a);
    json.member("b", change.b);
    json.member("unit", change.unit);
  });
  texts_member(json, "unknown", pair.unknown);
  json.member("by_bytes", pair.diff.by_bytes);
  write_code_diff(pair, json);
  json.end_object();
}

void write_pairs(const CodeSide& a, const CodeSide& b, const CodeComparison& comparison,
                 JsonWriter& json) {
  json.array("functions", comparison.pairs,
             [&](const FunctionComparison& pair) { write_pair(a, b, pair, json); });
  write_alone("only_in_a", a.report, comparison.only_in_a, json);
  write_alone("only_in_b", b.report, comparison.only_in_b, json);
}

}  // namespace

void write_code_comparison_json(const CodeSide& a, const CodeSide& b,
                                const CodeComparison& comparison, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.key("sources");
  json.begin_array();
  write_side(a.report, json);
  write_side(b.report, json);
  json.end_array();
  std::vector<Note> notes = a.report.notes;
  notes.insert(notes.end(), b.report.notes.begin(), b.report.notes.end());
  write_notes(notes, json);
  write_pairs(a, b, comparison, json);
  json.end_object();
}

void write_profiled_code(const ComparedCode& code, JsonWriter& json) {
  json.begin_object();
  write_pairs(code.a, code.b, code.comparison, json);
  json.end_object();
}

}  // namespace proofline
