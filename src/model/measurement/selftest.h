// SPDX-License-Identifier: Apache-2.0
//
// What measuring one program against itself says of a machine: how often two equal things are
// called different here, and which difference so many starts can show. Plain data; `proofline
// selftest --format json` is this and nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"
#include "model/note.h"

namespace proofline {

// The smallest relative change that so many starts of each side show.
struct DetectableChange {
  std::size_t starts = 0;
  double change = 0;
};

struct SelftestConfiguration {
  DecidedConfiguration compared;  // the program against itself, as it was measured
  double spread = 0;              // of the logarithms of the ratios of neighbouring starts
  double drift = 0;               // the last third of the starts against the first third
  double smallest_visible = 0;    // the change that as many starts as there were show
  std::vector<DetectableChange> detectable;
};

// How often comparisons of equal things called any of their configurations changed: all starts
// together, and the same starts cut into windows, each a comparison of its own. Everything is as it
// ran: what depends on order, side or time of day would be gone from pairs put together anew.
struct FalseAlarms {
  double promised = 0.05;       // at most this share
  std::size_t observed = 0;     // configurations that changed over all starts
  std::size_t window = 0;       // starts of each side in a window
  std::size_t comparisons = 0;  // windows
  std::size_t alarms = 0;       // windows in which a configuration changed
  double rate = 0;
  double low = 0;  // how far the rate is known from so many windows, at 95 %
  double high = 1;

  // No change where nothing changed, and a rate that is not above the promise but by chance.
  bool kept() const { return observed == 0 && low <= promised; }
};

struct Selftest {
  std::string command;   // without secrets
  std::string timed_by;  // "program", "cupti", "wall"
  std::string folder;    // of the run
  std::size_t starts = 0;
  BenchmarkMachine machine;
  FalseAlarms false_alarms;
  std::vector<SelftestConfiguration> configurations;
  std::vector<Note> notes;
};
Record describe(const Selftest*);

}  // namespace proofline
