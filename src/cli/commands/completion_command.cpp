// SPDX-License-Identifier: Apache-2.0
//
// `proofline completion bash|zsh|fish`: a completion script made from the command line's own
// description, so that it cannot fall behind. A type name with '|' in it is a list of choices;
// whatever else is typed is completed as a file name.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/command_line.h"

namespace proofline {
namespace {

using Words = std::vector<std::string>;

// One word that an option or argument takes.
struct Operand {
  std::string name;  // as the help shows it
  Words choices;     // none: any text
};

Words split(std::string_view text, char separator) {
  Words parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string join(const Words& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

Words command_names(const CommandDescription& program) {
  Words names;
  for (const CommandDescription& command : program.commands) names.push_back(command.name);
  return names;
}

// "KIND DIR" is two words.
std::vector<Operand> operands_of(const FlagDescription& flag) {
  std::vector<Operand> operands;
  if (!flag.takes_value) return operands;
  for (const std::string& word : split(flag.value, ' ')) {
    const Words choices = split(word, '|');
    operands.push_back({word, choices.size() > 1 ? choices : Words()});
  }
  return operands;
}

Operand argument_of(const FlagDescription& flag, const CommandDescription& program) {
  if (flag.name == "COMMAND") return {flag.name, command_names(program)};
  const std::vector<Operand> operands = operands_of(flag);
  return {flag.name, operands.empty() ? Words() : operands.front().choices};
}

std::vector<FlagDescription> flags_of(const CommandDescription& command, bool arguments) {
  std::vector<FlagDescription> flags = command.flags;
  std::erase_if(flags, [&](const FlagDescription& flag) { return flag.is_argument != arguments; });
  return flags;
}

Words long_names(const CommandDescription& command) {
  Words names;
  for (const FlagDescription& flag : flags_of(command, false)) {
    for (const std::string& name : flag.spellings) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  return names;
}

// The branch of the script for one command: what is before the word decides, unless that takes
// no value.
std::string bash_case(const CommandDescription& command, const CommandDescription& program) {
  Words takers_of_text;
  std::string cases;
  for (const FlagDescription& flag : flags_of(command, false)) {
    const std::vector<Operand> operands = operands_of(flag);
    if (operands.empty()) continue;
    const std::string names = join(flag.spellings, " | ");
    if (operands.front().choices.empty()) {
      takers_of_text.push_back(names);
    } else {
      cases +=
          fmt::format("        {}) words='{}' ;;\n", names, join(operands.front().choices, " "));
    }
  }
  if (!takers_of_text.empty()) {
    cases += fmt::format("        {}) ;;\n", join(takers_of_text, " | "));
  }
  Words choices;
  for (const FlagDescription& flag : flags_of(command, true)) {
    choices = argument_of(flag, program).choices;
  }
  return fmt::format(
      "    {})\n      case $previous in\n{}        *) options='{}' words='{}' ;;\n      esac\n"
      "      ;;\n",
      command.name, cases, join(long_names(command), " "), join(choices, " "));
}

std::string bash_script(const CommandDescription& program) {
  std::string text =
      "# Completion for bash, made by 'proofline completion bash'.\n"
      "_proofline() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local command= options= words=\n"
      "  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
      "  # In --format=json bash takes the = for a word of its own.\n"
      "  if [[ $current == = ]]; then\n"
      "    current=\n"
      "  elif [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  case $command in\n";
  text += fmt::format("    '') options='{}' words='{}' ;;\n", join(long_names(program), " "),
                      join(command_names(program), " "));
  for (const CommandDescription& command : program.commands) text += bash_case(command, program);
  return text +
         "  esac\n"
         "  [[ $current == -* ]] && words=$options\n"
         "  # Without a match bash goes on to file names.\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _proofline proofline\n";
}

// Text inside a zsh specification: no colons, no brackets, and within single quotes.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (c == '\\' || c == ':' || c == '[' || c == ']') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string zsh_operand(const Operand& operand) {
  return fmt::format(":{}:{}", zsh_text(operand.name),
                     operand.choices.empty() ? "_files" : "(" + join(operand.choices, " ") + ")");
}

// '(-h --help)'{-h,--help}'[Print this help]' or '*--launch=[Only this launch]:N:_files'
std::string zsh_option(const FlagDescription& flag) {
  const std::vector<Operand> operands = operands_of(flag);
  const Words& names = flag.spellings;
  std::string text = flag.repeats ? "'*" : "'";
  if (names.size() > 1) {
    text += fmt::format("({})'{{{}}}'", join(names, " "), join(names, ","));
  } else {
    text += names.front();
  }
  text += fmt::format("{}[{}]", operands.empty() ? "" : "=", zsh_text(flag.help));
  for (const Operand& operand : operands) text += zsh_operand(operand);
  return text + "'";
}

// One call of _arguments for the program or a command.
std::string zsh_arguments(const CommandDescription& command, const CommandDescription& program,
                          std::string_view indent, const Words& more) {
  Words specifications;
  for (const FlagDescription& flag : flags_of(command, false)) {
    specifications.push_back(zsh_option(flag));
  }
  for (const FlagDescription& flag : flags_of(command, true)) {
    specifications.push_back("'" + zsh_operand(argument_of(flag, program)) + "'");
  }
  specifications.insert(specifications.end(), more.begin(), more.end());
  const std::string next_line = fmt::format(" \\\n{}  ", indent);
  return fmt::format("{}_arguments{}{}{}", indent, more.empty() ? "" : " -C", next_line,
                     join(specifications, next_line));
}

std::string zsh_script(const CommandDescription& program) {
  std::string text =
      "#compdef proofline\n"
      "# Completion for zsh, made by 'proofline completion zsh'.\n"
      "_proofline() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -A opt_args\n";
  text += zsh_arguments(program, program, "  ", {"'1: :->command'", "'*:: :->arguments'"});
  text += "\n  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.summary));
  }
  text +=
      "      )\n      _describe command commands\n      ;;\n"
      "    arguments)\n      case $line[1] in\n";
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("        {})\n{}\n          ;;\n", command.name,
                        zsh_arguments(command, program, "          ", {}));
  }
  // zsh runs the file as the function itself when it finds it in fpath; otherwise it was sourced.
  return text +
         "      esac\n      ;;\n  esac\n}\n"
         "if [[ $funcstack[1] == _proofline ]]; then\n"
         "  _proofline \"$@\"\n"
         "else\n"
         "  compdef _proofline proofline\n"
         "fi\n";
}

// Within single quotes.
std::string fish_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '\'') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// One `complete` for an option: -l long -s short, and -x -a 'choices' or -r where it takes a value.
std::string fish_option(const FlagDescription& flag, std::string_view condition) {
  std::string text = fmt::format("complete -c proofline -n '{}'", condition);
  for (const std::string& name : flag.spellings) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const std::vector<Operand> operands = operands_of(flag);
  if (!operands.empty()) {
    const Words& choices = operands.front().choices;
    text += choices.empty() ? " -r" : fmt::format(" -x -a '{}'", join(choices, " "));
  }
  return fmt::format("{} -d '{}'\n", text, fish_text(flag.help));
}

std::string fish_script(const CommandDescription& program) {
  constexpr std::string_view kNoCommandYet = "__fish_use_subcommand";
  std::string text = "# Completion for fish, made by 'proofline completion fish'.\n";
  for (const FlagDescription& flag : flags_of(program, false)) {
    text += fish_option(flag, kNoCommandYet);
  }
  for (const CommandDescription& command : program.commands) {
    text += fmt::format("complete -c proofline -n '{}' -f -a {} -d '{}'\n", kNoCommandYet,
                        command.name, fish_text(command.summary));
  }
  for (const CommandDescription& command : program.commands) {
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const FlagDescription& flag : flags_of(command, false)) {
      text += fish_option(flag, condition);
    }
    for (const FlagDescription& flag : flags_of(command, true)) {
      const Words choices = argument_of(flag, program).choices;
      if (choices.empty()) continue;
      text +=
          fmt::format("complete -c proofline -n '{}' -f -a '{}'\n", condition, join(choices, " "));
    }
  }
  return text;
}

Run configure_completion(Flags line) {
  auto shell = std::make_shared<std::string>();
  line.add("SHELL", *shell, "bash, zsh or fish")
      .required()
      .one_of({"bash", "zsh", "fish"})
      .shown_as("bash|zsh|fish");
  return [shell](Context& context) -> Result<ExitCode> {
    const CommandDescription program = context.program.describe();
    context.out.write(*shell == "bash"  ? bash_script(program)
                      : *shell == "zsh" ? zsh_script(program)
                                        : fish_script(program));
    return ExitCode::kDone;
  };
}

}  // namespace

Command completion_command() {
  return {"completion", CommandGroup::kBuildIn,
          "Print a script that completes proofline's command line",
          "  source <(proofline completion bash)            in ~/.bashrc\n"
          "  source <(proofline completion zsh)             in ~/.zshrc, after compinit\n"
          "  proofline completion fish | source             in ~/.config/fish/config.fish\n",
          configure_completion};
}

}  // namespace proofline
