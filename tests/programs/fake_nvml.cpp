// SPDX-License-Identifier: Apache-2.0
//
// Stands in for libnvidia-ml.so.1: one GPU with the answers that an idle H200 gives. FAKE_NVML in
// the environment chooses another machine:
//
//   mismatch   the kernel's module is of another version
//   empty      a driver, but no GPU
//   liar       counts and texts that no library should give
//   alone      no other process is on the GPU
//
// While there is the file that FAKE_NVML_CAPPED names, the GPU is at its power limit; who asked
// then leaves a file of this name with ".seen" after it.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace {

constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kInsufficientSize = 7;
constexpr int kMismatch = 18;

bool plays(std::string_view part) {
  const char* chosen = std::getenv("FAKE_NVML");
  return chosen != nullptr && part == chosen;
}

// As the real one does, it ends the text where the buffer does; the liar does not.
int answer(const char* text, char* buffer, unsigned size) {
  if (plays("liar")) {
    std::memset(buffer, 'x', size);
    return kSuccess;
  }
  std::strncpy(buffer, text, size - 1);
  buffer[size - 1] = '\0';
  return kSuccess;
}

template <class Number>
int answer(Number number, Number* to) {
  *to = number;
  return kSuccess;
}

struct MemoryInfo {
  unsigned long long total, free, used;
};
struct Utilisation {
  unsigned gpu, memory;
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance, compute_instance;
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's
extern "C" {

int nvmlInit_v2() { return plays("mismatch") ? kMismatch : kSuccess; }
int nvmlShutdown() { return kSuccess; }
const char* nvmlErrorString(int code) {
  return code == kMismatch ? "Driver/library version mismatch" : "Unknown Error";
}

int nvmlSystemGetDriverVersion(char* buffer, unsigned size) {
  return answer("580.159.04", buffer, size);
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) { return answer(13000, version); }
int nvmlSystemGetProcessName(unsigned, char* buffer, unsigned size) {
  return answer("python3", buffer, size);
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  return answer(plays("empty") ? 0U : plays("liar") ? ~0U : 1U, count);
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** gpu) {
  static int gpus[1];
  if (index > 0) return kNotSupported;
  return answer(static_cast<void*>(&gpus[index]), gpu);
}

int nvmlDeviceGetName(void*, char* buffer, unsigned size) {
  return answer("NVIDIA H200", buffer, size);
}
int nvmlDeviceGetUUID(void*, char* buffer, unsigned size) {
  return answer("GPU-00000000-1111-2222-3333-444444444444", buffer, size);
}
int nvmlDeviceGetCudaComputeCapability(void*, int* major, int* minor) {
  *minor = 0;
  return answer(9, major);
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* clock) {
  return type == 1 ? answer(345U, clock) : kNotSupported;
}
int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* clock) {
  return type == 1 ? answer(1980U, clock) : kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  constexpr unsigned long long kIdle = 1;
  constexpr unsigned long long kPowerCap = 4;
  const char* capped = std::getenv("FAKE_NVML_CAPPED");
  if (capped == nullptr || !std::ifstream(capped)) return answer(kIdle, reasons);
  std::ofstream(std::string(capped) + ".seen").flush();
  return answer(kPowerCap, reasons);
}
int nvmlDeviceGetPerformanceState(void*, unsigned* state) { return answer(0U, state); }
int nvmlDeviceGetPowerUsage(void*, unsigned* power) { return answer(80990U, power); }
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* power) { return answer(700000U, power); }
int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* power) {
  return answer(700000U, power);
}
int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) { return answer(42U, degrees); }
int nvmlDeviceGetPersistenceMode(void*, unsigned* mode) { return answer(1U, mode); }
int nvmlDeviceGetEccMode(void*, unsigned* now, unsigned* later) {
  *later = 1;
  return answer(1U, now);
}
int nvmlDeviceGetTotalEccErrors(void*, int, int, unsigned long long* errors) {
  return answer(0ULL, errors);
}
int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* later) {
  *later = 0;
  return answer(0U, now);
}
int nvmlDeviceGetVirtualizationMode(void*, int* mode) { return answer(1, mode); }
int nvmlDeviceGetComputeMode(void*, int* mode) { return answer(0, mode); }
int nvmlDeviceGetUtilizationRates(void*, Utilisation* rates) {
  return answer(Utilisation{0, 0}, rates);
}
int nvmlDeviceGetMemoryInfo(void*, MemoryInfo* memory) {
  return answer(MemoryInfo{150754820096ULL, 150109945856ULL, 644874240ULL}, memory);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* processes) {
  constexpr unsigned kProcesses = 2;
  const unsigned room = *count;
  if (plays("alone")) return answer(0U, count);
  *count = plays("liar") ? ~0U : kProcesses;
  if (room < kProcesses) return kInsufficientSize;
  processes[0] = {4711, 2000000000ULL, 0, 0};
  processes[1] = {4712, ~0ULL, 0, 0};
  return kSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
