// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis in about a kilobyte a kernel, the result of `diagnose --brief`: what decides, for
// readers that pay for each byte. Numbers have three digits; what the capture does not tell is
// absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/diagnosis/diagnosis.h"

namespace proofline {

// What a kilobyte holds.
inline constexpr std::size_t kBriefCauses = 3;
inline constexpr std::size_t kBriefEvidence = 2;
inline constexpr std::size_t kBriefLines = 3;

// Rounded to three digits; a whole number stays one.
using BriefNumber = std::variant<std::uint64_t, double>;
using BriefShares = std::vector<std::pair<std::string_view, BriefNumber>>;  // by name

struct BriefCause {
  std::string id;
  BriefNumber gain_low;
  BriefNumber gain_high;
  // Fact to value: what was compared comes first, since the finding rests on it.
  std::vector<std::pair<std::string, std::variant<std::uint64_t, double, std::string>>> evidence;
  std::vector<std::string> explains;  // its symptoms
  std::string next;
  std::vector<std::string> tried;
};

struct BriefLine {
  std::string place;  // "reduce.cu:29"
  std::optional<BriefNumber> share;
  std::string stall;  // the most frequent reason there; "" unknown
};

struct BriefLaunch {
  std::size_t id = 0;
  std::optional<Dim3> grid;
  std::optional<Dim3> block;
  std::optional<BriefNumber> waves;
  std::optional<BriefNumber> registers;
  std::optional<BriefNumber> shared_bytes;
  std::optional<BriefNumber> occupancy;
  std::optional<BriefNumber> occupancy_limit;
  std::string limiter;  // "none": nothing limits it; "" unknown
};

struct BriefKernel {
  std::string name;
  std::size_t source = 0;
  std::size_t device = 0;
  std::size_t launches = 0;
  std::optional<BriefNumber> duration_ns;
  std::optional<BriefNumber> time_share;
  Verdict verdict;
  std::vector<BriefCause> causes;
  std::vector<std::string> also;      // further causes
  std::optional<BriefShares> levels;  // of peak
  std::optional<BriefShares> stalls;  // of warp cycles
  std::optional<std::vector<BriefLine>> hot_lines;
  BriefLaunch launch;
  std::size_t not_evaluated = 0;
  std::vector<std::string> command;  // what to run next
};

struct BriefDevice {
  std::string name;
  std::string compute_capability;

  bool operator==(const BriefDevice&) const = default;
};

struct Brief {
  std::vector<DiagnosisSource> sources;
  std::vector<BriefDevice> devices;
  std::vector<Note> notes;
  std::vector<BriefKernel> kernels;
};
Record describe(const Brief*);

Brief brief_of(const Diagnosis& diagnosis);

}  // namespace proofline
