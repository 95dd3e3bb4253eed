// SPDX-License-Identifier: Apache-2.0
//
// Which kernel of a report is which of a timeline, by name. Recorders write one kernel's name in
// several ways:
//
//   _Z5scaleILi4EfEvPT0_i                          mangled
//   void scale<4, float>(float*, int)              PyTorch, and our recorder
//   void scale<(int)4, float>(T2 *, int)           ncu and nsys
//   scale                                          ncu's pages, where they were asked for functions
//
// Two names are one kernel only where no other can be meant; what is left is said, never guessed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

struct ReportedName {
  std::string_view name;
  std::string_view function;
  std::string_view mangled;  // "" where the report does not have it
};

// For each name of the report its position among those that ran; none where it did not run.
std::vector<std::optional<std::size_t>> match_ran_names(const std::vector<ReportedName>& reported,
                                                        const std::vector<std::string>& ran);

// The name without its parameters and without what demanglers differ in: blanks, casts before
// numbers, suffixes of numbers, words for true, false and unnamed namespaces.
std::string name_of_any_demangler(std::string_view demangled);

}  // namespace proofline
