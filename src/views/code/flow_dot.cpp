// SPDX-License-Identifier: Apache-2.0
#include "views/code/flow_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

constexpr std::size_t kMostBlocks = 4000;
// Graphviz walks clusters by recursion, and more boxes than this are not readable.
constexpr std::uint32_t kMostBoxes = 24;
// A block with more instructions says what they are in sum.
constexpr std::uint32_t kMostLines = 8;
constexpr std::size_t kMostOpcodesInBlock = 6;
constexpr std::size_t kMostTitle = 160;
// A column of more blocks is too tall to be seen at once: it continues in another one beside it, at
// a block outside all loops, or at the latest where it is twice as tall.
constexpr std::size_t kTallColumn = 40;

constexpr std::array<std::string_view, 8> kRoleColours = {
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1", "#9c755f", "#edc948"};

// In double quotes Graphviz reads backslash and quote; all else means itself once control
// characters are gone.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// A label whose lines stand left: each part is text, each line ends in "\l".
class Label {
 public:
  void line(std::string_view text) {
    for (const char c : escape_terminal(text)) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += "\\l";
  }
  std::string text() const { return "\"" + text_ + "\""; }

 private:
  std::string text_;
};

class DotWriter {
 public:
  explicit DotWriter(const FlowPicture& picture) : picture_(picture), traits_(picture.opcodes) {}

  std::string write() {
    const std::string title = escape_terminal(elide_middle(picture_.title, kMostTitle));
    out("digraph {} {{\n", quoted(title));
    out("  label={}; labelloc=t; fontname=Helvetica;\n", quoted(title));
    out("  node [shape=box, style=filled, fillcolor=white, fontname=Courier, fontsize=10];\n");
    out("  edge [fontname=Helvetica, fontsize=9];\n");
    write_legend();
    fold();
    write_loop(kNoLoop);
    for (const FlowEdge& edge : picture_.flow.edges) write_edge(edge);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  template <class... Args>
  void out(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...);
  }

  void write_legend() {
    text_ += "  subgraph cluster_legend {\n    label=\"legend\"; color=gray;\n";
    text_ +=
        "    legend0 [label=\"block\"]; legend1 [label=\"branch target\"];\n"
        "    legend2 [label=\"next block\"]; legend3 [label=\"one of several\"];\n"
        "    legend0 -> legend1 [label=\"branch\"];\n"
        "    legend0 -> legend2 [label=\"falls through\", style=dashed];\n"
        "    legend0 -> legend3 [label=\"indirect\", style=dotted];\n";
    if (!picture_.samples.empty()) {
      out("    heat0 [label=\"few samples\", fillcolor=\"{}\"];\n", heat_colour(0));
      out("    heat1 [label=\"all samples\", fillcolor=\"{}\"];\n", heat_colour(1));
    }
    for (std::size_t i = 0; i < picture_.roles.size(); ++i) {
      out("    role{} [label={}, color=\"{}\", penwidth=3];\n", i,
          quoted("role: " + escape_terminal(picture_.roles[i])),
          kRoleColours[i % kRoleColours.size()]);
    }
    text_ += "  }\n";
  }

  // From white to a full red; the text stays readable on all of it.
  static std::string heat_colour(double share) {
    return fmt::format("0.02 {:.3f} 1.0", 0.08 + 0.72 * std::clamp(share, 0.0, 1.0));
  }

  // Blocks to columns, in the order of their addresses.
  void fold() {
    std::size_t tall = 0;
    std::uint32_t column = 0;
    for (const FlowBlock& block : picture_.flow.blocks) {
      const bool outside = block.loop == kNoLoop;
      if (tall >= 2 * kTallColumn || (tall >= kTallColumn && outside)) {
        ++column;
        tall = 0;
      }
      column_of_.push_back(column);
      tall += block.reachable ? 1 : 0;
    }
  }

  // The loop's own blocks, and inside its box the loops within it.
  void write_loop(std::uint32_t loop) {
    const auto& loops = picture_.flow.loops;
    const bool boxed = loop != kNoLoop && loops[loop].depth <= kMostBoxes;
    if (boxed) {
      const auto& header = picture_.flow.blocks[loops[loop].header];
      out("  subgraph cluster_loop{} {{\n    label=\"loop at {:#06x}, {} instructions\";\n"
          "    color=\"#888888\"; style=rounded;\n",
          loop, picture_.function.instructions[header.first].address, loops[loop].instructions);
    }
    for (std::uint32_t block = 0; block < picture_.flow.blocks.size(); ++block) {
      const FlowBlock& one = picture_.flow.blocks[block];
      if (one.reachable && one.loop == loop) write_block(block);
    }
    const std::uint32_t first = loop == kNoLoop ? 0 : loop + 1;
    const auto end = loop == kNoLoop ? static_cast<std::uint32_t>(loops.size()) : loops[loop].end;
    for (std::uint32_t inner = first; inner < end; inner = loops[inner].end) write_loop(inner);
    if (boxed) text_ += "  }\n";
  }

  void write_block(std::uint32_t block) {
    out("    b{} [label={}", block, label(block));
    if (!picture_.role_of.empty() && picture_.role_of[block] < picture_.roles.size()) {
      out(", color=\"{}\", penwidth=3",
          kRoleColours[picture_.role_of[block] % kRoleColours.size()]);
    }
    if (!picture_.samples.empty() && picture_.samples[block] > 0) {
      out(", fillcolor=\"{}\"", heat_colour(picture_.samples[block]));
    }
    text_ += "];\n";
  }

  std::string label(std::uint32_t block) {
    const FlowBlock& one = picture_.flow.blocks[block];
    const auto& instructions = picture_.function.instructions;
    Label label;
    std::string head = fmt::format("{:#06x}  {}", instructions[one.first].address,
                                   plural(one.count, "instruction"));
    if (!picture_.samples.empty() && picture_.samples[block] > 0) {
      head += fmt::format(", {} of samples", percent(picture_.samples[block], 1));
    }
    label.line(head);
    if (one.count <= kMostLines) {
      for (std::uint32_t i = one.first; i < one.first + one.count; ++i) {
        label.line(picture_.opcodes[instructions[i].opcode]);
      }
      return label.text();
    }
    const std::uint32_t blocks[] = {block};
    const CodeStats stats = count_blocks(picture_.function, picture_.flow, blocks, traits_);
    for (std::size_t i = 0; i < std::min(kMostOpcodesInBlock, stats.opcodes.size()); ++i) {
      label.line(fmt::format("{} x {}", stats.opcodes[i].count, stats.opcodes[i].opcode));
    }
    if (stats.opcodes.size() > kMostOpcodesInBlock) {
      label.line(fmt::format("and {} more opcodes", stats.opcodes.size() - kMostOpcodesInBlock));
    }
    return label.text();
  }

  void write_edge(const FlowEdge& edge) {
    if (!picture_.flow.blocks[edge.from].reachable) return;
    std::string_view style = "solid";
    if (edge.kind == EdgeKind::kFallThrough) style = "dashed";
    if (edge.kind == EdgeKind::kIndirect) style = "dotted";
    out("  b{} -> b{} [style={}", edge.from, edge.to, style);
    // Without a say in the layout, the next column starts at the top again.
    if (column_of_[edge.from] != column_of_[edge.to]) text_ += ", constraint=false";
    text_ += "];\n";
  }

  const FlowPicture& picture_;
  OpcodeTraits traits_;
  std::vector<std::uint32_t> column_of_;  // of each block
  std::string text_;
};

}  // namespace

Result<std::string> flow_dot(const FlowPicture& picture) {
  if (picture.flow.blocks.size() > kMostBlocks) {
    return fail(ErrorKind::kInput,
                fmt::format("{} has {} blocks; a picture of more than {} shows nothing",
                            quote(picture.title), picture.flow.blocks.size(), kMostBlocks));
  }
  return DotWriter(picture).write();
}

}  // namespace proofline
