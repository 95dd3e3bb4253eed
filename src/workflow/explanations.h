// SPDX-License-Identifier: Apache-2.0
//
// What is known of a name: rules, facts, metrics, stall reasons, sections and sets of ncu, and
// names that are outdated or misread. One name can be several of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vocabulary/metric_name.h"

namespace proofline {

struct NameExplanation {
  // One text, or a list that is printed with commas.
  struct Property {
    std::string_view key;  // "waits_for" in JSON, "waits for" elsewhere
    std::vector<std::string> values;
    bool is_list = false;
  };

  std::string_view kind;  // "rule"
  std::string name;       // as the tables have it
  std::vector<Property> properties;
  std::vector<NamePart> parts;  // of a metric's name
};

// None where the name is unknown.
std::vector<NameExplanation> explain(std::string_view name);

// The known names of any kind that look most like it, best first.
std::vector<std::string> names_near(std::string_view name);

struct NameKind {
  std::string_view kind;
  std::size_t count;
  std::string_view listed_by;  // the command that lists them; "" for none
};
std::vector<NameKind> name_kinds();

}  // namespace proofline
