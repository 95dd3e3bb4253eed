// SPDX-License-Identifier: Apache-2.0
//
// What is found out about a machine, on machines made of a few files and scripts.
#include "tools/machine/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX, not in <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "support/temp_dir.h"
#include "tools/process/ask_tool.h"

namespace proofline::machine_test {
namespace {

namespace fs = std::filesystem;

class ExamineMachine : public testing::Test {
 protected:
  ExamineMachine() {
    places_.root = dir_.path("root");
    places_.nvml = "libno-such-library.so.1";
    places_.cuda = "libno-such-library.so.1";
    places_.tools = {dir_.path("tools")};
    places_.runs = dir_.path("not/there/yet");
    fs::create_directories(dir_.path("tools"));
  }
  ~ExamineMachine() override {
    ::unsetenv("CUDA_LAUNCH_BLOCKING");
    ::unsetenv("SECRET_TOKEN");
  }

  void put(const std::string& path, std::string_view text) const {
    fs::create_directories(fs::path(dir_.path("root" + path)).parent_path());
    dir_.write("root" + path, text);
  }
  void put_tool(const std::string& name, const std::string& script) const {
    ::chmod(dir_.write("tools/" + name, "#!/bin/sh\n" + script).c_str(), 0755);
  }
  Machine examine() const { return examine_machine(places_); }
  MachineTool tool(const std::string& name) const {
    const Machine machine = examine();
    const auto found = std::find_if(machine.tools.begin(), machine.tools.end(),
                                    [&](const MachineTool& one) { return one.name == name; });
    return found != machine.tools.end() ? *found : MachineTool{};
  }

  TempDir dir_;
  MachinePlaces places_;
};

TEST_F(ExamineMachine, AnEmptyMachineHasNothing) {
  const Machine machine = examine();
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_EQ(machine.kernel_driver, "");
  EXPECT_FALSE(machine.libcuda_version);
  EXPECT_FALSE(machine.counters_for_admin_only);
  EXPECT_FALSE(machine.gpu_on_bus);
  EXPECT_EQ(machine.container, "");
  for (const MachineTool& one : machine.tools) EXPECT_EQ(one.state, ToolState::kMissing);
}

TEST_F(ExamineMachine, ReadsWhatTheDriverTells) {
  put("/proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"
      "GCC version:  gcc version 15.3.0 (GCC)\n");
  put("/proc/driver/nvidia/params", "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\nRmMsg: \"\"\n");
  put("/dev/nvidia0", "");
  put("/dev/nvidiactl", "");
  put("/dev/null0", "");
  places_.nvml = PROOFLINE_FAKE_NVML;
  const Machine machine = examine();
  EXPECT_EQ(machine.kernel_driver, "580.159.04");
  EXPECT_EQ(machine.counters_for_admin_only, true);
  EXPECT_EQ(machine.device_nodes, (std::vector<std::string>{"/dev/nvidia0", "/dev/nvidiactl"}));
  EXPECT_EQ(machine.driver, "580.159.04");
  EXPECT_EQ(machine.gpus.size(), 1U);
}

TEST_F(ExamineMachine, CountersOpenToAll) {
  put("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 0\n");
  EXPECT_EQ(examine().counters_for_admin_only, false);
}

TEST_F(ExamineMachine, SeesAGpuWithoutADriver) {
  put("/sys/bus/pci/devices/0000:00:06.0/vendor", "0x10de\n");
  put("/sys/bus/pci/devices/0000:00:06.0/class", "0x030200\n");
  EXPECT_TRUE(examine().gpu_on_bus);
}

TEST_F(ExamineMachine, AnNvidiaBridgeIsNoGpu) {
  put("/sys/bus/pci/devices/0000:00:06.0/vendor", "0x10de\n");
  put("/sys/bus/pci/devices/0000:00:06.0/class", "0x068000\n");
  EXPECT_FALSE(examine().gpu_on_bus);
}

TEST_F(ExamineMachine, KnowsTheDistribution) {
  put("/etc/os-release",
      "PRETTY_NAME=\"Rocky Linux 9.4\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n");
  const Machine machine = examine();
  EXPECT_EQ(machine.distribution, "Rocky Linux 9.4");
  EXPECT_EQ(machine.distribution_families,
            (std::vector<std::string>{"rocky", "rhel", "centos", "fedora"}));
}

TEST_F(ExamineMachine, KnowsContainers) {
  put("/proc/1/cgroup", "0::/kubepods.slice/pod1\n");
  EXPECT_EQ(examine().container, "kubepods");
  put("/run/.containerenv", "");
  EXPECT_EQ(examine().container, "podman");
  put("/.dockerenv", "");
  EXPECT_EQ(examine().container, "docker");
}

TEST_F(ExamineMachine, RightsCountOnlyOutsideUserNamespaces) {
  put("/proc/self/status", "Name:\tproofline\nCapEff:\t0000004000200000\n");
  put("/proc/self/uid_map", "         0          0 4294967295\n");
  EXPECT_TRUE(examine().may_administer);
  EXPECT_TRUE(examine().may_monitor);
  put("/proc/self/uid_map", "         0       1000          1\n");
  EXPECT_FALSE(examine().may_administer);
  EXPECT_FALSE(examine().may_monitor);
}

TEST_F(ExamineMachine, AsksToolsForTheirVersions) {
  put_tool("ncu", "echo 'NVIDIA (R) Nsight Compute'; echo 'Version 2025.3.1.0 (build 1)'\n");
  put_tool("nvcc", "echo 'Cuda compilation tools, release 13.0, V13.0.88'\n");
  EXPECT_EQ(tool("ncu").state, ToolState::kFound);
  EXPECT_EQ(tool("ncu").version, "2025.3.1.0");
  EXPECT_EQ(tool("ncu").path, dir_.path("tools/ncu"));
  EXPECT_EQ(tool("nvcc").version, "13.0.88");
}

TEST_F(ExamineMachine, AToolThatDoesNotAnswerIsBroken) {
  put_tool("nsys", "echo nonsense\n");
  put_tool("ncu", "kill -SEGV $$\n");
  EXPECT_EQ(tool("nsys").state, ToolState::kBroken);
  EXPECT_NE(tool("nsys").trouble.find("nonsense"), std::string::npos);
  EXPECT_EQ(tool("ncu").state, ToolState::kBroken);
  EXPECT_NE(tool("ncu").trouble.find("signal 11"), std::string::npos) << tool("ncu").trouble;
}

TEST_F(ExamineMachine, AToolThatAnybodyCouldReplaceIsNotStarted) {
  put_tool("ncu", "echo Version 1.0; touch \"$(dirname \"$0\")/started\"\n");
  ::chmod(dir_.path("tools/ncu").c_str(), 0777);
  EXPECT_EQ(tool("ncu").state, ToolState::kUnsafe);
  EXPECT_FALSE(fs::exists(dir_.path("tools/started")));
}

TEST_F(ExamineMachine, ListsTheChipsThatNcuKnows) {
  put_tool("ncu", "test \"$1\" = --list-chips && echo 'ga10b, gh100, tu102' || echo Version 1.0\n");
  places_.nvml = PROOFLINE_FAKE_NVML;
  EXPECT_EQ(examine().ncu_chips, (std::vector<std::string>{"ga10b", "gh100", "tu102"}));
}

TEST_F(ExamineMachine, KeepsOnlyVariablesThatMatter) {
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  ::setenv("SECRET_TOKEN", "hunter2", 1);
  const auto environment = examine().environment;
  const std::pair<std::string, std::string> blocking{"CUDA_LAUNCH_BLOCKING", "1"};
  EXPECT_NE(std::find(environment.begin(), environment.end(), blocking), environment.end());
  for (const auto& [name, value] : environment) EXPECT_NE(name, "SECRET_TOKEN");
}

TEST_F(ExamineMachine, AFolderToBeMadeIsJudgedByItsParent) {
  const Machine machine = examine();
  EXPECT_EQ(machine.runs.path, dir_.path("not/there/yet"));
  EXPECT_TRUE(machine.runs.writable);
  EXPECT_TRUE(machine.runs.free_bytes);
}

TEST_F(ExamineMachine, ALockIsInTheWayOnlyWhereItCannotBeOpened) {
  const std::string before = ::getenv("TMPDIR") != nullptr ? ::getenv("TMPDIR") : "";
  ::setenv("TMPDIR", dir_.path("tools").c_str(), 1);
  EXPECT_FALSE(examine().lock_file_owner);
  dir_.write("tools/nsight-compute-lock", "");
  EXPECT_FALSE(examine().lock_file_owner);
  fs::remove(dir_.path("tools/nsight-compute-lock"));
  fs::create_directory(dir_.path("tools/nsight-compute-lock"));  // root could open any file
  EXPECT_EQ(examine().lock_file_owner, ::geteuid());
  before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}

TEST(ToolVersion, IsFoundInWhatTheToolsPrint) {
  EXPECT_EQ(tool_version_in("Version 2025.3.1.0 (build 36398880) (public-release)"), "2025.3.1.0");
  EXPECT_EQ(tool_version_in("Cuda compilation tools, release 13.0, V13.0.85\nBuild x"), "13.0.85");
  EXPECT_EQ(tool_version_in("NVIDIA Nsight Systems version 2024.5.1.113-245134619542v0"),
            "2024.5.1.113");
  EXPECT_EQ(tool_version_in("no such thing"), "");
  EXPECT_EQ(tool_version_in(""), "");
}

}  // namespace
}  // namespace proofline::machine_test
