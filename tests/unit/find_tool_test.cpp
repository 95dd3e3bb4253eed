// SPDX-License-Identifier: Apache-2.0
//
// That tools are found where people keep them, and that one which somebody else could have planted
// is refused with the reason.
#include "tools/process/find_tool.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace proofline::find_tool_test {
namespace {

namespace fs = std::filesystem;

class FindTool : public testing::Test {
 protected:
  // Makes a program in a folder of that name and returns the folder.
  std::string folder_with_tool(const std::string& name) const {
    fs::create_directory(dir_.path(name));
    ::chmod(dir_.path(name).c_str(), 0755);
    ::chmod(dir_.write(name + "/nvdisasm", "#!/bin/sh\n").c_str(), 0755);
    return dir_.path(name);
  }

  static std::string refusal(const std::vector<std::string>& folders) {
    const auto found = find_tool("nvdisasm", folders);
    EXPECT_FALSE(found) << *found;
    if (found) return {};
    EXPECT_EQ(found.error().kind, ErrorKind::kTool);
    return found.error().message;
  }
  static void expect_refused(const std::vector<std::string>& folders, const std::string& why) {
    const std::string message = refusal(folders);
    EXPECT_NE(message.find(why), std::string::npos) << message;
  }

  TempDir dir_;
};

TEST_F(FindTool, TakesTheFirstAndResolvesLinks) {
  const std::string one = folder_with_tool("one");
  const std::string two = folder_with_tool("two");
  EXPECT_EQ(find_tool("nvdisasm", {dir_.path("none"), one, two}).value(), one + "/nvdisasm");
  fs::create_symlink(two, dir_.path("link"));
  EXPECT_EQ(find_tool("nvdisasm", {dir_.path("link"), one}).value(), two + "/nvdisasm");
}

TEST_F(FindTool, TellsMissingFromUnsafe) {
  EXPECT_EQ(look_for_tool("nvdisasm", {dir_.path("none")}).state, ToolState::kMissing);
  const std::string folder = folder_with_tool("open");
  const MachineTool found = look_for_tool("nvdisasm", {folder});
  EXPECT_EQ(found.state, ToolState::kFound);
  EXPECT_EQ(found.path, folder + "/nvdisasm");
  ::chmod(folder.c_str(), 0777);
  const MachineTool unsafe = look_for_tool("nvdisasm", {folder});
  EXPECT_EQ(unsafe.state, ToolState::kUnsafe);
  EXPECT_EQ(unsafe.path, "");
  EXPECT_EQ(unsafe.trouble, refusal({folder}));
}

TEST_F(FindTool, RefusesWhatAForeignGroupMayWrite) {
  const std::string folder = folder_with_tool("shared");
  if (::chown(folder.c_str(), -1, 54321) != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_TRUE(find_tool("nvdisasm", {folder}));
  ::chmod(folder.c_str(), 0775);
  expect_refused({folder}, "can be written by group 54321");
  ASSERT_EQ(::chown(folder.c_str(), -1, ::getegid()), 0);
  EXPECT_TRUE(find_tool("nvdisasm", {folder}));
}

TEST_F(FindTool, PassesOverWhatIsNoProgram) {
  const std::string one = folder_with_tool("one");
  const std::string two = folder_with_tool("two");
  ::chmod((one + "/nvdisasm").c_str(), 0644);
  fs::create_directories(dir_.path("three/nvdisasm"));
  EXPECT_EQ(find_tool("nvdisasm", {one, dir_.path("three"), two}).value(), two + "/nvdisasm");
}

TEST_F(FindTool, SaysWhereItLooked) {
  const std::string message = refusal({"/nowhere/one", "/nowhere/two"});
  EXPECT_NE(message.find("nvdisasm was not found; searched: /nowhere/one, /nowhere/two"),
            std::string::npos)
      << message;
}

TEST_F(FindTool, RefusesWhatEverybodyCanWrite) {
  const std::string safe = folder_with_tool("safe");
  const std::string folder = folder_with_tool("folder");
  ::chmod(folder.c_str(), 0777);
  expect_refused({folder, safe}, "can be written by everybody");

  const std::string file = folder_with_tool("file");
  ::chmod((file + "/nvdisasm").c_str(), 0777);
  expect_refused({file}, "can be written by everybody");

  folder_with_tool("folder/below");
  expect_refused({folder + "/below"}, "can be written by everybody");

  const std::string links = dir_.path("links");
  fs::create_directory(links);
  fs::create_symlink(safe + "/nvdisasm", links + "/nvdisasm");
  ::chmod(links.c_str(), 0777);
  expect_refused({links}, "can be written by everybody");
  ::chmod(links.c_str(), 01777);  // as /tmp is
  EXPECT_TRUE(find_tool("nvdisasm", {links}));
}

TEST_F(FindTool, RefusesWhatBelongsToSomebodyElse) {
  const std::string folder = folder_with_tool("folder");
  if (::chown((folder + "/nvdisasm").c_str(), 12345, 12345) != 0) {
    GTEST_SKIP() << "only root can give files away";
  }
  expect_refused({folder}, "belongs to user 12345");
}

TEST_F(FindTool, RefusesRelativeEntries) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_with_tool("folder"));
  expect_refused({"."}, "relative");
  expect_refused({"../folder"}, "relative");
  fs::current_path(before);
}

TEST_F(FindTool, LooksInPathAndInTheToolkit) {
  const char* path = ::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  ::setenv("PATH", "/one::/two", 1);
  ::setenv("CUDA_HOME", "/home/cuda", 1);
  ::setenv("CUDA_PATH", "/path/cuda", 1);
  const std::vector<std::string> folders = tool_folders();
  ::setenv("PATH", before.c_str(), 1);
  ::unsetenv("CUDA_HOME");
  ::unsetenv("CUDA_PATH");
  EXPECT_EQ(folders,
            (std::vector<std::string>{"/one", ".", "/two", "/home/cuda/bin", "/path/cuda/bin",
                                      "/usr/local/cuda/bin", "/opt/cuda/bin"}));
}

}  // namespace
}  // namespace proofline::find_tool_test
