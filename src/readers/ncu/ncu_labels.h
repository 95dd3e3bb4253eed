// SPDX-License-Identifier: Apache-2.0
//
// ncu's details page prints labels ("DRAM Throughput") where its raw page and its reports have
// metric names. A label means something only within its section, sometimes within its table, and a
// few labels changed their meaning with the chip or with the version of ncu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proofline {

// Some labels moved to other metrics from one version of ncu to the next. No printed page says
// which version made it, but which labels and units are next to each other does. Unset: it does
// not.
struct LabelVersion {
  std::optional<bool> since_2025_3;
  std::optional<bool> inline_compression;
};

class LabelVersionFinder {
 public:
  void see(std::string_view section, std::string_view label, std::string_view unit);
  LabelVersion result() const;

 private:
  bool old_label_ = false;
  bool memory_section_ = false;
  bool new_label_ = false;
  std::optional<bool> inline_compression_;
};

struct PrintedLabel {
  std::string_view section;  // display name: "Memory Workload Analysis"
  std::string_view table;    // label of the body item; "" in a section's head
  std::string_view label;
  std::string_view base_unit;  // as printed, scaling undone; "" for none
  int compute_capability = 0;  // 90 for 9.0; 0 unknown
  LabelVersion version;
  std::size_t repeat = 0;  // how many rows with this label stand right above it in its table
};

// The metric that the label means; none for labels that we do not know, or that could mean
// two things where nothing printed tells which.
std::optional<std::string> metric_of_label(const PrintedLabel& printed);

// Labels that follow from the metric's name by a pattern, or are a metric's name already.
std::optional<std::string> metric_by_pattern(const PrintedLabel& printed);

// "pipe_alu_cycles_active" as the tables of pipe utilisation show it.
std::string pipe_metric(std::string_view stem, std::string_view table);

// "9.0" -> 90; 0 for what is none.
int compute_capability_number(std::string_view text);

}  // namespace proofline
