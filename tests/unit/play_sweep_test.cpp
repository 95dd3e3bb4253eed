// SPDX-License-Identifier: Apache-2.0
//
// The command of a play with what the workload, its cases and a sweep say.
#include "workflow/run/play_sweep.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "playbook/lint.h"
#include "workflow/run/play_command.h"

namespace proofline {
namespace play_sweep_test {

using Words = std::vector<std::string>;

Playbook playbook_with(const std::string& more, const std::string& sweep = "tile = [64, 128]") {
  const std::string text =
      "[playbook]\nid = \"p\"\ntitle = \"P\"\n"
      "[workload]\nm = 64\ntile = 128\nargs = [\"--m={m}\", \"--tile={tile}\"]\n"
      "[[task]]\nid = \"t\"\nchange = [\"launch\"]\naccept = ['change.gain > 0%']\nsweep = {" +
      sweep + "}\n" + more;
  LintedPlaybook linted = lint_playbook(text, "p.toml");
  EXPECT_TRUE(linted.ok()) << linted.problems.front().message;
  return linted.playbook;
}

constexpr const char* kCases =
    "[[case]]\nid = \"small\"\nset = { m = 16 }\nargs = [\"--tiles={tile}\"]\n"
    "[[phase]]\nid = \"a\"\ndoes = \"bench\"\ncases = [\"small\"]\n"
    "[[phase]]\nid = \"b\"\ndoes = \"bench\"\nargs = [\"--last\"]\n";

TEST(PlaySweep, HasEveryCombinationInTheOrderOfTheFile) {
  const Playbook playbook = playbook_with("", "m = [1, 2], tile = [\"3 KiB\", 4]");
  const auto settings = sweep_settings(*playbook.find_task("t"));
  ASSERT_TRUE(settings);
  std::vector<std::string> texts;
  for (const SweepSetting& one : *settings) texts.push_back(one.text());
  EXPECT_EQ(texts, Words({"m=1 tile=3072 byte", "m=1 tile=4", "m=2 tile=3072 byte", "m=2 tile=4"}));
  Workload workload = playbook.workload;
  EXPECT_FALSE(settings->back().is_in(workload));
  settings->back().apply(workload);
  EXPECT_TRUE(settings->back().is_in(workload));
}

TEST(PlaySweep, WordsAreReadAsTheValuesThatTheyWere) {
  for (const char* text :
       {"7", "0.1", "25%", "3 KiB", "5 us", "2 GB/s", "1.5 GHz", "bf16", "true"}) {
    const ToldValue value = told_value(text);
    const std::string word = SweepSetting{{{"k", value}}}.words().front();
    const ToldValue again = told_value(word.substr(word.find('=') + 1));
    EXPECT_EQ(again.value, value.value) << text << ", " << word;
    EXPECT_EQ(again.unit, value.unit) << text << ", " << word;
  }
}

TEST(PlaySweep, IsBounded) {
  std::string values;
  for (int i = 0; i < 17; ++i) values += std::to_string(i) + ",";
  const Playbook playbook = playbook_with("", "m = [" + values + "], tile = [" + values + "]");
  const auto settings = sweep_settings(*playbook.find_task("t"));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().kind, ErrorKind::kUsage);
}

TEST(PlaySweep, NeedsSomewhereToPutEachValue) {
  const Playbook plain = playbook_with("");
  EXPECT_TRUE(is_swept_by_arguments(plain, *plain.find_task("t"), {"./program"}));
  Playbook silent = plain;
  silent.args.clear();
  EXPECT_FALSE(is_swept_by_arguments(silent, *silent.find_task("t"), {"./program"}));
  EXPECT_TRUE(is_swept_by_arguments(silent, *silent.find_task("t"), {"./program", "-t{tile}"}));
  const Playbook cases = playbook_with(kCases, "m = [1, 2]");
  EXPECT_FALSE(is_swept_by_arguments(cases, *cases.find_task("t"), {"./program"}));
}

TEST(PlayCommand, FillsInWhatTheWorkloadSays) {
  const Playbook playbook = playbook_with(kCases);
  EXPECT_EQ(command_in_workload(playbook, {"./p", "{m}", "{}", "{x}", "a{tile}b{"}, "").value(),
            Words({"./p", "64", "{}", "{x}", "a128b{"}));
  EXPECT_EQ(phase_arguments(playbook, playbook.phases[0], "small").value(),
            Words({"--m=16", "--tile=128", "--tiles=128"}));
  Playbook wrong = playbook;
  wrong.args = {"{x}"};
  EXPECT_FALSE(phase_arguments(wrong, playbook.phases[0], ""));
}

TEST(PlayCommand, LeavesToCasesWhatTheyChange) {
  const Playbook playbook = playbook_with(kCases);
  EXPECT_EQ(timed_command(playbook, {"./p", "{tile}"}).value(),
            Words({"./p", "128", "--m={m}", "--tile=128"}));
  const auto timed = timed_change(playbook);
  ASSERT_TRUE(timed);
  ASSERT_EQ(timed->cases.size(), 2U);
  EXPECT_EQ(command_in_case({"./p", "--m={m}"}, timed->cases[0]),
            Words({"./p", "--m=16", "--tiles=128"}));
  EXPECT_EQ(command_in_case({"./p", "--m={m}"}, timed->cases[1]),
            Words({"./p", "--m=64", "--last"}));
  EXPECT_TRUE(timed_change(playbook_with(""))->cases.empty());
}

}  // namespace play_sweep_test
}  // namespace proofline
