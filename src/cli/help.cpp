// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline {
namespace {

constexpr std::string_view kWhat =
    "Evidence-driven optimisation of GPU kernels: reads Nsight Compute reports anywhere, without\n"
    "NVIDIA's tools.";

constexpr std::string_view kExitCodes =
    "Exit codes:\n"
    "  0 done   1 a gate tripped: expectation, sanitizer   2 usage   3 input rejected\n"
    "  4 partial result, loss counted   5 a tool is missing or failed   6 a tool ran too long\n"
    "  7 cannot write   8 a bug of ours   9 no permission to read the GPU's counters\n"
    "  10 could not be judged   130 interrupted\n";

constexpr std::string_view kProgramExamples =
    "Examples:\n"
    "  proofline diagnose report.ncu-rep          what bounds each kernel, and what to do\n"
    "  proofline profile -- ./a.out               ncu over the kernels that matter, diagnosed\n"
    "  proofline show report.ncu-rep              the launches of a report\n"
    "  proofline help show                        all about one command\n";

using Rows = std::vector<std::pair<std::string, std::string>>;

// "--launch N ..." as it is typed.
std::string flag_usage(const FlagDescription& flag) {
  return flag.takes_value && !flag.value.empty() ? flag.name + " " + flag.value : flag.name;
}

void add_section(std::string& text, std::string_view title, const Rows& rows) {
  if (rows.empty()) return;
  constexpr std::size_t kWidestFlag = 30;
  std::size_t width = 0;
  for (const auto& [name, words] : rows) {
    if (name.size() <= kWidestFlag) width = std::max(width, name.size());
  }
  text += fmt::format("\n{}:\n", title);
  for (const auto& [name, words] : rows) {
    if (name.size() > kWidestFlag) {
      text += fmt::format("  {}\n  {:{}}  {}\n", name, "", width, words);
    } else {
      text += fmt::format("  {:{}}  {}\n", name, width, words);
    }
  }
}

std::string words_on(const FlagDescription& flag) {
  return flag.default_text.empty() ? flag.help
                                   : fmt::format("{} [{}]", flag.help, flag.default_text);
}

}  // namespace

std::string program_summary() { return std::string(kWhat); }

std::string program_footer() { return fmt::format("{}\n{}", kProgramExamples, kExitCodes); }

std::string help_text(const CommandDescription& described) {
  const bool is_program = !described.commands.empty();
  std::string usage = is_program ? "proofline COMMAND" : "proofline " + described.name;
  Rows arguments;
  Rows flags;
  for (const FlagDescription& flag : described.flags) {
    if (!flag.is_argument) {
      flags.emplace_back(flag_usage(flag), words_on(flag));
      continue;
    }
    arguments.emplace_back(flag.name, words_on(flag));
    // The user's command comes last, so that its flags are not taken for ours.
    if (flag.name == "CMD") {
      usage += flag.required ? " [OPTIONS] -- CMD..." : " [OPTIONS] [-- CMD...]";
    } else {
      usage += " " + flag.name;
    }
  }
  if (usage.find("[OPTIONS]") == std::string::npos) usage += " [OPTIONS]";
  std::string text = fmt::format("{}\n\nUsage: {}\n", described.summary, usage);
  Rows commands;
  for (const CommandDescription& command : described.commands) {
    commands.emplace_back(command.name, command.summary);
  }
  add_section(text, "Commands", commands);
  add_section(text, "Arguments", arguments);
  add_section(text, "Options", flags);
  return text + "\n" + described.footer;
}

}  // namespace proofline
