// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` finds: the answer of every check, and whether one can start to profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/note.h"

namespace proofline {

enum class CheckStatus {
  kOk,
  kNote,     // good to know; nothing has to be done
  kUnknown,  // could not be found out
  kProblem,
  kMissing,
};
std::string_view to_string(CheckStatus status);

struct CheckEvidence {
  std::string source;  // "NVML", "/proc/driver/nvidia/params: RmProfilingAdminOnly"
  std::string value;
};

struct PreflightCheck {
  std::string id;    // permanent: "counter-permission", "environment/CUDA_LAUNCH_BLOCKING"
  std::string what;  // for people: "counter permission"
  CheckStatus status = CheckStatus::kOk;
  std::string statement;  // a sentence without final stop
  std::vector<CheckEvidence> evidence;
  std::string next;  // what to do about it; "" nothing
};

enum class Readiness {
  kReady,
  kNoPermission,  // all is well but the right to read hardware counters
  kNotReady,
};
std::string_view to_string(Readiness readiness);

struct PreflightGpu {
  std::uint32_t index = 0;
  std::string name;
  std::string uuid;
  std::string compute_capability;
};

// A kernel that the user's command launched.
struct PreflightKernel {
  std::string name;  // demangled
  std::uint64_t launches = 0;
  std::uint64_t total_ns = 0;
};

enum class RunEnding { kNotRun, kExited, kSignal, kTimeLimit };
std::string_view to_string(RunEnding ending);

// How the user's command ran.
struct PreflightRun {
  std::string program;  // as it was found
  RunEnding ending = RunEnding::kNotRun;
  int exit_code = 0;                     // of kExited
  int signal = 0;                        // of kSignal
  std::string not_counted;               // why the launches were not counted; "" they were
  bool used_cuda = true;                 // also where it launched nothing
  std::vector<PreflightKernel> kernels;  // longest first
  std::string folder;                    // with the run's files; "" none
};

struct Preflight {
  Readiness readiness = Readiness::kReady;
  std::string headline;
  std::string distribution;
  std::string container;
  std::string driver;
  std::string driver_cuda;  // "13.0"
  std::vector<PreflightGpu> gpus;
  std::vector<PreflightCheck> checks;
  std::optional<PreflightRun> run;
  std::vector<Note> notes;
};
Record describe(const Preflight*);

}  // namespace proofline
