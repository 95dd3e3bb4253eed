// SPDX-License-Identifier: Apache-2.0
//
// The command line as a whole: built from the commands, parsed, and described for whoever prints
// help or completions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace proofline {

struct FlagDescription {
  std::string name;                    // as the help shows it: "-h,--help", "FILE"
  std::vector<std::string> spellings;  // "-h", "--help"; none for an argument
  std::string value;                   // "REGEX"; see Flag::shown_as()
  std::string help;
  std::string default_text;  // "" none that is shown
  bool is_argument = false;
  FlagType type = FlagType::kText;
  std::vector<std::string> choices;
  std::vector<std::string> excludes;  // flags that cannot be given with it: "--facts"
  bool takes_value = true;            // false: a switch
  bool repeats = false;               // any number of words
  bool is_list = false;               // which are values of their own
  bool required = false;
  bool for_agents = true;  // see Flag::not_for_agents()
};

struct CommandDescription {
  std::string name;
  CommandGroup group = CommandGroup::kBuildIn;  // of a command
  std::string summary;
  std::string footer;  // examples, and of the program its exit codes
  std::vector<FlagDescription> flags;
  std::optional<AgentTool> tool;             // of a command
  std::vector<CommandDescription> commands;  // of the program
};

class CommandLine {
 public:
  CommandLine(std::string_view summary, std::string_view footer);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  enum class Wish { kRun, kHelp, kVersion };
  struct Parsed {
    Wish wish = Wish::kRun;
    const Command* command = nullptr;  // none was named
    Run run;                           // what it does, with what was typed
    bool quiet = false;                // nothing is told but results, notes and errors
    std::string out;                   // the file that takes the result; "" standard output
  };
  // kUsage, with what is wrong.
  Result<Parsed> parse(int argc, char** argv);

  CommandDescription describe() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace proofline
