// SPDX-License-Identifier: Apache-2.0
//
// A playbook: what to measure on which kernel, what must hold, what to change next and how to know
// that it helped. Plain data, as the file has it; docs/playbooks.md explains every key. It names no
// program: those come from the command line, evidence from files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "playbook/evaluate.h"
#include "playbook/expression.h"
#include "playbook/fact_catalogue.h"
#include "playbook/file/toml_tree.h"
#include "playbook/phase_kind.h"

namespace proofline {

struct PlaybookProblem {
  std::string file;
  SourcePlace place;
  std::string message;
  std::string line;  // of the file, where it shows the place
  bool warning = false;
};

// What all items have.
struct PlaybookItem {
  std::string id;
  std::string title;
  std::string why;
  std::vector<std::uint32_t> rows;  // of the requirements that it answers
  SourcePlace place;
  std::string playbook;  // the one that it comes from
};

struct PlaybookExpression {
  Expression expression;
  SourcePlace place;  // of its first character

  const std::string& text() const { return expression.text; }
};

// A number (with its unit), a text or a yes or no that the user or the playbook tells.
struct ToldValue {
  AnswerValue value;
  std::string unit;
  bool asked = false;  // "?": the user has to tell it

  ValueKind kind() const;
};
// "5 ms" is a number with a unit, "?" asks for one.
ToldValue told_value(std::string_view text);

using Workload = std::map<std::string, ToldValue, std::less<>>;

struct PlaybookCase : PlaybookItem {
  Workload set;
  std::vector<std::string> args;
};

struct KernelLock : PlaybookItem {
  std::string name;  // RE2
  std::string cc;
  std::string grid;
  std::string block;
  std::vector<std::string> expect;
  std::vector<std::string> forbid;
  std::string sha256;
  std::optional<double> unique_bytes;
  std::optional<double> flops;
};

struct PlaybookPhase : PlaybookItem {
  PhaseKind does = PhaseKind::kPreflight;
  std::optional<PlaybookExpression> when;
  std::vector<std::string> args;
  std::vector<std::string> cases;
  std::vector<std::string> kernels;
  // What its kind takes besides: "preset" with one text, "metrics" with several.
  std::map<std::string, std::vector<std::string>, std::less<>> settings;
};

enum class CheckKind : std::uint8_t { kMust, kShould, kHypothesis };
std::string_view to_string(CheckKind kind);

struct PlaybookCheck : PlaybookItem {
  PlaybookExpression expr;
  CheckKind kind = CheckKind::kMust;
  std::optional<PlaybookExpression> when;
  std::string kernel;   // "" each
  std::string in_case;  // "" none in particular
  std::string fix;
  std::string capture;  // the command to get what is missing, where ours is not the one
  bool ours = false;    // the threshold is not the source's
};

struct PlaybookTask : PlaybookItem {
  bool option = false;  // taken where the tree leads, not in file order
  std::vector<std::string>
      change;  // kinds: sync, structure, memory, shared, numerics, launch, host
  std::optional<PlaybookExpression> when;
  std::vector<std::string> after;
  std::vector<std::string> steps;
  std::vector<PlaybookExpression> accept;
  std::vector<PlaybookExpression> legal;
  std::vector<std::pair<std::string, std::vector<ToldValue>>> sweep;
  std::string expect;  // "5-10%"
  std::string confidence;
  std::string complexity;
  std::string risk;
  std::uint32_t priority = 0;  // 1 to 3; 0 not said
  std::string state;
  std::string hypothesis;
  std::vector<std::string> answers;  // rules
};

struct TreeNode : PlaybookItem {
  std::optional<PlaybookExpression> when;  // absent: "otherwise"
  std::string say;
  std::vector<std::string> next;
};

struct KnownChange : PlaybookItem {
  std::string what;
  std::string state;  // kept, reverted, failed
  std::string gain;
  std::string source;
  std::vector<std::string> answers;
};

struct DeliverablePart {
  std::string text;
  struct Field {
    std::string label;
    PlaybookExpression expr;
  };
  std::vector<Field> fields;
  std::string table;
};

struct PlaybookDeliverable : PlaybookItem {
  std::string file;
  std::string each = "run";
  std::vector<DeliverablePart> parts;
};

// A command that answers rows of the requirements, so that no item has to.
struct PlaybookCommand : PlaybookItem {
  std::string command;
};

struct Playbook {
  std::string path;
  std::string id;
  std::string title;
  std::string version;
  std::vector<std::string> uses;
  Workload workload;
  std::vector<std::string> args;  // of [workload]
  Lets lets;
  std::map<std::string, SourcePlace, std::less<>> let_places;
  std::vector<std::string> let_order;
  std::vector<PlaybookCase> cases;
  std::vector<KernelLock> kernels;
  std::vector<PlaybookPhase> phases;
  std::vector<PlaybookCheck> checks;
  std::vector<PlaybookTask> tasks;  // and options
  std::vector<TreeNode> tree;
  std::vector<KnownChange> known;
  std::vector<PlaybookDeliverable> deliverables;
  std::vector<PlaybookCommand> commands;  // of playbooks/commands.toml only

  // By id, or by "other/id"; the playbook's own before those of one that it uses.
  const PlaybookCheck* find_check(std::string_view name) const;
  const PlaybookTask* find_task(std::string_view name) const;
  const TreeNode* find_node(std::string_view name) const;
};

}  // namespace proofline
