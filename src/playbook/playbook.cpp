// SPDX-License-Identifier: Apache-2.0
#include "playbook/playbook.h"

namespace proofline {
namespace {

template <class Item>
const Item* find_item(const std::vector<Item>& items, std::string_view id) {
  const Item* found = nullptr;
  for (const Item& item : items) {
    // Later ones are the playbook's own.
    if (item.id == id || item.playbook + "/" + item.id == id) found = &item;
  }
  return found;
}

}  // namespace

ValueKind ToldValue::kind() const {
  if (asked) return ValueKind::unknown();
  if (std::holds_alternative<bool>(value)) return ValueKind::logic();
  if (std::holds_alternative<std::string>(value)) return ValueKind::text();
  return ValueKind::number(scale_of_unit(unit));
}

ToldValue told_value(std::string_view text) {
  if (text == "?") return {std::string(), "", true};
  if (text == "true" || text == "false") return {text == "true", ""};
  const ParsedExpression parsed = parse_expression(text);
  const bool number = parsed.ok() && parsed.expression.nodes.size() == 1 &&
                      parsed.expression.nodes[0].kind == ExpressionNode::Kind::kNumber;
  if (!number) return {std::string(text), ""};
  const ExpressionNode& node = parsed.expression.nodes[0];
  const std::string unit = unit_for(node.unit.dimension, node.unit.share);
  const double factor = unit.empty() ? 1 : scale_of_unit(unit).factor;
  return {node.number * node.unit.factor / factor, unit};
}

std::string_view to_string(CheckKind kind) {
  switch (kind) {
    case CheckKind::kMust: return "must";
    case CheckKind::kShould: return "should";
    case CheckKind::kHypothesis: return "hypothesis";
  }
  return "";
}

const PlaybookCheck* Playbook::find_check(std::string_view name) const {
  return find_item(checks, name);
}
const PlaybookTask* Playbook::find_task(std::string_view name) const {
  return find_item(tasks, name);
}
const TreeNode* Playbook::find_node(std::string_view name) const { return find_item(tree, name); }

}  // namespace proofline
