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
  std::string_view name;   // * stands for any letters
  std::string_view right;  // the name today, * for the same letters; in words where it is no name
  NameFault fault;
  bool same_meaning;     // whoever typed `name` wants exactly `right`: commands go on with it
  std::string_view why;  // one or two sentences
};

std::span<const OutdatedName> outdated_names();

// Upper and lower case are the same, and so are a blank and an underscore; the flag that a section
// or set is given with may stand before it ("--set source"). Null where the name is on no list.
const OutdatedName* find_outdated(std::string_view name);

// `right` for what was typed: the letters that * stood for put in.
std::string right_name(const OutdatedName& entry, std::string_view typed);

}  // namespace proofline
