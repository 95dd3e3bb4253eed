// SPDX-License-Identifier: Apache-2.0
//
// Playbooks held against made-up evidence: verdicts, tasks, the tree; and what must hold of every
// shipped playbook whatever the evidence: a fact that goes turns PASS and FAIL only into UNKNOWN.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "diagnosis/diagnose.h"
#include "playbook/check.h"
#include "playbook/expression_types.h"
#include "playbook/lint.h"
#include "playbook/shipped.h"
#include "readers/read_profile.h"
#include "support/drawn_evidence.h"
#include "support/made_evidence.h"

namespace proofline {
namespace playbook_check_test {

constexpr std::string_view kPlaybook = R"(
[playbook]
id = "p"
title = "P"
[[check]]
id = "fast"
expr = 'duration < 100 us'
[[check]]
id = "waves"
kind = "should"
when = 'duration > 1 us'
expr = 'launch.waves >= 1'
[[check]]
id = "guess"
kind = "hypothesis"
expr = 'stall.top == "barrier"'
[[task]]
id = "first"
change = ["sync", "memory"]
when = 'not check[fast]'
accept = ['after.duration < before.duration']
[[task]]
id = "second"
change = ["host"]
after = ["first"]
accept = ['after.duration < before.duration * 0.5']
[[option]]
id = "third"
change = ["shared"]
[[tree]]
id = "barrier"
when = 'check[guess]'
say = "barriers"
next = ["deeper"]
[[tree]]
id = "deeper"
when = 'duration > 1 s'
say = "never"
[[tree]]
id = "else"
when = 'otherwise'
say = "elsewhere"
next = ["third"]
)";

struct Judged {
  LintedPlaybook linted;
  CheckRun run;
};

Judged judge(const MadeEvidence& evidence, CheckOptions options = {}) {
  Judged judged;
  judged.linted = lint_playbook(kPlaybook, "p");
  EXPECT_TRUE(judged.linted.ok());
  judged.run =
      run_checks(judged.linted.playbook, {{{"kernel", "k", "", "", ""}, &evidence}}, options);
  return judged;
}

std::string verdicts(const CheckRun& run) {
  std::string text;
  for (const CheckResult& check : run.checks) {
    text += check.id + " " + std::string(to_string(check.verdict)) + "; ";
  }
  return text;
}
std::string tasks(const CheckRun& run) {
  std::string text;
  for (const TaskResult& task : run.tasks) {
    text += task.id + " " + std::string(to_string(task.state)) + "; ";
  }
  return text;
}

MadeEvidence made() {
  MadeEvidence evidence;
  evidence.facts["duration"] = {200e3, "ns"};
  evidence.facts["launch.waves"] = {2.0, "wave"};
  evidence.facts["stall.top"] = {std::string("wait"), ""};
  return evidence;
}

TEST(PlaybookCheck, Verdicts) {
  MadeEvidence evidence = made();
  EXPECT_EQ(verdicts(judge(evidence).run), "fast FAIL; waves PASS; guess REFUTED; ");
  evidence.facts["duration"] = {1e3, "ns"};
  evidence.facts["stall.top"] = {std::string("barrier"), ""};
  EXPECT_EQ(verdicts(judge(evidence).run), "fast PASS; waves SKIPPED; guess CONFIRMED; ");
  EXPECT_EQ(verdicts(judge({}).run), "fast UNKNOWN; waves UNKNOWN; guess UNKNOWN; ");
  CheckOptions only;
  only.only = {"guess"};
  EXPECT_EQ(verdicts(judge(evidence, only).run), "guess CONFIRMED; ");
}

TEST(PlaybookCheck, TasksComeInTheirOrder) {
  MadeEvidence evidence = made();
  CheckRun run = judge(evidence).run;
  EXPECT_EQ(tasks(run), "first eligible; second waiting; third eligible; ");
  EXPECT_EQ(run.next, "first");
  EXPECT_EQ(run.tasks[0].sanitizers,
            (std::vector<std::string>{"synccheck", "racecheck", "memcheck", "initcheck"}));

  CheckOptions options;
  options.tried = [](const std::string& id) -> std::optional<CheckOptions::Tried> {
    if (id != "first") return std::nullopt;
    return CheckOptions::Tried{false, "reverted, -3.1 %"};
  };
  run = judge(evidence, options).run;
  EXPECT_EQ(tasks(run), "first reverted; second eligible; third eligible; ");
  EXPECT_EQ(run.next, "second");

  evidence.facts["duration"] = {1e3, "ns"};
  run = judge(evidence).run;
  EXPECT_EQ(tasks(run), "first not eligible; second waiting; third eligible; ");
  EXPECT_EQ(run.next, "third");  // where the tree leads
}

TEST(PlaybookCheck, AcceptanceNeedsBothSides) {
  MadeEvidence evidence = made();
  evidence.facts["before.duration"] = {300e3, "ns"};
  CheckOptions options;
  options.paired = true;
  const CheckRun run = judge(evidence, options).run;
  EXPECT_EQ(tasks(run), "first accepted; second not accepted; third eligible; ");
  EXPECT_DOUBLE_EQ(run.tasks[0].readings.at(0).before.value_or(0), 300e3);
  evidence.facts.erase("before.duration");
  EXPECT_EQ(tasks(judge(evidence, options).run),
            "first undecided; second undecided; third eligible; ");
}

TEST(PlaybookCheck, TheTreeIsFollowedWhereItHolds) {
  MadeEvidence evidence = made();
  const auto path = [&] {
    std::string text;
    for (const TreeStep& step : judge(evidence).run.tree) {
      text += step.id + (step.answer == Answer::kTrue    ? "+ "
                         : step.answer == Answer::kFalse ? "- "
                                                         : "? ");
    }
    return text;
  };
  EXPECT_EQ(path(), "barrier- else+ ");
  evidence.facts["stall.top"] = {std::string("barrier"), ""};
  EXPECT_EQ(path(), "barrier+ deeper- else- ");
  evidence.facts.erase("stall.top");
  EXPECT_EQ(path(), "barrier? else? ");
}

TEST(PlaybookCheck, KnownChangesCountAsTried) {
  const LintedPlaybook linted = lint_playbook(
      std::string(kPlaybook) +
          "[[known]]\nid = \"first\"\nwhat = \"it\"\nstate = \"reverted\"\nsource = \"notes\"\n",
      "p");
  const MadeEvidence evidence = made();
  const CheckRun run = run_checks(linted.playbook, {{{"kernel", "k", "", "", ""}, &evidence}}, {});
  EXPECT_EQ(tasks(run), "first reverted; second eligible; third eligible; ");
  EXPECT_EQ(run.tasks[0].reason, "told, not measured: it (notes)");
}

bool uses_known(const PlaybookCheck& check) {
  return check.expr.text().find("known(") != std::string::npos ||
         (check.when && check.when->text().find("known(") != std::string::npos);
}

// What each check says, and UNKNOWN or SKIPPED told apart.
std::map<std::string, CheckVerdict> by_id(const Playbook& playbook, const MadeEvidence& evidence) {
  std::map<std::string, CheckVerdict> verdicts;
  std::vector<KernelEvidence> kernels;
  for (const KernelLock& lock : playbook.kernels) {
    kernels.push_back({{lock.id, lock.id, "", "", ""}, &evidence});
  }
  for (const CheckResult& check : run_checks(playbook, kernels, {}).checks) {
    verdicts[check.kernel + "/" + check.playbook + "/" + check.id] = check.verdict;
  }
  return verdicts;
}

TEST(PlaybookCheck, AFactThatGoesMakesAnAnswerUnknownAndNothingElse) {
  std::size_t changed = 0;
  for (const ShippedPlaybook& shipped : shipped_playbooks()) {
    const LintedPlaybook linted = lint_playbook(shipped.text, std::string(shipped.id));
    std::set<std::string> excepted;  // those that answer on absence, and those that read them
    for (const PlaybookCheck& check : linted.playbook.checks) {
      if (uses_known(check)) excepted.insert(check.id);
    }
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const MadeEvidence whole = draw_evidence(linted.playbook, seed);
      const auto before = by_id(linted.playbook, whole);
      for (const auto& [name, value] : whole.facts) {
        MadeEvidence less = whole;
        less.facts.erase(name);
        for (const auto& [id, verdict] : by_id(linted.playbook, less)) {
          if (verdict == before.at(id) || excepted.contains(id.substr(id.rfind('/') + 1))) continue;
          ++changed;
          EXPECT_EQ(verdict, CheckVerdict::kUnknown)
              << shipped.id << ": " << id << " without " << name;
        }
      }
    }
  }
  EXPECT_GT(changed, 100U);
}

// The list of text facts in playbook/fact_catalogue.cpp agrees with what the analyses publish.
TEST(FactCatalogue, TypesAreThoseOfPublishedFacts) {
  std::size_t seen = 0;
  for (const std::string_view file :
       {"examples/h200-kernels.ncu-rep.gz", "tests/fixtures/ncu_rep/h200-roles.ncu-rep.gz"}) {
    const std::string path = std::string(PROOFLINE_SOURCE_DIR) + "/" + std::string(file);
    const auto profile = read_profile(path, diagnosis_read_options(true));
    ASSERT_TRUE(profile) << path;
    for (const Launch& launch : profile->launches) {
      const Facts facts = gather_facts(*profile, launch, {});
      for (const Fact& fact : facts.published()) {
        const auto kind = kind_of_fact(fact.name);
        ASSERT_TRUE(kind) << fact.name;
        const bool text = std::holds_alternative<std::string>(fact.value);
        EXPECT_EQ(kind->type, text ? ValueType::kText : ValueType::kNumber) << fact.name;
        const UnitScale scale = scale_of_unit(fact.unit);
        ++seen;
        if (text) continue;
        EXPECT_EQ(kind->dimension, scale.dimension) << fact.name << " " << fact.unit;
        EXPECT_EQ(kind->share, scale.share) << fact.name << " " << fact.unit;
      }
    }
  }
  EXPECT_GT(seen, 1000U);
}

}  // namespace playbook_check_test
}  // namespace proofline
