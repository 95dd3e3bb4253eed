// SPDX-License-Identifier: Apache-2.0
//
// How people choose kernels and metrics on the command line: --kernel REGEX and --metrics PATTERN.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/profile/profile.h"

namespace re2 {
class RE2;
}

namespace proofline {

// An RE2 pattern that is looked for in a kernel's name, short name or mangled name.
class KernelPattern {
 public:
  static Result<KernelPattern> compile(const std::string& pattern, std::string_view flag);
  bool matches(const Launch& launch) const;

 private:
  std::shared_ptr<const re2::RE2> regex_;
};

// Each is a whole name with * and ?, a base name without its suffixes, or regex:RE.
class NamePatterns {
 public:
  static Result<NamePatterns> compile(const std::vector<std::string>& patterns,
                                      std::string_view flag);
  bool matches(std::string_view name) const;

 private:
  std::vector<std::shared_ptr<const re2::RE2>> regexes_;
};

// The kernels of a profile, quoted, one a line, for saying what a pattern could have matched.
std::string known_kernels(const Profile& profile);

}  // namespace proofline
