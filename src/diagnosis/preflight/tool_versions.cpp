// SPDX-License-Identifier: Apache-2.0

#include "diagnosis/preflight/tool_versions.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

namespace proofline {
namespace {

// Nsight Compute and Compute Sanitizer count by year; NVIDIA's conda channel labels each package
// with the CUDA release that it came with.
struct YearlyRelease {
  std::uint32_t year;
  std::uint32_t number;
  CudaRelease cuda;
};
constexpr YearlyRelease kYearly[] = {
    {2021, 2, {11, 4}}, {2021, 3, {11, 5}}, {2022, 1, {11, 6}}, {2022, 2, {11, 7}},
    {2022, 3, {11, 8}}, {2022, 4, {12, 0}}, {2023, 1, {12, 1}}, {2023, 2, {12, 2}},
    {2023, 3, {12, 3}}, {2024, 1, {12, 4}}, {2024, 2, {12, 5}}, {2024, 3, {12, 6}},
    {2025, 1, {12, 8}}, {2025, 2, {12, 9}}, {2025, 3, {13, 0}}, {2025, 4, {13, 1}},
};

// CUDA Compatibility guide, "Minor version compatibility".
struct OldestDriver {
  std::uint32_t cuda_major;
  std::uint32_t driver;
};
constexpr OldestDriver kOldestDrivers[] = {{13, 580}, {12, 525}, {11, 450}};

// The first two numbers of "13.0.85".
std::array<std::uint32_t, 2> leading_numbers(std::string_view version) {
  std::array<std::uint32_t, 2> numbers{};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (std::uint32_t& number : numbers) {
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '.') break;
    at = parsed.ptr + 1;
  }
  return numbers;
}

}  // namespace

std::string to_string(CudaRelease release) {
  return fmt::format("{}.{}", release.major, release.minor);
}

CudaRelease cuda_release(std::uint32_t version) { return {version / 1000, version % 1000 / 10}; }

std::optional<CudaRelease> cuda_release_of(const MachineTool& tool) {
  if (tool.state != ToolState::kFound || tool.name == "nsys") return std::nullopt;
  const auto [major, minor] = leading_numbers(tool.version);
  if (tool.name != "ncu" && tool.name != "compute-sanitizer") {
    if (major == 0) return std::nullopt;
    return CudaRelease{major, minor};
  }
  for (const YearlyRelease& release : kYearly) {
    if (release.year == major && release.number == minor) return release.cuda;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> oldest_driver_for(CudaRelease release) {
  for (const OldestDriver& oldest : kOldestDrivers) {
    if (release.major >= oldest.cuda_major) return oldest.driver;
  }
  return std::nullopt;
}

std::uint32_t driver_branch(const std::string& version) { return leading_numbers(version)[0]; }

}  // namespace proofline
