// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/nsys_report.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/timeline/read_timeline.h"
#include "tools/nsys/nsys.h"
#include "tools/process/ask_tool.h"
#include "tools/process/private_file.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kExportTime{30};  // large ones take minutes
constexpr std::size_t kMostExportWords = 1U << 20U;

Result<Timeline> read_exported(const std::string& path, const Nsys& nsys,
                               const InputLimits& limits) {
  PrivateFile exported("export.sqlite");
  RETURN_IF_ERROR(exported.write(""));
  ASSIGN_OR_RETURN(
      const auto made,
      capture_program(
          {nsys.export_command(path, exported.path()), tool_environment(), kExportTime, {}},
          kMostExportWords));
  if (made.exit_code != 0 || made.signal != 0) {
    return fail(ErrorKind::kTool, fmt::format("{}: nsys could not export it:\n{}", quote(path),
                                              escape_terminal(trim(made.errors))));
  }
  ASSIGN_OR_RETURN(auto timeline, read_timeline(exported.path(), limits));
  timeline.path = path;
  return timeline;
}

}  // namespace

bool is_nsys_report(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::array<char, kNsysReportMagic.size()> first{};
  std::ifstream file(path, std::ios::binary);
  return file.read(first.data(), first.size()) &&
         std::string_view(first.data(), first.size()) == kNsysReportMagic;
}

Result<Timeline> read_timeline_or_report(const std::string& path, const InputLimits& limits) {
  if (is_nsys_report(path)) {
    if (const auto nsys = Nsys::find()) return read_exported(path, *nsys, limits);
  }
  return read_timeline(path, limits);
}

}  // namespace proofline
