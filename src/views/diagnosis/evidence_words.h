// SPDX-License-Identifier: Apache-2.0
//
// Facts and verdicts in the words of a kernel engineer, each with its yardstick:
//
//   32 sectors per store request (4 is ideal)
//   52.1 % of instructions spill registers (threshold 1 %)
//   memory-bound: uncoalesced global access
//
// The names of facts and places stay what JSON and --verbose say; a fact without words of its own
// is shown by its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "views/document.h"

namespace proofline {

// "32 sectors per store request"; "" where the fact has no words of its own.
std::string fact_words(std::string_view fact, const std::variant<double, std::string>& value,
                       std::string_view unit);

// A value of evidence with its ideal and threshold; the facts are those of the same launch.
std::string evidence_words(const Evidence& evidence, const Facts& facts);

// What was compared comes first; context is the first to go where there are more than `most`.
// The facts are those of the same launch or timeline.
std::string evidence_list(const std::vector<Evidence>& evidence, const Facts& facts,
                          std::size_t most, bool with_names = false);

Tone severity_tone(Severity severity);

// "memory-bound: uncoalesced global access", "launch-bound"; the rule of the first finding tells
// causes apart that share a place.
std::string bound_words(const Verdict& verdict, std::string_view first_cause = "");

}  // namespace proofline
