// SPDX-License-Identifier: Apache-2.0
#include "workflow/runs/kept_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/characters.h"
#include "base/file_piece.h"
#include "base/json_object.h"
#include "base/list_folder.h"
#include "base/nearest.h"
#include "base/propagate.h"
#include "base/record_reader.h"
#include "base/redact.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "model/machine/run_file.h"
#include "readers/format_commands.h"

namespace proofline {
namespace {

// Of run.json: a bench has a step for each of its thousands of starts.
constexpr std::size_t kMostRecordBytes = 64U << 20U;

template <class Take>
void each_step(const rapidjson::Value& record, const Take& take) {
  const rapidjson::Value* steps = json_member(record, "steps");
  if (steps == nullptr || !steps->IsArray()) return;
  for (const rapidjson::Value& step : steps->GetArray()) {
    if (step.IsObject()) take(step);
  }
}

// Every file and folder below this one; what a symbolic link leads to is not below it.
template <class Take>
void each_below(const std::string& folder, const std::string& prefix, const Take& take) {
  for (const std::string& name : list_folder(folder).value_or(std::vector<std::string>{})) {
    const std::string path = fmt::format("{}/{}", folder, name);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    take(prefix + name, status);
    if (S_ISDIR(status.st_mode)) each_below(path, prefix + name + '/', take);
  }
}

std::uint64_t disk_bytes(const struct stat& status) {
  constexpr std::uint64_t kBlock = 512;  // POSIX leaves it open, Linux does not
  return kBlock * static_cast<std::uint64_t>(status.st_blocks);
}

// "20261117T101500Z-gemm" was started at "2026-11-17T10:15:00Z"; "" another name.
std::string start_in_name(std::string_view name) {
  constexpr std::string_view kPattern = "00000000T000000Z-";
  if (name.size() < kPattern.size()) return "";
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    const bool fits = kPattern[i] == '0' ? is_digit(name[i]) : name[i] == kPattern[i];
    if (!fits) return "";
  }
  return fmt::format("{}-{}-{}T{}:{}:{}Z", name.substr(0, 4), name.substr(4, 2), name.substr(6, 2),
                     name.substr(9, 2), name.substr(11, 2), name.substr(13, 2));
}

// "proofline profile -- ./a.out" was a profile.
std::string kind_of(std::string_view invocation) {
  constexpr std::string_view kOurs = "proofline ";
  if (!invocation.starts_with(kOurs)) return "";
  invocation.remove_prefix(kOurs.size());
  return std::string(invocation.substr(0, invocation.find(' ')));
}

std::string ending_text(const RunFileStep& step) {
  if (step.ending == "exited") return fmt::format("exit code {}", step.exit_code);
  if (step.ending == "signal") return fmt::format("signal {}", step.signal);
  return step.ending;
}

RunFile run_file_of(const rapidjson::Value& document) {
  RunFile file;
  read_record(document, file);
  return file;
}

std::vector<std::string> words_in(const rapidjson::Value& object, std::string_view name) {
  std::vector<std::string> words;
  const rapidjson::Value* value = json_member(object, name);
  if (value == nullptr || !value->IsArray()) return words;
  for (const rapidjson::Value& word : value->GetArray()) {
    if (word.IsString()) words.emplace_back(word.GetString(), word.GetStringLength());
  }
  return words;
}

void take_run(const rapidjson::Value& document, KeptRun& run) {
  const RunFile file = run_file_of(document);
  run.command = file.invocation;
  run.kind = kind_of(run.command);
  if (run.command.empty() && !file.steps.empty()) run.command = file.steps.back().command;
}

void take_play(const rapidjson::Value& record, KeptRun& run) {
  run.kind = "run";
  run.command = fmt::format("proofline run {}", json_text(record, "playbook"));
  const rapidjson::Value* request = json_member(record, "request");
  if (request == nullptr || !request->IsObject()) return;
  const std::vector<std::string> words = words_in(*request, "command");
  if (!words.empty()) run.command += " -- " + redact_command(shell_command({}, words));
}

rapidjson::Document parse_run(const KeptRun& run) {
  return parse_json_object(
      read_piece(fmt::format("{}/{}", run.folder, run.is_play ? "play.json" : "run.json"), 0,
                 kMostRecordBytes));
}

std::optional<KeptRun> read_run(const std::string& root, const std::string& name, bool is_play) {
  KeptRun run;
  run.name = name;
  run.folder = fmt::format("{}/{}", root, name);
  run.is_play = is_play;
  struct stat status {};
  if (::lstat(run.folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  const rapidjson::Document record = parse_run(run);
  if (record.IsNull()) return std::nullopt;
  is_play ? take_play(record, run) : take_run(record, run);
  run.outcome = json_text(record, "outcome");
  run.started = json_text(record, "started");
  if (run.started.empty()) run.started = start_in_name(name);
  if (run.started.empty()) run.started = utc_text(status.st_mtime);
  run.bytes = disk_bytes(status);
  each_below(run.folder, "",
             [&](const std::string&, const struct stat& one) { run.bytes += disk_bytes(one); });
  return run;
}

void add_runs(const std::string& root, bool are_plays, std::vector<KeptRun>& runs) {
  for (const std::string& name : list_folder(root).value_or(std::vector<std::string>{})) {
    if (name.starts_with('.')) continue;
    if (auto run = read_run(root, name, are_plays)) runs.push_back(*std::move(run));
  }
}

// "a-1.stdout.zst" is what a-1 printed.
std::string printed_text(std::string_view name) {
  if (name.ends_with(".zst")) name.remove_suffix(4);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kStreams = {
      {{".stdout", "output"}, {".stderr", "error output"}}};
  for (const auto& [suffix, what] : kStreams) {
    if (name.ends_with(suffix))
      return fmt::format("{} of {}", what, name.substr(0, name.size() - suffix.size()));
  }
  return "";
}

KeptRunFile describe_file(const std::string& folder, const std::string& path,
                          const struct stat& status) {
  KeptRunFile file{path, static_cast<std::uint64_t>(status.st_size), "", ""};
  if (path == "run.json" || path == "play.json") file.what = "what was started and how it ended";
  if (path == "playbook.toml") file.what = "the playbook as it was";
  auto input = Input::open(fmt::format("{}/{}", folder, path));
  const auto head = input ? input->peek(kSniffBytes) : tl::make_unexpected(input.error());
  const Format* format = head ? identify(*head) : nullptr;
  if (format != nullptr) {
    file.what = format->what;
    file.commands = fmt::format("{}", fmt::join(commands_for(*format), ", "));
  }
  if (const std::string printed = printed_text(path); file.what.empty()) file.what = printed;
  return file;
}

// What a diagnosis needs is diagnosed; anything else goes to the first command that reads it.
std::string best_command(const std::string& commands) {
  constexpr std::string_view kDiagnose = "diagnose";
  if (commands.find(kDiagnose) != std::string::npos) return std::string(kDiagnose);
  return commands.substr(0, commands.find(','));
}

// One for each kind of file that a command of ours reads.
std::vector<std::string> next_commands(const KeptRun& run, const std::vector<KeptRunFile>& files) {
  std::vector<std::string> commands;
  std::vector<std::string> seen;
  if (run.is_play)
    commands.push_back(shell_command({}, {"proofline", "run", "--resume", run.folder}));
  for (const KeptRunFile& file : files) {
    if (file.commands.empty() || std::count(seen.begin(), seen.end(), file.what) > 0) continue;
    seen.push_back(file.what);
    const std::string command = best_command(file.commands);
    commands.push_back(
        shell_command({}, {"proofline", command, fmt::format("{}/{}", run.folder, file.path)}));
  }
  return commands;
}

Result<KeptRun> find_run(const RunPlaces& places, const std::string& name) {
  const std::vector<KeptRun> runs = kept_runs(places);
  std::vector<const KeptRun*> found;
  std::vector<std::string_view> names;
  for (const KeptRun& run : runs) {
    if (run.name == name) return run;
    if (run.name.starts_with(name)) found.push_back(&run);
    names.push_back(run.name);
  }
  if (found.size() == 1) return *found.front();
  if (found.size() > 1) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} runs begin with {}, such as {} and {}", found.size(), quote(name),
                            quote(found[0]->name), quote(found[1]->name)));
  }
  const auto near = nearest(name, names, 1);
  return fail(ErrorKind::kUsage,
              fmt::format("no run is called {}{}; 'proofline runs' lists them", quote(name),
                          near.empty() ? "" : fmt::format(", nearest {}", quote(near.front()))));
}

}  // namespace

std::vector<KeptRun> kept_runs(const RunPlaces& places) {
  std::vector<KeptRun> runs;
  add_runs(places.runs, false, runs);
  add_runs(places.plays, true, runs);
  std::sort(runs.begin(), runs.end(), [](const KeptRun& a, const KeptRun& b) {
    return std::tie(a.started, a.name) > std::tie(b.started, b.name);
  });
  return runs;
}

Result<KeptRunDetails> describe_kept_run(const RunPlaces& places, const std::string& name) {
  KeptRunDetails details;
  ASSIGN_OR_RETURN(details.run, find_run(places, name));
  const rapidjson::Document record = parse_run(details.run);
  if (!record.IsNull() && details.run.is_play) {
    each_step(record, [&](const rapidjson::Value& step) {
      const rapidjson::Value* seconds = json_member(step, "seconds");
      details.steps.push_back(
          {json_text(step, "id"), json_text(step, "command"), json_text(step, "state"),
           seconds != nullptr && seconds->IsNumber() ? seconds->GetDouble() : 0});
    });
  } else {
    for (const RunFileStep& step : run_file_of(record).steps) {
      details.steps.push_back({step.label, step.command, ending_text(step), step.seconds});
    }
  }
  each_below(details.run.folder, "", [&](const std::string& path, const struct stat& status) {
    if (S_ISREG(status.st_mode)) {
      details.files.push_back(describe_file(details.run.folder, path, status));
    }
  });
  details.next = next_commands(details.run, details.files);
  return details;
}

}  // namespace proofline
