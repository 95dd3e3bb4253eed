// SPDX-License-Identifier: Apache-2.0
//
// Flags and the command line, by CLI11: the one file that includes it.
#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/characters.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cli/flags.h"

namespace proofline {
namespace {

FlagDescription describe_option(const CLI::Option& option, const FlagTable& table) {
  FlagDescription flag;
  flag.is_argument = option.get_positional();
  flag.name = flag.is_argument ? option.get_name(true) : option.get_name(false, true);
  for (const std::string& name : option.get_snames()) flag.spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.spellings.push_back("--" + name);
  // CLI11 adds what its validators accept after a colon.
  const std::string type = option.get_type_name();
  flag.value = type.substr(0, type.find(':'));
  flag.help = option.get_description();
  flag.default_text = option.get_default_str();
  flag.takes_value = option.get_items_expected_max() > 0;
  flag.repeats = option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  flag.required = option.get_required();
  for (const CLI::Option* other : option.get_excludes()) {
    flag.excludes.push_back("--" + other->get_lnames().front());
  }
  std::sort(flag.excludes.begin(), flag.excludes.end());  // CLI11 has them by address
  const FlagTraits& traits = table.at(&option);
  flag.type = traits.type;
  flag.choices = traits.choices;
  flag.is_list = flag.repeats && !traits.one_text;
  flag.for_agents = traits.for_agents;
  return flag;
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

CommandDescription describe_app(const CLI::App& app, const FlagTable& table) {
  CommandDescription description;
  description.name = app.get_name();
  description.summary = app.get_description();
  description.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    description.flags.push_back(describe_option(*option, table));
  }
  for (const CLI::App* sub : subcommands_of(app)) {
    description.commands.push_back(describe_app(*sub, table));
  }
  return description;
}

// What is wrong with a number that was typed; "" nothing.
template <class Number>
std::string problem_with(const std::string& word, Number least, Number most,
                         std::string_view what) {
  Number number{};
  const bool is_number = CLI::detail::lexical_cast(word, number);
  if (is_number && number >= least && number <= most) return "";
  return fmt::format("{} is not {} from {} to {}", quote(word), what, least, most);
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const auto near = nearest(typed, candidates, 1);
  return near.empty() ? "" : fmt::format("; did you mean {}?", near.front());
}

// The arguments that nothing accepted: of the command where one was named.
std::string unknown_word(const CLI::App& program, const CLI::App* command) {
  // Behind an unknown flag with a value, "--" and what follows are left to the program.
  std::vector<std::string> extra;
  if (command != nullptr) extra = command->remaining();
  if (extra.empty()) extra = program.remaining(true);
  const std::string typed = extra.empty() ? "" : extra.front();
  std::vector<std::string> known;
  if (typed.starts_with('-')) {
    const CLI::App& app = command != nullptr ? *command : program;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::string flag = typed.substr(0, typed.find('='));
    return fmt::format("{} has no flag {}{}", app.get_name(), quote(flag),
                       did_you_mean(flag, known));
  }
  if (command != nullptr) {
    return fmt::format("{} takes no argument {} here", command->get_name(), quote(typed));
  }
  for (const CLI::App* sub : subcommands_of(program)) known.push_back(sub->get_name());
  return fmt::format("no command {}{}", quote(typed), did_you_mean(typed, known));
}

// The name of what was not given though it has to be; "" nothing.
std::string first_missing(const CLI::App* command) {
  if (command == nullptr) return "";
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_required() && option->count() == 0) return option->get_name();
  }
  return "";
}

// A number above zero, and what follows it.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || !std::isfinite(number) || !(number > 0)) return std::nullopt;
  return std::pair(number, text.substr(static_cast<std::size_t>(end - text.data())));
}

std::optional<double> parse_number(std::string_view text) {
  const auto number = leading_number(text);
  return number && number->second.empty() ? std::optional(number->first) : std::nullopt;
}

// "4096", "1.5G"; suffixes are powers of 1024, as those of --max-size are.
std::optional<double> parse_size(std::string_view text) {
  const auto number = leading_number(text);
  if (!number) return std::nullopt;
  double bytes = number->first;
  std::string suffix(number->second);
  for (char& c : suffix) c = to_upper(c);
  if (suffix.empty() || suffix == "B") return bytes;
  for (const char prefix : std::string_view("KMGT")) {
    bytes *= 1024;
    const std::string one(1, prefix);
    if (suffix == one || suffix == one + "B" || suffix == one + "IB") return bytes;
  }
  return std::nullopt;
}

// Takes each NAME=VALUE. The last '=' divides it: names of kernels and axes have some of their own.
auto take_named(std::string flag, std::string form,
                std::optional<double> (*parse)(std::string_view text),
                std::function<void(std::string, double)> take) {
  return [flag = std::move(flag), form = std::move(form), parse,
          take = std::move(take)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t equals = std::min(text.rfind('='), text.size());
      const auto value = parse(std::string_view(text).substr(std::min(equals + 1, text.size())));
      if (equals == 0 || !value) {
        throw CLI::ValidationError(flag, fmt::format("{} must be {}", quote(text), form));
      }
      take(text.substr(0, equals), *value);
    }
  };
}

}  // namespace

Flag Flag::shown_as(const std::string& value) const {
  option_->type_name(value);
  return *this;
}

Flag Flag::with_default() const {
  option_->capture_default_str();
  return *this;
}

Flag Flag::required() const {
  option_->required();
  return *this;
}

Flag Flag::one_of(const std::vector<std::string>& choices) const {
  traits_->choices = choices;
  option_->check([choices](const std::string& word) {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return std::string();
    return fmt::format("{} is none of {}{}", quote(word), fmt::join(choices, ", "),
                       did_you_mean(word, choices));
  });
  return *this;
}

Flag Flag::in_range(int least, int most) const {
  option_->check([least, most](const std::string& word) {
    return problem_with(word, least, most, "a whole number");
  });
  return *this;
}

Flag Flag::in_range(double least, double most) const {
  option_->check([least, most](const std::string& word) {
    return problem_with(word, least, most, "a number");
  });
  return *this;
}

Flag Flag::not_empty() const {
  option_->check([](const std::string& word) {
    return word.empty() ? std::string("must not be empty") : std::string();
  });
  return *this;
}

Flag Flag::excludes(const Flag& other) const {
  option_->excludes(other.option_);
  return *this;
}

Flag Flag::not_for_agents() const {
  traits_->for_agents = false;
  return *this;
}

Flag Flag::counted(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

Flag Flag::separated_by(char delimiter) const {
  option_->delimiter(delimiter);
  return *this;
}

Flag Flag::one_at_a_time() const {
  option_->allow_extra_args(false);
  return *this;
}

Flag Flag::one_text() const {
  traits_->one_text = true;
  return *this;
}

Flag Flags::added(CLI::Option* option, FlagType type) const {
  FlagTraits& traits = (*table_)[option];
  traits.type = type;
  return Flag(*option, traits);
}

Flag Flags::add(const std::string& name, std::string& value, const std::string& help) {
  return added(app_->add_option(name, value, help));
}

Flag Flags::add(const std::string& name, std::optional<std::string>& value,
                const std::string& help) {
  return added(app_->add_option(name, value, help));
}

Flag Flags::add(const std::string& name, std::vector<std::string>& values,
                const std::string& help) {
  return added(app_->add_option(name, values, help));
}

Flag Flags::add(const std::string& name, unsigned& value, const std::string& help) {
  return added(app_->add_option(name, value, help), FlagType::kInteger);
}

Flag Flags::add(const std::string& name, std::size_t& value, const std::string& help) {
  return added(app_->add_option(name, value, help), FlagType::kInteger);
}

Flag Flags::add(const std::string& name, std::optional<std::size_t>& value,
                const std::string& help) {
  return added(app_->add_option(name, value, help), FlagType::kInteger);
}

Flag Flags::add(const std::string& name, std::vector<std::size_t>& values,
                const std::string& help) {
  return added(app_->add_option(name, values, help), FlagType::kInteger);
}

Flag Flags::add(const std::string& name, double& value, const std::string& help) {
  return added(app_->add_option(name, value, help), FlagType::kNumber);
}

Flag Flags::add_switch(const std::string& name, bool& value, const std::string& help) {
  return added(app_->add_flag(name, value, help), FlagType::kSwitch);
}

Flag Flags::add_size(const std::string& name, std::optional<std::uint64_t>& bytes,
                     const std::string& help) {
  // The last validator that is added sees the text first. -1 would become the largest number there
  // is.
  const auto refuse_negative = [](const std::string& text) {
    return text.starts_with('-') ? quote(text) + " is below zero" : std::string();
  };
  return added(app_->add_option(name, bytes, help)
                   ->transform(CLI::AsSizeValue(false))
                   ->transform(CLI::Validator(refuse_negative, "")));
}

Flag Flags::add_percent(const std::string& name, double& share, PercentRange range,
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
  CLI::Option* option =
      app_->add_option_function<std::string>(name, take, help)->type_name("PERCENT");
  if (std::isfinite(share)) option->default_str(fmt::format("{}%", 100 * share));
  return added(option);
}

Flag Flags::add_numbers(const std::string& name, std::function<void(std::string, double)> take,
                        const std::string& help) {
  const auto take_all =
      take_named(name, "NAME=NUMBER, with a number above zero", parse_number, std::move(take));
  return added(app_->add_option_function<std::vector<std::string>>(name, take_all, help)
                   ->type_name("NAME=NUMBER"));
}

Flag Flags::add_sizes(const std::string& name, std::function<void(std::string, double)> take,
                      const std::string& help) {
  const auto take_all =
      take_named(name, "NAME=BYTES, such as copy=512M", parse_size, std::move(take));
  return added(app_->add_option_function<std::vector<std::string>>(name, take_all, help)
                   ->type_name("NAME=BYTES"));
}

void Flags::take_unknown() { app_->allow_extras(); }

std::vector<std::string> Flags::unknown() const {
  std::vector<std::string> words = app_->remaining();
  words.erase(std::remove(words.begin(), words.end(), "--"), words.end());
  return words;
}

std::vector<std::string> Flags::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->get_positional() || option->count() == 0) continue;
    names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

struct CommandLine::Parser {
  CLI::App app;
  FlagTable table;
  std::vector<Run> runs;  // in the order of commands()
  bool quiet = false;
  std::string out;
};

CommandLine::CommandLine(std::string_view summary, std::string_view footer)
    : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  // Those of the program itself, not of a command.
  const auto for_people = [this](CLI::Option* option) {
    parser_->table[option].for_agents = false;
  };
  app.name("proofline");
  app.description(std::string(summary));
  app.footer(std::string(footer));
  for_people(app.set_help_flag("-h,--help", "Print this help"));
  for_people(app.set_version_flag("--version", "", "Print the version"));
  app.require_subcommand(0, 1);
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    for_people(sub->set_help_flag("-h,--help", "Print this help"));
    for_people(sub->add_flag("-q,--quiet", parser_->quiet,
                             "Print no progress: only results, notes, errors"));
    sub->footer("Examples:\n" + std::string(command.examples));
    parser_->runs.push_back(command.configure(Flags(*sub, parser_->table)));
    // Some write files of their own.
    if (sub->get_option_no_throw("--out") != nullptr) continue;
    for_people(sub->add_option("-o,--out", parser_->out, "Write the result to this file")
                   ->type_name("FILE"));
  }
}

CommandLine::~CommandLine() = default;

Result<CommandLine::Parsed> CommandLine::parse(int argc, char** argv) {
  Parsed parsed;
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // "shwo --help": the help of all commands would hide that there is none of this name.
    const bool unknown =
        parser_->app.get_subcommands().empty() && !parser_->app.remaining(true).empty();
    if (unknown) return fail(ErrorKind::kUsage, unknown_word(parser_->app, nullptr));
    parsed.wish = Wish::kHelp;
  } catch (const CLI::CallForVersion&) {
    parsed.wish = Wish::kVersion;
  } catch (const CLI::ParseError& error) {
    const auto named = std::as_const(parser_->app).get_subcommands();
    const CLI::App* command = named.empty() ? nullptr : named.front();
    const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
        first_missing(command) == "CMD") {
      return fail(ErrorKind::kUsage, "no program to run: give it after --");
    }
    return fail(ErrorKind::kUsage,
                unknown ? unknown_word(parser_->app, command) : escape_terminal(error.what()));
  }
  parsed.quiet = parser_->quiet;
  parsed.out = parser_->out;
  const auto all = commands();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!parser_->app.got_subcommand(std::string(all[i].name))) continue;
    parsed.command = &all[i];
    parsed.run = parser_->runs[i];
    break;
  }
  return parsed;
}

CommandDescription CommandLine::describe() const {
  CommandDescription program = describe_app(parser_->app, parser_->table);
  const auto all = commands();
  for (std::size_t i = 0; i < all.size(); ++i) {
    program.commands[i].group = all[i].group;
    program.commands[i].tool = all[i].tool;
  }
  return program;
}

}  // namespace proofline
