// SPDX-License-Identifier: Apache-2.0
//
// `proofline show FILE`: the launches and metrics of a report, as table, CSV or JSON.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/launch_summary.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/extract.h"
#include "readers/reader.h"
#include "views/raw_page.h"
#include "views/show_document.h"
#include "views/show_json.h"

namespace proofline {
namespace {

struct ShowFlags {
  std::string file;
  std::string kernel;
  std::vector<std::size_t> launches;
  std::vector<std::string> metrics;
  std::vector<std::string> extract;  // kind, folder
  bool all = false;
  bool instances = false;
  bool session = false;
  bool source = false;
  bool nvidia_rules = false;

  bool wants_metrics() const { return all || instances || !metrics.empty(); }
};

Result<std::unique_ptr<RE2>> compile(const std::string& pattern, std::string_view flag) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<RE2>(pattern, options);
  if (regex->ok()) return regex;
  return fail(ErrorKind::kUsage,
              fmt::format("{} {}: {}", flag, quote(pattern), escape_terminal(regex->error())));
}

// A metric pattern is a whole name with * and ?, a base name without its suffixes, or regex:RE.
std::string metric_regex(std::string_view pattern) {
  constexpr std::string_view kRegex = "regex:";
  if (pattern.substr(0, kRegex.size()) == kRegex) return std::string(pattern.substr(kRegex.size()));
  std::string regex = "^";
  for (const char c : pattern) {
    if (c == '*') {
      regex += ".*";
    } else if (c == '?') {
      regex += '.';
    } else {
      regex += RE2::QuoteMeta(std::string(1, c));
    }
  }
  return regex + "(\\..*)?$";
}

std::string known_names(const Profile& profile) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (const Launch& launch : profile.launches) names.push_back(launch.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += "\n  " + quote(names[i]);
  if (names.size() > kMost) text += fmt::format("\n  and {} more", names.size() - kMost);
  return text;
}

Result<std::vector<std::size_t>> select_launches(const Profile& profile, const ShowFlags& flags) {
  std::vector<std::size_t> chosen = flags.launches;
  for (const std::size_t position : chosen) {
    if (position >= profile.launches.size()) {
      return fail(ErrorKind::kInput,
                  fmt::format("{}: no launch {}; it has launches 0 to {}", quote(profile.path),
                              position, profile.launches.size() - 1));
    }
  }
  if (chosen.empty()) {
    for (std::size_t i = 0; i < profile.launches.size(); ++i) chosen.push_back(i);
  }
  if (flags.kernel.empty()) return chosen;
  auto regex = compile(flags.kernel, "--kernel");
  if (!regex) return tl::make_unexpected(regex.error());
  const auto misses = [&](std::size_t position) {
    const Launch& launch = profile.launches[position];
    return !RE2::PartialMatch(launch.name, **regex) &&
           !RE2::PartialMatch(launch.function, **regex) &&
           !RE2::PartialMatch(launch.mangled, **regex);
  };
  chosen.erase(std::remove_if(chosen.begin(), chosen.end(), misses), chosen.end());
  if (!chosen.empty()) return chosen;
  return fail(ErrorKind::kInput,
              fmt::format("{}: no kernel matches {}; it has:{}", quote(profile.path),
                          quote(flags.kernel), known_names(profile)));
}

// All metrics where no pattern was given.
Result<std::vector<MetricId>> select_metrics(const Profile& profile, const ShowFlags& flags) {
  std::vector<std::unique_ptr<RE2>> patterns;
  for (const std::string& pattern : flags.metrics) {
    auto regex = compile(metric_regex(pattern), "--metrics");
    if (!regex) return tl::make_unexpected(regex.error());
    patterns.push_back(std::move(*regex));
  }
  std::vector<MetricId> chosen;
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    const std::string& name = profile.metric_names[id].name;
    const bool wanted = patterns.empty()
                            ? on_raw_page(name)
                            : std::any_of(patterns.begin(), patterns.end(), [&](const auto& regex) {
                                return RE2::PartialMatch(name, *regex);
                              });
    if (wanted) chosen.push_back(id);
  }
  if (chosen.empty() && !patterns.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: none of its {} metrics matches --metrics; list them with --all",
                            quote(profile.path), profile.metric_names.size()));
  }
  std::sort(chosen.begin(), chosen.end(), [&](MetricId a, MetricId b) {
    return profile.metric_names[a].name < profile.metric_names[b].name;
  });
  return chosen;
}

Document compose(const Profile& profile, const Selection& selection,
                 const std::vector<LaunchSummary>& summaries, const ShowFlags& flags) {
  Document document;
  add_source(profile, document);
  if (flags.session) add_session(profile, document);
  if (flags.source) add_modules(profile, document);
  if (flags.nvidia_rules) add_nvidia_rules(profile, selection, document);
  if (flags.wants_metrics()) {
    add_metrics(profile, selection, document);
  } else if (!flags.session && !flags.source && !flags.nvidia_rules) {
    add_launches(profile, selection, summaries, document);
  }
  add_notes(profile.notes, document);
  return document;
}

// CSV has no place for notes, so they go to stderr there.
void print_notes(const std::vector<Note>& notes) {
  for (const Note& note : notes) {
    fmt::print(stderr, "proofline: {}: {}\n", note.kind == NoteKind::kLoss ? "loss" : "note",
               escape_terminal(note_text(note)));
  }
}

Result<ExitCode> run_extract(const Profile& profile, const ShowFlags& flags,
                             const OutputFlags& output, Context& context) {
  const ExtractKind kind = flags.extract[0] == "cubin" ? ExtractKind::kCubin
                           : flags.extract[0] == "ptx" ? ExtractKind::kPtx
                                                       : ExtractKind::kSource;
  const auto files = extract(profile, kind, flags.extract[1]);
  if (!files) return tl::make_unexpected(files.error());
  const auto document = [&] {
    Table table{{{"Bytes", Align::kRight}, {"Written to"}, {"Stored as"}}, {}};
    for (const ExtractedFile& file : *files) {
      table.rows.push_back({{group_digits(file.bytes), true}, {file.path}, {file.stored_name}});
    }
    return Document{{std::move(table)}};
  };
  const auto json = [&](JsonWriter& writer) {
    writer.begin_object();
    writer.member("schema_version", "1.0");
    writer.key("files");
    writer.begin_array();
    for (const ExtractedFile& file : *files) {
      writer.begin_object();
      writer.member("path", file.path);
      writer.member("stored_name", file.stored_name);
      writer.member("bytes", file.bytes);
      writer.end_object();
    }
    writer.end_array();
    writer.end_object();
  };
  present({document, json}, output, context);
  return ExitCode::kDone;
}

ReadOptions read_options(const ShowFlags& flags) {
  ReadOptions options;
  options.instances = flags.instances;
  options.code = !flags.extract.empty();
  options.nvidia_rules = flags.nvidia_rules;
  return options;
}

bool lost_something(const Profile& profile) {
  return std::any_of(profile.notes.begin(), profile.notes.end(),
                     [](const Note& note) { return note.kind == NoteKind::kLoss; });
}

Result<ExitCode> run(const ShowFlags& flags, const OutputFlags& output, const InputLimits& limits,
                     Context& context) {
  const auto profile = read_profile(flags.file, read_options(flags), limits);
  if (!profile) return tl::make_unexpected(profile.error());
  const ExitCode done = lost_something(*profile) ? ExitCode::kPartial : ExitCode::kDone;
  if (!flags.extract.empty()) {
    const auto extracted = run_extract(*profile, flags, output, context);
    return extracted ? Result<ExitCode>(done) : extracted;
  }
  const auto launches = select_launches(*profile, flags);
  if (!launches) return tl::make_unexpected(launches.error());
  const auto metrics = select_metrics(*profile, flags);
  if (!metrics) return tl::make_unexpected(metrics.error());
  const bool csv = output.format == "csv";
  Selection selection{*launches, *metrics};
  // JSON lists metrics only on request: two thousand a launch are noise to most.
  if (!csv && !flags.wants_metrics()) selection.metrics.clear();
  std::vector<LaunchSummary> summaries;
  if (!csv) {
    const Summariser summariser(*profile);
    for (const std::size_t position : selection.launches) {
      summaries.push_back(summariser.summarise(profile->launches[position]));
    }
  }
  if (csv) print_notes(profile->notes);
  const JsonParts parts{flags.session, flags.source, flags.nvidia_rules};
  present(
      {[&] {
         return csv ? compose_raw_page(*profile, selection)
                    : compose(*profile, selection, summaries, flags);
       },
       [&](JsonWriter& json) { write_profile_json(*profile, selection, summaries, parts, json); }},
      output, context);
  return done;
}

Run configure(CLI::App& app) {
  auto flags = std::make_shared<ShowFlags>();
  app.add_option("FILE", flags->file, "A report, or what ncu printed; - reads standard input")
      ->required();
  app.add_option("--kernel", flags->kernel, "Only kernels whose name matches this regex (RE2)")
      ->type_name("REGEX");
  app.add_option("--launch", flags->launches, "Only this launch, by its number; may be repeated")
      ->type_name("N");
  app.add_option("--metrics", flags->metrics,
                 "These metrics: names with * and ?, base names, or regex:RE; separated by commas")
      ->type_name("PATTERN,...")
      ->delimiter(',');
  app.add_flag("--all", flags->all, "Every metric");
  app.add_flag("--instances", flags->instances,
               "Metrics with their values by instruction, opcode, time or unit");
  app.add_flag("--session", flags->session,
               "Who recorded it, how and on what; environment values are hidden");
  app.add_flag("--source", flags->source, "What code is embedded");
  app.add_flag("--nvidia-rules", flags->nvidia_rules, "What NVIDIA's own rules say");
  app.add_option("--extract", flags->extract,
                 "Write the embedded cubin, ptx or source files to DIR")
      ->type_name("cubin|ptx|source DIR")
      ->expected(2)
      ->check([](const std::string& word) {
        // CLI11 checks each word; the folder may be any.
        return word.empty() ? std::string("must not be empty") : std::string();
      });
  auto output = add_output_flags(app);
  auto limits = add_input_flags(app);
  return [flags, output, limits](Context& context) -> Result<ExitCode> {
    if (!flags->extract.empty() && flags->extract[0] != "cubin" && flags->extract[0] != "ptx" &&
        flags->extract[0] != "source") {
      return fail(ErrorKind::kUsage, fmt::format("--extract {}: must be cubin, ptx or source",
                                                 quote(flags->extract[0])));
    }
    return run(*flags, *output, *limits, context);
  };
}

}  // namespace

Command show_command() {
  return {"show", "Kernels and metrics of a report, as table, CSV or JSON",
          "  proofline show report.ncu-rep\n"
          "      the launches with time, speed of light by level, occupancy and stall reasons\n"
          "  proofline show report.ncu-rep --kernel gemm --metrics 'dram__bytes*,lts__t_sectors'\n"
          "      some metrics of some kernels\n"
          "  proofline show report.ncu-rep --format csv > raw.csv\n"
          "      what 'ncu --import report.ncu-rep --page raw --csv --print-units base' prints\n"
          "  proofline show report.ncu-rep --extract cubin code/\n"
          "      the embedded machine code, for cuobjdump or nvdisasm\n",
          configure};
}

}  // namespace proofline
