// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/chrome_export.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/option.h"
#include "base/output.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "model/timeline/timeline.h"
#include "views/timeline/chrome_trace.h"
#include "workflow/timeline/nsys_report.h"

namespace proofline {

namespace {

// A recording may have taken hours: what is written must not take its place.
Result<void> refuse_own_input(const std::string& timeline, const std::string& out) {
  std::error_code error;
  if (!std::filesystem::equivalent(timeline, out, error)) return {};
  return fail(ErrorKind::kUsage,
              fmt::format("{} {}: that is the timeline itself; name another file", option("chrome"),
                          quote(out)));
}

}  // namespace

Result<std::vector<Note>> export_chrome_trace(const std::string& timeline, const std::string& out,
                                              const InputLimits& limits) {
  RETURN_IF_ERROR(refuse_own_input(timeline, out));
  ASSIGN_OR_RETURN(const auto file, WholeFile::prepare(out));
  ASSIGN_OR_RETURN(const Timeline read, read_timeline_or_report(timeline, limits));
  RETURN_IF_ERROR(file.write([&](Output& output) { write_chrome_trace(read, output); }));
  return read.notes;
}

}  // namespace proofline
