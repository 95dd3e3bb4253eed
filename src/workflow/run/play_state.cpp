// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file_piece.h"
#include "base/json_file.h"
#include "base/json_object.h"
#include "base/list_folder.h"
#include "base/make_folders.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/sync_folder.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "base/whole_file.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlayFile = "play.json";
constexpr std::string_view kPlaybookFile = "playbook.toml";
constexpr std::string_view kUnfinishedPlay = ".unfinished-";
// Of a play.json: thousands of attempts.
constexpr std::size_t kMostPlayBytes = 16U << 20U;

tl::unexpected<Error> cannot_keep(const std::string& path, int error) {
  return fail(ErrorKind::kStorage,
              fmt::format("cannot write {}: {}; {} chooses another folder", quote(path),
                          std::generic_category().message(error), option("plays")));
}

void write_request(const PlayRequest& request, JsonWriter& json) {
  json.begin_object();
  texts_member(json, "command", request.command);
  texts_member(json, "workload", request.workload);
  json.member("build", request.build);
  json.member("check", request.check);
  json.member("change", request.change);
  json.member("kernel", request.kernel);
  json.member("journal", request.journal);
  texts_member(json, "skipped", request.skipped);
  json.end_object();
}

void write_play(const Play& play, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("name", play.name);
  json.member("playbook", play.playbook);
  json.key("request");
  write_request(play.request, json);
  json.member("outcome", play.outcome);
  json.member("choice", play.choice);
  texts_member(json, "sweep", play.sweep);
  json.member("program", play.program);
  json.member("base", play.base);
  json.member("tree", play.tree);
  json.objects("steps", play.steps, [&](const PlayedStep& step) {
    json.member("id", step.id);
    json.member("does", to_string(step.does));
    json.member("case", step.in_case);
    json.member("state", to_string(step.state));
    json.member("reason", step.reason);
    json.member("seconds", step.seconds);
    json.member("inputs", step.inputs);
    texts_member(json, "evidence", step.evidence);
  });
  json.objects("attempts", play.attempts, [&](const PlayedAttempt& attempt) {
    json.member("number", attempt.number);
    json.member("task", attempt.task);
    json.member("state", attempt.state);
    json.member("reason", attempt.reason);
    json.member("commit", attempt.commit);
    texts_member(json, "setting", attempt.setting);
  });
  json.end_object();
}

std::vector<std::string> texts_of_member(const rapidjson::Value& object, std::string_view name) {
  std::vector<std::string> texts;
  const rapidjson::Value* value = json_member(object, name);
  if (value == nullptr || !value->IsArray()) return texts;
  for (const rapidjson::Value& one : value->GetArray()) {
    if (one.IsString()) texts.emplace_back(one.GetString(), one.GetStringLength());
  }
  return texts;
}

template <class Take>
void each_object(const rapidjson::Value& object, std::string_view name, const Take& take) {
  const rapidjson::Value* value = json_member(object, name);
  if (value == nullptr || !value->IsArray()) return;
  for (const rapidjson::Value& one : value->GetArray()) {
    if (one.IsObject()) take(one);
  }
}

Result<PlayedStep> parse_step(const rapidjson::Value& object) {
  PlayedStep step;
  step.id = json_text(object, "id");
  const PhaseKindInfo* kind = find_phase_kind(json_text(object, "does"));
  if (kind == nullptr || !kind->measures) {
    return fail(ErrorKind::kInput, fmt::format("step {} does {}, which no phase does",
                                               quote(step.id), quote(json_text(object, "does"))));
  }
  step.does = kind->kind;
  step.in_case = json_text(object, "case");
  step.state = step_state(json_text(object, "state")).value_or(StepState::kFailed);
  step.reason = json_text(object, "reason");
  const rapidjson::Value* seconds = json_member(object, "seconds");
  if (seconds != nullptr && seconds->IsNumber()) step.seconds = seconds->GetDouble();
  step.inputs = json_text(object, "inputs");
  step.evidence = texts_of_member(object, "evidence");
  return step;
}

bool has_evidence(const PlayedStep& step) {
  return step.state == StepState::kDone || step.state == StepState::kTaken;
}

// Folders of plays, the latest first.
std::vector<std::string> plays_below(const std::string& root) {
  std::vector<std::string> found;
  for (const std::string& name : list_folder(root).value_or(std::vector<std::string>{})) {
    if (!name.starts_with('.')) found.push_back(fmt::format("{}/{}", root, name));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

// Paths of another play's step as they are seen from this one.
PlayedStep seen_from(const KeptPlay& play, const std::string& other, PlayedStep step) {
  for (std::string& file : step.evidence) file = play.relative(fmt::format("{}/{}", other, file));
  return step;
}

bool all_there(const KeptPlay& play, const PlayedStep& step) {
  return std::all_of(step.evidence.begin(), step.evidence.end(), [&](const std::string& file) {
    std::error_code ignored;
    return fs::exists(play.path(file), ignored);
  });
}

}  // namespace

Result<Play> read_play(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kPlayFile);
  const rapidjson::Document json = parse_json_object(read_piece(path, 0, kMostPlayBytes));
  if (json.IsNull()) {
    return fail(ErrorKind::kInput, fmt::format("{} is no play of `proofline run`", quote(folder)));
  }
  Play play;
  std::error_code ignored;
  play.folder = fs::absolute(folder, ignored).lexically_normal().string();
  play.name = json_text(json, "name");
  play.playbook = json_text(json, "playbook");
  if (const rapidjson::Value* request = json_member(json, "request")) {
    if (request->IsObject()) {
      play.request.command = texts_of_member(*request, "command");
      play.request.workload = texts_of_member(*request, "workload");
      play.request.build = json_text(*request, "build");
      play.request.check = json_text(*request, "check");
      play.request.change = json_text(*request, "change");
      play.request.kernel = json_text(*request, "kernel");
      play.request.journal = json_text(*request, "journal");
      play.request.skipped = texts_of_member(*request, "skipped");
    }
  }
  play.outcome = json_text(json, "outcome");
  play.choice = json_text(json, "choice");
  play.sweep = texts_of_member(json, "sweep");
  play.program = json_text(json, "program");
  play.base = json_text(json, "base");
  play.tree = json_text(json, "tree");
  std::optional<Error> damage;
  each_object(json, "steps", [&](const rapidjson::Value& one) {
    auto step = parse_step(one);
    if (step) {
      play.steps.push_back(std::move(*step));
    } else if (!damage) {
      damage = fail(step.error().kind, fmt::format("{}: {}", path, step.error().message)).value();
    }
  });
  if (damage) return tl::make_unexpected(*damage);
  each_object(json, "attempts", [&](const rapidjson::Value& one) {
    PlayedAttempt attempt;
    const rapidjson::Value* number = json_member(one, "number");
    if (number != nullptr && number->IsUint64()) attempt.number = number->GetUint64();
    attempt.task = json_text(one, "task");
    attempt.state = json_text(one, "state");
    attempt.reason = json_text(one, "reason");
    attempt.commit = json_text(one, "commit");
    attempt.setting = texts_of_member(one, "setting");
    play.attempts.push_back(std::move(attempt));
  });
  return play;
}

Result<void> KeptPlay::lock() {
  lock_ = UniqueFd(::open(play_.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) return cannot_keep(play_.folder, errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
  return fail(ErrorKind::kStorage,
              fmt::format("{} is being played by another process", quote(play_.folder)));
}

Result<KeptPlay> KeptPlay::create(const std::string& root, Play play, std::string_view playbook) {
  std::error_code error;
  make_folders(root, error);
  if (error) return cannot_keep(root, error.value());
  const std::string whole = fs::absolute(root, error).lexically_normal().string();
  // Without play.json it is no play: it has a hidden name until it has one.
  std::string hidden = fmt::format("{}/{}XXXXXX", whole, kUnfinishedPlay);
  if (::mkdtemp(hidden.data()) == nullptr) return cannot_keep(hidden, errno);
  KeptPlay kept;
  kept.play_ = std::move(play);
  const std::string stem = utc_text(std::time(nullptr), "%Y%m%dT%H%M%SZ-") + kept.play_.playbook;
  for (int n = 1;; ++n) {
    kept.play_.name = n == 1 ? stem : fmt::format("{}-{}", stem, n);
    kept.play_.folder = hidden;
    RETURN_IF_ERROR(write_whole_file(kept.path(kPlaybookFile), playbook));
    RETURN_IF_ERROR(kept.store());
    kept.play_.folder = fmt::format("{}/{}", whole, kept.play_.name);
    if (fs::exists(kept.play_.folder, error)) continue;
    fs::rename(hidden, kept.play_.folder, error);
    if (!error) break;
    const bool taken = error == std::errc::file_exists || error == std::errc::directory_not_empty;
    if (!taken) return cannot_keep(kept.play_.folder, error.value());
  }
  sync_folder(whole);
  RETURN_IF_ERROR(kept.lock());
  return kept;
}

Result<KeptPlay> KeptPlay::open(const std::string& root, const std::string& folder) {
  std::string wanted = folder;
  if (wanted.empty()) {
    const std::vector<std::string> plays = plays_below(root);
    if (plays.empty()) {
      return fail(ErrorKind::kInput, fmt::format("there is no play in {}", quote(root)));
    }
    wanted = plays.front();
  }
  KeptPlay kept;
  ASSIGN_OR_RETURN(kept.play_, read_play(wanted));
  RETURN_IF_ERROR(kept.lock());
  // It may have gone on between the reading and the lock.
  ASSIGN_OR_RETURN(kept.play_, read_play(wanted));
  return kept;
}

Result<std::string> KeptPlay::playbook_text() const {
  const std::string text = read_piece(path(kPlaybookFile), 0, kMostPlayBytes);
  if (!text.empty()) return text;
  return fail(ErrorKind::kInput, fmt::format("{} is missing", quote(path(kPlaybookFile))));
}

std::string KeptPlay::path(std::string_view name) const {
  return fs::path(fmt::format("{}/{}", play_.folder, name)).lexically_normal().string();
}

std::string KeptPlay::relative(const std::string& path) const {
  return fs::path(path).lexically_normal().lexically_relative(play_.folder).string();
}

Result<void> KeptPlay::record(PlayedStep step) {
  const auto known = std::find_if(play_.steps.begin(), play_.steps.end(),
                                  [&](const PlayedStep& one) { return one.id == step.id; });
  if (known == play_.steps.end()) {
    play_.steps.push_back(std::move(step));
  } else {
    *known = std::move(step);
  }
  return store();
}

Result<void> KeptPlay::store() const {
  return write_json_file(path(kPlayFile), [&](JsonWriter& json) { write_play(play_, json); });
}

const std::vector<Play>& KeptPlay::earlier() {
  if (earlier_) return *earlier_;
  earlier_.emplace();
  for (const std::string& folder : plays_below(fs::path(play_.folder).parent_path().string())) {
    if (folder == play_.folder) continue;
    auto other = read_play(folder);
    if (other && other->playbook == play_.playbook) earlier_->push_back(*std::move(other));
  }
  return *earlier_;
}

std::optional<PlayedStep> find_kept_step(KeptPlay& play, const std::string& id,
                                         const std::string& inputs) {
  const auto usable = [&](const PlayedStep* step) {
    return step != nullptr && has_evidence(*step) && (inputs.empty() || step->inputs == inputs);
  };
  if (const PlayedStep* own = play.play().find_step(id); usable(own) && all_there(play, *own)) {
    return *own;
  }
  for (const Play& other : play.earlier()) {
    const PlayedStep* step = other.find_step(id);
    if (!usable(step)) continue;
    PlayedStep seen = seen_from(play, other.folder, *step);
    if (!all_there(play, seen)) continue;
    if (seen.reason.empty()) seen.reason = "as in " + other.name;
    seen.state = StepState::kTaken;
    return seen;
  }
  return std::nullopt;
}

std::optional<double> seconds_before(KeptPlay& play, const std::string& id) {
  const auto kept = find_kept_step(play, id, "");
  return kept ? std::optional(kept->seconds) : std::nullopt;
}

}  // namespace proofline
