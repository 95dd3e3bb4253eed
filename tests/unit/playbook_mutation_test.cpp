// SPDX-License-Identifier: Apache-2.0
//
// Every threshold and operator of the shipped playbooks matters: flipped in turn, each changes a
// line of tests/fixtures/playbooks/judged/ID.txt, which has what check says of evidence: of
// recorded files, and of drawn ones for what nobody has recorded yet (timelines, some pairs).
// scripts/update-goldens writes these files; a playbook's change shows in their diff.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "playbook/check.h"
#include "playbook/lint.h"
#include "playbook/shipped.h"
#include "support/drawn_evidence.h"
#include "support/effort.h"
#include "support/made_evidence.h"
#include "workflow/check/evidence.h"
#include "workflow/check/playbook_text.h"

namespace proofline {
namespace playbook_mutation_test {

using Kind = ExpressionNode::Kind;

struct Recorded {
  std::string_view playbook;
  std::vector<std::string> files;
  std::string kernel;
  std::vector<std::string> before = {};
  std::vector<std::string> workload = {};  // --workload
};

std::string path_of(std::string_view file) {
  return std::string(PROOFLINE_SOURCE_DIR) + "/" + std::string(file);
}

constexpr std::string_view kKernels = "examples/h200-kernels.ncu-rep.gz";

std::vector<Recorded> recorded() {
  const std::string kernels = path_of(kKernels);
  const std::string bench = path_of("tests/fixtures/benchmark/ours.json");
  const std::string ceilings = path_of("tests/fixtures/ceilings/ceilings.json");
  const std::string roles = path_of("tests/fixtures/ncu_rep/h200-roles.ncu-rep.gz");
  const std::string tcgen05 = path_of("tests/fixtures/sass/tcgen05.sm_100a.cubin.gz");
  const std::string stores = path_of("tests/fixtures/sass/shared_stores.sm_90a.cubin.gz");
  return {
      {"blockscaled-profile", {kernels}, "gemm_wmma"},
      {"blockscaled-profile", {kernels}, "gemm_wmma", {}, {"tile_m=712"}},
      {"blockscaled-profile", {roles}, ""},
      {"gemm-roadmap", {kernels, ceilings}, "gemm_wmma"},
      {"gemm-roadmap", {roles, bench}, "", {roles, bench}},
      {"attention-guide",
       {kernels, bench},
       "block_per_row",
       {},
       {"expected_time=200us", "gpu=NVIDIA H200"}},
      {"attention-guide", {kernels}, "warp_per_row", {kernels}},
      {"moe-evidence", {stores}, "once"},
      {"moe-evidence", {stores}, "twice"},
      {"epilogue-tasks", {tcgen05}, "staged"},
      {"epilogue-tasks", {tcgen05}, "direct", {tcgen05}},
  };
}

// Evidence that a playbook can be held against again and again.
struct Held {
  std::string name;
  std::unique_ptr<Playbook> told;  // the workload of what was gathered
  std::unique_ptr<GatheredEvidence> gathered;
  std::unique_ptr<MadeEvidence> made;
  std::vector<KernelEvidence> kernels;
  bool paired = false;
  bool later = false;  // all that other tasks come after was tried and kept
};

std::string value_text(const AnswerValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* logic = std::get_if<bool>(&value)) return *logic ? "true" : "false";
  return fmt::format("{:.4g}", std::get<double>(value));
}

// ": stall.barrier.share 0.27 >= 0.25", each reading that the answer rests on.
std::string readings_text(const std::vector<Reading>& readings) {
  std::string all;
  for (const Reading& one : readings) {
    all += (all.empty() ? ": " : "; ") +
           (one.value ? one.what + " " + value_text(*one.value) : one.text);
    if (!one.op.empty()) all += " " + one.op;
    for (const AnswerValue& wanted : one.wanted) all += " " + value_text(wanted);
  }
  return all;
}

std::string_view answer_text(Answer answer) {
  if (answer == Answer::kUnknown) return "unknown";
  return answer == Answer::kTrue ? "true" : "false";
}

// What check says, a line an item.
std::string said(const Playbook& playbook, const Held& held) {
  std::set<std::string> first;
  for (const PlaybookTask& task : playbook.tasks)
    first.insert(task.after.begin(), task.after.end());
  CheckOptions options;
  options.paired = held.paired;
  if (held.later) {
    options.tried = [&](const std::string& id) {
      return first.contains(id) ? std::optional(CheckOptions::Tried{true, "kept"}) : std::nullopt;
    };
  }
  const CheckRun run = run_checks(playbook, held.kernels, options);
  std::string text;
  for (const CheckResult& one : run.checks) {
    const std::string kernel = one.kernel.empty() ? "" : " of " + one.kernel;
    const std::string in_case = one.in_case.empty() ? "" : " in " + one.in_case;
    text += fmt::format("{} {}{}{}{}\n", to_string(one.verdict), one.id, kernel, in_case,
                        readings_text(one.readings));
  }
  for (const TaskResult& one : run.tasks) {
    text +=
        fmt::format("task {} {}{}\n", one.id, to_string(one.state), readings_text(one.readings));
  }
  for (const TreeStep& one : run.tree) {
    text +=
        fmt::format("tree {} {}{}\n", one.id, answer_text(one.answer), readings_text(one.readings));
  }
  return text + "next " + (run.next.empty() ? "nothing" : run.next) + "\n";
}

std::vector<Held> recorded_for(const Playbook& playbook) {
  std::vector<Held> all;
  for (const Recorded& one : recorded()) {
    if (one.playbook != playbook.id) continue;
    const EvidencePlan plan{one.files, one.before, {}, one.kernel, ""};
    Held held;
    held.name = fmt::format("recorded {}", all.size() + 1);
    held.told = std::make_unique<Playbook>(playbook);
    const auto workload = parse_workload(one.workload, {});
    EXPECT_TRUE(workload) << one.playbook;
    for (const auto& [key, value] : *workload) held.told->workload[key] = value;
    auto gathered = GatheredEvidence::gather(*held.told, plan, {});
    EXPECT_TRUE(gathered) << one.playbook << ": " << gathered.error().message;
    if (!gathered) continue;
    held.gathered = std::make_unique<GatheredEvidence>(std::move(*gathered));
    held.kernels = held.gathered->kernels();
    held.paired = !one.before.empty();
    all.push_back(std::move(held));
  }
  return all;
}

// Alone and as a pair, before anything was tried and later, in turn.
std::vector<Held> drawn_for(const Playbook& playbook) {
  std::vector<std::uint64_t> seeds = {1, 2, 3, 4};
  // What the first four leave untold.
  if (playbook.id == "epilogue-tasks") seeds.insert(seeds.end(), {9});
  if (playbook.id == "gemm-roadmap") seeds.insert(seeds.end(), {15, 24});
  std::vector<Held> all;
  for (const std::uint64_t seed : seeds) {
    Held held;
    held.paired = seed % 2 == 0;
    held.later = seed % 4 >= 2;
    held.name = fmt::format("drawn {}{}{}", seed, held.paired ? ", with before" : "",
                            held.later ? ", first tasks kept" : "");
    held.made = std::make_unique<MadeEvidence>(draw_evidence(playbook, seed));
    for (const KernelLock& lock : playbook.kernels) {
      held.kernels.push_back({{lock.id, lock.id, "", "", ""}, held.made.get()});
    }
    all.push_back(std::move(held));
  }
  return all;
}

std::vector<Held> evidence_for(const Playbook& playbook) {
  std::vector<Held> all = recorded_for(playbook);
  for (Held& held : drawn_for(playbook)) all.push_back(std::move(held));
  return all;
}

// All expressions of a playbook, with what to call them.
std::vector<std::pair<std::string, Expression*>> expressions_of(Playbook& playbook) {
  std::vector<std::pair<std::string, Expression*>> all;
  for (auto& [name, let] : playbook.lets) all.emplace_back("let." + name, &let);
  for (PlaybookCheck& check : playbook.checks) {
    if (check.playbook != playbook.id) continue;  // of one that it uses: looked at there
    all.emplace_back(check.id, &check.expr.expression);
    if (check.when) all.emplace_back(check.id + " when", &check.when->expression);
  }
  for (PlaybookTask& task : playbook.tasks) {
    if (task.playbook != playbook.id) continue;
    if (task.when) all.emplace_back(task.id + " when", &task.when->expression);
    for (PlaybookExpression& one : task.accept)
      all.emplace_back(task.id + " accept", &one.expression);
    for (PlaybookExpression& one : task.legal)
      all.emplace_back(task.id + " legal", &one.expression);
  }
  for (TreeNode& node : playbook.tree) {
    if (node.when) all.emplace_back(node.id + " when", &node.when->expression);
  }
  return all;
}

// What a node becomes when it is flipped; the same where there is nothing to flip.
ExpressionNode flipped(ExpressionNode node) {
  switch (node.kind) {
    case Kind::kLess: node.kind = Kind::kAtLeast; break;
    case Kind::kAtMost: node.kind = Kind::kMore; break;
    case Kind::kMore: node.kind = Kind::kAtMost; break;
    case Kind::kAtLeast: node.kind = Kind::kLess; break;
    case Kind::kEqual: node.kind = Kind::kUnequal; break;
    case Kind::kUnequal: node.kind = Kind::kEqual; break;
    case Kind::kAnd: node.kind = Kind::kOr; break;
    case Kind::kOr: node.kind = Kind::kAnd; break;
    case Kind::kAdd: node.kind = Kind::kSubtract; break;
    case Kind::kMultiply: node.kind = Kind::kDivide; break;
    case Kind::kDivide: node.kind = Kind::kMultiply; break;
    case Kind::kNumber: node.number = node.number * 1.5 + 0.001; break;
    default: break;
  }
  return node;
}

bool is_flippable(const ExpressionNode& node) {
  const ExpressionNode other = flipped(node);
  return other.kind != node.kind || other.number != node.number;
}

// The judged evidence of a playbook as its file has it.
std::string judged_text(const std::vector<Held>& evidence, const std::vector<std::string>& texts) {
  std::string text;
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    text += fmt::format("{}== {}\n{}", i == 0 ? "" : "\n", evidence[i].name, texts[i]);
  }
  return text;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PlaybookMutation, EveryThresholdAndOperatorChangesAGolden) {
  const bool update = std::getenv("PROOFLINE_UPDATE_GOLDENS") != nullptr;
  const auto step = effort<std::size_t>(1, 1, 8);
  std::size_t flips = 0;
  std::size_t mutants = 0;
  std::string survivors;
  for (const ShippedPlaybook& shipped : shipped_playbooks()) {
    Playbook playbook = lint_playbook(shipped.text, std::string(shipped.id)).playbook;
    const std::vector<Held> evidence = evidence_for(playbook);
    std::vector<std::string> golden;
    for (const Held& held : evidence) golden.push_back(said(playbook, held));
    const std::string path =
        path_of(fmt::format("tests/fixtures/playbooks/judged/{}.txt", shipped.id));
    if (update) std::ofstream(path) << judged_text(evidence, golden);
    ASSERT_EQ(content_of(path), judged_text(evidence, golden))
        << "scripts/update-goldens writes " << path;
    for (const auto& [name, expression] : expressions_of(playbook)) {
      for (ExpressionNode& node : expression->nodes) {
        if (!is_flippable(node) || flips++ % step != 0) continue;
        ++mutants;
        const ExpressionNode kept = node;
        node = flipped(node);
        std::size_t at = 0;
        while (at < evidence.size() && said(playbook, evidence[at]) == golden[at]) ++at;
        node = kept;
        if (at == evidence.size()) {
          survivors += fmt::format("{} {}: {}\n", shipped.id, name, expression->source(kept));
        }
      }
    }
  }
  EXPECT_GT(mutants, 150U / step);
  EXPECT_EQ(survivors, "") << "these change no golden: record evidence, or draw more of it";
}

}  // namespace playbook_mutation_test
}  // namespace proofline
