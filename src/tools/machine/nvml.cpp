// SPDX-License-Identifier: Apache-2.0
//
// Functions are called by their names with the types of NVML's C interface, which has kept those it
// once had. A function that fails, as many do on a GPU that lacks the feature, has no answer.
#include "tools/machine/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace proofline {
namespace {

// Results, types and sensors of NVML by their numbers.
constexpr int kNvmlSuccess = 0;
constexpr int kInsufficientSize = 7;
constexpr int kVersionMismatch = 18;
constexpr int kSmClock = 1;
constexpr int kGpuSensor = 0;
constexpr int kSlowdownThreshold = 1;
constexpr int kCorrected = 0;
constexpr int kUncorrected = 1;
constexpr int kSinceLoaded = 0;
constexpr int kVirtualGpu = 2;
constexpr int kProhibitedMode = 2;

// More of them only serve to make a broken library cost much.
constexpr unsigned kMostGpus = 256;
constexpr unsigned kMostProcesses = 4096;

using Gpu = void*;
using Wide = unsigned long long;  // NOLINT(google-runtime-int): the type of NVML's interface

struct MemoryInfo {
  Wide total;
  Wide free;
  Wide used;
};
struct Utilisation {
  unsigned gpu;
  unsigned memory;
};
struct ProcessInfo {
  unsigned pid;
  Wide used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct ConfidentialState {
  unsigned environment;
  unsigned feature;
  unsigned tools;
};

class Library {
 public:
  explicit Library(const std::string& name) : handle_(::dlopen(name.c_str(), RTLD_NOW)) {}
  ~Library() {
    if (initialised_) call("nvmlShutdown");
    if (is_open()) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }

  // Nothing where it has no such function.
  template <class... Arguments>
  std::optional<int> call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(handle_, name));
    if (function == nullptr) return std::nullopt;
    return function(arguments...);
  }

  // The value that a function writes through its last argument.
  template <class Value, class... Arguments>
  std::optional<Value> get(const char* name, Arguments... arguments) const {
    Value value{};
    if (call(name, arguments..., &value) != kNvmlSuccess) return std::nullopt;
    return value;
  }

  template <class... Arguments>
  std::string text(const char* name, Arguments... arguments) const {
    std::array<char, 128> buffer{};
    const auto size = static_cast<unsigned>(buffer.size());
    if (call(name, arguments..., buffer.data(), size) != kNvmlSuccess) return "";
    buffer.back() = '\0';
    return buffer.data();
  }

  std::optional<int> initialise() {
    const std::optional<int> result = call("nvmlInit_v2");
    initialised_ = result == kNvmlSuccess;
    return result;
  }

  std::string words(int result) const {
    using ErrorString = const char* (*)(int);
    const auto function = reinterpret_cast<ErrorString>(::dlsym(handle_, "nvmlErrorString"));
    const char* said = function != nullptr ? function(result) : nullptr;
    return said != nullptr ? said : fmt::format("error {}", result);
  }

 private:
  void* handle_;
  bool initialised_ = false;
};

std::optional<bool> as_flag(std::optional<unsigned> number) {
  if (!number) return std::nullopt;
  return *number != 0;
}

std::vector<GpuProcess> processes_on(const Library& nvml, Gpu gpu) {
  // Both take the same records.
  for (const char* function :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}) {
    unsigned count = 0;
    ProcessInfo* const nothing = nullptr;
    const auto asked = nvml.call(function, gpu, &count, nothing);
    if (!asked) continue;
    if (*asked != kInsufficientSize) return {};
    std::vector<ProcessInfo> found(std::min(count, kMostProcesses));
    count = static_cast<unsigned>(found.size());
    if (nvml.call(function, gpu, &count, found.data()) != kNvmlSuccess) return {};
    found.resize(std::min<std::size_t>(count, found.size()));
    std::vector<GpuProcess> processes;
    processes.reserve(found.size());
    for (const ProcessInfo& info : found) {
      GpuProcess process{info.pid, nvml.text("nvmlSystemGetProcessName", info.pid), std::nullopt};
      if (info.used_memory != ~Wide{0}) process.memory_bytes = info.used_memory;
      processes.push_back(std::move(process));
    }
    return processes;
  }
  return {};
}

std::optional<ComputeMode> compute_mode_of(std::optional<int> mode) {
  if (!mode) return std::nullopt;
  if (*mode == 0) return ComputeMode::kDefault;
  return *mode == kProhibitedMode ? ComputeMode::kProhibited : ComputeMode::kExclusive;
}

// Two answers of one function: now, and after the next reboot.
struct Mode {
  std::optional<bool> now;
  std::optional<bool> later;
};

Mode mode_of(const Library& nvml, const char* function, Gpu gpu) {
  unsigned now = 0;
  unsigned later = 0;
  if (nvml.call(function, gpu, &now, &later) != kNvmlSuccess) return {};
  return {now != 0, later != 0};
}

std::optional<Wide> clock_reasons(const Library& nvml, Gpu gpu) {
  const auto reasons = nvml.get<Wide>("nvmlDeviceGetCurrentClocksEventReasons", gpu);
  if (reasons) return reasons;
  return nvml.get<Wide>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu);  // its older name
}

void ask_for_clocks(const Library& nvml, Gpu gpu, GpuState& state) {
  state.sm_clock_mhz = nvml.get<unsigned>("nvmlDeviceGetClockInfo", gpu, kSmClock);
  state.max_sm_clock_mhz = nvml.get<unsigned>("nvmlDeviceGetMaxClockInfo", gpu, kSmClock);
  state.clock_reasons = clock_reasons(nvml, gpu);
  state.performance_state = nvml.get<unsigned>("nvmlDeviceGetPerformanceState", gpu);
}

GpuState state_of(const Library& nvml, Gpu gpu, std::uint32_t index) {
  GpuState state;
  state.index = index;
  state.name = nvml.text("nvmlDeviceGetName", gpu);
  state.uuid = nvml.text("nvmlDeviceGetUUID", gpu);
  int major = 0;
  int minor = 0;
  if (nvml.call("nvmlDeviceGetCudaComputeCapability", gpu, &major, &minor) == kNvmlSuccess) {
    state.compute_capability = fmt::format("{}.{}", major, minor);
  }
  ask_for_clocks(nvml, gpu, state);
  state.power_mw = nvml.get<unsigned>("nvmlDeviceGetPowerUsage", gpu);
  state.power_limit_mw = nvml.get<unsigned>("nvmlDeviceGetEnforcedPowerLimit", gpu);
  state.default_power_limit_mw =
      nvml.get<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit", gpu);
  state.temperature_c = nvml.get<unsigned>("nvmlDeviceGetTemperature", gpu, kGpuSensor);
  state.slowdown_temperature_c =
      nvml.get<unsigned>("nvmlDeviceGetTemperatureThreshold", gpu, kSlowdownThreshold);
  state.persistence = as_flag(nvml.get<unsigned>("nvmlDeviceGetPersistenceMode", gpu));
  const Mode ecc = mode_of(nvml, "nvmlDeviceGetEccMode", gpu);
  state.ecc = ecc.now;
  state.ecc_after_reboot = ecc.later;
  state.corrected_errors =
      nvml.get<Wide>("nvmlDeviceGetTotalEccErrors", gpu, kCorrected, kSinceLoaded);
  state.uncorrected_errors =
      nvml.get<Wide>("nvmlDeviceGetTotalEccErrors", gpu, kUncorrected, kSinceLoaded);
  state.mig = mode_of(nvml, "nvmlDeviceGetMigMode", gpu).now;
  if (const auto mode = nvml.get<int>("nvmlDeviceGetVirtualizationMode", gpu)) {
    state.virtual_gpu = *mode == kVirtualGpu;
  }
  state.compute_mode = compute_mode_of(nvml.get<int>("nvmlDeviceGetComputeMode", gpu));
  if (const auto busy = nvml.get<Utilisation>("nvmlDeviceGetUtilizationRates", gpu)) {
    state.busy_percent = busy->gpu;
  }
  if (const auto memory = nvml.get<MemoryInfo>("nvmlDeviceGetMemoryInfo", gpu)) {
    state.memory_bytes = memory->total;
    state.free_memory_bytes = memory->free;
  }
  state.processes = processes_on(nvml, gpu);
  return state;
}

}  // namespace

NvmlAnswer ask_nvml(const std::string& library) {
  NvmlAnswer answer;
  Library nvml(library);
  if (!nvml.is_open()) {
    answer.trouble = fmt::format("{} was not found", escape_terminal(library));
    return answer;
  }
  const std::optional<int> started = nvml.initialise();
  if (started != kNvmlSuccess) {
    answer.version_mismatch = started == kVersionMismatch;
    answer.trouble =
        started ? escape_terminal(nvml.words(*started)) : "it is not NVIDIA's management library";
    return answer;
  }
  answer.driver = nvml.text("nvmlSystemGetDriverVersion");
  if (const auto cuda = nvml.get<int>("nvmlSystemGetCudaDriverVersion_v2"); cuda && *cuda > 0) {
    answer.cuda = static_cast<std::uint32_t>(*cuda);
  }
  if (const auto state = nvml.get<ConfidentialState>("nvmlSystemGetConfComputeState")) {
    answer.confidential = state->feature != 0;
    answer.confidential_tools = state->tools != 0;
  }
  const unsigned count = nvml.get<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned i = 0; i < std::min(count, kMostGpus); ++i) {
    if (const auto gpu = nvml.get<Gpu>("nvmlDeviceGetHandleByIndex_v2", i)) {
      answer.gpus.push_back(state_of(nvml, *gpu, i));
    }
  }
  return answer;
}

struct NvmlGpu::Session {
  Session(std::uint32_t index, const std::string& library) : nvml(library) {
    if (!nvml.is_open() || nvml.initialise() != kNvmlSuccess) return;
    gpu = nvml.get<Gpu>("nvmlDeviceGetHandleByIndex_v2", index).value_or(nullptr);
  }

  Library nvml;
  Gpu gpu = nullptr;  // not usable
};

NvmlGpu::NvmlGpu(std::uint32_t index, const std::string& library)
    : session_(std::make_unique<const Session>(index, library)) {}

NvmlGpu::~NvmlGpu() = default;

bool NvmlGpu::is_usable() const { return session_->gpu != nullptr; }

std::optional<double> NvmlGpu::sm_mhz() const {
  if (!is_usable()) return std::nullopt;
  return session_->nvml.get<unsigned>("nvmlDeviceGetClockInfo", session_->gpu, kSmClock);
}

std::optional<std::uint64_t> NvmlGpu::reasons() const {
  if (!is_usable()) return std::nullopt;
  return clock_reasons(session_->nvml, session_->gpu);
}

std::optional<double> NvmlGpu::watts() const {
  if (!is_usable()) return std::nullopt;
  const auto mw = session_->nvml.get<unsigned>("nvmlDeviceGetPowerUsage", session_->gpu);
  if (!mw) return std::nullopt;
  return *mw / 1e3;
}

std::vector<GpuProcess> NvmlGpu::processes() const {
  if (!is_usable()) return {};
  return processes_on(session_->nvml, session_->gpu);
}

std::optional<std::uint32_t> add_nvml_facts(BenchmarkMachine& machine) {
  const NvmlAnswer answer = ask_nvml();
  machine.driver = answer.driver;
  const auto ours = std::find_if(answer.gpus.begin(), answer.gpus.end(),
                                 [&](const GpuState& gpu) { return gpu.uuid == machine.uuid; });
  if (ours == answer.gpus.end()) return std::nullopt;
  machine.ecc = ours->ecc;
  machine.mig = ours->mig;
  if (ours->max_sm_clock_mhz) machine.max_sm_mhz = *ours->max_sm_clock_mhz;
  return ours->index;
}

}  // namespace proofline
