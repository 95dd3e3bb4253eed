// SPDX-License-Identifier: Apache-2.0
#include "support/drawn_evidence.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "playbook/fact_catalogue.h"
#include "vocabulary/metric_unit.h"

namespace proofline {
namespace {

class Drawing {
 public:
  Drawing(const Playbook& playbook, std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {
    for (const auto& [key, value] : playbook.workload) {
      // What the user has to tell stays untold.
      if (!value.asked) evidence_.facts["workload." + key] = {value.value, value.unit};
    }
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
  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  double unit() { return static_cast<double>(next() % 10000) / 10000; }

  void read(const std::optional<PlaybookExpression>& expression) {
    if (expression) read(expression->expression);
  }

  // The texts that an expression compares with are those that a fact may have.
  void read(const Expression& expression) {
    std::vector<std::string> texts = {"other"};
    for (const ExpressionNode& node : expression.nodes) {
      if (node.kind == ExpressionNode::Kind::kText) texts.push_back(node.text);
    }
    for (const ExpressionNode& node : expression.nodes) {
      std::string side;
      if (node.side.kind == EvidenceSide::Kind::kBefore) side = "before.";
      if (node.side.kind == EvidenceSide::Kind::kCase) side = "case[" + node.side.id + "].";
      if (node.kind == ExpressionNode::Kind::kFact) {
        add_fact(side, node.text, texts);
      } else if (node.kind == ExpressionNode::Kind::kCall && !node.operands.empty()) {
        add_call(side, node.text, expression.node(node.operands[0]).text);
      }
    }
  }

  void add_fact(const std::string& side, const std::string& name,
                const std::vector<std::string>& texts) {
    const auto kind = kind_of_fact(name);
    if (!kind || name.starts_with("workload.")) return;
    if (kind->type == ValueType::kText) {
      evidence_.facts[side + name] = {texts[next() % texts.size()], ""};
      return;
    }
    const CatalogueFact* fact = find_catalogue_fact(name);
    const std::string unit_text(fact != nullptr ? fact->unit : metric_unit(name));
    // Shares in their range, all else over some orders of magnitude round one.
    double number = kind->share ? unit() : std::exp2(unit() * 8 - 4);
    if (unit_text == "%") number *= 100;
    if (unit_text == "ns" || unit_text == "byte" || unit_text.ends_with("/s")) number *= 1e6;
    if (name == "correct.nans" || name == "correct.infinities") number = next() % 2 ? 0 : 1;
    if (name == "launch.lanes.share") number = next() % 2 ? 1 : 0.5;
    evidence_.facts[side + name] = {number, unit_text};
  }

  void add_call(const std::string& side, const std::string& function, const std::string& text) {
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
  std::uint64_t state_;
};

}  // namespace

MadeEvidence draw_evidence(const Playbook& playbook, std::uint64_t seed) {
  return Drawing(playbook, seed).take();
}

}  // namespace proofline
