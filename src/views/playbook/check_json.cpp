// SPDX-License-Identifier: Apache-2.0
#include "views/playbook/check_json.h"

#include <string_view>
#include <variant>
#include <vector>

#include "views/json_parts.h"
#include "views/playbook/check_document.h"

namespace proofline {
namespace {

void write_answer_value(const AnswerValue& value, JsonWriter& json) {
  if (const bool* logic = std::get_if<bool>(&value)) {
    json.boolean(*logic);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json.text(*text);
  } else {
    json.number(std::get<double>(value));
  }
}

void write_reading(const Reading& reading, JsonWriter& json) {
  json.member("what", reading.what);
  json.key("value");
  if (reading.value) {
    write_answer_value(*reading.value, json);
  } else {
    json.null();
  }
  json.member("unit", reading.unit);
  json.member("op", reading.op);
  json.array("wanted", reading.wanted,
             [&](const AnswerValue& one) { write_answer_value(one, json); });
  json.member("before", reading.before);
  json.member("text", reading.text);
  json.member("holds", reading.answer == Answer::kTrue);
  json.objects("facts", reading.facts, [&](const FactReading& fact) {
    json.member("name", fact.name);
    json.key("value");
    write_answer_value(fact.value, json);
    json.member("unit", fact.unit);
  });
}

void write_readings(const std::vector<Reading>& readings, const std::vector<MissingFact>& missing,
                    JsonWriter& json) {
  json.objects("readings", readings, [&](const Reading& one) { write_reading(one, json); });
  json.objects("missing", missing, [&](const MissingFact& one) {
    json.member("fact", one.name);
    json.member("reason", one.reason);
    json.member("command", one.command);
  });
}

std::string_view answer_name(Answer answer) {
  switch (answer) {
    case Answer::kTrue: return "true";
    case Answer::kFalse: return "false";
    case Answer::kUnknown: break;
  }
  return "unknown";
}

void write_task_members(const TaskResult& task, JsonWriter& json) {
  json.member("id", task.id);
  json.member("playbook", task.playbook);
  json.member("title", task.title);
  json.member("option", task.option);
  json.member("state", to_string(task.state));
  json.member("reason", task.reason);
  texts_member(json, "change", task.change);
  texts_member(json, "sanitizers", task.sanitizers);
  texts_member(json, "steps", task.steps);
  json.member("expect", task.expect);
  write_readings(task.readings, task.missing, json);
}

void write_deliverable(const DeliverableResult& deliverable, JsonWriter& json) {
  json.member("id", deliverable.id);
  json.member("title", deliverable.title);
  json.member("kernel", deliverable.kernel);
  json.objects("parts", deliverable.parts, [&](const DeliverableResult::Part& part) {
    json.member("text", part.text);
    json.member("table", part.table);
    json.objects("fields", part.fields, [&](const FieldResult& field) {
      json.member("label", field.label);
      json.key("value");
      if (field.value) {
        write_answer_value(*field.value, json);
      } else {
        json.null();
      }
      json.member("unit", field.unit);
    });
  });
}

}  // namespace

void write_check_json(const CheckResult& check, JsonWriter& json) {
  json.member("id", check.id);
  json.member("playbook", check.playbook);
  json.member("title", check.title);
  json.member("kind", to_string(check.kind));
  json.member("kernel", check.kernel);
  json.member("case", check.in_case);
  json.member("verdict", to_string(check.verdict));
  json.member("expression", check.expression);
  json.member("ours", check.ours);
  json.member("why", check.why);
  json.member("fix", check.fix);
  json.member("skipped", check.skipped);
  write_readings(check.readings, check.missing, json);
}

void write_task_json(const TaskResult& task, JsonWriter& json) {
  json.begin_object();
  write_task_members(task, json);
  json.end_object();
}

void write_checks_json(const CheckRun& run, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("playbook", run.playbook);
  json.member("title", run.title);
  texts_member(json, "sources", run.sources);
  write_notes(run.notes, json);
  const std::string headline = check_headline(run);
  json.member("verdict", std::string_view(headline).substr(0, headline.find(':')));
  json.member("headline", headline);
  json.objects("kernels", run.kernels, [&](const LockedKernel& kernel) {
    json.member("lock", kernel.lock);
    json.member("name", kernel.name);
    write_device(kernel.device, kernel.cc, json);
    json.member("remark", kernel.remark);
  });
  json.objects("checks", run.checks, [&](const CheckResult& one) { write_check_json(one, json); });
  json.objects("tasks", run.tasks, [&](const TaskResult& one) { write_task_members(one, json); });
  json.member("next", run.next);
  json.objects("tree", run.tree, [&](const TreeStep& step) {
    json.member("id", step.id);
    json.member("playbook", step.playbook);
    json.member("depth", std::uint64_t{step.depth});
    json.member("answer", answer_name(step.answer));
    json.member("say", step.say);
    texts_member(json, "leads_to", step.leads_to);
    write_readings(step.readings, step.missing, json);
  });
  json.objects("deliverables", run.deliverables,
               [&](const DeliverableResult& one) { write_deliverable(one, json); });
  json.end_object();
}

}  // namespace proofline
