// SPDX-License-Identifier: Apache-2.0
//
// `proofline calibrate`: measures this GPU's ceilings and keeps them for rooflines and benchmarks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/find_above.h"
#include "base/interrupt.h"
#include "base/nearest.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "cli/ceilings_result.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "model/measurement/merge_ceilings.h"
#include "readers/benchmark/ceilings.h"
#include "tools/calibrate/calibrate.h"
#include "views/measurement/ceilings_json.h"
#include "views/notes.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

struct CalibrateFlags {
  CalibrateOptions options;
  std::string out;
};

Result<void> check_options(const CalibrateOptions& options) {
  constexpr double kLeast = 0.01;
  constexpr double kMost = 600;
  if (!(options.seconds >= kLeast && options.seconds <= kMost)) {
    return fail(ErrorKind::kUsage, fmt::format("--seconds must be from {} to {}", kLeast, kMost));
  }
  const std::vector<std::string_view> known = ceiling_names();
  for (const std::string& name : options.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known, 1);
    return fail(ErrorKind::kUsage,
                fmt::format("--only {}: there is no such ceiling{}; there are {}", quote(name),
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
  options.progress = [&](std::string_view name) {
    line.show(fmt::format("calibrate: {}, {} of {}", name, ++at, count));
    return interrupts() == 0;
  };
  auto measured = calibrate(options);
  if (!measured || !measured->ceilings.empty()) return measured;
  return fail(
      ErrorKind::kTool,
      fmt::format("no ceiling could be measured on {}{}", quote(measured->machine.gpu),
                  measured->notes.empty() ? "" : ": " + note_text(measured->notes.front())));
}

// --out, else in the nearest .proofline here or above, else in one that is made here.
Result<std::string> place_of(const Ceilings& ceilings, const std::string& out) {
  if (!out.empty()) return out;
  if (ceilings.machine.uuid.empty()) {
    return fail(ErrorKind::kStorage,
                "the ceilings are not stored: the driver gives the GPU no uuid to store them "
                "under; name a file with --out");
  }
  auto folder = find_above(".proofline", "--out FILE");
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
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) {
    return fail(ErrorKind::kStorage, fmt::format("cannot make the folder {}: {}",
                                                 quote(folder.string()), error.message()));
  }
  return write_whole_file(
      path, json_text([&](JsonWriter& json) { write_ceilings(ceilings, json); }) + '\n');
}

Result<ExitCode> run(const CalibrateFlags& flags, const OutputFlags& output, Context& context) {
  RETURN_IF_ERROR(check_options(flags.options));
  ASSIGN_OR_RETURN(auto measured, measure(flags.options, context.announcer));
  const auto place = place_of(measured, flags.out);
  if (place && !flags.options.names.empty()) {
    measured = with_earlier(std::move(measured), *place);
  }
  const auto stored = place ? store(measured, *place) : tl::make_unexpected(place.error());
  if (stored) measured.path = *place;
  // Shown in any case: it took its time.
  present_ceilings(measured, output, context);
  if (!stored) return tl::make_unexpected(stored.error());
  return exit_code_after(measured.notes);
}

Run configure_calibrate(CLI::App& app) {
  auto flags = std::make_shared<CalibrateFlags>();
  app.add_option("--device", flags->options.device, "The GPU, as CUDA counts them")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--only", flags->options.names,
                 "Only these ceilings; the others stay in the file as they are: " +
                     fmt::format("{}", fmt::join(ceiling_names(), ", ")))
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--seconds", flags->options.seconds, "How long each one is measured")
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--out", flags->out,
                 "The file; default: ceilings/UUID.json in the nearest .proofline here or above")
      ->type_name("FILE");
  auto output = add_output_flags(app);
  return [flags, output](Context& context) -> Result<ExitCode> {
    return run(*flags, *output, context);
  };
}

}  // namespace

Command calibrate_command() {
  return {"calibrate", "What this GPU can do at most: memory, L2 and arithmetic, measured and kept",
          "  proofline calibrate\n"
          "      all ceilings of GPU 0, kept in .proofline for plot and bench\n"
          "  proofline calibrate --device 1 --only dram,l2 --seconds 5\n"
          "      two of them, for longer; what else is known of this GPU stays\n"
          "  proofline calibrate --out ceilings.json && proofline plot result.json --ceilings "
          "ceilings.json\n"
          "      a roofline on another machine\n",
          configure_calibrate};
}

}  // namespace proofline
