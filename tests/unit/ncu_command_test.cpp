// SPDX-License-Identifier: Apache-2.0
//
// That the ncu of a machine is found, asked and refused as it should be, by a script in its place,
// and that the command line says what was asked for.
#include "tools/ncu/ncu_command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace proofline::ncu_command_test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kVersion =
    "NVIDIA (R) Nsight Compute Command Line Profiler\n"
    "Copyright (c) 2018-2025 NVIDIA Corporation\n"
    "Version 2025.3.1.0 (build 36398880) (public-release)\n";

class NcuCommand : public testing::Test {
 protected:
  // A script that prints this, of any kind asked.
  std::string script(const std::string& text, int exit_code = 0) const {
    const std::string body =
        "#!/bin/sh\ncat <<'END'\n" + text + "END\nexit " + std::to_string(exit_code) + "\n";
    std::string path = dir_.write("ncu", body);
    ::chmod(path.c_str(), 0755);
    return path;
  }

  Ncu ncu(const std::string& version = kVersion) const {
    auto found = Ncu::at(script(version));
    EXPECT_TRUE(found) << found.error().message;
    return *found;
  }

  Words command(const NcuRequest& request) const { return ncu_command(ncu(), request); }

  // The words after a flag, wherever it stands.
  static Words values(const Words& words, const std::string& flag) {
    Words found;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == flag) found.push_back(words[i + 1]);
    }
    return found;
  }

  TempDir dir_;
};

TEST_F(NcuCommand, KnowsTheVersion) {
  const Ncu found = ncu();
  EXPECT_EQ(found.version().text, "2025.3.1.0");
  EXPECT_EQ(found.version().year, 2025);
  EXPECT_EQ(found.version().release, 3);
  EXPECT_EQ(found.version().patch, 1);
  EXPECT_TRUE(found.version().is_before(2025, 4));
  EXPECT_TRUE(found.version().is_before(2026, 1));
  EXPECT_FALSE(found.version().is_before(2025, 3));
  EXPECT_FALSE(found.version().is_before(2024, 9));
}

TEST_F(NcuCommand, RefusesAnOldOne) {
  const auto old = Ncu::at(
      script("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2020.3.1.0 (build 1)\n"));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::kTool);
  EXPECT_NE(old.error().message.find("is Nsight Compute 2020.3.1.0; at least 2021.2 is needed"),
            std::string::npos)
      << old.error().message;
}

TEST_F(NcuCommand, RefusesWhatIsNoNcu) {
  const auto refusal = [](const std::string& path) {
    const auto found = Ncu::at(path);
    EXPECT_FALSE(found);
    return found ? "" : found.error().message;
  };
  EXPECT_NE(refusal(script("norton commander 1.0\n")).find("does not say its version"),
            std::string::npos);
  EXPECT_NE(refusal(script(kVersion, 7)).find("failed (exit code 7)"), std::string::npos);
  EXPECT_NE(refusal(dir_.path("absent")), "");
}

TEST_F(NcuCommand, AsksForNamesOrSaysThatThereAreNone) {
  const Ncu found = ncu();
  script("---------- --------\nIdentifier Sections\n---------- --------\nbasic      LaunchStats\n");
  EXPECT_EQ(*found.sections(), Words{"basic"});
  EXPECT_EQ(found.metrics().error().kind, ErrorKind::kTool);
}

TEST_F(NcuCommand, HasAllThatWasAskedFor) {
  NcuRequest request;
  request.sets = {"full"};
  request.sections = {"SourceCounters", "PmSampling"};
  request.metrics = {"dram__bytes.sum", "inst_executed"};
  request.section_folder = "/run/sections";
  request.import_source = true;
  request.report = "/run/report";
  request.log = "/run/ncu.log";
  request.program = {"/usr/bin/python3", "-c", "print('; rm -rf ~')", "--set", "basic"};
  EXPECT_EQ(command(request), (Words{dir_.path("ncu"),
                                     "--config-file",
                                     "off",
                                     "--target-processes",
                                     "all",
                                     "--clock-control",
                                     "none",
                                     "--replay-mode",
                                     "kernel",
                                     "--section-folder",
                                     "/run/sections",
                                     "--set",
                                     "full",
                                     "--section",
                                     "SourceCounters",
                                     "--section",
                                     "PmSampling",
                                     "--metrics",
                                     "dram__bytes.sum,inst_executed",
                                     "--import-source",
                                     "yes",
                                     "--log-file",
                                     "/run/ncu.log",
                                     "--export",
                                     "/run/report",
                                     "/usr/bin/python3",
                                     "-c",
                                     "print('; rm -rf ~')",
                                     "--set",
                                     "basic"}));
}

TEST_F(NcuCommand, ChoosesKernelsByTheirWholeMangledName) {
  NcuRequest request;
  request.launches.mangled = {"_Z5scalePff", "kernel$1.cold", "odd:name(x)"};
  request.launches.invocations = {3, 7};
  const Words words = command(request);
  EXPECT_EQ(values(words, "--kernel-name-base"), Words{"mangled"});
  EXPECT_EQ(values(words, "--kernel-id"),
            Words{R"(::regex:^(_Z5scalePff|kernel\$1\.cold|odd.name\(x\))$:3|7)"});
}

// ncu 2025.3: "--launch-skip is not compatible with --kernel-id".
TEST_F(NcuCommand, SkipsLaunchesOfKernelsByNameAlone) {
  NcuRequest request;
  request.launches.mangled = {"_Z5scalePff"};
  request.launches.skip = 10;
  request.launches.count = 1;
  const Words words = command(request);
  EXPECT_EQ(values(words, "--kernel-id"), Words{});
  EXPECT_EQ(values(words, "--kernel-name"), Words{"regex:^(_Z5scalePff)$"});
  EXPECT_EQ(values(words, "--launch-skip"), Words{"10"});
}

TEST_F(NcuCommand, ChoosesLaunchesByPatternNumberAndRange) {
  NcuRequest request;
  request.launches.pattern = "gemm.*<128";
  request.launches.nvtx_include = {"step/", "Domain@Range"};
  request.launches.skip = 5;
  request.launches.count = 2;
  const Words words = command(request);
  EXPECT_EQ(values(words, "--kernel-name-base"), Words{"demangled"});
  EXPECT_EQ(values(words, "--kernel-name"), Words{"regex:gemm.*<128"});
  EXPECT_EQ(std::count(words.begin(), words.end(), "--nvtx"), 1);
  EXPECT_EQ(values(words, "--nvtx-include"), (Words{"step/", "Domain@Range"}));
  EXPECT_EQ(values(words, "--launch-skip"), Words{"5"});
  EXPECT_EQ(values(words, "--launch-count"), Words{"2"});
}

TEST_F(NcuCommand, UsesNoFlagThatAnOldOneLacks) {
  const Ncu old = ncu("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2022.2.0.0\n");
  const Words words = ncu_command(old, {});
  EXPECT_EQ(std::count(words.begin(), words.end(), "--config-file"), 0);
}

}  // namespace
}  // namespace proofline::ncu_command_test
