// SPDX-License-Identifier: Apache-2.0
//
// Captures with a name, for those who do not want to know which section of ncu brings what.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/ncu/ncu_command.h"

namespace proofline {

struct NcuPreset {
  std::string_view name;
  std::string_view what;  // one sentence
  std::span<const std::string_view> sets;
  std::span<const std::string_view> sections;
  std::span<const std::string_view> metrics;
  bool import_source = false;
  bool every_rule = false;  // can be evaluated, as far as a capture decides that
};

std::span<const NcuPreset> ncu_presets();
// Null where there is none of that name.
const NcuPreset* find_ncu_preset(std::string_view name);

// Asks for what the preset brings, besides what was asked for before.
void add_preset(const NcuPreset& preset, NcuRequest& request);

// A section of our own with these metrics, as ncu reads it from a file ID.section in
// NcuRequest::section_folder. Of a section, ncu leaves out what the GPU does not have; of --metrics
// it does not.
std::string ncu_section_file(std::string_view id, std::span<const std::string_view> metrics);

}  // namespace proofline
