// SPDX-License-Identifier: Apache-2.0
#include "workflow/runs/prune_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/list_folder.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "workflow/runs/run_references.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemoved = ".removed-";

// Held while a run is played or removed; closed where somebody else holds it.
UniqueFd lock_run(const std::string& folder) {
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

// What a prune that was killed left.
void remove_leftovers(const std::string& root) {
  for (const std::string& name : list_folder(root).value_or(std::vector<std::string>{})) {
    if (!name.starts_with(kRemoved)) continue;
    const std::string path = fmt::format("{}/{}", root, name);
    const UniqueFd lock = lock_run(path);
    std::error_code ignored;
    if (lock.is_open()) fs::remove_all(path, ignored);
  }
}

// False: errno says why, and the run is as it was.
bool hide_run(const KeptRun& run, std::string& hidden) {
  const std::string root = fs::path(run.folder).parent_path().string();
  hidden = fmt::format("{}/{}{}", root, kRemoved, run.name);
  return std::rename(run.folder.c_str(), hidden.c_str()) == 0;
}

std::time_t start_of(const KeptRun& run) {
  std::tm time{};
  return ::strptime(run.started.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr ? 0
                                                                                 : ::timegm(&time);
}

class Pruning {
 public:
  Pruning(const PrunePlan& plan, RunReferences references)
      : plan_(plan), references_(std::move(references)) {
    result_.is_dry = plan.dry_run;
  }

  PrunedRuns run(const std::vector<KeptRun>& newest_first) {
    std::uint64_t left = 0;
    for (const KeptRun& run : newest_first) left += run.bytes;
    result_.kept_runs = newest_first.size();
    // The oldest first, so that what was freed tells whether the next one must go.
    for (std::size_t i = newest_first.size(); i-- > 0;) {
      const KeptRun& run = newest_first[i];
      if (ought_to_go(run, i, left) && remove(run)) left -= run.bytes;
    }
    result_.kept_bytes = left;
    result_.kept_runs -= result_.removed.size();
    return std::move(result_);
  }

 private:
  bool ought_to_go(const KeptRun& run, std::size_t newer, std::uint64_t left) const {
    if (plan_.keep) return newer >= *plan_.keep;
    if (plan_.max_bytes) return left > *plan_.max_bytes;
    // An unreadable time is no reason to remove anything.
    const std::time_t start = start_of(run);
    return start != 0 && plan_.older_than && std::time(nullptr) - start > plan_.older_than->count();
  }

  std::string reason_to_stay(const KeptRun& run) const {
    const auto reference = references_.find(run.name);
    if (reference != references_.end()) return reference->second;
    if (run.is_play && run.outcome != "finished") {
      return fmt::format("the play is not finished ({})", quote(run.outcome));
    }
    return "";
  }

  bool spare(const KeptRun& run, std::string reason) {
    result_.spared.push_back({run, std::move(reason)});
    return false;
  }

  bool remove(const KeptRun& run) {
    if (std::string reason = reason_to_stay(run); !reason.empty()) {
      return spare(run, std::move(reason));
    }
    const UniqueFd lock = lock_run(run.folder);
    if (!lock.is_open()) return spare(run, "another process uses it");
    if (!plan_.dry_run) {
      std::string hidden;
      if (!hide_run(run, hidden)) {
        return spare(run, "it cannot be removed: " + std::generic_category().message(errno));
      }
      std::error_code error;
      fs::remove_all(hidden, error);
      if (error) {
        result_.notes.push_back(
            {NoteKind::kLoss, hidden,
             "could not be deleted: " + error.message() + "; the next prune tries again"});
        return false;
      }
    }
    result_.removed.push_back(run);
    result_.freed += run.bytes;
    return true;
  }

  const PrunePlan& plan_;
  RunReferences references_;
  PrunedRuns result_;
};

}  // namespace

Result<std::chrono::seconds> parse_age(const std::string& text) {
  constexpr std::int64_t kMost = 100'000;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (error == std::errc() && number >= 0 && number <= kMost) {
    if (unit == "h") return std::chrono::hours(number);
    if (unit == "d") return std::chrono::hours(24 * number);
    if (unit == "w") return std::chrono::hours(7 * 24 * number);
  }
  return fail(ErrorKind::kUsage, fmt::format("{} {} is no age: write 12h, 30d or 8w",
                                             option("older-than"), quote(text)));
}

Result<PrunedRuns> prune_runs(const PrunePlan& plan) {
  if (!plan.dry_run) {
    remove_leftovers(plan.places.runs);
    remove_leftovers(plan.places.plays);
  }
  const std::vector<KeptRun> runs = kept_runs(plan.places);
  ASSIGN_OR_RETURN(auto references, find_run_references(runs, plan.journal));
  return Pruning(plan, std::move(references)).run(runs);
}

}  // namespace proofline
