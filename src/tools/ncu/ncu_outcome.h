// SPDX-License-Identifier: Apache-2.0
//
// What a run of ncu that has ended is worth. Its exit code does not say: 0 with nothing profiled,
// the program's own where all went well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/note.h"
#include "tools/process/process.h"

namespace proofline {

struct NcuRun {
  std::string_view log;     // all that --log-file got
  std::string_view output;  // the last that ncu and the program printed
  std::string_view errors;
  ProgramEnd end;
  std::optional<std::uint64_t> report_bytes;  // absent: there is no such file
};

struct NcuOutcome {
  std::size_t profiled = 0;         // launches, as far as the log tells
  std::optional<int> program_code;  // the program's own exit code or signal, where it is not 0
  std::vector<Note> notes;
};

// There is a report with launches in it, or the reason why not: kPermission, kTimeLimit,
// kInterrupted, kUsage for names that ncu refuses, kStorage for a report that cannot be written,
// kInput where the program itself failed or ran no kernel that was asked for, else kTool.
Result<NcuOutcome> judge_ncu_run(const NcuRun& run);

}  // namespace proofline
