// SPDX-License-Identifier: Apache-2.0
//
// What the recorder (trace/) left, read as a timeline: the file of one process, or a folder with
// one for each process of a program, put on one clock (readers/timeline/recording_format.h).
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/timeline/timeline.h"

namespace proofline {

// Whether this is a folder with recordings in it: the processes of one program, which are one
// timeline.
bool is_recording_folder(const std::string& path);

// Where a run keeps its recordings, in its own folder.
inline constexpr std::string_view kRecordingFolder = "recording";
// That folder of a run; "" where it has none.
std::string recording_of_run(const std::string& folder);

// The file of one process.
Result<Timeline> read_recorded_timeline(Input& input);

// All the recordings in a folder; files of other kinds are passed over. What is cut, damaged or
// missing in them becomes notes. kInput where the folder cannot be read.
Result<Timeline> read_recorded_timeline(const std::string& folder);

}  // namespace proofline
