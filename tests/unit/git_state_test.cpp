// SPDX-License-Identifier: Apache-2.0
//
// What git_state() says of real repositories, and that a hostile one cannot make git run anything.
#include "tools/machine/git_state.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"
#include "tools/process/find_tool.h"
#include "tools/process/process.h"

namespace proofline::git_state_test {
namespace {

namespace fs = std::filesystem;

class GitStateTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto git = find_tool("git");
    if (!git) GTEST_SKIP() << "no git on this machine";
    git_ = *git;
    fs::create_directory(tree());
  }

  std::string tree() const { return dir_.path("tree"); }

  void write(const std::string& name, const std::string& text) const {
    dir_.write("tree/" + name, text);
  }

  // As its owner.
  void git(std::vector<std::string> words) const {
    std::vector<std::string> argv = {git_, "-C", tree(), "-c", "user.name=a", "-c", "user.email=b"};
    argv.insert(argv.end(), words.begin(), words.end());
    const auto end =
        capture_program({argv, {"HOME=" + dir_.path("")}, std::chrono::seconds(60), {}}, 1 << 20);
    ASSERT_TRUE(end) << end.error().message;
    ASSERT_EQ(end->exit_code, 0) << end->errors;
  }

  void commit_a_file() const {
    git({"init", "--quiet"});
    write("a.cu", "one\ntwo\n");
    git({"add", "."});
    git({"commit", "--quiet", "-m", "first"});
  }

  // A program that leaves a trace, then passes its input on.
  std::string trap() const {
    std::string path =
        dir_.write("trap", "#!/bin/sh\n: > '" + trace() + "'\nexec cat 2>/dev/null\n");
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string trace() const { return dir_.path("trace"); }

  TempDir dir_;
  std::string git_;
};

TEST_F(GitStateTest, SaysCommitAndWhatWasChangedSince) {
  commit_a_file();
  const GitState clean = git_state(tree());
  EXPECT_EQ(clean.commit.size(), 40U) << clean.commit;
  EXPECT_EQ(clean.diff_stat, "");

  write("a.cu", "one\nthree\nfour\n");
  fs::create_directory(tree() + "/deep");
  const GitState changed = git_state(tree() + "/deep");
  EXPECT_EQ(changed.commit, clean.commit);
  EXPECT_EQ(changed.diff_stat, "1 file changed, 2 insertions(+), 1 deletion(-)");
}

TEST_F(GitStateTest, WithoutARepositoryThereIsNothingToSay) {
  // Even where the machine's folder for temporary files is inside one, a gitfile ends the search.
  write(".git", "gitdir: /nowhere\n");
  for (const std::string& folder : {tree(), dir_.path("missing")}) {
    const GitState none = git_state(folder);
    EXPECT_EQ(none.commit, "");
    EXPECT_EQ(none.diff_stat, "");
  }
}

TEST_F(GitStateTest, BeforeTheFirstCommitThereIsNothingToSay) {
  git({"init", "--quiet"});
  EXPECT_EQ(git_state(tree()).commit, "");
}

TEST_F(GitStateTest, ProgramsThatTheRepositoryNamesAreNotRun) {
  commit_a_file();
  write(".gitattributes", "*.cu filter=evil diff=evil\n");
  for (const char* name : {"core.fsmonitor", "core.pager", "diff.external", "diff.evil.command",
                           "diff.evil.textconv", "filter.evil.clean"}) {
    git({"config", name, trap()});
  }
  git({"config", "core.hooksPath", dir_.path("")});
  write("a.cu", "one\nthree\n");

  // The trap works: git itself falls into it.
  git({"diff", "--stat"});
  ASSERT_TRUE(fs::exists(trace()));
  git({"config", "filter.evil.process", trap()});
  git({"config", "filter.evil.required", "true"});
  fs::remove(trace());
  EXPECT_EQ(git_state(tree()).diff_stat, "1 file changed, 1 insertion(+), 1 deletion(-)");
  EXPECT_FALSE(fs::exists(trace()));

  // A name that cannot be overruled: no answer instead of a program.
  git({"config", "filter.a=b.clean", trap()});
  write(".gitattributes", "*.cu filter=a=b\n");
  write("a.cu", "one\nfour\n");
  EXPECT_EQ(git_state(tree()).diff_stat, "");
  EXPECT_FALSE(fs::exists(trace()));
}

}  // namespace
}  // namespace proofline::git_state_test
