// SPDX-License-Identifier: Apache-2.0
//
// The sections and sets of Nsight Compute 2025.3.1: what each is for, which metrics it brings, and
// which flags bring the metrics that a capture lacks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

struct NcuSection {
  std::string_view id;    // what --section takes
  std::string_view name;  // as ncu's pages have it
  std::string_view sets;  // those that contain it, separated by blanks
  std::string_view what;  // one sentence
};

struct NcuSet {
  std::string_view id;    // what --set takes
  std::string_view what;  // one sentence
};

// Those that are asked for most come first.
std::span<const NcuSection> ncu_sections();
std::span<const NcuSet> ncu_sets();
const NcuSection* find_ncu_section(std::string_view id);
const NcuSet* find_ncu_set(std::string_view id);
bool is_in_set(const NcuSection& section, std::string_view set);

// Ids of the sections that bring a metric, in the order of ncu_sections(). A base name without
// suffixes belongs to every section that has one of its forms.
std::vector<std::string_view> sections_with(std::string_view metric);

// Whether every capture has it, regardless of sections: device and launch attributes.
bool is_in_every_capture(std::string_view metric);

// Names of the metrics that a section brings on some GPU, X.* for all rollups of X, sorted.
std::vector<std::string_view> metrics_of(const NcuSection& section);

// The fewest --section flags of ncu that bring these metrics, and --metrics for those that are in
// no section; "" where every capture has them.
std::string capture_flags(std::span<const std::string> metrics);

}  // namespace proofline
