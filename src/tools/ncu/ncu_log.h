// SPDX-License-Identifier: Apache-2.0
//
// What ncu tells of its work in the file that --log-file names, read as the file grows:
//
//   ==PROF== Connected to process 1770 (/home/user/app)
//   ==PROF== Profiling "scale(float *, float)" - 0: 0%....50%....100% - 38 passes
//   ==ERROR== The application returned an error code (3).
//
// The dots of a kernel come one by one. Anything may break into such a line, and the file may be
// anybody's: what is not ncu's is passed over.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

struct NcuProgress {
  bool connected = false;    // to a process that uses CUDA
  std::string kernel;        // that is being profiled, or was last; "" none yet
  double fraction = 0;       // of its passes, in tenths
  std::size_t finished = 0;  // kernels before it, and itself when it is done
  std::size_t passes = 0;    // of the kernel that was done last; 0: none was
  bool slow = false;         // ncu finds that the kernel takes longer than it should
};

class NcuLog {
 public:
  // The next bytes of the file.
  void take(std::string_view piece);
  // End of the log: an incomplete last line counts too.
  void finish();

  const NcuProgress& progress() const { return progress_; }
  // Without their marks, at most a few dozen of each.
  const std::vector<std::string>& errors() const { return errors_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  // What ran, where nothing of it matched.
  const std::vector<std::string>& available_kernels() const { return available_; }
  bool disconnected() const { return disconnected_; }  // in good order, by the last process
  // ncu ended the program itself; its exit code then says nothing.
  bool ended_program() const { return ended_program_; }
  // That of the program, where it is not 0; the number of a signal where it died.
  std::optional<int> program_code() const { return program_code_; }

 private:
  void read_line(std::string_view line);
  void read_message(std::string_view message);
  void begin_kernel(std::string name);
  void add_steps(std::string_view text);
  void preview();

  NcuProgress progress_;
  std::string rest_;      // the line that is not yet complete
  bool open_ = false;     // a kernel has begun and not ended
  std::string steps_;     // of that kernel: "0%....50%"
  bool in_list_ = false;  // of available kernels
  std::vector<std::string> errors_;
  std::vector<std::string> warnings_;
  std::vector<std::string> available_;
  bool disconnected_ = false;
  bool ended_program_ = false;
  std::optional<int> program_code_;
};

}  // namespace proofline
