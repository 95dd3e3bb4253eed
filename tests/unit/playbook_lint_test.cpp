// SPDX-License-Identifier: Apache-2.0
//
// Playbook files: what is read of them, every message of lint with its place, and hostile ones.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/file/toml_tree.h"
#include "playbook/lint.h"
#include "playbook/shipped.h"

namespace proofline {
namespace playbook_lint_test {

constexpr std::string_view kHead = "[playbook]\nid = \"p\"\ntitle = \"P\"\n";

// "4:9: message" of each problem.
std::vector<std::string> lint(std::string_view text) {
  std::vector<std::string> all;
  for (const PlaybookProblem& one : lint_playbook(text, "p.toml").problems) {
    all.push_back(std::to_string(one.place.line) + ":" + std::to_string(one.place.column) + ": " +
                  (one.warning ? "warning: " : "") + one.message);
  }
  return all;
}
std::vector<std::string> lint_body(std::string_view body) {
  return lint(std::string(kHead) + std::string(body));
}

using Problems = std::vector<std::string>;

TEST(PlaybookLint, ShippedOnesAreClean) {
  for (const ShippedPlaybook& shipped : shipped_playbooks()) {
    const LintedPlaybook linted = lint_playbook(shipped.text, std::string(shipped.id));
    for (const PlaybookProblem& one : linted.problems) {
      ADD_FAILURE() << shipped.id << ":" << one.place.line << ":" << one.place.column << ": "
                    << one.message;
    }
    EXPECT_EQ(linted.playbook.id, shipped.id);
  }
  EXPECT_EQ(lint(skeleton_playbook()), Problems{});
}

TEST(PlaybookLint, PhasesTakeTheKeysOfTheirKind) {
  const auto phase = [](std::string_view keys) {
    return lint_body("[[phase]]\nid = \"b\"\n" + std::string(keys));
  };
  EXPECT_EQ(phase("does = \"bench\"\nstarts = 5\ntime_by = \"wall\"\n"), Problems{});
  EXPECT_EQ(phase("does = \"sanitize\"\ntools = \"racecheck\"\n"), Problems{});
  EXPECT_EQ(phase("does = \"profile\"\nmetrics = [\"a\", \"b\"]\nskip = 2\n"), Problems{});
  EXPECT_EQ(phase("does = \"bench\"\nstarts = \"5\"\n"),
            (Problems{"7:10: starts must be a number, this is a text"}));
  EXPECT_EQ(phase("does = \"sass\"\ncfg = 1\n"),
            (Problems{"7:7: cfg must be true or false, this is a number"}));
  EXPECT_EQ(phase("does = \"plot\"\nstarts = 5\n").size(), 1U);
  EXPECT_EQ(phase("does = \"plott\"\n").front().substr(0, 42),
            "6:8: does must be one of preflight, build,");
}

TEST(PlaybookLint, PointsIntoExpressions) {
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'memory.shared.exces.share <= 10'\n"),
            (Problems{"6:9: unknown fact memory.shared.exces.share; did you mean "
                      "memory.shared.excess.share?",
                      "6:38: a share is 0 to 1; did you mean 10%?"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration <'\n"),
            (Problems{"6:19: expected a fact, a number, a text in double quotes or (, found the "
                      "end"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration'\n"),
            (Problems{"6:9: this is a number, but true or false is needed"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = '''\nduration > 1 s'''\n"),
            (Problems{"6:8: an expression stands in one line, between single quotes"}));
  EXPECT_EQ(lint_body("[[task]]\nid = \"t\"\nchange = [\"sync\"]\naccept = ['duration > 1 s', "
                      "'durations > 1 s']\n"),
            (Problems{"7:30: unknown fact durations; did you mean duration?"}));
}

TEST(PlaybookLint, KnowsItsKeys) {
  EXPECT_EQ(lint(""), (Problems{"1:1: [playbook] with id and title is missing"}));
  EXPECT_EQ(lint("[playbook]\nid = \"p\"\n"), (Problems{"1:1: title is missing"}));
  EXPECT_EQ(lint("[playbook]\nid = \"p p\"\ntitle = \"P\"\nformat = 2\n").size(), 2U);
  EXPECT_EQ(lint_body("[[chek]]\nid = \"c\"\n"),
            (Problems{"4:3: unknown key \"chek\"; did you mean check?"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration > 1 s'\nkid = \"must\"\n"),
            (Problems{"7:1: unknown key \"kid\"; did you mean id?"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\n"), (Problems{"4:1: expr is missing"}));
  EXPECT_EQ(lint_body("[[check]]\nid = 3\nexpr = 'duration > 1 s'\n"),
            (Problems{"5:6: id must be a text, this is a number"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration > 1 s'\nkind = \"maybe\"\n"),
            (Problems{"7:8: kind must be one of must, should, hypothesis, not \"maybe\""}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration > 1 s'\nrows = \"3-1\"\n"),
            (Problems{"7:8: rows are numbers and ranges: \"15, 28-31\""}));
  EXPECT_EQ(lint_body("check = 3\n").size(), 1U);
}

TEST(PlaybookLint, ChecksReferences) {
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'check[d]'\n[[check]]\nid = \"d\"\nexpr = "
                      "'check[c]'\n"),
            (Problems{"7:1: check \"d\" leads back to \"c\": a circle"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration > 1 s'\n[[check]]\nid = \"c\"\n"
                      "expr = 'duration > 1 s'\n"),
            (Problems{"7:1: the id \"c\" is taken by line 4"}));
  EXPECT_EQ(lint_body("[[check]]\nid = \"c\"\nexpr = 'duration > 1 s'\nkernel = \"k\"\n"),
            (Problems{"4:1: there is no kernel \"k\""}));
  EXPECT_EQ(lint_body("[[kernel]]\nid = \"k\"\nname = '('\nexpect = [\"LDG >\"]\n").size(), 2U);
  EXPECT_EQ(lint_body("[[kernel]]\nid = \"k\"\nname = 'a'\ncc = \"1.0\"\n").size(), 1U);
  EXPECT_EQ(lint_body("[[task]]\nid = \"t\"\nchange = [\"sync\"]\n"),
            (Problems{"4:1: task \"t\" has no accept: nobody could tell whether it worked"}));
  EXPECT_EQ(lint_body("[[option]]\nid = \"t\"\nchange = [\"sink\"]\n"),
            (Problems{"6:10: change must be one of sync, structure, memory, shared, numerics, "
                      "launch, host, not \"sink\""}));
  EXPECT_EQ(lint_body("[[option]]\nid = \"t\"\nchange = [\"sync\"]\nanswers = [\"spills\"]\n"),
            (Problems{"4:1: there is no rule \"spills\"; did you mean register-spills?"}));
  EXPECT_EQ(lint_body("[[option]]\nid = \"t\"\nchange = [\"sync\"]\nsweep = {n = [1]}\n"),
            (Problems{"4:1: there is no key of [workload] \"n\""}));
  EXPECT_EQ(lint_body("[[tree]]\nid = \"a\"\nwhen = 'otherwise'\nnext = [\"b\"]\n[[tree]]\nid = "
                      "\"b\"\nwhen = 'duration > 1 s'\nnext = [\"a\"]\n"),
            (Problems{"8:1: tree \"b\" leads back to \"a\": a circle"}));
  EXPECT_EQ(lint_body("[[tree]]\nid = \"a\"\nwhen = 'otherwise'\nnext = [\"z\"]\n"),
            (Problems{"4:1: there is no node, task, option or check \"z\"; did you mean a?"}));
  EXPECT_EQ(lint_body("[[tree]]\nid = \"a\"\nwhen = 'otherwise'\n"),
            (Problems{"4:1: node \"a\" says nothing and leads nowhere"}));
  EXPECT_EQ(lint_body("[[phase]]\nid = \"a\"\ndoes = \"profil\"\n").size(), 1U);
  EXPECT_EQ(lint_body("[[phase]]\nid = \"a\"\ndoes = \"bench\"\npreset = \"full\"\n").size(), 1U);
  EXPECT_EQ(lint("[playbook]\nid = \"p\"\ntitle = \"P\"\nuses = [\"nobody\"]\n").size(), 1U);
  EXPECT_EQ(lint_body("[let]\na = 'let.b + 1'\nb = '1'\n"),
            (Problems{"5:6: there is no let \"b\""}));
  EXPECT_EQ(lint_body("[workload]\nrows = 1\nargs = [\"--n={rwos}\", \"{rows}\"]\n"),
            (Problems{"6:10: there is no key of [workload] \"rwos\"; did you mean rows?"}));
  EXPECT_EQ(lint_body("[workload]\nm = 1\nn = 2\n[[case]]\nid = \"c\"\nset = {m = 2, n = 3}\n"),
            (Problems{"7:1: warning: case \"c\" changes 2 keys: which of them made the difference "
                      "will not be known"}));
}

TEST(PlaybookLint, NoFolderIsWrittenTo) {
  for (const std::string_view file : {"../x", "/etc/passwd", ".hidden", "a/b"}) {
    const std::string text = "[[deliverable]]\nid = \"d\"\nfile = \"" + std::string(file) +
                             "\"\nparts = [{text = \"x\"}]\n";
    EXPECT_EQ(lint_body(text), (Problems{"6:8: file is a plain name, without a folder"})) << file;
  }
}

TEST(PlaybookLint, HostileFilesEndInAnError) {
  const auto problem = [](const std::string& text) { return parse_toml(text).problem; };
  EXPECT_EQ(problem(std::string(ParsedToml::kMostBytes + 1, ' ')), "a playbook has at most 1 MiB");
  EXPECT_EQ(problem("a = " + std::string(1000000, '[')), "nested more than 16 deep");
  std::string tables = "a = ";
  while (tables.size() < 900000) tables += "{a=";
  EXPECT_EQ(problem(tables), "nested more than 16 deep");
  std::string key = "a";
  while (key.size() < 900000) key += ".a";
  EXPECT_EQ(problem(key + " = 1"), "a key of more than 8 parts");
  EXPECT_EQ(problem("[" + key + "]"), "a key of more than 8 parts");
  EXPECT_EQ(problem("[a.b.c.d.e.f.g.h]\nx = 1"), "");
  EXPECT_EQ(problem("x = \"\xff\""), "the text is not valid UTF-8");
  EXPECT_NE(problem("x = \"abc"), "");
  // What is in texts and comments is no nesting.
  EXPECT_EQ(problem("# " + std::string(100, '[') + "\nx = '" + std::string(100, '{') +
                    "'\ny = '''\n" + std::string(100, '[') + "'''\n"),
            "");
  std::string wrong(kHead);
  while (wrong.size() < 200000) wrong += "[[check]]\nid = \"c\"\n";
  EXPECT_LE(lint(wrong).size(), 100U);
}

TEST(PlaybookLint, WorkloadHasUnits) {
  const Playbook playbook =
      lint_playbook(std::string(kHead) +
                        "[workload]\nt = \"5 ms\"\nm = 64\nfast = true\nask = \"?\"\n"
                        "name = \"x\"\nargs = [\"--m\", \"{m}\"]\n",
                    "p")
          .playbook;
  EXPECT_EQ(playbook.workload.at("t").unit, "ns");
  EXPECT_DOUBLE_EQ(std::get<double>(playbook.workload.at("t").value), 5e6);
  EXPECT_TRUE(playbook.workload.at("ask").asked);
  EXPECT_EQ(playbook.workload.size(), 5U);
  EXPECT_EQ(playbook.args.size(), 2U);
}

}  // namespace playbook_lint_test
}  // namespace proofline
