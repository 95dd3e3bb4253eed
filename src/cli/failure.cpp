// SPDX-License-Identifier: Apache-2.0
//
// A message has its place in it, in words: the argument in quotes, "offset 1234". They are looked
// for there, and null where the message has none.
#include "cli/failure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/output.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/message.h"

namespace proofline {
namespace {

// The flag as it is typed, since a command line may be the very thing that is wrong. What stands
// behind -- is another program's.
bool asks_for_json(const std::vector<std::string>& words) {
  bool json = false;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--format=json") json = true;
    if (words[i] == "--format" && i + 1 < words.size()) json = words[i + 1] == "json";
  }
  return json;
}

// The longest of the arguments that the message quotes.
std::optional<std::string> quoted_argument(const std::vector<std::string>& words,
                                           std::string_view message) {
  std::optional<std::string> found;
  for (const std::string& word : words) {
    if (found && found->size() >= word.size()) continue;
    if (message.find(quote(word)) != std::string_view::npos) found = word;
  }
  return found;
}

std::optional<std::uint64_t> offset_in(std::string_view message) {
  constexpr std::string_view kOffset = "offset ";
  const std::size_t at = message.find(kOffset);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t offset = 0;
  const std::string_view digits = message.substr(at + kOffset.size());
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offset);
  if (error != std::errc()) return std::nullopt;
  return offset;
}

}  // namespace

FailureReport::FailureReport(int argc, char** argv)
    : words_(argv + std::min(argc, 1), argv + argc), json_(asks_for_json(words_)) {}

void FailureReport::tell(ExitCode code, std::string_view message) const {
  tell_beside_result(message);
  if (json_) print_object(code, message);
}

void FailureReport::tell_misuse(std::string_view message) const {
  tell_beside_result(fmt::format("{} (see 'proofline {}{}--help')", message, command(),
                                 command().empty() ? "" : " "));
  if (json_) print_object(ExitCode::kUsage, message);
}

void FailureReport::tell_beside_result(std::string_view message) {
  print_message(fmt::format("proofline: {}\n", message));
}

std::string_view FailureReport::command() const {
  for (const Command& one : commands()) {
    if (!words_.empty() && one.name == words_.front()) return one.name;
  }
  return "";
}

void FailureReport::print_object(ExitCode code, std::string_view message) const {
  Failure failure{code,
                  command(),
                  message,
                  quoted_argument(words_, message),
                  offset_in(message),
                  {"proofline", "--help"}};
  if (!command().empty()) failure.help.insert(failure.help.begin() + 1, command());
  Output out(STDOUT_FILENO);
  JsonWriter json(out);
  write_record(failure, json);
  out.put('\n');
  out.flush();
}

}  // namespace proofline
