// SPDX-License-Identifier: Apache-2.0
//
// A fact is declared once, as a constant beside the analysis that publishes it
// (analysis/launch/*_facts.h). Everything else about it follows from the declaration: `explain` and
// `list facts`, the types that playbooks check, the words that a finding's evidence is shown with,
// and the metrics that the preset `quick` asks ncu for. Rules and views name the constant, so that
// a misspelt name does not compile:
//
//   inline constexpr FactInfo kLaunchWaves = {.name = "launch.waves",
//                                             .unit = "wave",
//                                             .meaning = "Blocks of the grid over ...",
//                                             .words = "@ waves"};
//   trial.at_most(facts::kLaunchWaves, 0.75);
//   trial.at_least(facts::kStallShare[Stall::kBarrier], 0.2);
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace proofline {

// "share" is 0 to 1; views print it as a percentage. Other units are spelled as ncu spells them.
inline constexpr std::string_view kShare = "share";

class Formula;

// Plain data: a declaration needs no static constructor.
struct FactInfo {
  // One member of a family has words that the others do not share.
  struct MemberWords {
    std::string_view member;
    std::string_view words;
  };

  // A placeholder means one part of the name: <reason> for any word, <load|store> for one of
  // these.
  std::string_view name;
  std::string_view unit = {};  // "" for a plain number or a text
  std::string_view meaning;    // one sentence
  bool text = false;           // the value is a text, not a number
  // How evidence shows it; "" by its name. @ is the value, $ the word that the placeholder stands
  // for, <loaded|stored> the choice that belongs to it.
  std::string_view words = {};
  std::span<const MemberWords> member_words = {};  // go before `words`
  std::string_view ideal = {};                     // the yardstick beside the value
  // Its formula, where it has one of its own: gather_facts publishes what it returns. Facts that
  // share work are published by their analysis instead, and name the metrics that they are made of,
  // separated by blanks. (Those of levels and stall reasons are in the vocabulary.)
  double (*value)(Formula& formula) = nullptr;
  std::string_view needs = {};
  std::string_view formerly = {};  // what ncu called that metric before, newest first
  std::string_view command = {};   // brings it, where no metric does
  bool quick = false;  // a diagnosis depends on it, so that the preset `quick` captures its metrics

  constexpr operator std::string_view() const { return name; }  // NOLINT: a fact is its name
};

// One fact by its full name, with its unit: a declared fact, or a member of a family.
struct FactRef {
  FactRef(const FactInfo& fact) : name(fact.name), unit(fact.unit) {}  // NOLINT: see FactInfo
  FactRef(std::string full_name, std::string_view its_unit)
      : name(std::move(full_name)), unit(its_unit) {}

  operator std::string_view() const { return name; }  // NOLINT: see FactInfo

  std::string name;
  std::string_view unit;
};

// The word of a key in the names of facts.
template <class Key>
std::string fact_word(const Key& key) {
  if constexpr (std::integral<Key>) {
    return std::to_string(key);
  } else if constexpr (std::convertible_to<Key, std::string_view>) {
    return std::string(std::string_view(key));
  } else {
    return std::string(to_string(key));
  }
}

// The name with the first placeholder of the pattern filled in.
std::string fill_placeholder(std::string_view pattern, std::string_view word);

// Facts that differ by one part of their names, a key of a closed set or a number:
// kStallShare[Stall::kBarrier] is "stall.barrier.share".
template <class Key>
struct FactFamily {
  FactInfo info;

  FactRef operator[](const Key& key) const { return named(fact_word(key)); }
  // A member whose key comes from a file: a stall reason that is newer than this program.
  FactRef named(std::string_view word) const {
    return {fill_placeholder(info.name, word), info.unit};
  }
};

// The same with two parts: a level, and a precision.
template <class First, class Second>
struct FactGrid {
  FactInfo info;

  FactRef at(const First& first, const Second& second) const {
    return {fill_placeholder(fill_placeholder(info.name, fact_word(first)), fact_word(second)),
            info.unit};
  }
};

// Whether the name of a declaration, with its placeholders, covers the name of a fact.
bool matches_fact(std::string_view pattern, std::string_view name);

}  // namespace proofline
