// SPDX-License-Identifier: Apache-2.0
//
// A flag with a percentage. It is typed with its sign, since a number alone could mean either.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace proofline {

struct PercentRange {
  double least = 0;
  double most = 100;
};

// "3%" makes `share` 0.03; what it is before is the default.
void add_percent_flag(CLI::App& app, const std::string& name, double& share, PercentRange range,
                      const std::string& help);

}  // namespace proofline
