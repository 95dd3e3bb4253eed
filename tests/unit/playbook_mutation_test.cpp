// SPDX-License-Identifier: Apache-2.0
//
// Every threshold and operator of the shipped playbooks matters: flipped in turn, each changes what
// check says of some evidence. First of recorded evidence, the same as in tests/golden/check; what
// nobody has recorded yet (timelines, some pairs) is drawn, each time before and after the tasks
// that others wait for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "playbook/check.h"
#include "playbook/lint.h"
#include "playbook/shipped.h"
#include "support/drawn_evidence.h"
#include "support/effort.h"
#include "support/made_evidence.h"
#include "views/playbook/check_json.h"
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
  std::unique_ptr<Playbook> told;  // the workload of what was gathered
  std::unique_ptr<GatheredEvidence> gathered;
  std::unique_ptr<MadeEvidence> made;
  std::vector<KernelEvidence> kernels;
  bool paired = false;
};

std::string said(const Playbook& playbook, const Held& held, const CheckOptions& options) {
  CheckOptions all = options;
  all.paired = held.paired;
  const CheckRun run = run_checks(playbook, held.kernels, all);
  return json_text([&](JsonWriter& json) { write_checks_json(run, json); });
}

// Before anything was tried, and when all that others come after was.
std::string said(const Playbook& playbook, const Held& held) {
  std::set<std::string> first;
  for (const PlaybookTask& task : playbook.tasks)
    first.insert(task.after.begin(), task.after.end());
  CheckOptions later;
  later.tried = [&](const std::string& id) {
    return first.contains(id) ? std::optional(CheckOptions::Tried{true, "kept"}) : std::nullopt;
  };
  const std::string now = said(playbook, held, {});
  return first.empty() ? now : now + said(playbook, held, later);
}

std::vector<Held> recorded_for(const Playbook& playbook) {
  std::vector<Held> all;
  for (const Recorded& one : recorded()) {
    if (one.playbook != playbook.id) continue;
    const EvidencePlan plan{one.files, one.before, {}, one.kernel, ""};
    Held held;
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

std::vector<Held> drawn_for(const Playbook& playbook, std::uint64_t seeds) {
  std::vector<Held> all;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const bool paired : {false, true}) {
      Held held;
      held.made = std::make_unique<MadeEvidence>(draw_evidence(playbook, seed));
      for (const KernelLock& lock : playbook.kernels) {
        held.kernels.push_back({{lock.id, lock.id, "", "", ""}, held.made.get()});
      }
      held.paired = paired;
      all.push_back(std::move(held));
    }
  }
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

TEST(PlaybookMutation, EveryThresholdAndOperatorMatters) {
  const auto step = effort<std::size_t>(1, 1, 8);
  std::size_t flips = 0;
  std::size_t mutants = 0;
  std::size_t by_recorded = 0;
  std::size_t survivors = 0;
  std::string told;
  for (const ShippedPlaybook& shipped : shipped_playbooks()) {
    Playbook playbook = lint_playbook(shipped.text, std::string(shipped.id)).playbook;
    std::vector<Held> evidence = recorded_for(playbook);
    const std::size_t first_drawn = evidence.size();
    for (Held& held : drawn_for(playbook, 12)) evidence.push_back(std::move(held));
    std::vector<std::string> before;
    for (const Held& held : evidence) before.push_back(said(playbook, held));
    for (const auto& [name, expression] : expressions_of(playbook)) {
      for (ExpressionNode& node : expression->nodes) {
        if (!is_flippable(node) || flips++ % step != 0) continue;
        ++mutants;
        const ExpressionNode kept = node;
        node = flipped(node);
        std::size_t at = 0;
        while (at < evidence.size() && said(playbook, evidence[at]) == before[at]) ++at;
        node = kept;
        by_recorded += at < first_drawn ? 1 : 0;
        if (at < evidence.size()) continue;
        ++survivors;
        told += fmt::format("{} {}: {}\n", shipped.id, name, expression->source(kept));
      }
    }
  }
  EXPECT_GT(mutants, 150U / step);
  EXPECT_EQ(survivors, 0U) << told;
  RecordProperty("mutants", static_cast<int>(mutants));
  RecordProperty("by_recorded_evidence", static_cast<int>(by_recorded));
  // Recorded evidence alone tells this part of them.
  EXPECT_GT(by_recorded * 2, mutants) << by_recorded << " of " << mutants;
}

}  // namespace playbook_mutation_test
}  // namespace proofline
