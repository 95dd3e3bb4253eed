// SPDX-License-Identifier: Apache-2.0
//
// The graphs of `nvdisasm -cfg` and `-bbcfg`. Each node is a record with the text of its
// instructions; the edges follow from these. With -poff instructions have offsets, otherwise they
// are counted, since nodes are in code order.
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "readers/code/read_code.h"
#include "readers/code/sass_listing.h"
#include "readers/format.h"

namespace proofline {
namespace {

// A node is one line: 856,969 characters for a kernel of 16,000 instructions.
constexpr std::size_t kMaxLine = 256U << 20U;

constexpr std::string_view kCluster = "subgraph \"cluster_";
constexpr std::string_view kLabel = "[label=\"";

// "00a0:  NOP ;", which becomes "NOP ;".
std::optional<std::uint64_t> take_offset(std::string_view& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon + 1 == line.size() || line[colon + 1] != ' ')
    return {};
  std::uint64_t offset = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + colon, offset, 16);
  if (error != std::errc() || end != line.data() + colon) return {};
  line.remove_prefix(colon + 1);
  return offset;
}

class DotPage {
 public:
  DotPage(Input& input, Listing& listing, const FunctionSink& sink)
      : lines_(input, kMaxLine), sass_(lines_, listing, sink, SassListing::Order::kAny) {}

  Result<void> read() {
    std::string_view line;
    while (lines_.next(line)) take(without_blanks(line));
    if (graph_open_ && !sass_.open()) {
      sass_.note_loss("graph is not closed: functions may be missing at its end");
    }
    return sass_.end();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with(kCluster)) {
      line.remove_prefix(kCluster.size());
      sass_.begin(line.substr(0, line.find('"')));
      falls_to_.clear();
      offsets_ = false;
    } else if (!sass_.open()) {
      if (line.starts_with("digraph")) graph_open_ = true;
      if (line == "}") graph_open_ = false;
    } else if (line.starts_with(kLabel)) {
      take_record(line.substr(kLabel.size()));
    } else if (line.starts_with('"')) {
      take_node_or_edge(line);
    } else if (line == "}") {
      sass_.finish(true);
    }
  }

  // `"A"` begins a node; `"A":exit0:s -> "B":entry:n [style=solid];` from the bottom of a node says
  // which one it falls into. Without offsets that must be the next.
  void take_node_or_edge(std::string_view line) {
    const std::size_t arrow = line.find(":s -> \"");
    if (arrow != std::string_view::npos) {
      line.remove_prefix(arrow + 7);
      falls_to_ = line.substr(0, line.find('"'));
    } else if (line.ends_with('"') && line.size() > 1) {
      const bool next = falls_to_.empty() || falls_to_ == line.substr(1, line.size() - 2);
      if (!next && !offsets_) sass_.lose("block is not followed by the one that it falls into");
      falls_to_.clear();
    }
  }

  // {<entry>.L_x_1:\l|<exit0>\ \ @!P0\ BRA\ `(.L_x_2)\ ;\l}"]
  void take_record(std::string_view record) {
    if (text_.size() < record.size()) text_.resize(record.size());
    char* to = text_.data();
    for (std::size_t i = 0; i < record.size(); ++i) {
      const char c = record[i];
      if (c == '\\' && i + 1 < record.size()) {
        *to++ = record[++i];
        if (record[i] != 'l') continue;
        const auto size = static_cast<std::size_t>(to - 1 - text_.data());
        take_line(without_blanks(std::string_view(text_).substr(0, size)));
        to = text_.data();
      } else if (c == '"') {
        return;
      } else if (c == '<') {  // a port
        i = std::min(record.find('>', i), record.size());
      } else if (c != '{' && c != '|' && c != '}') {
        *to++ = c;
      }
    }
    sass_.lose("node of the graph is cut off");
  }

  void take_line(std::string_view line) {
    if (line.starts_with(SourceRemarks::kStart)) {
      sass_.source_remark(line);
    } else if (line.ends_with(':')) {
      sass_.label(line.substr(0, line.size() - 1));
    } else if (line.starts_with(".type")) {
      sass_.function().entry = false;  // until .other, which kernels alone have
    } else if (line.starts_with('.')) {
      if (line.starts_with(".other")) sass_.function().entry = true;
    } else if (const auto offset = take_offset(line)) {
      offsets_ = true;
      sass_.instruction({*offset, line.substr(0, line.find(';')), {}, true});
    } else if (!line.empty()) {
      sass_.instruction(line.substr(0, line.find(';')));
    }
  }

  TextLines lines_;
  SassListing sass_;
  std::string text_;      // room for one line of a record
  std::string falls_to_;  // the node that follows by the edges
  bool offsets_ = false;
  bool graph_open_ = false;  // the one round all functions
};

bool sniff_nvdisasm_dot(std::string_view prefix) {
  const auto starts = [prefix](std::string_view start) {
    return has_line(prefix, [start](std::string_view line) { return line.starts_with(start); });
  };
  return starts("digraph") && starts(kCluster);
}

Result<void> read_nvdisasm_dot(Input& input, Listing& listing, const FunctionSink& sink) {
  return DotPage(input, listing, sink).read();
}

}  // namespace

Format nvdisasm_dot() {
  return {.name = "nvdisasm-dot",
          .what = "a graph of nvdisasm's",
          .summary = "the graphs of nvdisasm -cfg and -bbcfg",
          .sniff = sniff_nvdisasm_dot,
          .read_code = read_nvdisasm_dot};
}

}  // namespace proofline
