// SPDX-License-Identifier: Apache-2.0
#include "tools/process/command_text.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/file_piece.h"
#include "base/redact.h"

namespace proofline {
namespace {

constexpr std::size_t kMostCommand = 1U << 20U;

std::string quote_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted += '\'';
}

}  // namespace

std::string shell_command(const Variables& variables, const std::vector<std::string>& argv) {
  std::string command;
  for (const auto& [name, value] : variables) {
    command.append(name).append("=").append(quote_word(value)).push_back(' ');
  }
  for (const std::string& word : argv) command.append(quote_word(word)).push_back(' ');
  if (!command.empty()) command.pop_back();
  return command;
}

std::string own_command_line() {
  const std::string block = read_piece("/proc/self/cmdline", 0, kMostCommand);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < block.size(); at += words.back().size() + 1) {
    words.push_back(block.substr(at, block.find('\0', at) - at));
  }
  if (words.empty()) return "";
  // A word may be a command: --a './old --token hush'.
  for (std::string& word : words) {
    if (word.find(' ') != std::string::npos) word = redact_command(word);
  }
  words.front() = std::filesystem::path(words.front()).filename().string();
  return redact_command(shell_command({}, words));
}

}  // namespace proofline
