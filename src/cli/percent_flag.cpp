// SPDX-License-Identifier: Apache-2.0
#include "cli/percent_flag.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/text.h"

namespace proofline {

void add_percent_flag(CLI::App& app, const std::string& name, double& share, PercentRange range,
                      const std::string& help) {
  const auto take = [&share, name, range](const std::string& text) {
    double percent = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, percent);
    const bool number = error == std::errc() && std::string_view(rest, end) == "%";
    if (!number || !(percent >= range.least && percent <= range.most)) {
      throw CLI::ValidationError(
          name, fmt::format("{} must be a percentage from {}% to {}%, with its sign", quote(text),
                            range.least, range.most));
    }
    share = percent / 100;
  };
  app.add_option_function<std::string>(name, take, help)
      ->type_name("PERCENT")
      ->default_str(fmt::format("{}%", 100 * share));
}

}  // namespace proofline
