// SPDX-License-Identifier: Apache-2.0
//
// A play on the disk: .proofline/plays/<time>-<playbook>/ with play.json, the playbook as it was,
// and a folder for each step. play.json is replaced whole, and only when everything that it speaks
// of is on the disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "playbook/play.h"

namespace proofline {

// The play in this folder. kInput.
Result<Play> read_play(const std::string& folder);

class KeptPlay {
 public:
  // A new folder below `root`. kStorage.
  static Result<KeptPlay> create(const std::string& root, Play play, std::string_view playbook);
  // One that was begun; "" the latest below `root`. kInput, and kStorage where somebody plays it
  // now.
  static Result<KeptPlay> open(const std::string& root, const std::string& folder);

  Play& play() { return play_; }
  const Play& play() const { return play_; }
  // The playbook's text as it was when the play began.
  Result<std::string> playbook_text() const;

  // A file or folder of the play.
  std::string path(std::string_view name) const;
  // From the play's folder on.
  std::string relative(const std::string& path) const;

  // Plays of the same playbook beside this one, the latest first, as they were when first asked
  // for.
  const std::vector<Play>& earlier();

  // Puts the step in place of the one of that id, at its end where there is none, and stores it.
  Result<void> record(PlayedStep step);
  Result<void> store() const;

 private:
  KeptPlay() = default;
  Result<void> lock();

  Play play_;
  std::optional<std::vector<Play>> earlier_;
  UniqueFd lock_;
};

// A step of an earlier play of the same playbook, the latest first, with paths from `play` on.
// `inputs`: only with these; "" whatever they were.
std::optional<PlayedStep> find_kept_step(KeptPlay& play, const std::string& id,
                                         const std::string& inputs);

// What a step took before, here or in an earlier play; nothing: it was never done.
std::optional<double> seconds_before(KeptPlay& play, const std::string& id);

}  // namespace proofline
