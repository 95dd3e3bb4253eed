// SPDX-License-Identifier: Apache-2.0
//
// What ncu prints to the terminal, whole logs as well as pasted pieces, to the same model as its
// reports. The tables hold rounded, scaled values under labels; see ncu_printed.h for those.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/ncu/ncu_printed.h"
#include "readers/ncu/ncu_text_page.h"
#include "readers/read_profile.h"

namespace proofline {
namespace {

constexpr std::string_view kFreeClocks = "kernel was profiled without fixed GPU clocks";
constexpr std::string_view kSummary =
    "a kernel stands for several launches, and its values are their averages";

class Survey : public TextSink {
 public:
  PrintedStyle result() const { return survey_.result(); }

  void process(const ProcessLine&) override {}
  void kernel(const KernelLine&) override {}
  void metric(const PrintedMetric& metric) override { survey_.see(metric); }
  bool wants_rules() const override { return false; }
  void rule(std::string_view, std::string_view, std::string_view) override {}
  void note(NoteKind, std::uint64_t, std::string_view) override {}

 private:
  PrintedSurvey survey_;
};

// Takes "Est. Speedup: 12.5%" off the front of a rule's text.
std::optional<NvidiaRule::Speedup> take_speedup(std::string_view& text) {
  struct Form {
    std::string_view start;
    bool global;
  };
  static constexpr Form kForms[] = {{"Est. Speedup: ", true},
                                    {"Est. Local Speedup: ", false},
                                    {"Estimated Speedup: ", true},
                                    {"Estimated Local Speedup: ", false}};
  for (const Form& form : kForms) {
    if (text.substr(0, form.start.size()) != form.start) continue;
    const std::string_view rest = text.substr(form.start.size());
    const std::size_t percent = rest.find('%');
    if (percent == std::string_view::npos) return std::nullopt;
    const Number number = parse_number(rest.substr(0, percent));
    text = trim(rest.substr(percent + 1));
    if (const auto* real = std::get_if<double>(&number)) return {{form.global, *real}};
    if (const auto* whole = std::get_if<std::uint64_t>(&number)) {
      return {{form.global, static_cast<double>(*whole)}};
    }
    return std::nullopt;
  }
  return std::nullopt;
}

class Filler : public TextSink {
 public:
  Filler(Profile& profile, const ReadOptions& options, PrintedStyle style)
      : options_(options), output_(profile, options, style) {}

  void finish() { output_.finish(); }

  void process(const ProcessLine& line) override {
    process_ = output_.process(line.pid, line.name, line.host);
  }
  void kernel(const KernelLine& line) override {
    Launch launch;
    launch.name = line.name;
    launch.grid = line.grid;
    launch.block = line.block;
    launch.context = line.context;
    launch.stream = line.stream;
    launch.device = line.device;
    launch.compute_capability = line.compute_capability;
    // A fragment has no line for its process.
    if (!process_) process_ = output_.process(std::nullopt, {}, {});
    launch.process = *process_;
    output_.begin_launch(std::move(launch));
    if (line.invocations) output_.note(NoteKind::kInfo, 0, kSummary);
  }
  void metric(const PrintedMetric& metric) override { output_.add(metric); }
  bool wants_rules() const override { return options_.nvidia_rules; }
  void rule(std::string_view section, std::string_view code, std::string_view text) override {
    NvidiaRule rule;
    rule.section = section;
    rule.speedup = take_speedup(text);
    rule.messages.push_back(
        {rule_kind(code).value_or(RuleMessageKind::kNone), "", std::string(text)});
    output_.add_rule(std::move(rule));
  }
  void note(NoteKind kind, std::uint64_t line, std::string_view what) override {
    output_.note(kind, line, what);
  }

 private:
  const ReadOptions& options_;
  PrintedProfile output_;
  std::optional<std::size_t> process_;
};

// What the lines of ncu's progress tell about where the results went.
struct Progress {
  std::string_view report;
  std::string_view error;
  std::uint64_t free_clocks = 0;
};

Progress read_progress(std::string_view text) {
  Progress progress;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(without_margin(text.substr(at, end - at)));
    const auto after = [line](std::string_view start) {
      const bool starts = line.substr(0, start.size()) == start;
      return starts ? trim(line.substr(start.size())) : std::string_view{};
    };
    if (const auto path = after("==PROF== Report: "); !path.empty()) progress.report = path;
    if (progress.error.empty()) progress.error = after("==ERROR== ");
    const auto warning = after("Warning: Data collection happened without fixed GPU frequencies");
    if (!warning.empty()) ++progress.free_clocks;
    at = end + 1;
  }
  return progress;
}

bool sniff_ncu_text(std::string_view prefix) {
  constexpr std::string_view kReportMagic("NVR\0", 4);
  if (prefix.substr(0, 4) == kReportMagic || has_csv_header(prefix)) return false;
  bool section = false;
  bool title = false;
  for (std::size_t at = byte_order_mark_size(prefix); at < prefix.size();) {
    const std::size_t end = std::min(prefix.find('\n', at), prefix.size());
    const std::string_view line = without_margin(prefix.substr(at, end - at));
    if (line.substr(0, 8) == "==PROF==") return true;
    section = section || parse_section_line(line).has_value();
    const auto rule = section || title ? parse_table_rule(line) : std::nullopt;
    if (rule && rule->may_hold_metrics()) return true;
    title = is_table_title(line);
    at = end + 1;
  }
  return false;
}

Error no_tables(const std::string& name, const Progress& progress) {
  std::string why = "the text has ncu's progress lines but no tables";
  if (!progress.error.empty()) why += "; ncu said " + quote(progress.error);
  if (!progress.report.empty()) {
    why += "; the results went to " + quote(progress.report) + ": pass that file";
  } else {
    why += "; pass the .ncu-rep file, or what 'ncu --import FILE --page details' prints";
  }
  return {ErrorKind::kInput, fmt::format("{}: {}", quote(name), why)};
}

Result<void> read_ncu_text(Input& input, const ReadOptions& options, Profile& profile) {
  ASSIGN_OR_RETURN(const auto taken, input.take_rest());
  const std::string_view text = taken;
  if (has_csv_header(text)) {  // too far down for the sniffer
    profile.format = "ncu-csv";
    return read_csv_text(text, input.name(), options, profile);
  }
  Survey survey;
  TextPage(text, survey).read();
  Filler filler(profile, options, survey.result());
  TextPage page(text, filler);
  page.read();
  profile.bytes = {text.size(), page.used_bytes(), text.size() - page.used_bytes()};
  const Progress progress = read_progress(text);
  if (profile.launches.empty()) return tl::make_unexpected(no_tables(input.name(), progress));
  filler.finish();
  if (progress.free_clocks > 0) {
    profile.notes.push_back({NoteKind::kInfo, "", std::string(kFreeClocks), progress.free_clocks});
  }
  return {};
}

}  // namespace

Format ncu_text() {
  return {.name = "ncu-text",
          .what = "what Nsight Compute printed",
          .summary = "what Nsight Compute prints: details and raw page, summaries, pasted pieces",
          .sniff = sniff_ncu_text,
          .read_profile = read_ncu_text};
}

}  // namespace proofline
