// SPDX-License-Identifier: Apache-2.0
//
// What a workflow tells, on standard error: sentences as lines of their own, progress as one line
// that is erased before anything else is printed. Where standard error is no terminal, logs stay
// free of progress, unless it is wanted as lines.
#pragma once

#include <string>
#include <string_view>

#include "workflow/announcer.h"

namespace proofline {

class TerminalAnnouncer final : public Announcer {
 public:
  explicit TerminalAnnouncer(bool lines);
  ~TerminalAnnouncer() override { remove_line(); }
  TerminalAnnouncer(const TerminalAnnouncer&) = delete;
  TerminalAnnouncer& operator=(const TerminalAnnouncer&) = delete;

  void say(std::string_view sentence) override;
  // "ncu: scale(float*), pass 12 of 38": a stranger's text is escaped, a long one shortened.
  void progress(std::string_view what) override;
  void clear() override { remove_line(); }

 private:
  void remove_line();

  bool terminal_;
  bool lines_;
  std::string shown_;  // on the terminal
  std::string said_;   // as the last line of progress
};

}  // namespace proofline
