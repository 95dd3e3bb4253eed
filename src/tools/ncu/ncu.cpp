// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/regex_text.h"
#include "base/text.h"
#include "tools/process/ask_tool.h"
#include "tools/process/find_tool.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// The oldest release that is known to take "regex:" in --kernel-name, --kernel-id and --section;
// 2020.3 does not.
constexpr int kOldestYear = 2021;
constexpr int kOldestRelease = 2;

// Where NVIDIA's packages put it, one folder for each version, in no search path.
constexpr const char* kPackages = "/opt/nvidia/nsight-compute";

// The names of all metrics are megabytes, and take it some time.
constexpr AnswerLimits kLimits{std::chrono::seconds(60), 16U << 20U};

std::optional<NcuVersion> version_in_name(const fs::path& folder) {
  return parse_ncu_version("Nsight Compute Version " + folder.filename().string());
}

// Newest first.
std::vector<std::string> package_folders() {
  std::vector<std::pair<NcuVersion, std::string>> found;
  for (const std::string& name :
       list_folder(std::string(kPackages)).value_or(std::vector<std::string>{})) {
    if (auto version = version_in_name(name)) {
      found.emplace_back(std::move(*version), fmt::format("{}/{}", kPackages, name));
    }
  }
  const auto number = [](const NcuVersion& version) {
    return std::tuple(version.year, version.release, version.patch);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return number(a.first) > number(b.first); });
  std::vector<std::string> folders;
  folders.reserve(found.size());
  for (auto& [version, folder] : found) folders.push_back(std::move(folder));
  return folders;
}

Result<std::string> answer(const std::string& path, const std::string& flag) {
  ASSIGN_OR_RETURN(auto said, ask_tool(path, flag, kLimits));
  if (said.signal != 0 || said.exit_code != 0) {
    return fail(ErrorKind::kTool,
                fmt::format("{} {} failed ({} {}): {}", quote(path), flag,
                            said.signal != 0 ? "signal" : "exit code",
                            said.signal != 0 ? said.signal : said.exit_code,
                            quote(trim(said.errors.empty() ? said.output : said.errors))));
  }
  return std::move(said.output);
}

// A list without a single name is no answer: ncu is broken, or another version prints otherwise.
template <class Name>
Result<std::vector<Name>> names_in(Result<std::string> said, const std::string& path,
                                   std::vector<Name> (*parse)(std::string_view)) {
  RETURN_IF_ERROR(said);
  std::vector<Name> names = parse(*said);
  if (names.empty()) {
    return fail(ErrorKind::kTool, fmt::format("{} does not list its names as ncu does: {}",
                                              quote(path), quote(trim(*said))));
  }
  return names;
}

}  // namespace

std::optional<NcuVersion> parse_ncu_version(std::string_view printed) {
  static const re2::RE2 kVersion(R"((?s)Nsight Compute.*Version (((\d{4})\.(\d+)\.(\d+))[.\d]*))");
  NcuVersion version;
  if (!re2::RE2::PartialMatch(regex_text(printed), kVersion, &version.text, nullptr, &version.year,
                              &version.release, &version.patch)) {
    return std::nullopt;
  }
  return version;
}

Result<Ncu> Ncu::find() {
  std::vector<std::string> folders = tool_folders();
  for (std::string& folder : package_folders()) folders.push_back(std::move(folder));
  ASSIGN_OR_RETURN(auto path, find_tool("ncu", folders));
  return at(std::move(path));
}

Result<Ncu> Ncu::at(std::string path) {
  ASSIGN_OR_RETURN(const auto said, answer(path, "--version"));
  auto version = parse_ncu_version(said);
  if (!version) {
    return fail(ErrorKind::kTool, fmt::format("{} does not say its version as ncu does: {}",
                                              quote(path), quote(trim(said))));
  }
  if (version->is_before(kOldestYear, kOldestRelease)) {
    return fail(ErrorKind::kTool,
                fmt::format("{} is Nsight Compute {}; at least {}.{} is needed: install a newer "
                            "one and put its folder first in PATH",
                            quote(path), version->text, kOldestYear, kOldestRelease));
  }
  return Ncu(std::move(path), std::move(*version));
}

Result<std::vector<std::string>> Ncu::sections() const {
  return names_in(answer(path_, "--list-sections"), path_, parse_ncu_list);
}

Result<std::vector<NcuMetric>> Ncu::metrics() const {
  return names_in(answer(path_, "--query-metrics"), path_, parse_ncu_metrics);
}

}  // namespace proofline
