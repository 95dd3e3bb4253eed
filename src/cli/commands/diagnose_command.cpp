// SPDX-License-Identifier: Apache-2.0
//
// `proofline diagnose FILE...`: one verdict for each kernel, the causes ranked by what removing
// each could gain, the numbers that prove it, and the next step.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/characters.h"
#include "base/propagate.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "cli/order_flags.h"
#include "cli/output_flags.h"
#include "cli/rule_flags.h"
#include "cli/sanitizer_file.h"
#include "cli/shared_flags.h"
#include "diagnosis/diagnose.h"
#include "diagnosis/order_kernels.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "views/diagnosis/brief_json.h"
#include "views/diagnosis/comparison_document.h"
#include "views/diagnosis/diagnosis_document.h"
#include "views/diagnosis/diagnosis_json.h"
#include "workflow/input_files.h"
#include "workflow/journal/tried_changes.h"
#include "workflow/profile/diagnosed_file.h"
#include "workflow/profile/patterns.h"
#include "workflow/profile/select_launches.h"
#include "workflow/sanitize/sanitizer_logs.h"

namespace proofline {
namespace {

struct DiagnoseFlags {
  std::vector<std::string> files;
  std::string baseline;                   // an earlier profile; "" none
  std::vector<std::string> unique_bytes;  // KERNEL=BYTES
  std::string journal;
  bool verbose = false;
  bool all = false;
  bool brief = false;
  bool facts = false;
  bool nvidia_rules = false;
};

// "4096", "1.5G"; suffixes are powers of 1024, as those of --max-size are.
std::optional<double> parse_size(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number <= 0) return std::nullopt;
  std::string suffix(end, text.data() + text.size());
  for (char& c : suffix) c = to_upper(c);
  if (suffix.empty() || suffix == "B") return number;
  for (const char prefix : std::string_view("KMGT")) {
    number *= 1024;
    const std::string one(1, prefix);
    if (suffix == one || suffix == one + "B" || suffix == one + "IB") return number;
  }
  return std::nullopt;
}

// By function, from KERNEL=BYTES.
using UniqueBytes = std::map<std::string, double>;

Result<UniqueBytes> parse_unique_bytes(const std::vector<std::string>& words) {
  UniqueBytes bytes;
  for (const std::string& word : words) {
    // The last one: operator== has some of its own.
    const std::size_t equals = std::min(word.rfind('='), word.size());
    const auto size = parse_size(std::string_view(word).substr(std::min(equals + 1, word.size())));
    if (!size) {
      return fail(
          ErrorKind::kUsage,
          fmt::format("--unique-bytes {}: must be KERNEL=BYTES, such as copy=512M", quote(word)));
    }
    bytes[word.substr(0, equals)] = *size;
  }
  return bytes;
}

// A name that no kernel has would be passed over in silence.
Result<void> check_functions(const UniqueBytes& bytes, std::span<const Profile> profiles) {
  for (const auto& [function, size] : bytes) {
    const auto is_it = [&name = function](const Launch& launch) { return launch.function == name; };
    bool known = false;
    std::string kernels;
    for (const Profile& profile : profiles) {
      known = known || std::any_of(profile.launches.begin(), profile.launches.end(), is_it);
      kernels += known_kernels(profile);
    }
    if (known) continue;
    return fail(ErrorKind::kInput, fmt::format("--unique-bytes: no kernel is called {}, without "
                                               "template arguments and parameters; there are:{}",
                                               quote(function), kernels));
  }
  return {};
}

// `first`: the first of them where it could be opened. What is lost on the way is noted in `files`.
Result<std::vector<Profile>> read_all(Result<Input> first, InputFiles& files,
                                      const DiagnoseFlags& flags, const InputLimits& limits) {
  ReadOptions options = diagnosis_read_options(flags.facts || flags.verbose);
  options.nvidia_rules = flags.nvidia_rules;
  std::vector<Profile> profiles;
  bool begun = false;
  const auto read = [&](const std::string& path) -> Result<void> {
    auto input = begun ? Input::open(path, limits) : std::move(first);
    begun = true;
    RETURN_IF_ERROR(input);
    ASSIGN_OR_RETURN(const Format* format,
                     identify(*input, {InputKind::kProfile, InputKind::kSanitizerLog}));
    if (!format->offers(InputKind::kProfile)) {
      return fail(ErrorKind::kInput,
                  fmt::format("{} is a sanitizer's log: pass it by itself", quote(path)));
    }
    ASSIGN_OR_RETURN(auto profile, read_profile(*input, options));
    profiles.push_back(std::move(profile));
    return {};
  };
  RETURN_IF_ERROR(read_each(files, read));
  return profiles;
}

KernelOrder kernel_order(std::string_view name) {
  if (name == "could-save") return KernelOrder::kCouldSave;
  if (name == "name") return KernelOrder::kName;
  return name == "count" ? KernelOrder::kCount : KernelOrder::kTotal;
}

// For programs, which are given no table of all beside it.
const Diagnosis& first_of(Diagnosis& diagnosis, std::size_t top) {
  std::vector<KernelDiagnosis>& kernels = diagnosis.kernels;
  if (top != 0 && top < kernels.size()) {
    kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(top), kernels.end());
  }
  return diagnosis;
}

Result<ExitCode> run_on_profiles(Result<Input> first, InputFiles& files, const DiagnoseFlags& flags,
                                 const LaunchFilter& filter, const RuleFlags& rule_flags,
                                 const OrderFlags& order, const OutputFlags& output,
                                 const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(auto bytes, parse_unique_bytes(flags.unique_bytes));
  RETURN_IF_ERROR(rule_flags.check());
  ASSIGN_OR_RETURN(const auto profiles, read_all(std::move(first), files, flags, limits));
  ASSIGN_OR_RETURN(auto launches, select_launches(profiles, filter));
  RETURN_IF_ERROR(check_functions(bytes, profiles));
  const DiagnoseOptions options{std::move(bytes), std::move(launches),
                                [&](std::string_view rule) { return rule_flags.looks(rule); }};
  Diagnosis diagnosis = diagnose(profiles, options);
  diagnosis.notes.insert(diagnosis.notes.begin(), files.notes.begin(), files.notes.end());
  const ExitCode gate = rule_flags.gate(diagnosis);
  order_kernels(kernel_order(order.sort), diagnosis.kernels);
  std::vector<ProfileComparison> since;
  if (!flags.baseline.empty()) {
    const auto baseline =
        read_diagnosed(flags.baseline, filter.kernel, options.unique_bytes, limits);
    RETURN_IF_ERROR(baseline);
    since = compare_with(*baseline, profiles, diagnosis);
  }
  ASSIGN_OR_RETURN(const auto tried, TriedChanges::read(flags.journal));
  const auto tried_before = [&](const KernelDiagnosis& kernel, const Finding& finding) {
    return tried.answers(finding.id, kernel.function, kernel.compute_capability);
  };
  const DiagnosisParts parts{flags.verbose,      flags.facts,
                             flags.nvidia_rules, flags.all || filter.is_set(),
                             order.top,          tried_before};
  const DiagnosisJsonParts json_parts{flags.facts, flags.nvidia_rules, since, {}, tried_before};
  present({.document =
               [&] {
                 Document document = compose_diagnosis(diagnosis, parts);
                 add_baseline(since, {flags.all}, document);
                 return document;
               },
           .json =
               [&](JsonWriter& json) {
                 const Diagnosis& some = first_of(diagnosis, order.top);
                 if (flags.brief) return write_brief_json(some, {tried_before}, json);
                 write_diagnosis_json(some, json_parts, json);
               },
           .rows = [&] { return compose_diagnosis_rows(first_of(diagnosis, order.top)); },
           .notes = diagnosis.notes},
          output, context);
  if (gate != ExitCode::kDone) return gate;
  for (const ProfileComparison& comparison : since) {
    if (exit_code_after(comparison) != ExitCode::kDone) return ExitCode::kPartial;
  }
  return exit_code_after(diagnosis.notes);
}

Result<ExitCode> run(const DiagnoseFlags& flags, const LaunchFilter& filter,
                     const RuleFlags& rule_flags, const OrderFlags& order,
                     const OutputFlags& output, const InputLimits& limits, Context& context) {
  if (std::count(flags.files.begin(), flags.files.end(), "-") > 1) {
    return fail(ErrorKind::kUsage, "standard input (-) can be read only once");
  }
  if (flags.brief && output.format != "json") {
    return fail(ErrorKind::kUsage, "--brief is a form of JSON: add --format json");
  }
  ASSIGN_OR_RETURN(auto files, find_inputs(flags.files, {InputKind::kProfile}, limits));
  auto first = Input::open(files.paths.front(), limits);
  if (first && identify(*first, {InputKind::kSanitizerLog})) {
    return show_sanitizer_logs(std::move(*first), std::span(files.paths).subspan(1), output, limits,
                               context);
  }
  return run_on_profiles(std::move(first), files, flags, filter, rule_flags, order, output, limits,
                         context);
}

Run configure_diagnose(Flags line) {
  auto flags = std::make_shared<DiagnoseFlags>();
  line.add("FILE", flags->files,
           "Reports, folders of them, what ncu printed, or logs of compute-sanitizer; - reads "
           "standard input")
      .required();
  auto filter = add_launch_flags(line);
  auto rule_flags = add_rule_flags(line);
  auto order = add_order_flags(line, {"duration", "could-save", "name", "count"});
  line.add_switch("-v,--verbose", flags->verbose,
                  "Every rule's answer with its evidence, the hottest lines, every fact");
  line.add_switch("--all", flags->all, "A screen for each kernel, however many there are");
  const Flag facts = line.add_switch("--facts", flags->facts,
                                     "Every fact with its value, unit and source metrics");
  const Flag nvidia_rules = line.add_switch("--nvidia-rules", flags->nvidia_rules,
                                            "What NVIDIA's own rules say, beside it");
  const Flag baseline =
      line.add("--baseline", flags->baseline,
               "An earlier profile: says what got better and worse since, and why")
          .shown_as("A");
  line.add_switch("--brief", flags->brief,
                  "With --format json: what decides, in about 1 KB per kernel, for agents")
      .excludes(facts)
      .excludes(nvidia_rules)
      .excludes(baseline);
  line.add("--unique-bytes", flags->unique_bytes,
           "Distinct bytes that a kernel touches, which no report tells; suffix K, M, G; may "
           "be repeated")
      .shown_as("KERNEL=BYTES")
      .one_at_a_time();
  add_journal_flag(line, flags->journal);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, filter, rule_flags, order, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *filter, *rule_flags, *order, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command diagnose_command() {
  return {"diagnose", CommandGroup::kReport,
          "Find what bounds each kernel, rank the causes, say what to do",
          "  proofline diagnose report.ncu-rep\n"
          "      a verdict for each kernel, worst first, with the numbers that prove it\n"
          "  proofline diagnose report.ncu-rep --kernel gemm --verbose\n"
          "      all there is to say about some kernels: every rule, fact and hot line\n"
          "  proofline diagnose --format json a.ncu-rep b.csv.gz > diagnosis.json\n"
          "      several files of any format, for a program\n"
          "  proofline diagnose --brief --format json report.ncu-rep\n"
          "      what decides, in about 1 KB per kernel, for a coding agent\n"
          "  proofline diagnose reports/ --fail-on uncoalesced-global,register-spills\n"
          "      a gate for CI over all reports of a folder: exit code 1 where one is found\n"
          "  proofline diagnose --baseline before.ncu-rep after.ncu-rep\n"
          "      the verdicts of one profile, and what changed since another\n"
          "  proofline diagnose report.ncu-rep --unique-bytes transpose=512M\n"
          "      tells how often bytes are moved again, which a report alone cannot\n",
          configure_diagnose};
}

}  // namespace proofline
