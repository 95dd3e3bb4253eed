// SPDX-License-Identifier: Apache-2.0
//
// What the journal knows of advice before it is given again: which items of playbooks were tried on
// which kernel and GPU, and which findings they were meant to remove.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "playbook/check.h"

namespace proofline {

class TriedChanges {
 public:
  // Without a flag, no journal is no error: nothing was tried.
  static Result<TriedChanges> read(const std::string& journal);

  explicit TriedChanges(std::vector<Attempt> attempts) : attempts_(std::move(attempts)) {}
  // Where there is no journal.
  TriedChanges() : journal_(false) {}

  // The last decided attempt at an item on this kernel; names are compared without template
  // arguments and parameters.
  std::optional<CheckOptions::Tried> item(std::string_view playbook, std::string_view id,
                                          std::string_view kernel, std::string_view cc) const;

  // How many attempts at this kernel there are, and the time that they took; nothing is told where
  // there is no journal.
  void count(std::string_view kernel, std::string_view cc, CheckOptions& options) const;

  // Attempts that were meant to remove such a finding: "tried 2026-11-15, reverted, -3.1 %
  // (47c65091)", the last first.
  std::vector<std::string> answers(std::string_view rule, std::string_view kernel,
                                   std::string_view cc) const;

 private:
  std::vector<Attempt> attempts_;  // of playbooks' items, oldest first
  bool journal_ = true;            // there is one
};

}  // namespace proofline
