// SPDX-License-Identifier: Apache-2.0
#include "views/playbook/play_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "views/notes.h"
#include "views/playbook/check_document.h"

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
         {std::string(to_string(attempt.state))},
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

}  // namespace proofline
