// SPDX-License-Identifier: Apache-2.0
#include "views/playbook/check_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "views/diagnosis/evidence_words.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

std::string answer_text(const AnswerValue& value, std::string_view unit) {
  if (const bool* logic = std::get_if<bool>(&value)) return *logic ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return quantity_text(std::get<double>(value), unit);
}

// "60 to 100 %"
std::string range_text(const AnswerValue& low, const AnswerValue& high, std::string_view unit) {
  std::string from = answer_text(low, unit);
  const std::string to = answer_text(high, unit);
  const std::size_t blank = to.rfind(' ');
  if (blank != std::string::npos && from.ends_with(to.substr(blank))) {
    from.resize(from.size() - (to.size() - blank));
  }
  return from + " to " + to;
}

std::string wanted_text(const Reading& reading) {
  const auto text = [&](std::size_t i) { return answer_text(reading.wanted[i], reading.unit); };
  if (reading.wanted.empty()) return "";
  const bool negated = reading.op.starts_with("not ");
  const std::string_view op = std::string_view(reading.op).substr(negated ? 4 : 0);
  std::string wanted;
  if (op == "in" && reading.wanted.size() == 2) {
    wanted = range_text(reading.wanted[0], reading.wanted[1], reading.unit);
  } else if (op == "one of") {
    for (std::size_t i = 0; i < reading.wanted.size(); ++i) {
      wanted += (i == 0 ? "" : " or ") + text(i);
    }
  } else if (op == "matches") {
    wanted = "to match " + text(0);
  } else if (op == "==") {
    wanted = text(0);
  } else if (op == "!=") {
    wanted = "not " + text(0);
  } else {
    wanted = fmt::format("{} {}", op, text(0));
  }
  return negated ? "not " + wanted : wanted;
}

// "median time 402.00 us"; what is no fact, or one without words, is before its value.
std::string named_value(const Reading& reading, bool with_names) {
  std::string words;
  if (const auto* number = std::get_if<double>(&*reading.value)) {
    words = fact_words(reading.what, *number, reading.unit);
  } else if (const auto* text = std::get_if<std::string>(&*reading.value)) {
    words = fact_words(reading.what, *text, reading.unit);
  }
  if (!words.empty() && !with_names) return words;
  return fmt::format("{} {}", reading.what, answer_text(*reading.value, reading.unit));
}

// For programs values are after the fact's name.
std::string reading_text(const Reading& reading, std::string_view verb, bool with_names) {
  if (!reading.value) return reading.text;
  if (reading.before) {
    return fmt::format("{}, was {}, {} {}", named_value(reading, with_names),
                       answer_text(*reading.before, reading.unit), verb, wanted_text(reading));
  }
  if (std::holds_alternative<bool>(*reading.value)) {
    return fmt::format("{} is {}", reading.what, answer_text(*reading.value, reading.unit));
  }
  const std::string wanted = wanted_text(reading);
  if (wanted.empty()) return named_value(reading, with_names);
  return fmt::format("{}, {} {}", named_value(reading, with_names), verb, wanted);
}

std::string readings_text(const std::vector<Reading>& readings, std::string_view verb,
                          bool with_names = false) {
  std::vector<std::string> texts;
  for (const Reading& reading : readings) {
    std::string text = reading_text(reading, verb, with_names);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

// Whether the reason names the fact already: "no log of racecheck".
bool is_named(const MissingFact& missing) {
  std::string_view index = missing.name;
  const std::size_t open = index.find('[');
  const std::size_t close = index.find(']');
  if (open < close && close != index.npos) index = index.substr(open + 1, close - open - 1);
  return index.empty() || missing.reason.find(index) != std::string::npos;
}

// What is missing for one reason stands together.
std::string missing_text(const std::vector<MissingFact>& missing) {
  struct Group {
    std::vector<std::string> names;
    std::string reason;
  };
  std::vector<Group> groups;
  for (const MissingFact& one : missing) {
    const std::string reason = one.command.empty() ? one.reason : one.reason + ": " + one.command;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& known) { return known.reason == reason; });
    if (group == groups.end()) group = groups.insert(group, {{}, reason});
    auto& names = group->names;
    if (!is_named(one) && std::find(names.begin(), names.end(), one.name) == names.end()) {
      names.push_back(one.name);
    }
  }
  std::vector<std::string> texts;
  texts.reserve(groups.size());
  for (const Group& group : groups) {
    texts.push_back(group.names.empty()
                        ? group.reason
                        : fmt::format("{}: {}", fmt::join(group.names, ", "), group.reason));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string check_text(const CheckResult& check) {
  if (check.verdict == CheckVerdict::kSkipped) {
    return "only when " + check.skipped;
  }
  if (check.verdict == CheckVerdict::kUnknown) return missing_text(check.missing);
  return readings_text(check.readings,
                       check.kind == CheckKind::kHypothesis ? "expected" : "wanted");
}

// Why it matters and what to do, where it does not hold.
std::string advice_text(const CheckResult& check) {
  if (check.verdict != CheckVerdict::kFail) return "";
  if (check.why.empty() || check.fix.empty()) return check.why + check.fix;
  return check.why + "; " + check.fix;
}

Tone tone_of(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::kPass:
    case CheckVerdict::kConfirmed: return Tone::kGood;
    case CheckVerdict::kFail:
    case CheckVerdict::kRefuted: return Tone::kBad;
    case CheckVerdict::kUnknown: return Tone::kWarning;
    case CheckVerdict::kSkipped: return Tone::kNeutral;
  }
  return Tone::kNone;
}

// Those of one kernel, or with `all` every one.
void add_checks(const CheckRun& run, const std::string& kernel, bool all, Document& document) {
  std::size_t width = 0;
  for (const CheckResult& check : run.checks) {
    width = std::max(width, to_string(check.verdict).size());
  }
  Properties rows;
  for (const CheckResult& check : run.checks) {
    if (!all && check.kernel != kernel) continue;
    std::string name =
        fmt::format("{:<{}}  {}{}{}", to_string(check.verdict), width, check.id,
                    check.in_case.empty() ? "" : "@" + check.in_case, check.ours ? "*" : "");
    rows.rows.emplace_back(std::move(name), check_text(check));
    rows.tones.push_back(tone_of(check.verdict));
    if (std::string advice = advice_text(check); !advice.empty()) {
      rows.rows.emplace_back("", std::move(advice));
      rows.tones.push_back(Tone::kNone);
    }
  }
  if (!rows.rows.empty()) document.blocks.emplace_back(std::move(rows));
}

std::string kernel_text(const LockedKernel& kernel) {
  std::string text = kernel.name.empty() ? "no kernel" : shown_name(kernel.name);
  if (!kernel.device.empty()) {
    text += fmt::format(" on {} (cc {})", kernel.device, kernel.cc);
  }
  return text;
}

// "5-10%" -> "5-10 %"
std::string expected_gain(std::string text) {
  if (text.ends_with('%') && !text.ends_with(" %")) text.insert(text.size() - 1, " ");
  return text;
}

std::string next_text(const CheckRun& run) {
  for (const TaskResult& task : run.tasks) {
    if (task.id != run.next && task.playbook + "/" + task.id != run.next) continue;
    std::string text = fmt::format("next: {} {} ({}", task.option ? "option" : "task", task.id,
                                   fmt::join(task.change, ", "));
    if (!task.sanitizers.empty()) {
      text += fmt::format(": {}", fmt::join(task.sanitizers, ", "));
    }
    text += ")";
    if (!task.expect.empty()) text += ", expected " + expected_gain(task.expect);
    return text + ", not tried yet";
  }
  return "";
}

void add_tasks(const CheckRun& run, Document& document) {
  const std::string next = next_text(run);
  if (!next.empty()) document.blocks.emplace_back(Paragraph{next});
  Properties rows;
  for (const TaskResult& task : run.tasks) {
    if (task.id == run.next || task.state == TaskState::kNotEligible) continue;
    rows.rows.emplace_back(task.id, task_text(task));
  }
  if (!rows.rows.empty()) document.blocks.emplace_back(std::move(rows));
}

void add_tree(const CheckRun& run, Document& document) {
  Properties rows;
  for (const TreeStep& step : run.tree) {
    if (step.answer == Answer::kFalse) continue;
    const std::string name = std::string(2 * std::size_t{step.depth}, ' ') + step.id;
    if (step.answer == Answer::kUnknown) {
      const std::string open = missing_text(step.missing);
      rows.rows.emplace_back(name, open.empty() ? "UNKNOWN" : "UNKNOWN: " + open);
      continue;
    }
    std::string text;  // a branch is no demand: the numbers alone
    for (const Reading& reading : step.readings) {
      if (!text.empty()) text += "; ";
      text += reading.value ? named_value(reading, false) : reading.text;
    }
    if (!step.say.empty()) text += (text.empty() ? "" : ": ") + step.say;
    if (!step.leads_to.empty()) {
      text += fmt::format("{}-> {}", text.empty() ? "" : " ", fmt::join(step.leads_to, ", "));
    }
    rows.rows.emplace_back(name, text);
  }
  if (rows.rows.empty()) return;
  document.blocks.emplace_back(Heading{"Where it leads", false});
  document.blocks.emplace_back(std::move(rows));
}

std::string fails_text(std::size_t count, std::size_t of, std::string_view one,
                       std::string_view many) {
  return fmt::format("{} of {} {}", count, plural(of, "check"), count == 1 ? one : many);
}

}  // namespace

std::string task_text(const TaskResult& task) {
  std::string text(to_string(task.state));
  std::string more = task.reason;
  if (task.state == TaskState::kUndecided || task.state == TaskState::kUnknown) {
    more = missing_text(task.missing);
  } else if (more.empty()) {
    more = readings_text(task.readings, "wanted");
  }
  return more.empty() ? text : text + ": " + more;
}

std::string check_headline(const CheckRun& run) {
  std::size_t checks = 0;
  for (const CheckResult& check : run.checks) {
    const bool counts =
        check.kind != CheckKind::kHypothesis && check.verdict != CheckVerdict::kSkipped;
    checks += counts ? 1 : 0;
  }
  std::size_t unknown = 0;
  for (const CheckResult& check : run.checks) {
    const bool counts =
        check.kind != CheckKind::kHypothesis && check.verdict == CheckVerdict::kUnknown;
    unknown += counts ? 1 : 0;
  }
  const std::size_t failed = run.count(CheckVerdict::kFail);
  std::string text;
  const CheckVerdict verdict = run.verdict();
  if (verdict == CheckVerdict::kFail) {
    text = "FAIL: " + fails_text(failed, checks, "fails", "fail");
  } else if (verdict == CheckVerdict::kUnknown) {
    text = "UNKNOWN: " + fails_text(unknown, checks, "is unknown", "are unknown");
    if (failed > 0)
      text += fmt::format(", {} that should hold {}", failed, failed == 1 ? "fails" : "fail");
    unknown = 0;
  } else if (failed > 0) {
    text = "PASS: what must hold does; " + fails_text(failed, checks, "fails", "fail");
  } else {
    text = fmt::format("PASS: {} of {}", checks - unknown, plural(checks, "check"));
  }
  if (unknown > 0) text += fmt::format(", {} unknown", unknown);
  if (run.kernels.size() == 1) {
    text += "; " + kernel_text(run.kernels.front());
    const std::string& remark = run.kernels.front().remark;
    if (!remark.empty()) text += ", " + remark;
  } else if (!run.kernels.empty()) {
    text += "; " + plural(run.kernels.size(), "kernel");
  }
  return text;
}

void add_deliverable(const DeliverableResult& deliverable, bool all, Document& document) {
  constexpr std::string_view kElsewhere[] = {"checks", "hypotheses", "options", "attempts",
                                             "pairs"};
  std::vector<Block> blocks;
  for (const DeliverableResult::Part& part : deliverable.parts) {
    const bool elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), part.table) != std::end(kElsewhere);
    if (elsewhere && !all) continue;
    if (!part.text.empty()) blocks.emplace_back(Paragraph{part.text});
    Properties rows;
    std::vector<MissingFact> missing;
    for (const FieldResult& field : part.fields) {
      missing.insert(missing.end(), field.missing.begin(), field.missing.end());
      rows.rows.emplace_back(field.label,
                             field.value ? answer_text(*field.value, field.unit) : "UNKNOWN");
    }
    if (!rows.rows.empty()) blocks.emplace_back(std::move(rows));
    if (!missing.empty()) blocks.emplace_back(Paragraph{"UNKNOWN: " + missing_text(missing)});
  }
  if (blocks.empty()) return;
  std::string title = deliverable.title.empty() ? deliverable.id : deliverable.title;
  if (!deliverable.kernel.empty()) title += ": " + deliverable.kernel;
  document.blocks.emplace_back(Heading{std::move(title), false});
  std::move(blocks.begin(), blocks.end(), std::back_inserter(document.blocks));
}

Document compose_checks(const CheckRun& run) {
  Document document;
  document.blocks.emplace_back(Paragraph{check_headline(run)});
  if (run.kernels.size() <= 1) {
    add_checks(run, "", true, document);
  } else {
    add_checks(run, "", false, document);
    for (const LockedKernel& kernel : run.kernels) {
      std::string title = fmt::format("{}: {}", kernel.lock, kernel_text(kernel));
      if (!kernel.remark.empty()) title += ", " + kernel.remark;
      document.blocks.emplace_back(Heading{std::move(title), false});
      add_checks(run, kernel.lock, false, document);
    }
  }
  const bool ours = std::any_of(run.checks.begin(), run.checks.end(),
                                [](const CheckResult& check) { return check.ours; });
  if (ours) {
    document.blocks.emplace_back(Paragraph{"* the threshold is ours: the source gives no number"});
  }
  add_tasks(run, document);
  add_tree(run, document);
  for (const DeliverableResult& one : run.deliverables) add_deliverable(one, false, document);
  add_notes(run.notes, document);
  return document;
}

Document compose_check_rows(const CheckRun& run) {
  Table table{{{"Playbook"},
               {"Check"},
               {"Kind"},
               {"Kernel"},
               {"Case"},
               {"Verdict"},
               {"Expression"},
               {"Readings"},
               {"Missing"}},
              {}};
  for (const CheckResult& check : run.checks) {
    table.rows.push_back({{check.playbook},
                          {check.id},
                          {std::string(to_string(check.kind))},
                          {check.kernel},
                          {check.in_case},
                          {std::string(to_string(check.verdict))},
                          {check.expression},
                          {readings_text(check.readings, "wanted", true)},
                          {missing_text(check.missing)}});
  }
  return Document{{std::move(table)}};
}

std::string problems_text(const std::vector<PlaybookProblem>& problems) {
  std::string text;
  for (const PlaybookProblem& problem : problems) {
    text += fmt::format("{}:{}:{}: {}: {}\n", escape_terminal(problem.file), problem.place.line,
                        problem.place.column, problem.warning ? "warning" : "error",
                        escape_terminal(problem.message));
    const std::string line = escape_terminal(problem.line);
    // A line that had to be changed to be shown would carry the mark elsewhere.
    if (line.empty() || line != problem.line || line.size() > 200) continue;
    const std::size_t column = std::max<std::size_t>(problem.place.column, 1);
    text += fmt::format("  {}\n  {}^\n", line, std::string(column - 1, ' '));
  }
  return text;
}

}  // namespace proofline
