// SPDX-License-Identifier: Apache-2.0
#include "playbook/fact_catalogue.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "analysis/analysis.h"
#include "base/characters.h"
#include "base/nearest.h"
#include "playbook/evidence_facts.h"
#include "vocabulary/levels.h"
#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_name.h"
#include "vocabulary/metric_unit.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

std::vector<CatalogueFact> make_catalogue() {
  std::vector<CatalogueFact> all;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& fact : analysis.facts) {
      const bool of_kernel = analysis.publish != nullptr;  // else of a whole timeline
      all.push_back({fact, analysis.name, of_kernel});
      if (!of_kernel) all.back().command = facts::kTraceCommand;
    }
  }
  all.insert(all.end(), std::begin(kEvidenceFacts), std::end(kEvidenceFacts));
  return all;
}

bool is_known_metric(std::string_view name) {
  const MetricNameParts split = split_metric_name(name);
  if (is_in_every_capture(name) || !sections_with(name).empty()) return true;
  const auto known = find_known_metric(split.base);
  return known && wrong_form(*known, split).empty();
}

// The words that a placeholder means, as "a|b"; "" where they are not listed.
std::string words_of(std::string_view placeholder) {
  std::string words;
  const auto add = [&](std::string_view word) {
    if (!words.empty()) words += '|';
    words += word;
  };
  if (placeholder == "reason") {
    for (const StallReason& reason : stall_reasons()) add(reason.name);
    add("unattributed");  // what no reason accounts for
  } else if (placeholder == "level") {
    for (const LevelInfo& level : levels()) add(level.name);
  } else if (placeholder == "group") {
    words = "memory|synchronisation|compute|other";
  } else if (placeholder == "tool") {
    words = "racecheck|synccheck|memcheck|initcheck";
  } else if (placeholder == "kind") {
    words = "load|mma|epilogue";
  }
  return words;
}

// The catalogue's name with the words of each placeholder that has some: stall.bogus.share is none.
std::string with_words(std::string_view pattern) {
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', std::min(open, pattern.size()));
  if (close == pattern.npos) return std::string(pattern);
  const std::string_view placeholder = pattern.substr(open + 1, close - open - 1);
  const std::string words = words_of(placeholder);
  std::string all(pattern.substr(0, open + 1));
  all += words.empty() ? placeholder : words;
  all += '>';
  return all + with_words(pattern.substr(close + 1));
}

// A name of the catalogue with its placeholders filled in, where there are few ways to.
void add_spellings(std::string_view pattern, std::vector<std::string>& spellings) {
  const std::size_t open = pattern.find('<');
  const std::size_t close = pattern.find('>', open);
  if (open == pattern.npos || close == pattern.npos) {
    spellings.emplace_back(pattern);
    return;
  }
  std::string_view choices = pattern.substr(open + 1, close - open - 1);
  const std::string before(pattern.substr(0, open));
  const std::string after(pattern.substr(close + 1));
  const auto fill = [&](std::string_view word) {
    add_spellings(before + std::string(word) + after, spellings);
  };
  if (choices.find('|') != choices.npos) {
    while (!choices.empty()) fill(take_until('|', choices));
  } else if (choices == "i") {
    fill("0");
  }
}

}  // namespace

std::string_view to_string(ValueType type) {
  switch (type) {
    case ValueType::kLogic: return "true or false";
    case ValueType::kText: return "a text";
    case ValueType::kNumber: return "a number";
  }
  return "";
}

std::span<const CatalogueFact> fact_catalogue() {
  static const std::vector<CatalogueFact> kAll = make_catalogue();
  return kAll;
}

const CatalogueFact* find_catalogue_fact(std::string_view name) {
  // Whole names are looked up; only those with placeholders are gone through.
  struct Index {
    std::unordered_map<std::string_view, const CatalogueFact*> whole;
    std::vector<std::pair<std::string, const CatalogueFact*>> patterns;
  };
  static const Index kIndex = [] {
    Index index;
    for (const CatalogueFact& fact : fact_catalogue()) {
      if (fact.name.find('<') == fact.name.npos) {
        index.whole.emplace(fact.name, &fact);
      } else {
        index.patterns.emplace_back(with_words(fact.name), &fact);
      }
    }
    return index;
  }();
  if (const auto whole = kIndex.whole.find(name); whole != kIndex.whole.end()) return whole->second;
  const auto fits = [&](const auto& one) { return matches_fact(one.first, name); };
  const auto found = std::find_if(kIndex.patterns.begin(), kIndex.patterns.end(), fits);
  return found != kIndex.patterns.end() ? found->second : nullptr;
}

std::optional<ValueKind> kind_of_fact(std::string_view name) {
  if (const CatalogueFact* fact = find_catalogue_fact(name)) {
    return fact->text ? ValueKind::text() : ValueKind::number(scale_of_unit(fact->unit));
  }
  if (!is_known_metric(name)) return std::nullopt;
  // Attributes may be texts, and no list says which.
  if (name.starts_with("device__") || name.starts_with("launch__")) return ValueKind::unknown();
  return ValueKind::number(scale_of_unit(metric_unit(name)));
}

std::vector<std::string> facts_near(std::string_view name) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> spellings;
  for (const CatalogueFact& fact : fact_catalogue()) {
    add_spellings(with_words(fact.name), spellings);
  }
  std::vector<std::string_view> candidates(spellings.begin(), spellings.end());
  std::vector<std::string> found;
  if (name.find("__") != name.npos) {
    // A metric's suffixes are right or wrong by themselves.
    const MetricNameParts split = split_metric_name(name);
    for (const std::string_view base : nearest(split.base, known_metric_names(), kMost)) {
      found.push_back(std::string(base) + std::string(name.substr(split.base.size())));
    }
    return found;
  }
  for (const std::string_view one : nearest(name, candidates, kMost)) found.emplace_back(one);
  return found;
}

}  // namespace proofline
