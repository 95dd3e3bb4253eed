// SPDX-License-Identifier: Apache-2.0
//
// Evidence made up in a test: facts by name, with "before." or "case[ID]." in front of those of
// another side, patterns, rules and checks by their text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "arch/arch.h"
#include "playbook/fact_source.h"

namespace proofline {

class MadeEvidence final : public FactSource {
 public:
  struct Value {
    AnswerValue value;
    std::string unit;
  };
  std::map<std::string, Value> facts;
  std::map<std::string, Answer> patterns;  // "expect LDG"
  std::map<std::string, Answer> rules;
  std::map<std::string, Answer> checks;
  std::map<std::string, AnswerValue> attempts;  // "tried ID"
  std::map<std::string, double> terms;
  std::string_view capability = "9.0";

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override {
    const std::string key = prefix(side) + name;
    const auto found = facts.find(key);
    if (found == facts.end()) return {{}, "", {name, "the capture lacks it", "ncu"}};
    return {found->second.value, found->second.unit, {}};
  }
  LogicAnswer pattern(const EvidenceSide& side, const std::string& text,
                      bool forbid) const override {
    return said(patterns, prefix(side) + (forbid ? "forbid " : "expect ") + text);
  }
  FactAnswer code(const EvidenceSide&, const std::string& term) const override {
    const auto found = terms.find(term);
    if (found == terms.end()) return {{}, "", {term, "there is no code", ""}};
    return {found->second, "", {}};
  }
  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override {
    return said(rules, prefix(side) + rule);
  }
  LogicAnswer check(const std::string& id) const override { return said(checks, id); }
  FactAnswer journal(JournalQuestion question, const std::string& id) const override {
    const auto found = attempts.find(std::string(to_string(question)) + " " + id);
    if (found == attempts.end()) return {{}, "", {id, "there is no journal", ""}};
    return {found->second, question == JournalQuestion::kGain ? "share" : "", {}};
  }
  const SmLimits* limits(const EvidenceSide&) const override { return find_sm_limits(capability); }

 private:
  static std::string prefix(const EvidenceSide& side) {
    if (side.kind == EvidenceSide::Kind::kBefore) return "before.";
    if (side.kind == EvidenceSide::Kind::kCase) return "case[" + side.id + "].";
    return "";
  }
  static LogicAnswer said(const std::map<std::string, Answer>& table, const std::string& key) {
    const auto found = table.find(key);
    if (found == table.end()) return {Answer::kUnknown, "", {key, "nobody knows", ""}};
    return {found->second, key, {}};
  }
};

}  // namespace proofline
