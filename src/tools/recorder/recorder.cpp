// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/output.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "readers/timeline/recorded_timeline.h"
#include "readers/timeline/recording.h"
#include "tools/recorder/find_cupti.h"
#include "tools/recorder/recorder_object.h"

namespace proofline {
namespace {

Result<void> write_object(const std::string& path) {
  const auto cannot = [&](int error) {
    return fail(ErrorKind::kStorage, fmt::format("cannot write {}: {}", quote(path),
                                                 std::generic_category().message(error)));
  };
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500));
  if (!file.is_open()) return cannot(errno);
  if (const int error = write_all(file.get(), recorder_object())) return cannot(error);
  struct statvfs system {};
  if (::fstatvfs(file.get(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0) {
    return fail(ErrorKind::kStorage,
                fmt::format("{} lies on a file system mounted noexec, so no program can load the "
                            "recorder from it; run this in another folder",
                            quote(path)));
  }
  return {};
}

// As the recorder takes it: two times of the monotonic clock, in ns, 0 for none.
std::string window_text(const RecorderTask& task) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto after = [&](double seconds) {
    return (now + std::chrono::nanoseconds(std::llround(1e9 * seconds))).count();
  };
  return fmt::format("{} {}", task.delay > 0 ? after(task.delay) : 0,
                     task.duration > 0 ? after(task.delay + task.duration) : 0);
}

}  // namespace

Result<Recorder> Recorder::prepare(const std::string& folder, const RecorderTask& task) {
  auto cupti = find_cupti(cupti_search());
  RETURN_IF_ERROR(cupti);
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  Recorder recorder;
  // The program may change its working folder.
  recorder.folder_ = std::filesystem::absolute(folder, error).string();
  if (error) {
    return fail(ErrorKind::kStorage,
                fmt::format("cannot use {}: {}", quote(folder), error.message()));
  }
  const std::string object = recorder.folder_ + "/libproofline_recorder.so";
  RETURN_IF_ERROR(write_object(object));
  recorder.cupti_ = *std::move(cupti);
  recorder.variables_ = {{"CUDA_INJECTION64_PATH", object},
                         {"PROOFLINE_RECORDING", recorder.folder_},
                         {"PROOFLINE_CUPTI", recorder.cupti_}};
  if (task.timeline) {
    recorder.variables_.emplace_back("PROOFLINE_TIMELINE", window_text(task));
    recorder.variables_.emplace_back("NVTX_INJECTION64_PATH", object);
  }
  return recorder;
}

Result<Recording> Recorder::read() const { return read_recording(folder_); }

Result<Timeline> Recorder::read_timeline() const { return read_recorded_timeline(folder_); }

}  // namespace proofline
