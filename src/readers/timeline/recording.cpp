// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_cursor.h"
#include "base/input.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/format.h"
#include "readers/timeline/recorded_timeline.h"
#include "readers/timeline/recording_format.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// A number that fits, or the largest there is: no GPU comes near it.
std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::string rest(ByteCursor& cursor) { return std::string(cursor.take(cursor.left())); }

class ProcessReader {
 public:
  ProcessReader(std::string name, Recording& recording)
      : name_(std::move(name)), recording_(recording) {}

  void read(std::string_view bytes) {
    ByteCursor cursor(bytes);
    const std::string_view magic = cursor.take(kRecordingMagic.size());
    if (magic != kRecordingMagic) {
      return lose(bytes.empty() ? "the file is empty: the process ended before it wrote anything"
                                : "not a recording, or one of another version of proofline");
    }
    while (!cursor.at_end()) {
      const auto kind = static_cast<RecordKind>(cursor.u8());
      const std::size_t length = cursor.u16();
      const std::string_view payload = cursor.take(length);
      if (!cursor.ok()) break;
      read_record(kind, ByteCursor(payload));
    }
    report(cursor.ok());
    number_launches();
    recording_.processes.push_back(std::move(process_));
  }

 private:
  struct Call {
    RecordedLaunch launch;
    std::uint64_t number = 0;
  };

  void read_record(RecordKind kind, ByteCursor record) {
    switch (kind) {
      case RecordKind::kProcess: read_process(record); break;
      case RecordKind::kDevice: read_device(record); break;
      case RecordKind::kShape: read_shape(record); break;
      case RecordKind::kLaunch: read_launch(record); break;
      case RecordKind::kDropped: process_.dropped += record.uleb(); break;
      case RecordKind::kTrouble: process_.trouble = rest(record); break;
      case RecordKind::kEnd: ended_ = true; break;
      default: break;  // of the timeline (recorded_timeline.cpp)
    }
    if (!record.ok()) ++damaged_;
  }

  void read_process(ByteCursor& record) {
    process_.pid = narrow(record.uleb());
    process_.unix_ns = record.uleb();
    process_.driver_version = narrow(record.uleb());
    process_.cupti_version = narrow(record.uleb());
    process_.executable = rest(record);
  }

  void read_device(ByteCursor& record) {
    RecordedDevice device;
    device.id = narrow(record.uleb());
    device.cc_major = narrow(record.uleb());
    device.cc_minor = narrow(record.uleb());
    const std::uint64_t count = record.uleb();
    for (std::uint64_t i = 0; i < count && record.ok(); ++i) {
      const std::uint64_t value = record.uleb();
      if (i < kRecordedAttributes.size()) {
        device.attributes.emplace_back(kRecordedAttributes[i], value);
      }
    }
    device.name = rest(record);
    if (record.ok()) process_.devices.push_back(std::move(device));
  }

  void read_shape(ByteCursor& record) {
    const auto number = [&] { return narrow(record.uleb()); };
    const auto three = [&] {
      Dim3 sizes{};
      for (std::uint64_t& size : sizes) size = number();
      return sizes;
    };
    RecordedLaunch shape;
    shape.device = number();
    shape.context = number();
    shape.stream = number();
    shape.grid = three();
    shape.block = three();
    shape.registers = number();
    shape.static_shared = number();
    shape.dynamic_shared = number();
    shape.local_bytes = number();
    shape.shared_config = number();
    shape.cluster = three();
    // A damaged shape is kept too: launches name shapes by their position.
    shape.name = name_id(rest(record));
    shapes_.push_back(shape);
  }

  void read_launch(ByteCursor& record) {
    const std::uint64_t shape = record.uleb();
    // Unsigned, so that damaged numbers may wrap.
    call_number_ += static_cast<std::uint64_t>(record.sleb());
    start_ += static_cast<std::uint64_t>(record.sleb());
    const std::int64_t duration = record.sleb();
    if (!record.ok()) return;
    if (shape >= shapes_.size()) {
      ++damaged_;
      return;
    }
    if (calls_.size() == kMaxRecordedLaunches) {
      ++process_.dropped;
      return;
    }
    Call call{shapes_[shape], call_number_};
    const bool timed =
        start_ != 0 && duration >= 0 &&
        static_cast<std::uint64_t>(duration) <= std::numeric_limits<std::uint64_t>::max() - start_;
    if (timed) {
      call.launch.start_ns = start_;
      call.launch.end_ns = start_ + static_cast<std::uint64_t>(duration);
    }
    calls_.push_back(call);
  }

  std::uint32_t name_id(std::string name) {
    const auto [known, is_new] =
        name_ids_.try_emplace(std::move(name), static_cast<std::uint32_t>(process_.names.size()));
    if (is_new) process_.names.push_back(known->first);
    return known->second;
  }

  // Numbers the launches of each name as they were called, takes out those without a time, and puts
  // the rest in the order of their start.
  void number_launches() {
    std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
      return std::tie(a.number, a.launch.start_ns) < std::tie(b.number, b.launch.start_ns);
    });
    std::vector<std::uint32_t> counts(process_.names.size());
    process_.launches.reserve(calls_.size());
    for (Call& call : calls_) {
      call.launch.invocation = ++counts[call.launch.name];
      if (call.launch.start_ns != 0) process_.launches.push_back(call.launch);
    }
    process_.untimed = calls_.size() - process_.launches.size();
    std::stable_sort(
        process_.launches.begin(), process_.launches.end(),
        [](const RecordedLaunch& a, const RecordedLaunch& b) { return a.start_ns < b.start_ns; });
    if (process_.untimed > 0) {
      lose("launches have no time: they had not ended with the process", process_.untimed);
    }
  }

  void report(bool whole) {
    if (!process_.trouble.empty()) {
      return lose("its kernels could not be recorded: " + escape_terminal(process_.trouble));
    }
    if (damaged_ > 0) lose("records are damaged", damaged_);
    if (process_.dropped > 0) lose("records were dropped", process_.dropped);
    if (!whole || !ended_) {
      lose("the process did not end in order, so its last launches may be missing");
    }
  }

  void lose(std::string what, std::uint64_t count = 1) {
    std::string place = process_.pid != 0
                            ? fmt::format("process {} ({})", process_.pid,
                                          quote(fs::path(process_.executable).filename().string()))
                            : quote(name_);
    recording_.notes.push_back({NoteKind::kLoss, std::move(place), std::move(what), count});
  }

  std::string name_;
  Recording& recording_;
  RecordedProcess process_;
  std::vector<RecordedLaunch> shapes_;
  std::vector<Call> calls_;
  std::unordered_map<std::string, std::uint32_t> name_ids_;
  std::uint64_t call_number_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t damaged_ = 0;
  bool ended_ = false;
};

bool sniff_recording(std::string_view prefix) { return prefix.starts_with(kRecordingMagic); }

Result<void> read_recording_file(Input& input, Recording& recording) {
  ASSIGN_OR_RETURN(const auto bytes, input.take_rest());
  read_recording_bytes(bytes, fs::path(input.name()).filename().string(), recording);
  return {};
}

}  // namespace

void read_recording_bytes(std::string_view bytes, const std::string& name, Recording& recording) {
  ProcessReader(name, recording).read(bytes);
}

Format recording() {
  return {.name = "recording",
          .what = "a recording of proofline's recorder",
          .summary = "what one process did with CUDA, as proofline's recorder leaves it",
          .sniff = sniff_recording,
          .read_recording = read_recording_file,
          .read_timeline = read_recorded_timeline};
}

Result<Recording> read_recording(const std::string& folder) {
  std::vector<fs::path> files;
  ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  for (const std::string& name : names) {
    fs::path file = fs::path(folder) / name;
    if (file.extension() == kRecordingExtension) files.push_back(std::move(file));
  }
  Recording recording;
  for (const fs::path& file : files) {
    auto read = Input::open(file.string()).and_then([&](Input&& input) {
      return read_recording_file(input, recording);
    });
    if (!read) {
      recording.notes.push_back(
          {NoteKind::kLoss, quote(file.filename().string()), read.error().message});
    }
  }
  std::stable_sort(
      recording.processes.begin(), recording.processes.end(),
      [](const RecordedProcess& a, const RecordedProcess& b) { return a.unix_ns < b.unix_ns; });
  return recording;
}

}  // namespace proofline
