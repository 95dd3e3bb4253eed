// SPDX-License-Identifier: Apache-2.0
//
// Builds the command line with CLI11 and lays out its help: what it is, usage, commands or flags,
// examples, exit codes. `--help`, `help` and the completions all come from this one description.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

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

// "--launch N ..." as it is typed.
std::string flag_usage(const CLI::Option& option) {
  std::string usage =
      option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  // CLI11 adds what its validators accept behind a colon.
  const std::string full_type = option.get_type_name();
  const std::string type = full_type.substr(0, full_type.find(':'));
  if (!option.get_positional() && option.get_items_expected_max() > 0 && !type.empty()) {
    usage += " " + type;
  }
  return usage;
}

void add_section(std::string& text, std::string_view title,
                 const std::vector<std::pair<std::string, std::string>>& rows) {
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

std::string option_words(const CLI::Option& option) {
  std::string words = option.get_description();
  if (!option.get_default_str().empty()) words += fmt::format(" [{}]", option.get_default_str());
  return words;
}

}  // namespace

std::vector<Run> configure(CLI::App& program) {
  program.name("proofline");
  program.description(std::string(kWhat));
  program.footer(std::string(kProgramExamples) + "\n" + std::string(kExitCodes));
  program.set_help_flag("-h,--help", "Print this help");
  program.set_version_flag("--version", "", "Print the version");
  program.require_subcommand(0, 1);
  std::vector<Run> runs;
  for (const Command& command : commands()) {
    CLI::App* sub = program.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->set_help_flag("-h,--help", "Print this help");
    sub->footer("Examples:\n" + std::string(command.examples));
    runs.push_back(command.configure(*sub));
  }
  return runs;
}

std::string help_text(const CLI::App& app) {
  const bool is_program = app.get_parent() == nullptr;
  std::vector<std::pair<std::string, std::string>> positionals;
  std::vector<std::pair<std::string, std::string>> flags;
  std::string usage = is_program ? "proofline" : "proofline " + app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) flags.emplace_back(flag_usage(*option), option_words(*option));
  }
  if (is_program) usage += " COMMAND";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    positionals.emplace_back(option->get_name(true), option_words(*option));
    // The user's command comes last, so that its flags are not taken for ours.
    if (option->get_name(true) == "CMD") {
      usage += option->get_required() ? " [OPTIONS] -- CMD..." : " [OPTIONS] [-- CMD...]";
    } else {
      usage += " " + option->get_name(true);
    }
  }
  if (usage.find("[OPTIONS]") == std::string::npos) usage += " [OPTIONS]";
  std::string text = fmt::format("{}\n\nUsage: {}\n", app.get_description(), usage);
  std::vector<std::pair<std::string, std::string>> subcommands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    subcommands.emplace_back(sub->get_name(), sub->get_description());
  }
  add_section(text, "Commands", subcommands);
  add_section(text, "Arguments", positionals);
  add_section(text, "Options", flags);
  return text + "\n" + app.get_footer();
}

}  // namespace proofline
