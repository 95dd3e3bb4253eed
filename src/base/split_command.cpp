// SPDX-License-Identifier: Apache-2.0
#include "base/split_command.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/characters.h"
#include "base/text.h"
#include "base/words.h"

namespace proofline {
namespace {

bool begins_name(char c) { return is_letter(c) || c == '_'; }

// $NAME, ${NAME}, $(COMMAND): a shell replaces these even within "...".
bool is_replaced(std::string_view rest) {
  if (rest.front() == '`') return true;
  return rest.front() == '$' && rest.size() > 1 &&
         (begins_name(rest[1]) || rest[1] == '{' || rest[1] == '(');
}

// What a shell would act on, "" where it would only split.
std::string_view shell_part(std::string_view text) {
  char quoted_by = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quoted_by != '\'') {
      ++i;
    } else if (c == quoted_by) {
      quoted_by = '\0';
    } else if (quoted_by == '\0' && (c == '\'' || c == '"')) {
      quoted_by = c;
    } else if (quoted_by != '\'' && is_replaced(text.substr(i))) {
      return text.substr(i, c == '$' ? 2 : 1);
    } else if (quoted_by == '\0' && std::string_view("|;&<>*?").find(c) != std::string_view::npos) {
      return text.substr(i, 1);
    }
  }
  return {};
}

// NAME=value before the program, which a shell puts into its environment.
bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && begins_name(word.front()) &&
         word.substr(0, equals).find('/') == std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view text) {
  if (const std::string_view part = shell_part(text); !part.empty()) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} has {}, which needs a shell, and none is started: quote it with "
                            "'...' if the program is to get it, or put the command into a script",
                            quote(text), quote(part)));
  }
  auto words = split_words(text);
  if (!words) return words;
  if (words->empty() || words->front().empty()) {
    return fail(ErrorKind::kUsage, quote(text) + " names no program");
  }
  if (is_assignment(words->front())) {
    return fail(ErrorKind::kUsage, fmt::format("{} sets a variable, which needs a shell, and none "
                                               "is started: put env before it",
                                               quote(text)));
  }
  return words;
}

}  // namespace proofline
