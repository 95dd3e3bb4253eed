// SPDX-License-Identifier: Apache-2.0
//
// GPU, driver and counter permission. For each check a machine where it speaks and one where it
// does not.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/preflight/preflight.h"
#include "support/preflight_machine.h"

namespace proofline::preflight_driver_test {
namespace {

// ---- GPU and driver

TEST(PreflightGpu, WhatIsInTheWay) {
  Machine machine = bare_machine();
  machine.gpu_on_bus = true;
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing, "driver is not loaded");
  machine.kernel_driver = "580.1";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing, "libraries");
  machine.container = "docker";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kMissing,
         "this container got no GPU");
  expect_next(check_of(judge_machine(machine), "gpu"), "--gpus all");
  machine.closed_device_node = "/dev/nvidia0";
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kProblem, "may not be opened");
}

TEST(PreflightGpu, WithoutNvmlThereMayStillBeOne) {
  const auto without = [](Machine& machine) {
    machine.gpus.clear();
    machine.nvml_trouble = "libnvidia-ml.so.1 was not found";
  };
  expect(after(without, "gpu"), CheckStatus::kUnknown, "which is not known");
  Machine machine = good_machine();
  without(machine);
  EXPECT_EQ(judge_machine(machine).readiness, Readiness::kReady);
}

TEST(PreflightGpu, SeveralAreNamedTogether) {
  Machine machine = good_machine();
  for (std::uint32_t i = 1; i < 8; ++i) machine.gpus.push_back(idle_h200(i));
  expect(check_of(judge_machine(machine), "gpu"), CheckStatus::kOk, "8 x NVIDIA H200 (sm_90)");
  machine.gpus[2].uncorrected_errors = 3;
  machine.gpus[3].uncorrected_errors = 3;
  expect(check_of(judge_machine(machine), "ecc"), CheckStatus::kProblem,
         "GPUs 2 to 3: 3 uncorrected");
}

TEST(PreflightDriver, SaysVersionAndCuda) {
  expect(after([](Machine&) {}, "driver"), CheckStatus::kOk, "580.159.04, CUDA up to 13.0");
  expect(after([](Machine& m) { m.libcuda_version = 13010; }, "driver"), CheckStatus::kOk,
         "compatibility library up to 13.1");
}

TEST(PreflightDriver, ModuleAndLibrariesThatDiffer) {
  const auto check = after(
      [](Machine& machine) {
        machine.gpus.clear();
        machine.driver.clear();
        machine.version_mismatch = true;
      },
      "driver");
  expect(check, CheckStatus::kProblem, "580.159.04");
  expect_next(check, "reboot");
}

TEST(PreflightDriver, ConfidentialComputing) {
  const auto on = [](Machine& machine) { machine.confidential = true; };
  expect(after(on, "confidential-computing"), CheckStatus::kProblem, "cannot profile");
  const auto with_tools = [](Machine& machine) {
    machine.confidential = true;
    machine.confidential_tools = true;
  };
  expect(after(with_tools, "confidential-computing"), CheckStatus::kNote, "devtools");
  EXPECT_EQ(after([](Machine& m) { m.confidential = false; }, "confidential-computing").id, "");
}

// ---- Counter permission

class PreflightPermission : public testing::Test {
 protected:
  static PreflightCheck barred(const std::function<void(Machine&)>& change) {
    return after(
        [&](Machine& machine) {
          machine.counters_for_admin_only = true;
          change(machine);
        },
        "counter-permission");
  }
  static PreflightCheck barred_on(std::vector<std::string> families) {
    return barred([&](Machine& machine) { machine.distribution_families = std::move(families); });
  }
};

TEST_F(PreflightPermission, OpenToAll) {
  expect(after([](Machine&) {}, "counter-permission"), CheckStatus::kOk, "every user");
}

TEST_F(PreflightPermission, BarredInTheWordsOfTheDistribution) {
  expect(barred([](Machine&) {}), CheckStatus::kProblem, "ERR_NVGPUCTRPERM");
  expect_next(barred([](Machine&) {}), "update-initramfs -u");
  expect_next(barred([](Machine&) {}), "NVreg_RestrictProfilingToAdminUsers=0");
  expect_next(barred_on({"rocky", "rhel", "centos", "fedora"}), "dracut --force");
  expect_next(barred_on({"opensuse-leap", "suse", "opensuse"}), "dracut --force");
  expect_next(barred_on({"arch"}), "mkinitcpio -P");
  expect_next(barred_on({"nixos"}), "boot.extraModprobeConfig");
  expect_next(barred_on({"gentoo"}), "rebuild the initial RAM disk");
}

TEST_F(PreflightPermission, InAContainerTheHostHasTheSay) {
  const auto check = barred([](Machine& machine) { machine.container = "docker"; });
  expect_next(check, "--cap-add=SYS_ADMIN");
  EXPECT_EQ(check.next.find("update-initramfs"), std::string::npos) << check.next;
}

TEST_F(PreflightPermission, AdministratorsMayAlways) {
  expect(barred([](Machine& m) { m.may_administer = true; }), CheckStatus::kOk, "which this");
  expect(barred([](Machine& m) { m.may_monitor = true; }), CheckStatus::kOk, "which this");
  const auto old = [](Machine& machine) {
    machine.may_monitor = true;
    machine.driver = "550.54.14";
  };
  expect(barred(old), CheckStatus::kProblem, "administrators only");
}

TEST_F(PreflightPermission, UnknownIsNoProblem) {
  const auto unknown = [](Machine& machine) { machine.counters_for_admin_only.reset(); };
  expect(after(unknown, "counter-permission"), CheckStatus::kUnknown, "not known");
}

}  // namespace
}  // namespace proofline::preflight_driver_test
