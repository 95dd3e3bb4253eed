// SPDX-License-Identifier: Apache-2.0
#include "playbook/file/playbook_keys.h"

#include <utility>

namespace proofline {
namespace {

using Need = PlaybookKeys::Need;

// What all items have.
void describe_item(PlaybookKeys& keys, PlaybookItem& item) {
  keys.begin(item);
  keys.id("id", item.id);
  keys.text("title", item.title);
  keys.text("why", item.why);
  keys.rows("rows", item.rows);
}

void describe_case(PlaybookKeys& keys, PlaybookCase& item) {
  describe_item(keys, item);
  keys.values("set", item.set, Need::kRequired);
  keys.texts("args", item.args);
}

void describe_kernel(PlaybookKeys& keys, KernelLock& item) {
  describe_item(keys, item);
  keys.text("name", item.name, Need::kRequired);
  keys.text("cc", item.cc);
  keys.text("grid", item.grid);
  keys.text("block", item.block);
  keys.texts("expect", item.expect);
  keys.texts("forbid", item.forbid);
  keys.text("sha256", item.sha256);
  keys.number("unique_bytes", item.unique_bytes);
  keys.number("flops", item.flops);
}

void describe_phase(PlaybookKeys& keys, PlaybookPhase& item) {
  describe_item(keys, item);
  keys.kind("does", item);
  keys.expression("when", item.when);
  keys.texts("args", item.args);
  keys.texts("cases", item.cases);
  keys.texts("kernels", item.kernels);
}

void describe_check(PlaybookKeys& keys, PlaybookCheck& item) {
  describe_item(keys, item);
  std::optional<PlaybookExpression> expr;
  keys.expression("expr", expr, Need::kRequired);
  if (expr) item.expr = std::move(*expr);
  std::string kind = "must";
  keys.choice("kind", kind, {"must", "should", "hypothesis"});
  item.kind = kind == "should"       ? CheckKind::kShould
              : kind == "hypothesis" ? CheckKind::kHypothesis
                                     : CheckKind::kMust;
  keys.expression("when", item.when);
  keys.text("kernel", item.kernel);
  keys.text("case", item.in_case);
  keys.text("fix", item.fix);
  keys.text("capture", item.capture);
  keys.logic("ours", item.ours);
}

void describe_task(PlaybookKeys& keys, PlaybookTask& item) {
  describe_item(keys, item);
  keys.choices("change", item.change,
               {"sync", "structure", "memory", "shared", "numerics", "launch", "host"},
               Need::kRequired);
  keys.expression("when", item.when);
  keys.texts("after", item.after);
  keys.texts("steps", item.steps);
  keys.expressions("accept", item.accept);
  keys.expressions("legal", item.legal);
  keys.sweep("sweep", item);
  keys.text("expect", item.expect);
  keys.text("confidence", item.confidence);
  keys.text("complexity", item.complexity);
  keys.text("risk", item.risk);
  keys.count("priority", item.priority, 1, 3);
  keys.text("state", item.state);
  keys.text("hypothesis", item.hypothesis);
  keys.texts("answers", item.answers);
}

void describe_option(PlaybookKeys& keys, PlaybookTask& item) {
  item.option = true;
  describe_task(keys, item);
}

void describe_node(PlaybookKeys& keys, TreeNode& item) {
  describe_item(keys, item);
  keys.condition("when", item.when);
  keys.text("say", item.say);
  keys.texts("next", item.next);
}

void describe_known(PlaybookKeys& keys, KnownChange& item) {
  describe_item(keys, item);
  keys.text("what", item.what, Need::kRequired);
  keys.choice("state", item.state, {"kept", "reverted", "failed"}, Need::kRequired);
  keys.text("gain", item.gain);
  keys.text("source", item.source, Need::kRequired);
  keys.texts("answers", item.answers);
}

void describe_part(PlaybookKeys& keys, DeliverablePart& part) {
  keys.text("text", part.text);
  keys.choice("table", part.table,
              {"stalls", "pipes", "hot", "lanes", "timeline", "checks", "hypotheses", "options",
               "attempts", "pairs", "cases", "forecast", "kernels", "commands"});
  keys.fields("fields", part.fields);
}

void describe_deliverable(PlaybookKeys& keys, PlaybookDeliverable& item) {
  describe_item(keys, item);
  keys.file_name("file", item.file);
  keys.choice("each", item.each, {"kernel", "case", "run"});
  keys.list("parts", item.parts, Need::kRequired, describe_part);
}

void describe_command(PlaybookKeys& keys, PlaybookCommand& item) {
  describe_item(keys, item);
  keys.text("command", item.command, Need::kRequired);
}

}  // namespace

void describe_playbook(PlaybookKeys& keys, Playbook& playbook) {
  keys.table("playbook", Need::kRequired, [&](PlaybookKeys& header) {
    header.id("id", playbook.id);
    header.text("title", playbook.title, Need::kRequired);
    header.text("version", playbook.version);
    header.texts("uses", playbook.uses);
    header.format("format", 1);
  });
  keys.workload("workload", playbook);
  keys.lets("let", playbook);
  keys.list("case", playbook.cases, Need::kOptional, describe_case);
  keys.list("kernel", playbook.kernels, Need::kOptional, describe_kernel);
  keys.list("phase", playbook.phases, Need::kOptional, describe_phase);
  keys.list("check", playbook.checks, Need::kOptional, describe_check);
  keys.list("task", playbook.tasks, Need::kOptional, describe_task);
  keys.list("option", playbook.tasks, Need::kOptional, describe_option);
  keys.list("tree", playbook.tree, Need::kOptional, describe_node);
  keys.list("known", playbook.known, Need::kOptional, describe_known);
  keys.list("deliverable", playbook.deliverables, Need::kOptional, describe_deliverable);
  keys.list("command", playbook.commands, Need::kOptional, describe_command);
}

}  // namespace proofline
