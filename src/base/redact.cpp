// SPDX-License-Identifier: Apache-2.0
//
// Command lines are redacted by pattern (an argument is shown unless it looks secret), environments
// by allow-list (a value is shown only if it is known to be harmless).
#include "base/redact.h"

#include <algorithm>
#include <iterator>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kRedacted = "<redacted>";

// Anywhere in a name.
constexpr std::string_view kSecretWords[] = {"token",      "secret",  "passw", "passphrase",
                                             "credential", "private", "auth",  "cookie",
                                             "signature",  "bearer"};
// Too common inside other words; secret as a part of a name between its - _ and dots: DB_PASS.
constexpr std::string_view kSecretParts[] = {"pass",      "pwd", "pw",   "apikey",
                                             "accesskey", "pat", "cred", "creds"};
// The part before "key", where it is a key of that kind: --access-key, not --sort-key.
constexpr std::string_view kSecretKeys[] = {"api",     "access",     "account", "auth",
                                            "signing", "encryption", "license", "service",
                                            "shared",  "storage",    "master",  "deploy"};
// Secret only as the whole name of a flag.
constexpr std::string_view kSecretFlags[] = {"-p", "--key", "-u"};
// How the keys of well-known services begin; nothing else does.
constexpr std::string_view kSecretStarts[] = {
    "sk-",    "ghp_",      "gho_",   "ghu_",  "ghs_",  "ghr_",   "github_pat_",
    "glpat-", "gldt-",     "hf_",    "xoxb-", "xoxp-", "xoxa-",  "xoxe-",
    "xoxs-",  "xapp-",     "AKIA",   "ASIA",  "AIza",  "ya29.",  "eyJ",
    "npm_",   "dckr_pat_", "nvapi-", "pypi-", "SG.",   "shpat_", "dop_v1_"};

// They change how a GPU program runs. Paths and flags among them are redacted as a command is.
constexpr std::string_view kHarmlessVariables[] = {"LD_PRELOAD",
                                                   "LD_LIBRARY_PATH",
                                                   "LD_AUDIT",
                                                   "CUDA_INJECTION64_PATH",
                                                   "CUDA_INJECTION32_PATH",
                                                   "NVTX_INJECTION64_PATH",
                                                   "NVCC_PREPEND_FLAGS",
                                                   "NVCC_APPEND_FLAGS",
                                                   "NVIDIA_DRIVER_CAPABILITIES",
                                                   "CUDA_VISIBLE_DEVICES",
                                                   "CUDA_LAUNCH_BLOCKING",
                                                   "CUDA_DEVICE_ORDER",
                                                   "CUDA_MODULE_LOADING",
                                                   "CUDA_CACHE_DISABLE",
                                                   "CUDA_FORCE_PTX_JIT",
                                                   "CUDA_DEVICE_MAX_CONNECTIONS",
                                                   "CUBLAS_WORKSPACE_CONFIG",
                                                   "NVIDIA_TF32_OVERRIDE",
                                                   "NVIDIA_VISIBLE_DEVICES",
                                                   "OMP_NUM_THREADS",
                                                   "PYTORCH_CUDA_ALLOC_CONF",
                                                   "TORCH_CUDNN_V8_API_ENABLED",
                                                   "TRITON_INTERPRET"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "--tokens 64,256" counts what a model reads: numbers that are too short for keys.
bool counts_tokens(std::string_view name, std::string_view value) {
  constexpr std::size_t kMostDigits = 8;
  std::size_t digits = 0;
  for (const char c : value) {
    digits = c == ',' ? 0 : digits + 1;
    if (digits > kMostDigits || (c != ',' && !is_digit(c))) return false;
  }
  return lower_case(name).ends_with("tokens") && !value.empty();
}

bool is_secret_part(std::string_view part, std::string_view before) {
  return contains(kSecretParts, part) || (part == "key" && contains(kSecretKeys, before));
}

bool looks_secret(std::string_view name) {
  const std::string lower = lower_case(name);
  if (std::any_of(std::begin(kSecretWords), std::end(kSecretWords),
                  [&](std::string_view word) { return lower.find(word) != std::string::npos; })) {
    return true;
  }
  std::string_view before;
  for (std::string_view rest = lower; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("-_."), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (is_secret_part(part, before)) return true;
    before = part;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool is_name_character(char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; }

// Where a value begins with a service's key: its length, else 0.
std::size_t secret_length(std::string_view text) {
  constexpr std::size_t kLeastKeyBytes = 12;  // shorter ones are names: sk-learn, hf_model
  if (!std::any_of(std::begin(kSecretStarts), std::end(kSecretStarts),
                   [&](std::string_view start) { return text.starts_with(start); })) {
    return 0;
  }
  std::size_t length = 0;
  while (length < text.size() &&
         (is_name_character(text[length]) || text[length] == '/' || text[length] == '+')) {
    ++length;
  }
  return length >= kLeastKeyBytes ? length : 0;
}

// The name before a = or a colon, which may be quoted: "password": in JSON.
std::string_view name_before(std::string_view text) {
  while (!text.empty() &&
         (text.back() == '"' || text.back() == '\'' || text.back() == '\\' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  std::size_t begin = text.size();
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

// What a value takes at the front of the text: in quotes up to the closing one, else up to what
// separates values. A header's value is the rest of the word.
std::size_t value_length(std::string_view text, bool header) {
  if (header) return std::min(text.find_first_of("\"'"), text.size());
  constexpr std::string_view kQuote = "'\\''";  // as a shell has it inside of quotes
  if (text.starts_with(kQuote)) {
    const std::size_t end = text.find(kQuote, kQuote.size());
    return end == std::string_view::npos ? text.size() : end + kQuote.size();
  }
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    const std::size_t end = text.find(text.front(), 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  return std::min(text.find_first_of(" ,;&\"'}"), text.size());
}

// Removes the values of secret names, and API keys by their shape, anywhere in a word.
std::string redact_inside(std::string_view word) {
  std::string result;
  for (std::size_t i = 0; i < word.size();) {
    const bool begins = i == 0 || !is_name_character(word[i - 1]);
    if (const std::size_t length = begins ? secret_length(word.substr(i)) : 0; length > 0) {
      result += kRedacted;
      i += length;
      continue;
    }
    const char c = word[i++];
    result += c;
    if (c != '=' && c != ':') continue;
    if (word.substr(i - 1).starts_with("://")) continue;
    const std::string lower = lower_case(name_before(word.substr(0, i - 1)));
    if (!looks_secret(lower)) continue;
    if (counts_tokens(lower, word.substr(i, value_length(word.substr(i), false)))) continue;
    const bool header = c == ':' && (lower.find("auth") != std::string::npos || lower == "cookie");
    while (i < word.size() && word[i] == ' ') result += word[i++];
    const std::size_t length = value_length(word.substr(i), header);
    if (length > 0) result += kRedacted;
    i += length;
  }
  return result;
}

// One word as a shell sees it: up to a space outside quotes.
std::size_t word_end(std::string_view text) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '\\') {
      ++i;  // the replaced value is gone
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
  const std::string_view name = word.substr(0, separator);
  if (contains(kSecretFlags, name) || (looks_secret(name) && word.starts_with('-'))) {
    if (separator != std::string_view::npos && word.substr(separator, 3) != "://") {
      if (counts_tokens(name, word.substr(separator + 1))) return std::string(word);
      return std::string(word.substr(0, separator + 1)).append(kRedacted);
    }
    expect_value = true;
  }
  const std::size_t scheme = word.find("://");
  const std::size_t at = scheme == std::string_view::npos ? scheme : word.rfind('@');
  // Before the '@' of a login there is no path, or there is a password in spite of one.
  if (at != std::string_view::npos && at > scheme &&
      (word.find('/', scheme + 3) > at || word.find(':', scheme + 3) < at)) {
    return std::string(word.substr(0, scheme + 3))
        .append(kRedacted)
        .append(redact_inside(word.substr(at)));
  }
  return redact_inside(word);
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
  std::string_view flag;  // that the value belongs to
  while (!command.empty()) {
    const std::size_t end = word_end(command);
    const std::string_view word = command.substr(0, end);
    bool expect_value = false;
    const std::string shown = redact_word(word, expect_value);
    const bool hidden =
        is_value && !word.empty() && word.front() != '-' && !counts_tokens(flag, word);
    result += hidden ? std::string(kRedacted) : shown;
    is_value = expect_value || (is_value && word.empty());
    if (expect_value) flag = word;
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
    variables.emplace_back(name, contains(kHarmlessVariables, name)
                                     ? redact_command(entry.substr(equals + 1))
                                     : std::string(kRedacted));
  }
  return variables;
}

}  // namespace proofline
