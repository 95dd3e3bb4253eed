// SPDX-License-Identifier: Apache-2.0
#include "playbook/lint.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "analysis/sass/pattern.h"
#include "arch/arch.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/text.h"
#include "base/words.h"
#include "playbook/expression_types.h"
#include "playbook/file/read_playbook.h"
#include "playbook/shipped.h"
#include "rules/rule.h"

namespace proofline {
namespace {

using Names = std::set<std::string, std::less<>>;

template <class Item>
void put_first(std::vector<Item> used, std::vector<Item>& own) {
  used.insert(used.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  own = std::move(used);
}

std::string near_text(std::string_view name, const Names& known) {
  return did_you_mean(name, std::vector<std::string_view>(known.begin(), known.end()));
}

class Linter {
 public:
  Linter(std::string_view text, const std::string& path, const Workload& told)
      : lines_(lines_of(text)) {
    ReadPlaybook read = read_playbook(text, path);
    result_.playbook = std::move(read.playbook);
    result_.problems = std::move(read.problems);
    for (const auto& [key, value] : told) take_told(key, value);
  }

  LintedPlaybook run() {
    check_ids();
    use_others();
    gather_names();
    check_lets();
    check_kernels();
    check_cases();
    check_arguments();
    check_phases();
    check_checks();
    check_tasks();
    check_tree();
    check_known();
    check_deliverables();
    std::stable_sort(
        result_.problems.begin(), result_.problems.end(),
        [](const PlaybookProblem& a, const PlaybookProblem& b) { return a.place < b.place; });
    return std::move(result_);
  }

 private:
  Playbook& playbook() { return result_.playbook; }
  // Those of a playbook that is used were looked over with it.
  bool is_own(const PlaybookItem& item) const { return item.playbook == result_.playbook.id; }

  // What the command line says of the workload.
  void take_told(const std::string& key, const ToldValue& value) {
    if (key != "args") {
      result_.playbook.workload[key] = value;
      return;
    }
    const auto* text = std::get_if<std::string>(&value.value);
    auto words = text != nullptr ? split_words(*text) : fail(ErrorKind::kUsage, "no text");
    if (words) {
      result_.playbook.args = std::move(*words);
    } else {
      problem({1, 1}, fmt::format("{} args: {}", option("workload"), words.error().message));
    }
  }

  void problem(const SourcePlace& place, std::string message, bool warning = false) {
    if (result_.problems.size() >= kMostProblems) return;
    const bool inside = place.line > 0 && place.line <= lines_.size();
    result_.problems.push_back({result_.playbook.path, place, std::move(message),
                                inside ? std::string(lines_[place.line - 1]) : "", warning});
  }

  // --- names ---

  template <class Items>
  void check_unique(const Items& items, std::map<std::string, SourcePlace>& seen) {
    for (const auto& item : items) {
      if (item.id.empty()) continue;
      const auto [at, added] = seen.try_emplace(item.id, item.place);
      if (!added) {
        problem(item.place,
                fmt::format("the id {} is taken by line {}", quote(item.id), at->second.line));
      }
    }
  }

  // Ids of one kind are unique; tree, tasks, options and checks share theirs, since nodes name all
  // of them.
  void check_ids() {
    const Playbook& all = playbook();
    std::map<std::string, SourcePlace> steps;
    check_unique(all.checks, steps);
    check_unique(all.tasks, steps);
    check_unique(all.tree, steps);
    std::map<std::string, SourcePlace> kernels;
    check_unique(all.kernels, kernels);
    std::map<std::string, SourcePlace> cases;
    check_unique(all.cases, cases);
    std::map<std::string, SourcePlace> phases;
    check_unique(all.phases, phases);
    std::map<std::string, SourcePlace> known;
    check_unique(all.known, known);
    std::map<std::string, SourcePlace> deliverables;
    check_unique(all.deliverables, deliverables);
  }

  void use_others() {
    for (const std::string& id : playbook().uses) {
      const ShippedPlaybook* shipped = find_shipped_playbook(id);
      if (shipped == nullptr || id == playbook().id) {
        Names names;
        for (const ShippedPlaybook& one : shipped_playbooks()) names.emplace(one.id);
        problem({1, 1}, fmt::format("uses: there is no shipped playbook {}{}", quote(id),
                                    near_text(id, names)));
        continue;
      }
      Playbook used = read_playbook(shipped->text, std::string(shipped->id)).playbook;
      Playbook& own = playbook();
      put_first(std::move(used.cases), own.cases);
      if (own.kernels.empty()) own.kernels = std::move(used.kernels);
      put_first(std::move(used.phases), own.phases);
      put_first(std::move(used.checks), own.checks);
      put_first(std::move(used.tasks), own.tasks);
      // Two trees would contradict each other.
      if (own.tree.empty()) own.tree = std::move(used.tree);
      put_first(std::move(used.known), own.known);
      put_first(std::move(used.deliverables), own.deliverables);
      for (auto& [key, value] : used.workload) own.workload.try_emplace(key, value);
      std::vector<std::string> order;
      for (const std::string& name : used.let_order) {
        if (!own.lets.try_emplace(name, used.lets[name]).second) continue;
        own.let_places[name] = {1, 1};
        order.push_back(name);
      }
      order.insert(order.end(), own.let_order.begin(), own.let_order.end());
      own.let_order = std::move(order);
    }
  }

  template <class Items>
  static void add_ids(const Items& items, Names& names) {
    for (const auto& item : items) {
      names.insert(item.id);
      names.insert(item.playbook + "/" + item.id);
    }
  }

  void gather_names() {
    const Playbook& all = playbook();
    add_ids(all.checks, scope_.checks);
    add_ids(all.kernels, kernels_);
    add_ids(all.cases, scope_.cases);
    add_ids(all.tasks, scope_.tasks);
    add_ids(all.known, scope_.tasks);
    add_ids(all.tree, steps_);
    add_ids(all.tasks, steps_);
    add_ids(all.checks, steps_);
    for (const KernelLock& kernel : all.kernels) scope_.checks.insert(kernel.id + "/lock");
    for (const auto& [key, value] : all.workload) scope_.workload[key] = value.kind();
    for (const PlaybookCase& one : all.cases) {
      for (const auto& [key, value] : one.set) scope_.workload.try_emplace(key, value.kind());
    }
  }

  // --- expressions ---

  enum class Wanted : std::uint8_t { kLogic, kAnything };

  ValueKind type(const Expression& expression, const SourcePlace& place, Wanted wanted) {
    const TypedExpression typed = type_expression(expression, scope_);
    for (const ExpressionProblem& one : typed.problems) {
      problem({place.line, place.column + one.at}, one.message);
    }
    const bool wrong =
        wanted == Wanted::kLogic && !typed.kind.any && typed.kind.type != ValueType::kLogic;
    if (wrong && typed.problems.empty()) {
      problem(place,
              fmt::format("this is {}, but true or false is needed", to_string(typed.kind.type)));
    }
    return typed.kind;
  }
  void check_logic(const PlaybookExpression& one) {
    type(one.expression, one.place, Wanted::kLogic);
  }
  void check_logic(const std::optional<PlaybookExpression>& one) {
    if (one) check_logic(*one);
  }

  // A `let` may use those above it, so there are no circles.
  void check_lets() {
    for (const std::string& name : playbook().let_order) {
      scope_.lets[name] =
          type(playbook().lets[name], playbook().let_places[name], Wanted::kAnything);
    }
  }

  void check_reference(const SourcePlace& place, std::string_view what, const std::string& id,
                       const Names& known) {
    if (known.contains(id)) return;
    problem(place, fmt::format("there is no {} {}{}", what, quote(id), near_text(id, known)));
  }

  void check_regex(const SourcePlace& place, const std::string& text) {
    const re2::RE2 regex(text, re2::RE2::Quiet);
    if (!regex.ok()) {
      problem(place, fmt::format("{} is no regular expression: {}", quote(text), regex.error()));
    }
  }

  // --- items ---

  void check_kernels() {
    for (const KernelLock& kernel : playbook().kernels) {
      if (!is_own(kernel)) continue;
      check_regex(kernel.place, kernel.name);
      for (const auto* patterns : {&kernel.expect, &kernel.forbid}) {
        for (const std::string& text : *patterns) {
          if (const auto pattern = parse_pattern(text); !pattern) {
            problem(kernel.place, pattern.error().message);
          }
        }
      }
      if (!kernel.cc.empty() && find_sm_limits(kernel.cc) == nullptr) {
        problem(kernel.place,
                fmt::format("cc {} is no compute capability that is known here", quote(kernel.cc)));
      }
    }
  }

  void check_cases() {
    for (const PlaybookCase& one : playbook().cases) {
      if (is_own(one) && one.set.size() > 1) {
        problem(one.place,
                fmt::format("case {} changes {} keys: which of them made the difference will not "
                            "be known",
                            quote(one.id), one.set.size()),
                true);
      }
    }
  }

  // {KEY} in arguments is filled in from the workload, with what a case changes.
  void check_arguments() {
    Names keys;
    for (const auto& [key, value] : playbook().workload) keys.insert(key);
    for (const PlaybookCase& one : playbook().cases) {
      for (const auto& [key, value] : one.set) keys.insert(key);
    }
    check_braces(playbook().args, keys);
    for (const PlaybookCase& one : playbook().cases) {
      if (is_own(one)) check_braces(one.args, keys);
    }
    for (const PlaybookPhase& phase : playbook().phases) {
      if (is_own(phase)) check_braces(phase.args, keys);
    }
  }

  void check_braces(const std::vector<std::string>& words, const Names& keys) {
    for (const std::string& word : words) {
      for (std::size_t open = word.find('{'); open != word.npos; open = word.find('{', open + 1)) {
        const std::size_t close = word.find('}', open);
        if (close == word.npos) break;
        const std::string key = word.substr(open + 1, close - open - 1);
        if (keys.contains(key)) continue;
        problem(place_of(word), fmt::format("there is no key of [workload] {}{}", quote(key),
                                            near_text(key, keys)));
      }
    }
  }

  // Where a text is in the file; its beginning where it is spelt another way there.
  SourcePlace place_of(std::string_view text) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::size_t at = lines_[i].find(text);
      if (at == std::string_view::npos) continue;
      return {static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(at + 1)};
    }
    return {1, 1};
  }

  void check_phases() {
    for (const PlaybookPhase& phase : playbook().phases) {
      if (!is_own(phase)) continue;
      check_logic(phase.when);
      for (const std::string& id : phase.cases) {
        check_reference(phase.place, "case", id, scope_.cases);
      }
      for (const std::string& id : phase.kernels) {
        check_reference(phase.place, "kernel", id, kernels_);
      }
    }
  }

  void check_checks() {
    for (const PlaybookCheck& check : playbook().checks) {
      if (!is_own(check)) continue;
      if (!check.expr.expression.nodes.empty()) check_logic(check.expr);
      check_logic(check.when);
      if (!check.kernel.empty()) check_reference(check.place, "kernel", check.kernel, kernels_);
      if (!check.in_case.empty()) {
        check_reference(check.place, "case", check.in_case, scope_.cases);
      }
    }
    check_circles("check", playbook().checks, [](const PlaybookCheck& check) {
      std::vector<std::string> used;
      const auto add = [&](const Expression& expression) {
        for (const std::string& fact : facts_of(expression)) {
          if (fact.starts_with("check[")) used.push_back(fact.substr(6, fact.size() - 7));
        }
      };
      add(check.expr.expression);
      if (check.when) add(check.when->expression);
      return used;
    });
  }

  void check_tasks() {
    for (const PlaybookTask& task : playbook().tasks) {
      if (!is_own(task)) continue;
      check_logic(task.when);
      for (const PlaybookExpression& one : task.accept) check_logic(one);
      for (const PlaybookExpression& one : task.legal) check_logic(one);
      for (const std::string& id : task.after) {
        check_reference(task.place, "task or option", id, scope_.tasks);
      }
      check_answers(task.place, task.answers);
      if (!task.option && task.accept.empty()) {
        problem(task.place,
                fmt::format("task {} has no accept: nobody could tell whether it worked",
                            quote(task.id)));
      }
      for (const auto& [key, values] : task.sweep) {
        check_reference(task.place, "key of [workload]", key, workload_keys());
        if (values.empty()) problem(task.place, fmt::format("sweep of {} is empty", key));
      }
    }
    check_circles("task", playbook().tasks, [](const PlaybookTask& task) { return task.after; });
  }

  Names workload_keys() const {
    Names keys;
    for (const auto& [key, kind] : scope_.workload) keys.insert(key);
    return keys;
  }

  void check_answers(const SourcePlace& place, const std::vector<std::string>& answers) {
    Names ids;
    for (const Rule& rule : rules()) ids.emplace(rule.id);
    for (const std::string& id : answers) check_reference(place, "rule", id, ids);
  }

  void check_known() {
    for (const KnownChange& one : playbook().known) {
      if (is_own(one)) check_answers(one.place, one.answers);
    }
  }

  void check_tree() {
    Names named;
    for (const TreeNode& node : playbook().tree) {
      named.insert(node.next.begin(), node.next.end());
      if (!is_own(node)) continue;
      check_logic(node.when);
      for (const std::string& id : node.next) {
        check_reference(node.place, "node, task, option or check", id, steps_);
      }
      if (node.next.empty() && node.say.empty()) {
        problem(node.place, fmt::format("node {} says nothing and leads nowhere", quote(node.id)));
      }
    }
    const bool circle =
        check_circles("tree", playbook().tree, [](const TreeNode& node) { return node.next; });
    if (circle) return;
    // An option that no node leads to is never offered.
    for (const PlaybookTask& task : playbook().tasks) {
      if (is_own(task) && task.option && !playbook().tree.empty() && !named.contains(task.id)) {
        problem(task.place, fmt::format("no node of the tree leads to option {}", quote(task.id)),
                true);
      }
    }
  }

  // Follows references among items of one kind; true where they come back to where they began.
  template <class Item, class Next>
  bool check_circles(std::string_view what, const std::vector<Item>& items, Next next) {
    std::map<std::string, const Item*, std::less<>> by_id;
    for (const Item& item : items) {
      by_id[item.id] = &item;
      by_id[item.playbook + "/" + item.id] = &item;
    }
    std::map<const Item*, bool> done;  // false: on the way
    bool circle = false;
    const std::function<void(const Item&)> visit = [&](const Item& item) {
      done[&item] = false;
      for (const std::string& id : next(item)) {
        const auto found = by_id.find(id);
        if (found == by_id.end()) continue;
        const auto state = done.find(found->second);
        if (state == done.end()) {
          visit(*found->second);
        } else if (!state->second) {
          circle = true;
          problem(item.place,
                  fmt::format("{} {} leads back to {}: a circle", what, quote(item.id), quote(id)));
        }
      }
      done[&item] = true;
    };
    if (items.size() > kMostItems) return circle;
    for (const Item& item : items) {
      if (!done.contains(&item)) visit(item);
    }
    return circle;
  }

  void check_deliverables() {
    for (const PlaybookDeliverable& one : playbook().deliverables) {
      if (!is_own(one)) continue;
      for (const DeliverablePart& part : one.parts) {
        for (const DeliverablePart::Field& field : part.fields) {
          type(field.expr.expression, field.expr.place, Wanted::kAnything);
        }
      }
    }
    const auto too_many = [&](std::size_t count, std::string_view what) {
      if (count > kMostItems) {
        problem({1, 1}, fmt::format("a playbook has at most {} {}", kMostItems, what));
      }
    };
    too_many(playbook().checks.size(), "checks");
    too_many(playbook().tasks.size(), "tasks and options");
    too_many(playbook().tree.size(), "nodes");
  }

  // Each is followed by a call of its own.
  static constexpr std::size_t kMostItems = 1000;

  std::vector<std::string_view> lines_;
  LintedPlaybook result_;
  ExpressionScope scope_;
  Names kernels_;
  Names steps_;
};

}  // namespace

bool LintedPlaybook::ok() const {
  return std::all_of(problems.begin(), problems.end(),
                     [](const PlaybookProblem& one) { return one.warning; });
}

LintedPlaybook lint_playbook(std::string_view text, const std::string& path, const Workload& told) {
  return Linter(text, path, told).run();
}

}  // namespace proofline
