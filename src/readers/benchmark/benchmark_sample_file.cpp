// SPDX-License-Identifier: Apache-2.0
//
// Files of little-endian float32. Versions of nvbench name them relative to the JSON, relative to
// where the program was started, or from the root; they are always in "<something>-bin" next to the
// JSON, so the last two parts of the path identify them.
#include "readers/benchmark/benchmark_sample_file.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <utility>

#include "base/byte_cursor.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// In memory a sample takes eight times its four bytes.
constexpr std::uint64_t kMostSampleBytes = 64U << 20U;  // of one JSON's files together

bool names_something(const fs::path& part) { return !part.empty() && part != "." && part != ".."; }

// The file; "" where it is absent or, by a link, elsewhere.
std::string path_below(const fs::path& folder, const fs::path& name) {
  std::error_code trouble;
  const fs::path root = fs::canonical(folder.empty() ? "." : folder, trouble);
  if (trouble) return "";
  const fs::path file = fs::canonical(root / name, trouble);
  if (trouble) return "";
  const auto parted = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return parted.first == root.end() ? file.string() : "";
}

std::vector<double> floats_of(std::string_view bytes) {
  std::vector<double> values;
  values.reserve(bytes.size() / 4);
  ByteCursor cursor(bytes);
  while (cursor.left() >= 4) values.push_back(std::bit_cast<float>(cursor.u32()));
  return values;
}

}  // namespace

SampleFiles::SampleFiles(std::optional<std::string> folder, const InputLimits& limits,
                         BenchmarkNotes& notes)
    : folder_(std::move(folder)),
      bytes_left_(std::min(kMostSampleBytes, limits.max_bytes.value_or(kMostSampleBytes))),
      notes_(notes) {}

std::optional<std::vector<double>> SampleFiles::read(std::string_view name,
                                                     std::optional<double> count) {
  if (!folder_) {
    notes_.lose("samples are in files beside the JSON; pass the JSON by its path to have them");
    return std::nullopt;
  }
  const fs::path given(name);
  const fs::path folder = given.parent_path().filename();
  if (!names_something(folder) || !names_something(given.filename())) {
    notes_.lose("files of samples are not named as nvbench does it");
    return std::nullopt;
  }
  const std::string path = path_below(*folder_, folder / given.filename());
  if (path.empty()) {
    notes_.lose("files of samples are missing; they belong in the folder of the JSON");
    return std::nullopt;
  }
  InputLimits limits;
  limits.max_bytes = bytes_left_;
  auto input = Input::open(path, limits);
  const auto bytes = input ? input->take_rest() : tl::make_unexpected(input.error());
  if (!bytes || input->damage()) {
    notes_.lose("files of samples cannot be read or are too large together");
    return std::nullopt;
  }
  bytes_left_ -= std::min<std::uint64_t>(bytes_left_, bytes->size());
  std::vector<double> values = floats_of(*bytes);
  if (bytes->size() % 4 != 0 || (count && static_cast<double>(values.size()) != *count)) {
    notes_.lose("files of samples have another length than the JSON says");
    return std::nullopt;
  }
  return values;
}

}  // namespace proofline
