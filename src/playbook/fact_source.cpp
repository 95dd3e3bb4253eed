// SPDX-License-Identifier: Apache-2.0
#include "playbook/fact_source.h"

#include <algorithm>

namespace proofline {

Answer all_of(std::span<const Answer> answers) {
  return *std::min_element(answers.begin(), answers.end());
}
Answer any_of(std::span<const Answer> answers) {
  return *std::max_element(answers.begin(), answers.end());
}

std::string_view to_string(Answer answer) {
  switch (answer) {
    case Answer::kFalse: return "false";
    case Answer::kUnknown: return "unknown";
    case Answer::kTrue: return "true";
  }
  return "";
}

std::string_view to_string(JournalQuestion question) {
  switch (question) {
    case JournalQuestion::kTried: return "tried";
    case JournalQuestion::kKept: return "kept";
    case JournalQuestion::kReverted: return "reverted";
    case JournalQuestion::kGain: return "gain";
  }
  return "";
}

}  // namespace proofline
