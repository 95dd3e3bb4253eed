// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "model/machine/gpu.h"
#include "tools/calibrate/calibration_plan.h"
#include "tools/calibrate/calibration_sampler.h"
#include "tools/calibrate/cuda_driver.h"
#include "tools/machine/nvml.h"

namespace proofline {
namespace {

constexpr std::array<std::string_view, 9> kNames{"dram",        "l2",         "fp32",
                                                 "fp64",        "tensor-f16", "tensor-bf16",
                                                 "tensor-tf32", "tensor-f8",  "tensor-s8"};

bool is_in_bytes(std::string_view name) { return name == "dram" || name == "l2"; }

BenchmarkMachine describe(const CudaDevice& device) {
  BenchmarkMachine machine;
  machine.gpu = device.name;
  machine.uuid = gpu_uuid_text(device.uuid);
  machine.compute_capability = fmt::format("{}.{}", device.major, device.minor);
  machine.cuda = cuda_version_text(device.driver_version);
  return machine;
}

// What NVML adds to the machine: its state now, and its clock whenever asked.
class NvmlView {
 public:
  explicit NvmlView(BenchmarkMachine& machine) : machine_(machine) {
    if (const auto index = add_nvml_facts(machine)) gpu_ = std::make_unique<NvmlGpu>(*index);
  }

  GpuClock read_clock() const {
    if (gpu_ == nullptr) return {};
    const std::uint64_t reasons = gpu_->reasons().value_or(0);
    const GpuClock clock{gpu_->sm_mhz(), is_held_back(reasons)};
    if ((reasons & kClockSetting) != 0 && clock.sm_mhz) {
      machine_.locked_sm_mhz = clock.sm_mhz;
      machine_.clocks_locked = true;
    }
    return clock;
  }

 private:
  BenchmarkMachine& machine_;
  std::unique_ptr<NvmlGpu> gpu_;
};

Result<void> check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) continue;
    return fail(ErrorKind::kUsage, fmt::format("there is no ceiling {}; there are {}", quote(name),
                                               fmt::join(kNames, ", ")));
  }
  return {};
}

bool is_asked_for(std::string_view name, const std::vector<std::string>& names) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// The ceiling, or nothing with a note.
Result<void> measure(const CudaGpu& gpu, std::string_view name, double seconds,
                     const NvmlView& nvml, Ceilings& result) {
  ASSIGN_OR_RETURN(const auto plan, plan_ceiling(gpu, name));
  const std::string place(name);
  if (!plan.remark.empty()) result.notes.push_back({NoteKind::kInfo, place, plan.remark});
  if (plan.ways.empty()) return {};
  auto ceiling = sample_ceiling(gpu, plan.ways, seconds, [&] { return nvml.read_clock(); });
  RETURN_IF_ERROR(ceiling);
  ceiling->name = place;
  ceiling->bytes = is_in_bytes(name);
  ceiling->at_least = plan.at_least;
  result.ceilings.push_back(*std::move(ceiling));
  return {};
}

}  // namespace

std::vector<std::string_view> ceiling_names() { return {kNames.begin(), kNames.end()}; }

Result<Ceilings> calibrate(const CalibrateOptions& options) {
  RETURN_IF_ERROR(check_names(options.names));
  ASSIGN_OR_RETURN(const auto gpu, CudaGpu::open(options.library, options.device));
  Ceilings result;
  result.machine = describe(gpu.device());
  result.measured_at = utc_text(std::time(nullptr));
  const NvmlView nvml(result.machine);
  for (const std::string_view name : kNames) {
    if (!is_asked_for(name, options.names)) continue;
    if (options.progress && !options.progress(name)) {
      return fail(ErrorKind::kInterrupted, "the calibration was interrupted");
    }
    const auto measured = measure(gpu, name, options.seconds, nvml, result);
    if (measured) continue;
    if (measured.error().kind == ErrorKind::kInterrupted) {
      return tl::make_unexpected(measured.error());
    }
    result.notes.push_back({NoteKind::kLoss, std::string(name),
                            "it could not be measured: " + measured.error().message});
    if (const auto works = gpu.check(); !works) {
      result.notes.push_back({NoteKind::kLoss, "",
                              "the GPU cannot be used any more in this process, so nothing after " +
                                  std::string(name) + " was measured; ask for the others alone"});
      break;
    }
  }
  return result;
}

}  // namespace proofline
