// SPDX-License-Identifier: Apache-2.0
//
// What a workflow tells while it runs, in the order in which it happens. Results and notes are not
// told here: they are returned. The command line shows it on the terminal, a test collects it, a
// program that calls the library may ignore it.
#pragma once

#include <string_view>

namespace proofline {

class Announcer {
 public:
  virtual ~Announcer() = default;

  // Something worth keeping: "racecheck, at most 60 s". One sentence without an end of line.
  virtual void say(std::string_view sentence) = 0;

  // What is going on at this moment; each takes the place of the one before. May hold a stranger's
  // text, as it is.
  virtual void progress(std::string_view what) = 0;
  // Nothing goes on any more.
  virtual void clear() = 0;
};

// For callers who want results only.
class SilentAnnouncer final : public Announcer {
 public:
  void say(std::string_view) override {}
  void progress(std::string_view) override {}
  void clear() override {}
};

// Progress that ends where this does, so that none is left in front of a result or an error.
class ProgressLine {
 public:
  explicit ProgressLine(Announcer& announcer) : announcer_(announcer) {}
  ~ProgressLine() { announcer_.clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::string_view what) { announcer_.progress(what); }
  void clear() { announcer_.clear(); }

 private:
  Announcer& announcer_;
};

}  // namespace proofline
