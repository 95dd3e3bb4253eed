// SPDX-License-Identifier: Apache-2.0
//
// Names that people type because an old guide has them: renamed, never real, or real but read for
// something else. Metrics, sections, sets, flags, instructions and words of nvprof's time, each
// with the right name today and why. Checked against ncu 2025.3.1 on gh100.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace proofline {

enum class NameFault {
  kOutdated,  // was right once
  kUnknown,   // never was a name of that kind
  kMisread,   // exists, but means something else than many take it for
};

struct OutdatedName {
  std::string_view kind;   // "metric", "section", "instruction", ...
  std::string_view name;   // * matches any letters
  std::string_view right;  // the name today, * for the same letters; in words where it is no name
  NameFault fault;
  bool same_meaning;     // a pure rename: commands continue with `right`
  std::string_view why;  // one or two sentences
};

std::span<const OutdatedName> outdated_names();

// Case-insensitive; a space equals an underscore; the flag of a section or set may precede it
// ("--set source"). Null where the name is on no list.
const OutdatedName* find_outdated(std::string_view name);

// `right` with each * replaced by what it matched in the typed name.
std::string right_name(const OutdatedName& entry, std::string_view typed);

}  // namespace proofline
