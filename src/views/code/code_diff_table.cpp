// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_diff_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// Of the launch's samples: an instruction or a block with so many is never left out.
constexpr double kSamplesThatMatter = 0.05;

using BlockSide = std::optional<ChangedBlock::Side>;
using InstructionSide = std::optional<ChangedInstruction::Side>;

std::string place_text(std::uint32_t address) { return fmt::format("{:#06x}", address); }

std::string_view mark_of(InstructionChange change) {
  switch (change) {
    case InstructionChange::kRemoved: return "-";
    case InstructionChange::kAdded: return "+";
    case InstructionChange::kMoved: return ">";
    case InstructionChange::kRewired: return "~";
    case InstructionChange::kBytes: break;
  }
  return "!";
}

std::string_view words_of(InstructionChange change) {
  switch (change) {
    case InstructionChange::kRemoved: return "removed";
    case InstructionChange::kAdded: return "added";
    case InstructionChange::kMoved: return "moved";
    case InstructionChange::kRewired: return "reading or going elsewhere";
    case InstructionChange::kBytes: break;
  }
  return "with other bytes";
}

std::string_view meaning_of(InstructionChange change) {
  switch (change) {
    case InstructionChange::kRemoved: return "only in A";
    case InstructionChange::kAdded: return "only in B";
    case InstructionChange::kMoved: return "elsewhere in the block";
    case InstructionChange::kRewired: return "reads another value or goes elsewhere";
    case InstructionChange::kBytes: break;
  }
  return "other bytes";
}

constexpr InstructionChange kChanges[] = {InstructionChange::kRemoved, InstructionChange::kAdded,
                                          InstructionChange::kMoved, InstructionChange::kRewired,
                                          InstructionChange::kBytes};

std::string loop_text(const ChangedBlock& block) {
  if (block.hot()) return ", in the hot loop";
  for (const BlockSide* side : {&block.a, &block.b}) {
    if (*side && (*side)->loop) {
      return fmt::format(", in the loop {} of {}", place_text(*(*side)->loop),
                         side == &block.a ? "A" : "B");
    }
  }
  return "";
}

// "Block 0x0040 of A, 0x0050 of B, in the hot loop: 2 removed, 1 added; 41 % of A's samples"
std::string block_text(const ChangedBlock& block, bool by_position) {
  std::string text = "Block ";
  if (block.a) text += place_text(block.a->address) + " of A";
  if (block.b) text += (block.a ? ", " : "") + place_text(block.b->address) + " of B";
  if (!block.a || !block.b) text += " alone";
  text = by_position ? std::string("By position, since not all of it was decoded")
                     : text + loop_text(block);
  std::string_view separator = ": ";
  for (const InstructionChange change : kChanges) {
    if (const std::size_t count = block.count(change); count > 0) {
      text += fmt::format("{}{} {}", separator, group_digits(count), words_of(change));
      separator = ", ";
    }
  }
  separator = "; ";
  for (const BlockSide* side : {&block.a, &block.b}) {
    if (!*side || !(*side)->samples || *(*side)->samples == 0) continue;
    text += fmt::format("{}{} of {}'s samples", separator, share_text(*(*side)->samples),
                        side == &block.a ? "A" : "B");
    separator = ", ";
  }
  return text;
}

std::string change_text(const ChangedInstruction& one) {
  if (!one.b) return one.a->text;
  if (!one.a || one.a->text == one.b->text) return one.b->text;
  return fmt::format("{} -> {}", one.a->text, one.b->text);
}

// What came and went says more than what moved.
int weight(InstructionChange change) {
  switch (change) {
    case InstructionChange::kRemoved:
    case InstructionChange::kAdded:
    case InstructionChange::kBytes: return 2;
    case InstructionChange::kRewired: return 1;
    case InstructionChange::kMoved: break;
  }
  return 0;
}

// The foremost instructions, in the order of the code.
std::vector<const ChangedInstruction*> foremost(const ChangedBlock& block, std::size_t most) {
  std::vector<const ChangedInstruction*> list;
  for (const ChangedInstruction& one : block.instructions) list.push_back(&one);
  std::stable_sort(list.begin(), list.end(), [](const auto* x, const auto* y) {
    return std::pair(x->samples(), weight(x->change)) > std::pair(y->samples(), weight(y->change));
  });
  std::size_t count = std::min(most, list.size());
  while (count < list.size() && list[count]->samples() >= kSamplesThatMatter) ++count;
  list.resize(count);
  std::sort(list.begin(), list.end());
  return list;
}

// What the marks that occur mean.
std::string legend(const std::vector<ChangedBlock>& blocks) {
  std::string text;
  for (const InstructionChange change : kChanges) {
    const bool occurs = std::any_of(blocks.begin(), blocks.end(), [&](const ChangedBlock& block) {
      return block.count(change) > 0;
    });
    if (!occurs) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mark_of(change), meaning_of(change));
  }
  return text + "; names of registers do not count";
}

Cell share_cell(const InstructionSide& side) {
  if (!side || !side->samples || *side->samples == 0) return {};
  return {share_text(*side->samples), true};
}

Cell place_cell(const InstructionSide& side) {
  return side ? Cell{place_text(side->address)} : Cell{};
}

Table diff_table(const std::vector<const ChangedInstruction*>& list) {
  const bool sampled =
      std::any_of(list.begin(), list.end(), [](const auto* one) { return one->samples() > 0; });
  Table table{{{""}, {"A"}, {"B"}}, {}};
  if (sampled) {
    table.columns.push_back({"A's samples", Align::kRight});
    table.columns.push_back({"B's samples", Align::kRight});
  }
  table.columns.push_back({"Instruction", Align::kLeft, true});
  for (const ChangedInstruction* one : list) {
    auto& row = table.rows.emplace_back();
    row = {{std::string(mark_of(one->change))}, place_cell(one->a), place_cell(one->b)};
    if (sampled) {
      row.push_back(share_cell(one->a));
      row.push_back(share_cell(one->b));
    }
    row.push_back({change_text(*one)});
  }
  return table;
}

std::string side_text(const InstructionSide& side) {
  return side ? fmt::format("{} {}", place_text(side->address), side->text) : "";
}

}  // namespace

void add_code_diff(const FunctionComparison& pair, const CodeDiffCut& cut, Document& document) {
  if (pair.blocks.empty()) return;
  std::size_t left_out = 0;
  bool cut_short = false;
  for (std::size_t i = 0; i < pair.blocks.size(); ++i) {
    const ChangedBlock& block = pair.blocks[i];
    if (i >= cut.blocks && !block.hot() && block.samples() < kSamplesThatMatter) {
      ++left_out;
      continue;
    }
    document.blocks.emplace_back(Paragraph{block_text(block, pair.diff.by_bytes)});
    const auto list = foremost(block, cut.instructions);
    cut_short = cut_short || list.size() < block.instructions.size();
    document.blocks.emplace_back(diff_table(list));
    if (list.size() < block.instructions.size()) {
      document.blocks.emplace_back(Paragraph{fmt::format(
          "and {} more in this block", group_digits(block.instructions.size() - list.size()))});
    }
  }
  std::string text = legend(pair.blocks);
  if (left_out > 0) text += fmt::format("; {} changed too", plural(left_out, "more block"));
  if (left_out > 0 || cut_short) text += fmt::format("; {} lists everything", option("all"));
  document.blocks.emplace_back(Paragraph{std::move(text)});
}

std::vector<Cell> code_diff_row(const ChangedBlock& block, const ChangedInstruction& one) {
  const auto first = [&](auto&& of) { return block.a ? of(*block.a) : of(*block.b); };
  const auto loop = first([](const ChangedBlock::Side& side) { return side.loop; });
  return {{std::string(to_string(one.change))},
          {"instruction"},
          {side_text(one.a)},
          {side_text(one.b)},
          {first([](const ChangedBlock::Side& side) { return place_text(side.address); })},
          loop ? Cell{place_text(*loop)} : Cell{},
          number_cell(one.a ? one.a->samples : std::nullopt),
          number_cell(one.b ? one.b->samples : std::nullopt)};
}

}  // namespace proofline
