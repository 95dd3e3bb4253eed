// SPDX-License-Identifier: Apache-2.0
//
// Labels that need no table because ncu makes them from the metric's name, undone: breakdowns
// ("L2: T Sectors"), stall reasons, the rooflines of the tensor cores, pipes; and what tells the
// versions of ncu apart.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/characters.h"
#include "readers/ncu/ncu_labels.h"

namespace proofline {
namespace {

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:";

bool is_metric_name(std::string_view text) {
  return text.find("__") != std::string_view::npos &&
         text.find_first_not_of(kNameCharacters) == std::string_view::npos;
}

// "Pipe Lsu" -> "pipe_lsu", "Op:hmma Src:fp4,fp6" -> "op_hmma_src_fp4_fp6"
std::string name_of_words(std::string_view words) {
  std::string name = lower_case(words);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == ':' || c == ','; }, '_');
  return name;
}

std::string_view inside_last_parentheses(std::string_view text) {
  const std::size_t open = text.rfind('(');
  if (open == std::string_view::npos || text.back() != ')') return {};
  return text.substr(open + 1, text.size() - open - 2);
}

// "L1: Data Bank Reads": unit and counter of one member of a throughput's breakdown.
std::optional<std::string> breakdown_metric(std::string_view label) {
  const std::size_t colon = label.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view unit = label.substr(0, colon);
  const std::string counter = name_of_words(label.substr(colon + 2));
  std::string prefix = name_of_words(unit);
  if (unit == "L1") prefix = "l1tex";
  if (unit == "L2") prefix = "lts";
  // The memory controller's own counters are shown as DRAM too.
  if (unit == "DRAM" && counter.starts_with("dram_")) prefix = "fbpa";
  return prefix + "__" + counter + ".avg.pct_of_peak_sustained_elapsed";
}

// "stall_long_sb (Not Issued)", from PC sampling.
std::optional<std::string> sampled_stall_metric(std::string_view label) {
  constexpr std::string_view kNotIssued = " (Not Issued)";
  const bool not_issued = label.ends_with(kNotIssued);
  if (not_issued) label.remove_suffix(kNotIssued.size());
  struct Short {
    std::string_view text;
    std::string_view reason;
  };
  static constexpr Short kShort[] = {
      {"dispatch", "dispatch_stall"}, {"imc", "imc_miss"},
      {"lg", "lg_throttle"},          {"long_sb", "long_scoreboard"},
      {"math", "math_pipe_throttle"}, {"mio", "mio_throttle"},
      {"no_inst", "no_instructions"}, {"short_sb", "short_scoreboard"},
      {"sleep", "sleeping"},          {"tex", "tex_throttle"},
  };
  std::string_view reason = label.substr(std::string_view("stall_").size());
  for (const Short& entry : kShort) {
    if (entry.text == reason) {
      reason = entry.reason;
      break;
    }
  }
  return "smsp__pcsamp_warps_issue_stalled_" + std::string(reason) +
         (not_issued ? "_not_issued" : "");
}

// "Stall LG Throttle" and "Selected", cycles between two issues.
std::optional<std::string> warp_state_metric(std::string_view label) {
  constexpr std::string_view kStall = "Stall ";
  if (label.starts_with(kStall)) {
    label.remove_prefix(kStall.size());
  } else if (label != "Selected") {
    return std::nullopt;
  }
  return "smsp__average_warps_issue_stalled_" + name_of_words(label) + "_per_issue_active.ratio";
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  const bool taken = text.starts_with(prefix);
  if (taken) text.remove_prefix(prefix.size());
  return taken;
}

// "[Theoretical ]Predicated-On HFMA {Thread Instructions Executed,Operations}[ Per Cycle]". A fused
// operation counts twice, packed half precision doubles that.
std::optional<std::string> instruction_roofline_metric(const PrintedLabel& printed) {
  std::string_view label = printed.label;
  const bool peak = take_prefix(label, "Theoretical ");
  if (!take_prefix(label, "Predicated-On ")) return std::nullopt;
  const std::size_t space = label.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view operation = label.substr(0, space);
  const std::string_view what = label.substr(space + 1);
  const std::string stem = std::string(peak ? "sm" : "smsp") + "__sass_thread_inst_executed_op_" +
                           name_of_words(operation) + "_pred_on";
  const bool half = operation.starts_with("H");
  if (what == (peak ? "Operations" : "Operations Per Cycle")) {
    return "derived__" + stem + (half ? "_x4" : "_x2");
  }
  if (what != (peak ? "Thread Instructions Executed" : "Thread Instructions Executed Per Cycle")) {
    return std::nullopt;
  }
  const bool achieved = printed.table.find("Achieved") != std::string_view::npos;
  if (half && achieved) return "derived__" + stem + "_x2";
  return stem + (peak ? ".sum.peak_sustained" : ".sum.per_cycle_elapsed");
}

// The chart's label says which operations: "DRAM Roofline (Op:hmma Src:fp16 Dst:fp32)". In the
// table below the charts the row's own label does, in one row for each of the metrics, by name.
std::optional<std::string> tensor_roofline_metric(const PrintedLabel& printed) {
  const std::string_view label = printed.label;
  const std::string prefix = "sm__ops_path_tensor_";
  if (label.starts_with("Op:") || label.starts_with("Src:")) {
    constexpr std::array<std::string_view, 6> kRollups = {".sum",
                                                          ".sum.pct_of_peak_sustained_elapsed",
                                                          ".sum.peak_sustained",
                                                          ".sum.peak_sustained_elapsed.per_second",
                                                          ".sum.per_cycle_elapsed",
                                                          ".sum.per_second"};
    if (printed.repeat >= kRollups.size()) return std::nullopt;
    return prefix + name_of_words(label).append(kRollups[printed.repeat]);
  }
  const std::string_view operations = inside_last_parentheses(printed.table);
  if (operations.find("Src:") == std::string_view::npos) return std::nullopt;
  const std::string stem = prefix + name_of_words(operations);
  if (label == "Theoretical Tensor Operations") return stem + ".sum.peak_sustained";
  if (label == "Tensor Operations Per Cycle") return stem + ".sum.per_cycle_elapsed";
  return std::nullopt;
}

// Pipes with a simple name: "ALU".
std::optional<std::string> simple_pipe_metric(std::string_view label, std::string_view table) {
  if (label.find_first_of(" (/") != std::string_view::npos) return std::nullopt;
  const bool counts = table.find("instructions") != std::string_view::npos;
  const std::string pipe = "pipe_" + name_of_words(label);
  return pipe_metric(counts ? "inst_executed_" + pipe : pipe + "_cycles_active", table);
}

}  // namespace

std::string pipe_metric(std::string_view stem, std::string_view table) {
  const bool elapsed = table.find("elapsed") != std::string_view::npos;
  return "sm__" + std::string(stem) + ".avg.pct_of_peak_sustained_" +
         (elapsed ? "elapsed" : "active");
}

std::optional<std::string> metric_by_pattern(const PrintedLabel& printed) {
  const std::string_view label = printed.label;
  // Here people asked for metrics by name; those of source code have no "__".
  if (printed.section == "Command line profiler metrics" || is_metric_name(label)) {
    return std::string(label);
  }
  if (const auto inside = inside_last_parentheses(label); is_metric_name(inside)) {
    return std::string(inside);
  }
  if (printed.table.ends_with("Breakdown")) return breakdown_metric(label);
  if (printed.table.starts_with("Pipe Utilization")) {
    return simple_pipe_metric(label, printed.table);
  }
  if (printed.section == "Source Counters" && label.starts_with("stall_")) {
    return sampled_stall_metric(label);
  }
  if (printed.section == "Warp State Statistics") return warp_state_metric(label);
  if (printed.section.find("Roofline Chart") == std::string_view::npos) return std::nullopt;
  const bool tensor = printed.section.find("(Tensor Core)") != std::string_view::npos;
  return tensor ? tensor_roofline_metric(printed) : instruction_roofline_metric(printed);
}

void LabelVersionFinder::see(std::string_view section, std::string_view label,
                             std::string_view unit) {
  if (label == "Local Memory Spilling Requests") new_label_ = true;
  if (section == "PM Sampling" && label == "Dropped Samples") old_label_ = true;
  if (section != "Memory Workload Analysis") return;
  if (label == "Mem Busy") memory_section_ = true;
  // A ratio of generic compression, the share of sectors for compression in line.
  if (label == "L2 Compression Ratio") inline_compression_ = unit == "%";
}

LabelVersion LabelVersionFinder::result() const {
  LabelVersion version;
  version.inline_compression = inline_compression_;
  if (new_label_) {
    version.since_2025_3 = true;
  } else if (old_label_ || memory_section_) {
    version.since_2025_3 = false;
  }
  return version;
}

int compute_capability_number(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || point > 3 || text.size() != point + 2) return 0;
  int major = 0;
  int minor = 0;
  const auto whole = std::from_chars(text.data(), text.data() + point, major);
  const auto part = std::from_chars(text.data() + point + 1, text.data() + text.size(), minor);
  const bool good = whole.ptr == text.data() + point && part.ptr == text.data() + text.size();
  return good && major > 0 && minor >= 0 ? 10 * major + minor : 0;
}

}  // namespace proofline
