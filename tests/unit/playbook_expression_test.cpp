// SPDX-License-Identifier: Apache-2.0
//
// Expressions of playbooks: the grammar, types and dimensions before any evidence, and the three
// answers over evidence.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "playbook/evaluate.h"
#include "playbook/expression.h"
#include "playbook/expression_types.h"
#include "playbook/fact_catalogue.h"
#include "playbook/functions.h"
#include "support/made_evidence.h"

namespace proofline {
namespace playbook_expression_test {

Expression parsed(std::string_view text) {
  ParsedExpression result = parse_expression(text);
  EXPECT_TRUE(result.ok()) << text << ": " << (result.ok() ? "" : result.problems.front().message);
  return std::move(result.expression);
}

// "12: message" of the first problem; "" none.
std::string syntax_problem(std::string_view text) {
  const ParsedExpression result = parse_expression(text);
  if (result.ok()) return "";
  return std::to_string(result.problems.front().at) + ": " + result.problems.front().message;
}

ExpressionScope scope() {
  ExpressionScope scope;
  scope.lets["tile"] = ValueKind::number(scale_of_unit("byte"));
  scope.workload["m"] = ValueKind::number({});
  scope.workload["debug"] = ValueKind::logic();
  scope.checks = {"conflicts", "mem-1"};
  scope.cases = {"small", "large"};
  scope.tasks = {"pad"};
  return scope;
}

std::vector<std::string> problems(std::string_view text) {
  std::vector<std::string> all;
  for (const ExpressionProblem& one : type_expression(parsed(text), scope()).problems) {
    all.push_back(std::to_string(one.at) + ": " + one.message);
  }
  return all;
}

MadeEvidence evidence() {
  MadeEvidence made;
  made.facts["memory.shared.excess.share"] = {0.939, "share"};
  made.facts["throughput.dram.share"] = {0.296, "share"};
  made.facts["duration"] = {80256.0, "ns"};
  made.facts["before.duration"] = {160512.0, "ns"};
  made.facts["memory.dram.bytes"] = {1e6, "byte"};
  made.facts["throughput.dram.bytes_per_second"] = {1.4e12, "byte/s"};
  made.facts["stall.top"] = {std::string("barrier"), ""};
  made.facts["sm__throughput.avg.pct_of_peak_sustained_elapsed"] = {30.3, "%"};
  made.facts["launch.sm_count"] = {132.0, "SM"};
  made.facts["workload.m"] = {64.0, ""};
  made.facts["workload.debug"] = {true, ""};
  made.facts["case[small].launch.waves"] = {0.25, "wave"};
  made.patterns["expect LDG"] = Answer::kTrue;
  made.patterns["forbid spill"] = Answer::kFalse;
  made.rules["poor-locality"] = Answer::kUnknown;
  made.rules["low-occupancy"] = Answer::kFalse;
  made.checks["conflicts"] = Answer::kTrue;
  made.attempts["tried pad"] = true;
  made.attempts["kept pad"] = true;
  made.attempts["reverted pad"] = false;
  made.attempts["gain pad"] = 0.4;
  made.terms["count(LDG) in loop"] = 4;
  return made;
}

Answer answer(std::string_view text, const Lets& lets = {}) {
  return evaluate_logic(parsed(text), lets, evidence()).answer;
}

TEST(PlaybookExpression, TakesTheWholeGrammar) {
  for (const std::string_view text : {
           "a",
           "not check[mem-1] and (a.b <= 10% or c in 60%..100%)",
           "x in 1..2",
           "x in 0.5..1.5",
           "stall.top in {\"barrier\", \"wait\"}",
           "kernel.name ~ \"^void (foo|bar)\"",
           "after.x <= before.x * 0.1",
           "case[small].launch.waves < 0.5",
           "let.a / l1tex__x.sum >= 0.9",
           "-1 - -2 < 3e-4 us",
           "sanitizer[racecheck].outcome == \"clean\"",
           "any(a, b, fit.stages(48 KiB, 1 KiB) >= 2)",
           "instructions.special-function.share > 0",
       }) {
    EXPECT_EQ(syntax_problem(text), "") << text;
  }
}

TEST(PlaybookExpression, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(syntax_problem(""), "0: the expression is empty");
  EXPECT_EQ(syntax_problem("a = 1"), "2: two values are compared with ==");
  EXPECT_EQ(syntax_problem("a <"),
            "3: expected a fact, a number, a text in double quotes or (, found the end");
  EXPECT_EQ(syntax_problem("a < 1 b"), "6: expected an operator or the end, found \"b\"");
  EXPECT_EQ(syntax_problem("a < 1 && b"),
            "6: expected an operator or the end, found \"&& b\"; did you mean and?");
  EXPECT_EQ(syntax_problem("!a").substr(54), "or (, found \"!a\"; did you mean not?");
  EXPECT_EQ(syntax_problem("(a"), "2: expected ), found the end");
  EXPECT_EQ(syntax_problem("a in 1"), "6: expected .., found the end");
  EXPECT_EQ(syntax_problem("a ~ b"),
            "4: expected a regular expression in double quotes, found \"b\"");
  EXPECT_EQ(syntax_problem("a == \"b"), "5: this text has no closing double quote");
  EXPECT_EQ(syntax_problem("sanitizer[x"), "9: this [ is not closed");
  EXPECT_EQ(syntax_problem("a < 1e999"), "4: this number is too large");
  EXPECT_EQ(syntax_problem("a < 10parsec").substr(0, 20), "6: this is no unit; ");
  EXPECT_EQ(syntax_problem("a and"),
            "5: expected a fact, a number, a text in double quotes or (, found the end");
  EXPECT_EQ(syntax_problem("and"), "0: and stands where a value is expected");
}

TEST(PlaybookExpression, IsBounded) {
  const std::size_t most = Expression::kMostDepth;
  EXPECT_EQ(syntax_problem(std::string(most - 1, '(') + "a" + std::string(most - 1, ')')), "");
  EXPECT_NE(syntax_problem(std::string(most, '(') + "a" + std::string(most, ')')), "");
  EXPECT_NE(syntax_problem(std::string(4000, '(')), "");
  EXPECT_NE(syntax_problem(std::string(Expression::kMostBytes + 1, 'a')), "");
  std::string many = "a";
  while (many.size() < 3000) many += " + a";
  EXPECT_NE(syntax_problem(many), "");
}

TEST(PlaybookExpression, LetsThatDoubleEndInUnknown) {
  Lets lets;
  lets["l0"] = parsed("duration");
  for (int i = 1; i < 40; ++i) {
    const std::string before = "let.l" + std::to_string(i - 1);
    lets["l" + std::to_string(i)] = parsed(before + " + " + before);
  }
  EXPECT_EQ(answer("let.l3 > 0 s", lets), Answer::kTrue);
  const Evaluation endless = evaluate_logic(parsed("let.l39 > 0 s"), lets, evidence());
  EXPECT_EQ(endless.answer, Answer::kUnknown);
  ASSERT_FALSE(endless.missing.empty());
}

TEST(PlaybookExpression, FindsUnknownNames) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems("memory.shared.exces.share <= 10"),
            (Problems{"0: unknown fact memory.shared.exces.share; did you mean "
                      "memory.shared.excess.share?",
                      "29: a share is 0 to 1; did you mean 10%?"}));
  EXPECT_EQ(problems("stall.barier.share > 2%"),
            (Problems{"0: unknown fact stall.barier.share; did you mean stall.barrier.share?"}));
  EXPECT_EQ(problems("check[conflict]"),
            (Problems{"0: there is no check \"conflict\"; did you mean conflicts?"}));
  EXPECT_EQ(problems("case[smal].launch.waves < 1"),
            (Problems{"0: there is no case \"smal\"; did you mean small?"}));
  EXPECT_EQ(problems("let.tiles > 1 KiB"),
            (Problems{"0: there is no let \"tiles\"; did you mean tile?"}));
  EXPECT_EQ(problems("workload.n > 1").size(), 1U);
  EXPECT_EQ(problems("found(\"low-ocupancy\")"),
            (Problems{"6: there is no rule low-ocupancy; did you mean low-occupancy?"}));
  EXPECT_EQ(problems("journal.tried(\"pod\")").size(), 1U);
  EXPECT_EQ(problems("flor(1) > 0"),
            (Problems{"0: there is no function flor; did you mean floor?"}));
}

TEST(PlaybookExpression, KnowsOutdatedMetrics) {
  const auto found =
      problems("smsp__thread_inst_executed_not_predicated_off.sum > 0 and duration > 0 s");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("smsp__thread_inst_executed_pred_on"), std::string::npos) << found[0];
  EXPECT_TRUE(problems("smsp__inst_executed.sum > 0").empty());
  EXPECT_EQ(problems("smsp__inst_executd.sum > 0"),
            (std::vector<std::string>{
                "0: unknown fact smsp__inst_executd.sum; did you mean smsp__inst_executed.sum?"}));
}

TEST(PlaybookExpression, ComparesLikeWithLike) {
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problems("duration < 5"), (Problems{"11: a time is compared with a plain number"}));
  EXPECT_EQ(problems("duration < 5 us"), Problems{});
  EXPECT_EQ(problems("memory.dram.bytes / duration > 1 TB/s"), Problems{});
  EXPECT_EQ(problems("memory.dram.bytes + duration > 1 TB"),
            (Problems{"20: this is a time, what it is added to is bytes"}));
  EXPECT_EQ(problems("stall.top > 5"), (Problems{"0: this is a text, but a number is needed"}));
  EXPECT_EQ(problems("stall.top == 5"), (Problems{"13: a text is compared with a number"}));
  EXPECT_EQ(problems("duration and check[conflicts]"),
            (Problems{"0: this is a number, but true or false is needed"}));
  EXPECT_EQ(problems("max(duration, 3 KiB) > 1 s"),
            (Problems{"14: this is bytes, the first argument is a time"}));
  EXPECT_EQ(problems("kernel.name ~ \"(\"").size(), 1U);
  EXPECT_EQ(problems("expect(\"LDG >\")").size(), 1U);
  EXPECT_EQ(problems("occupancy.achieved >= 1"), Problems{});
  EXPECT_EQ(problems("2 >= occupancy.achieved"),
            (Problems{"0: a share is 0 to 1; did you mean 2%?"}));
  EXPECT_EQ(problems("let.tile <= 48 KiB and workload.debug and workload.m in {32, 64}"),
            Problems{});
}

TEST(PlaybookExpression, KleenesTables) {
  const std::pair<std::string_view, Answer> values[] = {{"duration > 0 s", Answer::kTrue},
                                                        {"duration < 0 s", Answer::kFalse},
                                                        {"launch.waves > 0", Answer::kUnknown}};
  for (const auto& [a, of_a] : values) {
    const std::string negated = "not " + std::string(a);
    EXPECT_EQ(answer(negated), of_a == Answer::kTrue    ? Answer::kFalse
                               : of_a == Answer::kFalse ? Answer::kTrue
                                                        : Answer::kUnknown);
    for (const auto& [b, of_b] : values) {
      const std::string both = std::string(a) + " and " + std::string(b);
      const std::string either = std::string(a) + " or " + std::string(b);
      const std::string list = std::string(a) + ", " + std::string(b);
      EXPECT_EQ(answer(both), std::min(of_a, of_b)) << both;
      EXPECT_EQ(answer(either), std::max(of_a, of_b)) << either;
      EXPECT_EQ(answer("all(" + list + ")"), std::min(of_a, of_b));
      EXPECT_EQ(answer("any(" + list + ")"), std::max(of_a, of_b));
      EXPECT_EQ(answer("none(" + list + ")"), answer("not any(" + list + ")"));
    }
  }
}

TEST(PlaybookExpression, Units) {
  EXPECT_EQ(answer("duration == 80256 ns"), Answer::kTrue);
  EXPECT_EQ(answer("duration in 80 us..0.081 ms"), Answer::kTrue);
  EXPECT_EQ(answer("memory.dram.bytes == 1 MB"), Answer::kTrue);
  EXPECT_EQ(answer("memory.dram.bytes < 1 MiB"), Answer::kTrue);
  EXPECT_EQ(answer("memory.dram.bytes / duration in 12 GB/s..13 GB/s"), Answer::kTrue);
  EXPECT_EQ(answer("throughput.dram.bytes_per_second >= 1.4 TB/s"), Answer::kTrue);
  EXPECT_EQ(answer("sm__throughput.avg.pct_of_peak_sustained_elapsed in 30%..31%"), Answer::kTrue);
  EXPECT_EQ(answer("sm__throughput.avg.pct_of_peak_sustained_elapsed > 1"), Answer::kFalse);
  EXPECT_EQ(answer("after.duration <= before.duration * 0.5"), Answer::kTrue);
}

TEST(PlaybookExpression, WhatIsNotThereIsUnknown) {
  EXPECT_EQ(answer("launch.waves / 2 < 1"), Answer::kUnknown);
  EXPECT_EQ(answer("duration / (workload.m - 64) > 1 s"), Answer::kUnknown);
  EXPECT_EQ(answer("case[large].launch.waves > 1"), Answer::kUnknown);
  EXPECT_EQ(answer("found(\"poor-locality\")"), Answer::kUnknown);
  EXPECT_EQ(answer("expect(\"STG\")"), Answer::kUnknown);
  EXPECT_EQ(answer("known(launch.waves)"), Answer::kFalse);
  EXPECT_EQ(answer("known(duration) and not known(launch.waves)"), Answer::kTrue);
  EXPECT_EQ(answer("known(launch.waves > 1)"), Answer::kFalse);
  const Evaluation open = evaluate_logic(
      parsed("launch.waves > 1 and duration > 0 s or launch.waves < 0"), {}, evidence());
  ASSERT_EQ(open.missing.size(), 1U);
  EXPECT_EQ(open.missing[0], (MissingFact{"launch.waves", "the capture lacks it", "ncu"}));
}

// Each holds over evidence(). An H200 has 227 KiB for a block, 65,536 registers, 64 warps and
// clusters of 16.
constexpr std::string_view kFunctionCases[] = {
    "any(duration > 0 s, launch.waves > 0) and not all(duration > 0 s, duration < 0 s)",
    "none(duration < 0 s)",
    "known(duration) and not known(launch.waves)",
    "min(3, 2, 4) == 2 and min(2 us, duration) == 2 us",
    "max(3, 2) == 3",
    "floor(2.5) == 2",
    "ceil(2.5) == 3",
    "clamp(7, 3, 5) == 5 and clamp(1, 3, 5) == 3",
    "pow2(5) == 8 and pow2(8) == 8 and pow2(0) == 1",
    "divides(4, 12) and not divides(5, 12) and not divides(0, 1)",
    "fit.blocks(256, 64, 0) == 4",
    "fit.occupancy(256, 64, 0) == 50%",
    "fit.waves(264, 256, 64, 0) == 0.5",
    "fit.stages(48 KiB, 16 KiB) == 4 and fit.stages(48 KiB, 1 MiB) == 0",
    "fit.cluster(4, 4) and not fit.cluster(8, 4)",
    "expect(\"LDG\")",
    "not forbid(\"spill\")",
    "code(\"count(LDG) in loop\") == 4",
    "not found(\"low-occupancy\")",
    "journal.tried(\"pad\")",
    "journal.kept(\"pad\")",
    "not journal.reverted(\"pad\")",
    "journal.gain(\"pad\") >= 40%",
};

TEST(PlaybookFunctions, EachHasACaseThatHolds) {
  std::string all;
  for (const std::string_view text : kFunctionCases) {
    EXPECT_EQ(problems(text), std::vector<std::string>{}) << text;
    EXPECT_EQ(answer(text), Answer::kTrue) << text;
    all += " ";
    all += text;
  }
  for (const ExpressionFunction& function : expression_functions()) {
    EXPECT_NE(all.find(" " + std::string(function.name()) + "("), std::string::npos)
        << function.name() << " has no case";
  }
}

TEST(PlaybookFunctions, AreUnknownWithoutTheirArguments) {
  for (const std::string_view text :
       {"min(3, launch.waves) == 3", "divides(2, launch.waves)", "fit.stages(0, 1 KiB) == 4",
        "fit.blocks(0, 64, 0) > 0", "fit.blocks(1e12, 64, 0) > 0", "any(launch.waves > 0)",
        "journal.tried(\"other\")"}) {
    EXPECT_EQ(answer(text), Answer::kUnknown) << text;
  }
  MadeEvidence made = evidence();
  made.capability = "";
  EXPECT_EQ(evaluate_logic(parsed("fit.cluster(1, 1)"), {}, made).answer, Answer::kUnknown);
}

// The type check refuses these; evaluation must not rely on it.
TEST(PlaybookFunctions, CallsThatNobodyCheckedAreUnknown) {
  for (const std::string_view text :
       {"nosuch(1, 2)", "nosuch()", "divides()", "divides(1)", "clamp(1) > 0", "known()", "any()",
        "min() > 0", "expect()", "journal.gain() > 0", "fit.waves(1, 2) > 0"}) {
    EXPECT_FALSE(problems(text).empty()) << text;
    const Evaluation judged = evaluate_logic(parsed(text), {}, evidence());
    EXPECT_EQ(judged.answer, Answer::kUnknown) << text;
    EXPECT_FALSE(judged.missing.empty()) << text;
  }
}

TEST(PlaybookFunctions, TakeTheArgumentsOfTheirSignature) {
  EXPECT_EQ(problems("clamp(1, 2) > 0"),
            (std::vector<std::string>{"0: clamp takes 3 arguments, not 2"}));
  EXPECT_EQ(problems("min() > 0"),
            (std::vector<std::string>{"0: min takes at least 1 argument, not 0"}));
  EXPECT_EQ(problems("floor > 0"),
            (std::vector<std::string>{"0: floor is a function: floor(...)"}));
  EXPECT_EQ(problems("found(duration)"),
            (std::vector<std::string>{"6: found takes a text in double quotes"}));
}

TEST(PlaybookExpression, ChecksTextsAndSets) {
  EXPECT_EQ(answer("check[conflicts]"), Answer::kTrue);
  EXPECT_EQ(answer("stall.top ~ \"^bar\" and stall.top in {\"wait\", \"barrier\"}"), Answer::kTrue);
  EXPECT_EQ(answer("stall.top in {\"wait\"} or workload.m in {1, 2}"), Answer::kFalse);
  EXPECT_EQ(answer("workload.debug"), Answer::kTrue);
}

TEST(PlaybookExpression, SaysWhatDecided) {
  const Evaluation one =
      evaluate_logic(parsed("memory.shared.excess.share <= 10%"), {}, evidence());
  ASSERT_EQ(one.readings.size(), 1U);
  EXPECT_EQ(one.readings[0].what, "memory.shared.excess.share");
  EXPECT_EQ(std::get<double>(*one.readings[0].value), 0.939);
  EXPECT_EQ(one.readings[0].op, "<=");
  EXPECT_EQ(std::get<double>(one.readings[0].wanted.at(0)), 0.1);
  EXPECT_EQ(one.readings[0].answer, Answer::kFalse);

  // Of a false `and`, the false part; of a true one, all.
  const std::string both = "duration > 1 us and throughput.dram.share > 60%";
  EXPECT_EQ(evaluate_logic(parsed(both), {}, evidence()).readings.size(), 1U);
  EXPECT_EQ(evaluate_logic(parsed("duration > 1 us and stall.top == \"barrier\""), {}, evidence())
                .readings.size(),
            2U);

  const Evaluation negated = evaluate_logic(parsed("not duration > 1 us"), {}, evidence());
  ASSERT_EQ(negated.readings.size(), 1U);
  EXPECT_EQ(negated.readings[0].op, "<=");
  EXPECT_EQ(negated.readings[0].answer, Answer::kFalse);
  EXPECT_EQ(negated.readings[0].unit, "ns");
  EXPECT_NEAR(std::get<double>(negated.readings[0].wanted.at(0)), 1000, 1e-6);

  const Evaluation pair =
      evaluate_logic(parsed("after.duration <= before.duration * 0.1"), {}, evidence());
  ASSERT_TRUE(pair.readings.at(0).before);
  EXPECT_NEAR(*pair.readings[0].before, 160512, 1e-6);
}

TEST(PlaybookExpression, ValuesOfReportFields) {
  const EvaluatedValue rate =
      evaluate_value(parsed("memory.dram.bytes / duration"), {}, evidence());
  EXPECT_EQ(rate.unit, "byte/s");
  EXPECT_NEAR(std::get<double>(*rate.value), 1e6 / 80256e-9, 1);
  EXPECT_EQ(evaluate_value(parsed("duration"), {}, evidence()).unit, "ns");
  EXPECT_FALSE(evaluate_value(parsed("launch.waves"), {}, evidence()).value);
}

}  // namespace playbook_expression_test
}  // namespace proofline
