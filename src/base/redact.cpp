// SPDX-License-Identifier: Apache-2.0
//
// Command lines are redacted by pattern (an argument is shown unless it looks secret), environments
// by allow-list (a value is shown only if it is known to be harmless).
#include "base/redact.h"

#include <algorithm>
#include <array>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kRedacted = "<redacted>";

constexpr std::array<std::string_view, 14> kSecretWords = {
    "token",   "secret",     "passw",   "passphrase", "apikey", "api_key",   "api-key",
    "api.key", "credential", "private", "auth",       "cookie", "signature", "bearer"};
// Too common inside other words; secret only as the whole name of a flag.
constexpr std::array<std::string_view, 4> kSecretFlags = {"-p", "--key", "--pass", "-u"};
// How the keys of well-known services begin.
constexpr std::array<std::string_view, 5> kSecretStarts = {"sk-", "ghp_", "hf_", "xox", "AKIA"};

constexpr std::array<std::string_view, 14> kHarmlessVariables = {
    "CUDA_VISIBLE_DEVICES",        "CUDA_LAUNCH_BLOCKING",    "CUDA_DEVICE_ORDER",
    "CUDA_MODULE_LOADING",         "CUDA_CACHE_DISABLE",      "CUDA_FORCE_PTX_JIT",
    "CUDA_DEVICE_MAX_CONNECTIONS", "CUBLAS_WORKSPACE_CONFIG", "NVIDIA_TF32_OVERRIDE",
    "NVIDIA_VISIBLE_DEVICES",      "OMP_NUM_THREADS",         "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_CUDNN_V8_API_ENABLED",  "TRITON_INTERPRET"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool looks_secret(std::string_view name) {
  const std::string lower = lower_case(name);
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool starts_secret(std::string_view word) {
  return std::any_of(kSecretStarts.begin(), kSecretStarts.end(),
                     [&](std::string_view start) { return word.substr(0, start.size()) == start; });
}

// One word as a shell sees it: up to a space outside quotes.
std::size_t word_end(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == ' ') {
      return i;
    }
  }
  return text.size();
}

// The word with a secret in it taken out. `expect_value` is set when the value is the next word.
std::string redact_word(std::string_view word, bool& expect_value) {
  const std::size_t separator = word.find_first_of("=:");
  if (looks_secret(word.substr(0, separator)) ||
      contains(kSecretFlags, word.substr(0, separator))) {
    if (separator != std::string_view::npos && word.substr(separator, 3) != "://") {
      return std::string(word.substr(0, separator + 1)).append(kRedacted);
    }
    expect_value = !word.empty() && word.front() == '-';
  }
  if (starts_secret(word)) return std::string(kRedacted);
  const std::size_t scheme = word.find("://");
  const std::size_t at = scheme == std::string_view::npos ? scheme : word.rfind('@');
  // Before the '@' of a login there is no path, or there is a password in spite of one.
  if (at != std::string_view::npos && at > scheme &&
      (word.find('/', scheme + 3) > at || word.find(':', scheme + 3) < at)) {
    return std::string(word.substr(0, scheme + 3)).append(kRedacted).append(word.substr(at));
  }
  return std::string(word);
}

// Variables are written in one case; a mixture is a piece of somebody's encoded value.
bool is_variable_name(std::string_view name) {
  const auto all = [&](auto is_letter_of_case) {
    return std::all_of(name.begin(), name.end(),
                       [&](char c) { return is_letter_of_case(c) || is_digit(c) || c == '_'; });
  };
  return !name.empty() && (all(is_upper) || all(is_lower));
}

}  // namespace

std::string redact_command(std::string_view command) {
  std::string result;
  bool is_value = false;
  while (!command.empty()) {
    const std::size_t end = word_end(command);
    const std::string_view word = command.substr(0, end);
    bool expect_value = false;
    const std::string shown = redact_word(word, expect_value);
    result += is_value && !word.empty() && word.front() != '-' ? std::string(kRedacted) : shown;
    is_value = expect_value || (is_value && word.empty());
    if (end < command.size()) result += ' ';
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> redact_environment(std::string_view block) {
  std::vector<std::pair<std::string, std::string>> variables;
  constexpr std::string_view kSeparators("\n;\0", 3);
  while (!block.empty()) {
    const auto end = std::min(block.find_first_of(kSeparators), block.size());
    const std::string_view entry = block.substr(0, end);
    block.remove_prefix(std::min(end + 1, block.size()));
    const auto equals = entry.find('=');
    // Anything else is the tail of a value that held a separator: it may be a secret's.
    if (equals == std::string_view::npos || !is_variable_name(entry.substr(0, equals))) continue;
    const std::string_view name = entry.substr(0, equals);
    variables.emplace_back(
        name, contains(kHarmlessVariables, name) ? entry.substr(equals + 1) : kRedacted);
  }
  return variables;
}

}  // namespace proofline
