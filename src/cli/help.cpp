// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::size_t kColumns = 80;

constexpr std::string_view kWhat =
    "Evidence-driven optimisation of GPU kernels. Reads Nsight Compute reports\n"
    "anywhere, without NVIDIA's tools.";

constexpr std::string_view kExitCodes =
    "Exit codes, of every command:\n"
    "    0  done; a change to KEEP; all checks PASS\n"
    "    1  a gate tripped: REVERT, FAIL, --expect, --fail-on, --fail-above, or a\n"
    "       finding of the sanitizer\n"
    "    2  wrong usage\n"
    "    3  input rejected; an INVALID comparison\n"
    "    4  partial result: what was lost is counted and shown\n"
    "    5  a tool is missing; a tool or your program failed\n"
    "    6  a time limit was reached\n"
    "    7  cannot read or write what is kept; a journal that was tampered with\n"
    "    8  a bug of ours\n"
    "    9  no permission to read the GPU's counters\n"
    "   10  cannot be judged: INCONCLUSIVE, UNKNOWN\n"
    "   11  NO DIFFERENCE\n"
    "  130  interrupted\n"
    "bench exits by its verdict only with --gate.\n";

constexpr std::string_view kProgramExamples =
    "Examples:\n"
    "  proofline diagnose report.ncu-rep   what bounds each kernel, and what to do\n"
    "  proofline profile -- ./a.out        ncu on the kernels that matter, diagnosed\n"
    "  proofline show report.ncu-rep       the launches of a report\n"
    "  proofline help show                 all about one command\n";

constexpr std::pair<CommandGroup, std::string_view> kGroups[] = {
    {CommandGroup::kReport, "Look at a report"},   {CommandGroup::kGpu, "Look at a GPU"},
    {CommandGroup::kDecide, "Measure and decide"}, {CommandGroup::kRemember, "Remember"},
    {CommandGroup::kBuildIn, "Build it in"},
};

using Rows = std::vector<std::pair<std::string, std::string>>;

// "--launch N ..." as it is typed.
std::string flag_usage(const FlagDescription& flag) {
  return flag.takes_value && !flag.value.empty() ? flag.name + " " + flag.value : flag.name;
}

// The words in lines that end before the last column, each but the first after `indent` blanks.
std::string wrapped(std::string_view words, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  while (!words.empty()) {
    const std::string_view word = take_until(' ', words);
    if (column > indent && column + 1 + word.size() >= kColumns) {
      text += fmt::format("\n{:{}}", "", indent);
      column = indent;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text;
}

void add_section(std::string& text, std::string_view title, const Rows& rows) {
  if (rows.empty()) return;
  constexpr std::size_t kWidestFlag = 26;
  std::size_t width = 0;
  for (const auto& [name, words] : rows) {
    if (name.size() <= kWidestFlag) width = std::max(width, name.size());
  }
  text += fmt::format("\n{}:\n", title);
  for (const auto& [name, words] : rows) {
    const std::string lines = wrapped(words, width + 4);
    if (name.size() > kWidestFlag) {
      text += fmt::format("  {}\n  {:{}}  {}\n", name, "", width, lines);
    } else {
      text += fmt::format("  {:{}}  {}\n", name, width, lines);
    }
  }
}

// Examples: a command, and indented below it what it is for, which may be of any length.
std::string wrapped_examples(std::string_view examples) {
  constexpr std::string_view kIndent = "      ";
  std::string text;
  std::string words;
  const auto end_words = [&] {
    if (!words.empty()) text += fmt::format("{}{}\n", kIndent, wrapped(words, kIndent.size()));
    words.clear();
  };
  while (!examples.empty()) {
    const std::string_view line = take_until('\n', examples);
    if (line.starts_with(kIndent)) {
      words += fmt::format("{}{}", words.empty() ? "" : " ", line.substr(kIndent.size()));
      continue;
    }
    end_words();
    text += fmt::format("{}\n", line);
  }
  end_words();
  return text;
}

// All groups share the width of their names.
void add_commands(std::string& text, const std::vector<CommandDescription>& commands) {
  std::size_t width = 0;
  for (const CommandDescription& command : commands) width = std::max(width, command.name.size());
  for (const auto& [group, title] : kGroups) {
    text += fmt::format("\n{}:\n", title);
    for (const CommandDescription& command : commands) {
      if (command.group != group) continue;
      text += fmt::format("  {:{}}  {}\n", command.name, width, command.summary);
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
      const std::string name = flag.repeats ? flag.name + "..." : flag.name;
      usage += flag.required ? " " + name : " [" + name + "]";
    }
  }
  if (usage.find("[OPTIONS]") == std::string::npos) usage += " [OPTIONS]";
  std::string text = fmt::format("{}\n\nUsage: {}\n", described.summary, usage);
  if (is_program) add_commands(text, described.commands);
  add_section(text, "Arguments", arguments);
  add_section(text, "Options", flags);
  return text + "\n" + (is_program ? described.footer : wrapped_examples(described.footer));
}

}  // namespace proofline
