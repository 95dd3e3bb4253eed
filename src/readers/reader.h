// SPDX-License-Identifier: Apache-2.0
//
// A reader turns the bytes of one format into a Profile. Each format is one file in this folder
// that defines `Reader <stem>()`; the list is made from the folder at configure time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/input.h"
#include "base/result.h"
#include "model/profile/profile.h"

namespace proofline {

// What a caller wants besides the launches with their scalar metrics. Readers skip the rest.
struct ReadOptions {
  bool instances = false;     // values below the launch; most of a full report's bytes
  bool code = false;          // embedded cubins, PTX and source files with their bytes
  bool lines = false;         // the line tables of embedded cubins
  bool nvidia_rules = false;  // NVIDIA's own rule results
  // The instances of those metrics alone for which this says yes.
  bool (*instances_of)(std::string_view metric) = nullptr;

  bool wants_instances(std::string_view metric) const {
    return instances || (instances_of != nullptr && instances_of(metric));
  }
};

struct Reader {
  std::string_view name;     // "ncu-rep"
  std::string_view summary;  // one line for `list readers`
  // Says yes by content alone; prefix holds the first kSniffBytes, or the whole input if shorter.
  bool (*sniff)(std::string_view prefix);
  // Fills the profile. Damage that it survives becomes a note; an error means no result at all.
  Result<void> (*read)(Input& input, const ReadOptions& options, Profile& profile);
};

// Program output may stand before an ncu table, so the text readers look this far.
inline constexpr std::size_t kSniffBytes = 1U << 16U;

std::span<const Reader> readers();

// Opens the file, finds the one reader that knows it, and reads.
Result<Profile> read_profile(const std::string& path, const ReadOptions& options = {},
                             const InputLimits& limits = {});
Result<Profile> read_profile(Input& input, const ReadOptions& options);

}  // namespace proofline
