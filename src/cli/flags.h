// SPDX-License-Identifier: Apache-2.0
//
// The flags and arguments of a command. CLI11 parses them, but only command_line.cpp sees it: its
// header costs a compiler more than all the rest of a command.
//
//   line.add("--starts", plan.starts, "Starts of each side").shown_as("N").in_range(1, 10000);
//   line.add("FILE", files, "Reports; - reads standard input").required();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
class Option;
}  // namespace CLI

namespace proofline {

enum class FlagType { kText, kInteger, kNumber, kSwitch };

// What is known of a flag beyond what CLI11 keeps.
struct FlagTraits {
  FlagType type = FlagType::kText;
  std::vector<std::string> choices = {};
  bool for_agents = true;
  bool one_text = false;
};
using FlagTable = std::map<const CLI::Option*, FlagTraits>;

// A flag or an argument that was added, to say more of it.
class Flag {
 public:
  Flag(CLI::Option& option, FlagTraits& traits) : option_(&option), traits_(&traits) {}

  // What the help calls its value: "REGEX". Several words are several values, and words with |
  // between them are choices that the shell completes.
  Flag shown_as(const std::string& value) const;
  // The help says what holds without it: what the variable has now.
  Flag with_default() const;

  Flag required() const;
  Flag one_of(const std::vector<std::string>& choices) const;
  Flag in_range(int least, int most) const;
  Flag in_range(double least, double most) const;
  Flag not_empty() const;
  Flag excludes(const Flag& other) const;

  // The tools of `mcp` do not have it: it writes where it likes, prints something else than the
  // result, or only changes what people see.
  Flag not_for_agents() const;

  // Of lists. How many values it takes.
  Flag counted(int least, int most) const;
  // "a,b" is two values.
  Flag separated_by(char delimiter) const;
  // It takes one value and is repeated for more; what is after that is not its own.
  Flag one_at_a_time() const;
  // Its words are one text: quotes may be left out.
  Flag one_text() const;

 private:
  CLI::Option* option_;
  FlagTraits* traits_;
};

struct PercentRange {
  double least = 0;
  double most = 100;
};

// All those of one command; a copy is a way to the same. A name that begins with -- is a flag's,
// another one an argument's. The variables take what is typed, so they live as long as the command
// line.
class Flags {
 public:
  Flags(CLI::App& app, FlagTable& table) : app_(&app), table_(&table) {}

  Flag add(const std::string& name, std::string& value, const std::string& help);
  Flag add(const std::string& name, std::optional<std::string>& value, const std::string& help);
  Flag add(const std::string& name, std::vector<std::string>& values, const std::string& help);
  Flag add(const std::string& name, unsigned& value, const std::string& help);
  Flag add(const std::string& name, std::size_t& value, const std::string& help);
  Flag add(const std::string& name, std::optional<std::size_t>& value, const std::string& help);
  Flag add(const std::string& name, std::vector<std::size_t>& values, const std::string& help);
  Flag add(const std::string& name, double& value, const std::string& help);
  Flag add_switch(const std::string& name, bool& value, const std::string& help);
  // Bytes, with a suffix: "512mb".
  Flag add_size(const std::string& name, std::optional<std::uint64_t>& bytes,
                const std::string& help);
  // "3%" makes `share` 0.03; what it is before is the default, infinity that there is none. It is
  // typed with its sign, since a number alone could mean either.
  Flag add_percent(const std::string& name, double& share, PercentRange range,
                   const std::string& help);

  // "n=64=3" is the name "n=64" and the number 3; may be repeated.
  Flag add_numbers(const std::string& name, std::function<void(std::string, double)> take,
                   const std::string& help);
  // The same with bytes: "copy=512M".
  Flag add_sizes(const std::string& name, std::function<void(std::string, double)> take,
                 const std::string& help);

  // Unknown flags are no errors then.
  void take_unknown();
  std::vector<std::string> unknown() const;

  // Those that were typed: "--state".
  std::vector<std::string> given() const;

 private:
  Flag added(CLI::Option* option, FlagType type = FlagType::kText) const;

  CLI::App* app_;
  FlagTable* table_;
};

}  // namespace proofline
