// SPDX-License-Identifier: Apache-2.0
#include "views/diagnosis/evidence_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/launch/memory_access_facts.h"
#include "base/characters.h"
#include "base/text.h"
#include "playbook/fact_catalogue.h"
#include "views/quantity.h"
#include "vocabulary/levels.h"

namespace proofline {
namespace {

struct PlaceWords {
  std::string_view place;
  std::string_view words;
};

constexpr PlaceWords kPlaceWords[] = {
    {"async", "waits for asynchronous copies"},
    {"balance", "uneven load of the SMs"},
    {"barrier", "waits at barriers"},
    {"capture", "the capture"},
    {"constant", "constant cache"},
    {"dependency", "dependent instructions"},
    {"divergence", "divergent branches"},
    {"dram", "DRAM"},
    {"fence", "memory fences"},
    {"fma", "FMA pipe"},
    {"fma-heavy", "FMA-heavy pipe"},
    {"fp64", "FP64 pipe"},
    {"global-access", "uncoalesced global access"},
    {"grid", "grid too small"},
    {"host", "host memory"},
    {"instruction-fetch", "instruction fetch"},
    {"integer", "integer pipe"},
    {"issue", "issue slots"},
    {"l1", "L1"},
    {"l2", "L2"},
    {"local", "local memory"},
    {"lsu", "load/store pipe"},
    {"memory", "loads in flight"},
    {"peer", "another GPU's memory"},
    {"predication", "lanes predicated off"},
    {"shared", "shared memory"},
    {"special-function", "special-function pipe"},
    {"tail", "tail wave"},
    {"tensor", "tensor pipe"},
};

// Where a place is shared by several causes, this one is named by its own.
constexpr PlaceWords kCauseWords[] = {
    {"narrow-access", "narrow global access"},
    {"poor-locality", "DRAM, moving the same bytes again"},
    {"tensor-cores-idle", "FMA pipe, tensor cores idle"},
};

template <class Row, std::size_t N>
std::string_view words_of(const Row (&rows)[N], std::string_view place) {
  const auto found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.place == place; });
  return found != std::end(rows) ? found->words : std::string_view{};
}

// The word that the placeholder of a declared fact means; "" where it has none.
std::string_view member_of(const FactInfo& fact, std::string_view name) {
  const std::size_t open = fact.name.find('<');
  if (open == fact.name.npos) return {};
  const std::size_t after = fact.name.size() - fact.name.find('>') - 1;
  return name.substr(open, name.size() - open - after);
}

// The third of <a|b|c> for the third of another such list.
std::string_view same_choice(std::string_view choices, std::string_view others,
                             std::string_view word) {
  while (!others.empty() && take_until('|', others) != word) take_until('|', choices);
  return take_until('|', choices);
}

std::string_view between(std::string_view text, char open, char close) {
  const std::size_t start = std::min(text.find(open), text.size());
  return text.substr(start, text.find(close, start) - start).substr(start < text.size() ? 1 : 0);
}

// The words hold the unit already, where it is no more than a noun.
std::string value_text(const std::variant<double, std::string>& value, std::string_view unit) {
  const auto* number = std::get_if<double>(&value);
  const bool noun = unit.find('/') == unit.npos || unit == "register/thread";
  const bool scaled =
      unit == kShare || unit == "%" || unit == "ns" || unit == "hz" || unit == "byte";
  if (number == nullptr || !noun || scaled) return quantity_text(value, unit);
  // What is next to an ideal needs no third digit.
  if (std::abs(*number) < 1000) return without_zeros(fmt::format("{:.3g}", *number));
  return quantity_text(value, "");
}

std::string level_label(std::string_view name) {
  const LevelInfo* level = find_level(name);
  if (level == nullptr) return std::string(name);
  std::string_view label = level->label;
  if (label.starts_with("The ")) label.remove_prefix(4);
  std::string text(label);
  // It starts sentences; here it may be in one. "DRAM" stays.
  if (text.size() > 1 && is_lower(text[1])) text[0] = to_lower(text[0]);
  return text;
}

// What evidence says of a fact, with @ for its value; "" where the fact has no words.
std::string words_for(std::string_view name) {
  const CatalogueFact* fact = find_catalogue_fact(name);
  if (fact == nullptr) return "";
  const std::string_view member = member_of(*fact, name);
  for (const FactInfo::MemberWords& one : fact->member_words) {
    if (one.member == member) return std::string(one.words);
  }
  std::string words(fact->words);
  const std::string_view placeholder = between(fact->name, '<', '>');
  if (const std::size_t place = words.find('$'); place != words.npos) {
    words.replace(place, 1, placeholder == "level" ? level_label(member) : std::string(member));
  }
  if (const std::size_t place = words.find('<'); place != words.npos) {
    const std::string_view choices = between(words, '<', '>');
    words.replace(place, choices.size() + 2,
                  std::string(same_choice(choices, placeholder, member)));
  }
  return words;
}

// The width is a mean over loads and stores, so that it gives the ideal only where all are equally
// wide.
std::string ideal_text(std::string_view ideal, const Facts& facts) {
  const double width = facts.number(facts::kMemoryGlobalWidth).value_or(0);
  const bool uniform = width == 4 || width == 8 || width == 16;
  if (ideal != facts::kPackedSectors || !uniform) return std::string(ideal);
  return fmt::format("{:.0f} is ideal", width);
}

// Its words; on request with the fact's name, which JSON, `explain` and playbooks take.
std::string evidence_text(const Evidence& evidence, const Facts& facts, bool with_names) {
  std::string text = evidence_words(evidence, facts);
  if (with_names && !text.starts_with(evidence.fact)) text += fmt::format(" [{}]", evidence.fact);
  return text;
}

}  // namespace

std::string fact_words(std::string_view fact, const std::variant<double, std::string>& value,
                       std::string_view unit) {
  const std::string words = words_for(fact);
  if (words.empty()) return "";
  const std::string shown = value_text(value, unit);
  const std::size_t place = words.find('@');
  std::string_view after = std::string_view(words).substr(place + 1);
  // "1 block": only where nothing but a noun follows.
  const bool noun = after.ends_with('s') && after.rfind(' ') == 0;
  if (shown == "1" && noun) after.remove_suffix(1);
  return fmt::format("{}{}{}", words.substr(0, place), shown, after);
}

std::string evidence_words(const Evidence& evidence, const Facts& facts) {
  std::string text = fact_words(evidence.fact, evidence.value, evidence.unit);
  const CatalogueFact* known = find_catalogue_fact(evidence.fact);
  if (text.empty()) {
    text = fmt::format("{} {}", evidence.fact, quantity_text(evidence.value, evidence.unit));
  }
  if (!evidence.op.empty()) {
    text += fmt::format(" (threshold {})", quantity_text(evidence.threshold, evidence.unit));
  } else if (known != nullptr && !known->ideal.empty()) {
    text += fmt::format(" ({})", ideal_text(known->ideal, facts));
  }
  return text;
}

std::string bound_words(const Verdict& verdict, std::string_view first_cause) {
  if (verdict.bound == Bound::kNone) return "nothing in particular";
  std::string text = fmt::format("{}-bound", to_string(verdict.bound));
  if (verdict.at.empty() || verdict.at == to_string(verdict.bound)) return text;
  std::string_view words = words_of(kCauseWords, first_cause);
  if (words.empty()) words = words_of(kPlaceWords, verdict.at);
  return fmt::format("{}: {}", text, words.empty() ? verdict.at : words);
}

std::string evidence_list(const std::vector<Evidence>& evidence, const Facts& facts,
                          std::size_t most, bool with_names) {
  std::string text;
  std::size_t count = 0;
  for (const bool compared : {true, false}) {
    for (const Evidence& item : evidence) {
      if (item.op.empty() == compared || count == most) continue;
      text += (count == 0 ? "" : "; ") + evidence_text(item, facts, with_names);
      ++count;
    }
  }
  return text;
}

Tone severity_tone(Severity severity) {
  switch (severity) {
    case Severity::kHigh: return Tone::kBad;
    case Severity::kMedium: return Tone::kWarning;
    case Severity::kLow:
    case Severity::kInfo: return Tone::kNeutral;
  }
  return Tone::kNone;
}

}  // namespace proofline
