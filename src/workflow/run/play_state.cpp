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
#include "base/record_json.h"
#include "base/record_reader.h"
#include "base/sync_folder.h"
#include "base/text.h"
#include "base/utc_time.h"
#include "base/whole_file.h"

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

tl::unexpected<Error> damaged(const std::string& path, const std::string& what) {
  return fail(ErrorKind::kInput, fmt::format("{} is damaged: {}", quote(path), what));
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
  const RecordReading read = read_record(json, play);
  if (!read.flaws.empty()) {
    return damaged(path, fmt::format("{} ({})", read.flaws.front().what, read.flaws.front().place));
  }
  if (!read.first_absent.empty()) return damaged(path, read.first_absent + " is missing");
  if (play.request.command.empty()) return damaged(path, "it has no command");
  for (const PlayedStep& step : play.steps) {
    if (info_of(step.does).measures) continue;
    return damaged(path, fmt::format("{} is no step of its own", to_string(step.does)));
  }
  std::error_code ignored;
  play.folder = fs::absolute(folder, ignored).lexically_normal().string();
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
  const WriteOptions all{{"request", "sweep", "program", "base", "tree", "inputs"}};
  return write_json_file(path(kPlayFile),
                         [&](JsonWriter& json) { write_record(play_, json, all); });
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
