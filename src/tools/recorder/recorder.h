// SPDX-License-Identifier: Apache-2.0
//
// Our recorder (trace/) on its way into the user's program: the shared object that this binary
// carries, written to a folder, and the variables by which CUDA loads it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/profile/recording.h"
#include "model/timeline/timeline.h"

namespace proofline {

// What to record: the kernels, which costs least, or all that a timeline shows.
struct RecorderTask {
  bool timeline = false;
  // Of a timeline, in seconds from now: what comes before and after is left out. 0: nothing is.
  double delay = 0;
  double duration = 0;
};

class Recorder {
 public:
  // Writes the shared object into this folder, which is created if missing and also gets the
  // recording. kTool where this build carries no recorder or no libcupti is found
  // (then the message says where it was looked for); kStorage where the folder cannot be written.
  static Result<Recorder> prepare(const std::string& folder, const RecorderTask& task = {});

  // To be added to the environment of the program, whose children inherit it.
  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }
  // The libcupti that will be used; the program's own, where it has loaded one before.
  const std::string& cupti() const { return cupti_; }

  // What the program left, when it has ended. No process in it: the program did not use CUDA.
  Result<Recording> read() const;
  // The same, where a timeline was to be recorded.
  Result<Timeline> read_timeline() const;

 private:
  Recorder() = default;
  std::string folder_;
  std::string cupti_;
  std::vector<std::pair<std::string, std::string>> variables_;
};

}  // namespace proofline
