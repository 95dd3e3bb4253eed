// SPDX-License-Identifier: Apache-2.0
//
// That a run's folder is complete or absent, says how to repeat the run, and keeps secrets out.
#include "tools/process/run_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace proofline::run_folder_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Step shell(std::string script) {
  Step step;
  step.label = "step";
  step.argv = {"/bin/sh", "-c", std::move(script)};
  step.time_limit = std::chrono::minutes(1);
  return step;
}

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command({}, {"/bin/ncu", "-o", "a b", "it's", "$(id)", "", "x;y"}),
            R"(/bin/ncu -o 'a b' 'it'\''s' '$(id)' '' 'x;y')");
  EXPECT_EQ(shell_command({{"A", "1 2"}}, {"p"}), "A='1 2' p");
}

TEST(RunFolder, HoldsTheRunWhenItIsFinished) {
  const TempDir dir;
  auto run = RunFolder::create(dir.path("runs"), "profile a/b");
  ASSERT_TRUE(run) << run.error().message;
  Step step = shell("echo out; echo err >&2; exit 3");
  step.variables = {{"PROOFLINE_TEST", "1"}};
  step.tool_version = "2025.3.1";
  const auto end = run->run(step);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->end.exit_code, 3);
  EXPECT_EQ(end->output_tail, "out\n");
  EXPECT_EQ(end->errors_tail, "err\n");
  const auto folder = run->finish("failed");
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(names_in(dir.path("runs")), std::vector{fs::path(*folder).filename().string()});
  EXPECT_TRUE(folder->ends_with("Z-profile_a_b")) << *folder;
  EXPECT_EQ(content(*folder + "/step.stdout"), "out\n");
  EXPECT_EQ(content(*folder + "/step.stderr"), "err\n");
  const std::string record = content(*folder + "/run.json");
  for (const char* part :
       {R"("outcome":"failed")", R"("label":"step")", R"("exit_code":3)", R"("version":"2025.3.1")",
        R"(PROOFLINE_TEST=1 /bin/sh -c 'echo out;)"}) {
    EXPECT_NE(record.find(part), std::string::npos) << part << " in " << record;
  }
}

TEST(RunFolder, RecordsCommandsAsTheyCanBeRepeated) {
  const TempDir dir;
  auto run = RunFolder::create(dir.path("runs"), "x");
  ASSERT_TRUE(run);
  Step step = shell("echo \"$1\" > \"$1\"");
  step.argv.insert(step.argv.end(), {"sh", run->path("written")});
  ASSERT_TRUE(run->run(step));
  const auto folder = run->finish("done");
  ASSERT_TRUE(folder);
  const std::string record = content(*folder + "/run.json");
  EXPECT_NE(record.find(*folder + "/written"), std::string::npos) << record;
  EXPECT_EQ(record.find(".unfinished"), std::string::npos) << record;
}

TEST(RunFolder, IsAbsentUntilItIsFinished) {
  const TempDir dir;
  {
    auto run = RunFolder::create(dir.path("runs"), "x");
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->run(shell("echo x")));
    ASSERT_EQ(names_in(dir.path("runs")).size(), 1U);
    EXPECT_TRUE(names_in(dir.path("runs"))[0].starts_with("."));
  }
  EXPECT_TRUE(names_in(dir.path("runs")).empty());
}

TEST(RunFolder, RunsOfOneSecondGetDifferentNames) {
  const TempDir dir;
  for (int i = 0; i < 3; ++i) {
    auto run = RunFolder::create(dir.path("runs"), "x");
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->finish("done"));
  }
  EXPECT_EQ(names_in(dir.path("runs")).size(), 3U);
}

TEST(RunFolder, RemovesWhatAKilledRunLeftAndSaysSo) {
  const TempDir dir;
  const std::string left = dir.path("runs/.unfinished-abcdef");
  fs::create_directories(left);
  std::ofstream(left + "/report") << "half";
  const auto alive = RunFolder::create(dir.path("runs"), "x");
  ASSERT_TRUE(alive);
  ASSERT_EQ(alive->notes().size(), 1U);
  EXPECT_EQ(alive->notes().front().place, left);
  EXPECT_FALSE(fs::exists(left));
  const auto second = RunFolder::create(dir.path("runs"), "y");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->notes().empty()) << "a run that goes on is not abandoned";
}

TEST(RunFolder, KeepsSecretsOutOfTheRecord) {
  const TempDir dir;
  ::setenv("AWS_SECRET_ACCESS_KEY", "hidden-one", 1);
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  auto run = RunFolder::create(dir.path("runs"), "x");
  ASSERT_TRUE(run);
  Step step = shell("test \"$AWS_SECRET_ACCESS_KEY\" = hidden-one");
  step.argv.insert(step.argv.end(), {"sh", "--token=hidden-two"});
  const auto end = run->run(step);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->end.exit_code, 0) << "the program itself has the user's environment";
  const std::string record = content(*run->finish("done") + "/run.json");
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::unsetenv("CUDA_LAUNCH_BLOCKING");
  EXPECT_EQ(record.find("hidden-two"), std::string::npos) << record;
  EXPECT_NE(record.find(R"("CUDA_LAUNCH_BLOCKING":"1")"), std::string::npos) << record;
  EXPECT_EQ(record.find("\"AWS_SECRET_ACCESS_KEY\":"), std::string::npos) << record;
}

TEST(RunFolder, SaysWhereItCannotBe) {
  const TempDir dir;
  const auto run = RunFolder::create(dir.write("file", "") + "/runs", "x");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kStorage);
  EXPECT_NE(run.error().message.find("runs chooses another folder"), std::string::npos)
      << run.error().message;
}

}  // namespace
}  // namespace proofline::run_folder_test
