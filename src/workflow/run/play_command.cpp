// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>
#include <variant>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

using Words = std::vector<std::string>;
using Keys = std::set<std::string, std::less<>>;

// The name of the workload itself among cases.
constexpr const char* kPlainCase = "workload";

enum class OtherBraces { kAreWrong, kStay };

class Filling {
 public:
  // `open`: keys that stay as they are, to be filled in later.
  Filling(const Workload& workload, OtherBraces others, const Keys& open = {})
      : workload_(workload), others_(others), open_(open) {}

  Result<Words> fill(Words words) const {
    for (std::string& word : words) {
      ASSIGN_OR_RETURN(auto text, fill(word));
      word = std::move(text);
    }
    return words;
  }

 private:
  // "--n={tokens}"
  Result<std::string> fill(const std::string& word) const {
    std::string text;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t open = word.find('{', at);
      const std::size_t close = open == std::string::npos ? open : word.find('}', open);
      if (close == std::string::npos) return text + word.substr(at);
      text += word.substr(at, open - at);
      const std::string key = word.substr(open + 1, close - open - 1);
      const auto value = workload_.find(key);
      const bool stays = value == workload_.end() && others_ == OtherBraces::kStay;
      if (stays || open_.contains(key)) {
        text += word.substr(open, close + 1 - open);
      } else if (value == workload_.end()) {
        return fail(ErrorKind::kUsage,
                    fmt::format("args {}: the workload has no {}", quote(word), quote(key)));
      } else if (value->second.asked) {
        return fail(ErrorKind::kUsage,
                    fmt::format("args {}: tell {} {}=VALUE", quote(word), option("workload"), key));
      } else {
        text += value_word(value->second.value);
      }
      at = close + 1;
    }
    return text;
  }

  const Workload& workload_;
  OtherBraces others_;
  const Keys& open_;
};

const PlaybookCase* find_case(const Playbook& playbook, const std::string& id) {
  const auto found = std::find_if(playbook.cases.begin(), playbook.cases.end(),
                                  [&](const PlaybookCase& one) { return one.id == id; });
  return found == playbook.cases.end() ? nullptr : &*found;
}

Workload workload_in(const Playbook& playbook, const std::string& in_case) {
  Workload workload = playbook.workload;
  if (const PlaybookCase* one = find_case(playbook, in_case)) {
    for (const auto& [key, value] : one->set) workload[key] = value;
  }
  return workload;
}

void append(const Words& from, Words& to) { to.insert(to.end(), from.begin(), from.end()); }

// A case that bench phases measure, and the first of them.
struct TimedCase {
  std::string id;
  const PlaybookPhase* phase = nullptr;
};

std::vector<TimedCase> timed_cases(const Playbook& playbook) {
  std::vector<TimedCase> all;
  const auto add = [&](const std::string& id, const PlaybookPhase* phase) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const TimedCase& one) { return one.id == id; });
    if (!known) all.push_back({id, phase});
  };
  for (const PlaybookPhase& phase : playbook.phases) {
    if (phase.does != PhaseKind::kBench) continue;
    if (phase.cases.empty()) add("", &phase);
    for (const std::string& id : phase.cases) add(id, &phase);
  }
  if (all.empty()) add("", nullptr);
  return all;
}

// What tells these cases apart.
Keys changed_keys(const Playbook& playbook, const std::vector<TimedCase>& cases) {
  Keys keys;
  for (const TimedCase& timed : cases) {
    const PlaybookCase* one = find_case(playbook, timed.id);
    if (one == nullptr) continue;
    for (const auto& [key, value] : one->set) keys.insert(key);
  }
  return keys;
}

}  // namespace

std::string value_word(const AnswerValue& value) {
  if (const bool* logic = std::get_if<bool>(&value)) return *logic ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<std::string>(value);
}

Result<Words> phase_arguments(const Playbook& playbook, const PlaybookPhase& phase,
                              const std::string& in_case) {
  Words words = playbook.args;
  if (const PlaybookCase* one = find_case(playbook, in_case)) append(one->args, words);
  append(phase.args, words);
  const Workload workload = workload_in(playbook, in_case);
  return Filling(workload, OtherBraces::kAreWrong).fill(std::move(words));
}

Result<Words> command_in_workload(const Playbook& playbook, Words words,
                                  const std::string& in_case) {
  const Workload workload = workload_in(playbook, in_case);
  return Filling(workload, OtherBraces::kStay).fill(std::move(words));
}

Result<TimedChange> timed_change(const Playbook& playbook) {
  const std::vector<TimedCase> cases = timed_cases(playbook);
  TimedChange timed;
  if (cases.size() == 1 && cases.front().id.empty()) {
    const PlaybookPhase none;
    const PlaybookPhase* phase = cases.front().phase;
    ASSIGN_OR_RETURN(timed.arguments, phase_arguments(playbook, phase ? *phase : none, ""));
    return timed;
  }
  const Keys keys = changed_keys(playbook, cases);
  ASSIGN_OR_RETURN(timed.arguments,
                   Filling(playbook.workload, OtherBraces::kAreWrong, keys).fill(playbook.args));
  for (const TimedCase& one : cases) {
    BenchCase made;
    made.name = one.id.empty() ? kPlainCase : one.id;
    made.axes.push_back({"case", made.name});
    const Workload workload = workload_in(playbook, one.id);
    for (const std::string& key : keys) {
      const auto value = workload.find(key);
      if (value == workload.end() || value->second.asked) continue;
      made.axes.push_back({key, value_word(value->second.value)});
    }
    if (const PlaybookCase* told = find_case(playbook, one.id)) append(told->args, made.words);
    append(one.phase->args, made.words);
    ASSIGN_OR_RETURN(made.words,
                     Filling(workload, OtherBraces::kAreWrong).fill(std::move(made.words)));
    timed.cases.push_back(std::move(made));
  }
  return timed;
}

Result<Words> timed_command(const Playbook& playbook, Words words) {
  const Keys keys = changed_keys(playbook, timed_cases(playbook));
  ASSIGN_OR_RETURN(words,
                   Filling(playbook.workload, OtherBraces::kStay, keys).fill(std::move(words)));
  ASSIGN_OR_RETURN(const auto timed, timed_change(playbook));
  append(timed.arguments, words);
  return words;
}

}  // namespace proofline
