// SPDX-License-Identifier: Apache-2.0
#include "support/drawn_evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "playbook/fact_catalogue.h"
#include "vocabulary/metric_unit.h"

namespace proofline {
namespace {

class Drawing {
 public:
  Drawing(const Playbook& playbook, std::uint64_t seed) : seed_(seed) {
    for (const auto& [key, value] : playbook.workload) tell_workload(key, value);
    for (const auto& [name, let] : playbook.lets) read(let);
    for (const PlaybookCheck& check : playbook.checks) {
      read(check.expr.expression);
      read(check.when);
    }
    for (const PlaybookTask& task : playbook.tasks) {
      read(task.when);
      for (const PlaybookExpression& one : task.accept) read(one.expression);
      for (const PlaybookExpression& one : task.legal) read(one.expression);
    }
    for (const TreeNode& node : playbook.tree) read(node.when);
  }

  MadeEvidence take() { return std::move(evidence_); }

 private:
  // What is drawn for a name rests on that name alone: an item more in a playbook leaves the
  // evidence for all others as it was.
  void begin(std::string_view name) {
    state_ = seed_ * 0x9e3779b97f4a7c15ULL + 1;
    for (const char byte : name)
      state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    state_ |= 1U;  // a state of zero would stay zero
    for (int i = 0; i < 4; ++i) next();
  }

  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  double unit() { return static_cast<double>(next() % 10000) / 10000; }

  // Sizes of the first drawing are the playbook's own; others lie some powers of two around them.
  void tell_workload(const std::string& key, const ToldValue& value) {
    const std::string name = "workload." + key;
    if (value.asked) {
      asked_.insert(name);
      return;
    }
    begin(name);
    AnswerValue drawn = value.value;
    if (double* number = std::get_if<double>(&drawn); number != nullptr && seed_ > 1) {
      *number *= std::exp2(static_cast<double>(next() % 5) - 2);
    }
    evidence_.facts[name] = {std::move(drawn), value.unit};
  }

  void read(const std::optional<PlaybookExpression>& expression) {
    if (expression) read(expression->expression);
  }

  // What an expression compares with is what a fact may be, or nearly: its texts, what its regular
  // expressions fit, and numbers round its own.
  struct Compared {
    std::vector<std::string> texts = {"other"};
    std::vector<double> numbers;
    bool asks_for_absence = false;
  };

  static Compared compared_in(const Expression& expression) {
    Compared compared;
    for (const ExpressionNode& node : expression.nodes) {
      if (node.kind == ExpressionNode::Kind::kText) {
        const std::string text = node.text.substr(node.text.starts_with('^') ? 1 : 0);
        compared.texts.push_back(text.substr(0, text.find('|')));
      }
      if (node.kind == ExpressionNode::Kind::kNumber) {
        compared.numbers.push_back(node.number * node.unit.factor);
      }
      if (node.kind == ExpressionNode::Kind::kCall && node.text == "known") {
        compared.asks_for_absence = true;
      }
    }
    return compared;
  }

  void read(const Expression& expression) {
    const Compared compared = compared_in(expression);
    for (const ExpressionNode& node : expression.nodes) {
      std::string side;
      if (node.side.kind == EvidenceSide::Kind::kBefore) side = "before.";
      if (node.side.kind == EvidenceSide::Kind::kCase) side = "case[" + node.side.id + "].";
      if (node.kind == ExpressionNode::Kind::kFact) {
        begin(side + node.text);
        if (asked_.contains(node.text)) {
          tell(node.text, expression);
        } else if (!compared.asks_for_absence || next() % 4 != 0) {
          add_fact(side, node.text, compared);
        }
      } else if (node.kind == ExpressionNode::Kind::kCall && !node.operands.empty()) {
        add_call(side, node.text, expression.node(node.operands[0]).text);
      }
    }
  }

  // Of the kind of what it is next to.
  void tell(const std::string& name, const Expression& expression) {
    for (const ExpressionNode& node : expression.nodes) {
      if (node.kind != ExpressionNode::Kind::kFact || node.text == name) continue;
      const auto kind = kind_of_fact(node.text);
      if (kind && kind->type == ValueType::kText) evidence_.facts[name] = {"other", ""};
      if (kind && kind->type == ValueType::kNumber) {
        evidence_.facts[name] = {drawn_number(), std::string(unit_of(node.text))};
      }
    }
  }

  static std::string_view unit_of(const std::string& name) {
    const CatalogueFact* fact = find_catalogue_fact(name);
    return fact != nullptr ? fact->unit : metric_unit(name);
  }

  // Over some orders of magnitude round a million.
  double drawn_number() { return std::exp2(unit() * 8 - 4) * 1e6; }

  void add_fact(const std::string& side, const std::string& name, const Compared& compared) {
    const std::vector<std::string>& texts = compared.texts;
    const auto kind = kind_of_fact(name);
    if (!kind || name.starts_with("workload.")) return;
    if (kind->type == ValueType::kText) {
      evidence_.facts[side + name] = {texts[next() % texts.size()], ""};
      return;
    }
    const std::string unit_text(unit_of(name));
    // Shares in their range, all else over some orders of magnitude round one.
    double number = kind->share ? unit() : std::exp2(unit() * 8 - 4);
    if (kind->share && !compared.numbers.empty() && next() % 2 == 0) {
      const double near = compared.numbers[next() % compared.numbers.size()];
      number = std::min(1.0, near * (0.7 + unit()));
    }
    if (unit_text == "%") number *= 100;
    if (unit_text == "ns" || unit_text.ends_with("/s")) number *= 1e6;
    if (unit_text == "byte") number *= 1e6 * std::exp2(unit() * 8);  // up to those of large tiles
    if (name == "correct.nans" || name == "correct.infinities") number = next() % 2 ? 0 : 1;
    if (name == "launch.lanes.share") number = next() % 2 ? 1 : 0.5;
    evidence_.facts[side + name] = {number, unit_text};
  }

  void add_call(const std::string& side, const std::string& function, const std::string& text) {
    begin(side + function + " " + text);
    const Answer answer = next() % 2 ? Answer::kTrue : Answer::kFalse;
    if (function == "expect" || function == "forbid") {
      evidence_.patterns[side + function + " " + text] = answer;
    } else if (function == "found") {
      evidence_.rules[side + text] = answer;
    } else if (function == "code") {
      evidence_.terms[text] = std::floor(unit() * 60);
    }
  }

  MadeEvidence evidence_;
  std::set<std::string> asked_;
  std::uint64_t seed_;
  std::uint64_t state_ = 1;
};

}  // namespace

MadeEvidence draw_evidence(const Playbook& playbook, std::uint64_t seed) {
  return Drawing(playbook, seed).take();
}

}  // namespace proofline
