// SPDX-License-Identifier: Apache-2.0
#include "workflow/machine/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/find_above.h"
#include "base/interrupt.h"
#include "base/json_file.h"
#include "base/make_folders.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "model/measurement/merge_ceilings.h"
#include "readers/benchmark/ceilings.h"
#include "views/notes.h"
#include "workflow/clock_text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

Result<void> check_options(const CalibrateOptions& options) {
  constexpr double kLeast = 0.01;
  constexpr double kMost = 600;
  if (!(options.seconds >= kLeast && options.seconds <= kMost)) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} must be from {} to {}", option("seconds"), kLeast, kMost));
  }
  const std::vector<std::string_view> known = ceiling_names();
  for (const std::string& name : options.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known, 1);
    return fail(
        ErrorKind::kUsage,
        fmt::format("{} {}: there is no such ceiling{}; there are {}", option("only"), quote(name),
                    near.empty() ? "" : fmt::format(", nearest {}", near.front()),
                    fmt::join(known, ", ")));
  }
  return {};
}

Result<Ceilings> measure(CalibrateOptions options, Announcer& announcer) {
  const std::size_t count = options.names.empty() ? ceiling_names().size() : options.names.size();
  std::size_t at = 0;
  ProgressLine line(announcer);
  const InterruptWatch watch;
  const auto start = std::chrono::steady_clock::now();
  options.progress = [&](std::string_view name) {
    const std::string left = left_text(start, at, count);
    line.show(fmt::format("calibrate: {}, {} of {}{}", name, ++at, count, left));
    return interrupts() == 0;
  };
  auto measured = calibrate(options);
  if (!measured || !measured->ceilings.empty()) return measured;
  return fail(
      ErrorKind::kTool,
      fmt::format("no ceiling could be measured on {}{}", quote(measured->machine.gpu),
                  measured->notes.empty() ? "" : ": " + note_text(measured->notes.front())));
}

// The named file, else in the nearest .proofline here or above, else in one that is made here.
Result<std::string> place_of(const Ceilings& ceilings, const std::string& out) {
  if (!out.empty()) return out;
  if (ceilings.machine.uuid.empty()) {
    return fail(ErrorKind::kStorage,
                fmt::format("the ceilings are not stored: the driver gives the GPU no uuid to "
                            "store them under; name a file with {}",
                            option("out")));
  }
  auto folder = find_above(".proofline", fmt::format("{} FILE", option("out")));
  if (!folder) return folder;
  return ceilings_file(folder->empty() ? ".proofline" : *folder, ceilings.machine.uuid);
}

// What was measured earlier stays where only some were asked for.
Ceilings with_earlier(Ceilings fresh, const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return fresh;
  const auto earlier = read_ceilings(path);
  if (earlier) return merge_ceilings(std::move(fresh), *earlier);
  fresh.notes.push_back(
      {NoteKind::kInfo, "", "the earlier ceilings are dropped: " + earlier.error().message});
  return fresh;
}

Result<void> store(const Ceilings& ceilings, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) make_folders(folder, error);
  if (error) {
    return fail(ErrorKind::kStorage, fmt::format("cannot make the folder {}: {}",
                                                 quote(folder.string()), error.message()));
  }
  return write_json_file(path, [&](JsonWriter& json) { write_record(ceilings, json); });
}

}  // namespace

Result<MeasuredCeilings> measure_ceilings(const CeilingsPlan& plan, Announcer& announcer) {
  RETURN_IF_ERROR(check_options(plan.options));
  ASSIGN_OR_RETURN(auto measured, measure(plan.options, announcer));
  const auto place = place_of(measured, plan.out);
  if (place && !plan.options.names.empty()) {
    measured = with_earlier(std::move(measured), *place);
  }
  auto stored = place ? store(measured, *place) : tl::make_unexpected(place.error());
  if (stored) measured.path = *place;
  return MeasuredCeilings{std::move(measured), std::move(stored)};
}

}  // namespace proofline
