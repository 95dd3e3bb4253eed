// SPDX-License-Identifier: Apache-2.0
#include "views/playbook/play_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "views/json_parts.h"
#include "views/notes.h"
#include "views/playbook/check_document.h"
#include "views/playbook/check_json.h"

namespace proofline {
namespace {

// Without the list that a reason may end with ("...; these ran:" and a line for each).
std::string reason_in_line(const std::string& reason) {
  const std::string line = reason.substr(0, reason.find('\n'));
  const std::size_t clause = line.rfind(';');
  return line.ends_with(':') && clause != std::string::npos ? line.substr(0, clause) : line;
}

Table steps_table(const PlayResult& result) {
  Table table{{{"Step"}, {"State"}, {"Seconds", Align::kRight}, {"What", Align::kLeft, true}}, {}};
  for (const PlayedStep& step : result.play.steps) {
    table.rows.push_back({{step.id},
                          {std::string(to_string(step.state))},
                          {fmt::format("{:.1f}", step.seconds), true},
                          {reason_in_line(step.reason)}});
  }
  return table;
}

void add_attempts(const PlayResult& result, Document& document) {
  if (result.play.attempts.empty()) return;
  Table table{{{"Attempt", Align::kRight}, {"Task"}, {"State"}, {"Why", Align::kLeft, true}}, {}};
  for (const PlayedAttempt& attempt : result.play.attempts) {
    table.rows.push_back(
        {{fmt::format("{}", attempt.number), true},
         {attempt.setting.empty() ? attempt.task : attempt.task + " " + attempt.setting_text()},
         {attempt.state},
         {attempt.reason}});
  }
  document.blocks.emplace_back(Heading{"Attempts", false});
  document.blocks.emplace_back(std::move(table));
}

// The task to do now, with what to do.
void add_choice(const PlayResult& result, Document& document) {
  if (!result.checks || result.play.choice.empty()) return;
  const auto& tasks = result.checks->tasks;
  const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const TaskResult& one) {
    return one.id == result.play.choice;
  });
  if (task == tasks.end()) return;
  Point point;
  point.title = fmt::format("{} {}{}", task->option ? "option" : "task", task->id,
                            task->title.empty() ? "" : ": " + task->title);
  if (!task->expect.empty()) point.remark = "expected " + task->expect;
  point.lines.push_back({"why", task_text(*task)});
  for (const std::string& step : task->steps) point.lines.push_back({"step", step});
  if (!task->sanitizers.empty()) {
    point.lines.push_back(
        {"before it is timed", fmt::format("{}", fmt::join(task->sanitizers, ", "))});
  }
  document.blocks.emplace_back(Points{{point}});
}

}  // namespace

Document compose_play(const PlayResult& result) {
  Document document;
  document.blocks.emplace_back(Paragraph{result.headline});
  add_choice(result, document);
  if (result.checks) document.blocks.emplace_back(Paragraph{check_headline(*result.checks)});
  if (!result.play.steps.empty()) document.blocks.emplace_back(steps_table(result));
  add_attempts(result, document);
  Properties kept;
  kept.rows.emplace_back("kept in", result.play.folder);
  for (const std::string& file : result.written) kept.rows.emplace_back("written", file);
  document.blocks.emplace_back(std::move(kept));
  if (result.checks) add_notes(result.checks->notes, document);
  return document;
}

Document compose_play_rows(const PlayResult& result) { return Document{{steps_table(result)}}; }

void write_play_json(const PlayResult& result, JsonWriter& json) {
  const Play& play = result.play;
  json.begin_object();
  write_tool(json);
  json.member("name", play.name);
  json.member("folder", play.folder);
  json.member("playbook", play.playbook);
  json.member("outcome", play.outcome);
  json.member("headline", result.headline);
  json.member("choice", play.choice);
  json.objects("steps", play.steps, [&](const PlayedStep& step) {
    json.member("id", step.id);
    json.member("does", to_string(step.does));
    json.member("case", step.in_case);
    json.member("state", to_string(step.state));
    json.member("reason", step.reason);
    json.member("seconds", step.seconds);
    texts_member(json, "evidence", step.evidence);
  });
  json.objects("attempts", play.attempts, [&](const PlayedAttempt& attempt) {
    json.member("number", attempt.number);
    json.member("task", attempt.task);
    json.member("state", attempt.state);
    json.member("reason", attempt.reason);
    json.member("commit", attempt.commit);
    texts_member(json, "setting", attempt.setting);
  });
  texts_member(json, "written", result.written);
  json.key("checks");
  if (result.checks) {
    write_checks_json(*result.checks, json);
  } else {
    json.null();
  }
  json.end_object();
}

}  // namespace proofline
