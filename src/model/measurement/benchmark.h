// SPDX-License-Identifier: Apache-2.0
//
// A Benchmark is what measuring one or more implementations gave: for each of them and each
// configuration the samples, how they were taken, and whether the result was right. Plain data;
// what the producer did not say is absent. Names and values of axes are a stranger's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/note.h"

namespace proofline {

// What the time of a sample is the time of.
enum class TimedBy {
  kUnknown,     // the producer does not say
  kCudaEvents,  // two events round the launch
  kCudaGraph,   // a graph of many launches, divided by their number
  kCupti,       // start and end on the GPU, as CUPTI has them
  kWallClock,   // the host's clock round work and synchronisation
};
std::string_view to_string(TimedBy timed_by);

enum class CacheState { kUnknown, kCold, kHot, kRotating };
std::string_view to_string(CacheState state);

// Why no more samples were taken.
enum class StopReason {
  kUnknown,
  kTight,        // the interval of the median is as narrow as was asked
  kTimeLimit,    // time ran out before that
  kSampleLimit,  // so did the number of samples
};
std::string_view to_string(StopReason reason);

enum class MeasurementState {
  kMeasured,
  kWrong,    // the result was not right, so it was not timed
  kInvalid,  // timed, but it cannot be: above the roof, or of no duration
  kSkipped,  // the program says that it does not do this configuration
  kFailed,   // it crashed or ran out of memory
};
std::string_view to_string(MeasurementState state);

enum class CheckState { kNotChecked, kPassed, kFailed };
std::string_view to_string(CheckState state);

// Against a reference, before any timing.
struct Correctness {
  CheckState state = CheckState::kNotChecked;
  std::string reference;  // "fp64", "naive"; "" not known
  std::optional<double> max_abs_error;
  std::optional<double> max_rel_error;
  std::optional<double> abs_tolerance;
  std::optional<double> rel_tolerance;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  std::uint64_t wrong = 0;    // elements beyond both tolerances
  std::uint64_t checked = 0;  // elements
};

struct Sample {
  double ns = 0;                 // one execution
  std::optional<double> sm_mhz;  // the SM clock while it ran
  bool throttled = false;        // the GPU was held back meanwhile
  std::uint32_t run = 0;         // which start of the program it comes from
  std::optional<double> watts;   // what the GPU drew meanwhile
};

struct Axis {
  std::string name;   // "M", "seq_len", "dtype"
  std::string value;  // "8192", "f16"
  friend bool operator==(const Axis&, const Axis&) = default;
};
Record describe(const Axis*);

// A ceiling is a measurement too: so far above it a result is still as good as at it.
inline constexpr double kMostRoofShare = 1.05;

// One implementation in one configuration.
struct Measurement {
  std::string benchmark;       // what is done: "transpose"; "" where a file has only one
  std::string implementation;  // how: "tiled"; "" where there is only one
  std::vector<Axis> axes;      // in the program's order
  MeasurementState state = MeasurementState::kMeasured;
  std::string reason;  // of a state that is not kMeasured
  Correctness correctness;
  TimedBy timed_by = TimedBy::kUnknown;
  CacheState cache = CacheState::kUnknown;
  StopReason stopped = StopReason::kUnknown;
  std::vector<Sample> samples;  // in the order in which they were taken
  // Where the producer keeps no samples but a summary.
  std::optional<double> summary_ns;
  std::string summary_kind;      // "median", "mean"
  std::uint64_t summary_of = 0;  // how many samples it is of; 0 unknown
  std::optional<double> bytes;   // moved by one execution, as declared
  std::optional<double> flops;   // done by one execution, as declared
  std::string flop_kind;         // "fp32", "fp64", "tensor-f16", ...: which roof; "" not known
  // How much of the nearest measured ceiling of this GPU the declared work reaches; absent where
  // no ceilings are known (proofline calibrate).
  std::optional<double> roof_share;
  std::string roof;            // its name: "dram", "tensor-f16"
  bool roof_at_least = false;  // the chip has a faster way, so the share may be above one
  std::optional<std::uint64_t> peak_memory_bytes;
};

// What a measurement depends on besides the code; unknown is "" or absent.
struct BenchmarkMachine {
  std::string gpu;  // "NVIDIA H200"
  std::string uuid;
  std::string compute_capability;  // "9.0"
  std::string driver;              // "580.95.05"
  std::string cuda;                // "13.0"
  std::optional<double> max_sm_mhz;
  std::optional<double> locked_sm_mhz;  // clocks are locked to this
  std::optional<bool> clocks_locked;
  std::optional<bool> ecc;
  std::optional<bool> mig;
};
Record describe(const BenchmarkMachine*);

struct Benchmark {
  std::string path;      // of the file; "" none
  std::string format;    // "proofline-bench", "nvbench", "google-benchmark"
  std::string producer;  // "proofline 0.1.0", "nvbench"
  std::string command;   // without secrets
  BenchmarkMachine machine;
  std::uint64_t failed_starts = 0;  // of the program; their samples are missing
  // The program was started until the result was clear, so their number depends on the result.
  bool until_clear = false;
  std::vector<Measurement> measurements;
  std::vector<Note> notes;
};

// The benchmark whose time is that of all kernels of a program together.
inline constexpr const char* kAllKernels = "all kernels";

// One of the programs, builds or files that were measured to be compared.
struct BenchmarkSide {
  std::string label;  // "a", "before"
  Benchmark benchmark;
};
Record describe(const BenchmarkSide*);

// What a benchmark file holds: one side, or several that were measured together.
struct BenchmarkSeries {
  std::vector<BenchmarkSide> sides;
  // The sides' programs were started in turn, so that run i of one is next to run i of another.
  bool interleaved = false;
  std::optional<std::uint64_t> order_seed;  // of the random order in which they were started
};
Record describe(const BenchmarkSeries*);

// "benchmark implementation M=8192 N=8192", as far as there is something.
std::string configuration_name(const Measurement& measurement);
std::string configuration_name(std::string_view benchmark, std::string_view implementation,
                               const std::vector<Axis>& axes);

// Of all sides.
std::vector<Note> notes_of(const BenchmarkSeries& series);

}  // namespace proofline
