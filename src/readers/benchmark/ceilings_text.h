// SPDX-License-Identifier: Apache-2.0
//
// What `proofline calibrate` stored (`proofline schema ceilings`), from its text, and where that of
// a GPU lies. Opens no file, so that a user's benchmark, which needs no compressed ones, links
// without the libraries that undo compression; readers/benchmark/ceilings.h reads files of any
// kind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/measurement/ceilings.h"

namespace proofline {

// Some thousand bytes are usual; so the bytes that tell what a file is are all of it.
inline constexpr std::size_t kMostCeilingsBytes = 1U << 16U;

// What was to be noted when they were measured; what is odd about the file is noted in any case.
enum class StoredNotes { kRead, kLeave };

// `name` is the file's, for messages.
Result<Ceilings> parse_ceilings(std::string_view text, const std::string& name, StoredNotes stored);

// To be held against what was measured on this machine: an error where the two are of different
// kinds of GPU; where they are or may be of two GPUs of one kind, a note says so. What was noted
// when they were measured is left in the file.
Result<Ceilings> parse_ceilings_for(const BenchmarkMachine& machine, std::string_view text,
                                    const std::string& name);

// Where those of this GPU are kept below a folder: ".proofline/ceilings/GPU-0011....json".
std::string ceilings_file(const std::string& folder, const std::string& uuid);

// The file that PROOFLINE_CEILINGS names, else that of this GPU in the nearest .proofline here or
// above; "" where there is none.
Result<std::string> find_ceilings_file(const BenchmarkMachine& machine);

}  // namespace proofline
