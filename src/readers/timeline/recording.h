// SPDX-License-Identifier: Apache-2.0
//
// Reads what the recorder (trace/) left: a folder with one file for each process that used CUDA
// (readers/timeline/recording_format.h).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/profile/recording.h"

namespace proofline {

// All the recordings in a folder; files of other kinds are passed over. What is cut, damaged or
// missing in them becomes notes. kInput where the folder cannot be read.
Result<Recording> read_recording(const std::string& folder);

// One file's bytes, added to the recording; `name` is for its notes.
void read_recording_bytes(std::string_view bytes, const std::string& name, Recording& recording);

}  // namespace proofline
