// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/chrome_export.h"

#include "base/output.h"
#include "base/propagate.h"
#include "base/whole_file.h"
#include "model/timeline/timeline.h"
#include "readers/timeline/read_timeline.h"
#include "views/timeline/chrome_trace.h"

namespace proofline {

Result<std::vector<Note>> export_chrome_trace(const std::string& timeline, const std::string& out,
                                              const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto file, WholeFile::prepare(out));
  ASSIGN_OR_RETURN(const Timeline read, read_timeline(timeline, limits));
  RETURN_IF_ERROR(file.write([&](Output& output) { write_chrome_trace(read, output); }));
  return read.notes;
}

}  // namespace proofline
