// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/recorded_timeline.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/interned.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/timeline/recorded_process.h"
#include "readers/timeline/recording_format.h"

namespace proofline {
namespace {

// Clocks of one boot of one machine agree within this on how far the time of day is from the
// monotonic clock, even where somebody sets the time in between.
constexpr std::int64_t kSameBootNs = 3'600'000'000'000;

// Several processes on one clock and with one list of devices.
class TimelineAssembler {
 public:
  explicit TimelineAssembler(std::string path) {
    timeline_.path = std::move(path);
    timeline_.format = "recording";
    timeline_.producer = "proofline's recorder";
    timeline_.from_program_start = true;
  }

  Result<void> add(Input& input) {
    const std::string name = std::filesystem::path(input.name()).filename().string();
    ProcessReading process = read_recorded_process(input, name, timeline_, names_);
    pieces_.push_back(std::move(process.piece));
    return process.read;
  }

  void lose(const std::string& file, std::string what) {
    timeline_.notes.push_back({NoteKind::kLoss, quote(file), std::move(what)});
  }

  Timeline take() {
    place_devices();
    align_clocks();
    timeline_.names = names_.take_keys();
    return std::move(timeline_);
  }

 private:
  // A GPU may have another number in each process, and only its UUID tells that it is the same.
  void place_devices() {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> by_uuid;
    std::set<std::uint32_t> used_ids;
    bool is_uncertain = false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      std::vector<std::uint32_t> positions;
      for (const LocalDevice& local : pieces_[i].devices) {
        const auto next = static_cast<std::uint32_t>(timeline_.devices.size());
        positions.push_back(local.uuid ? by_uuid.try_emplace(*local.uuid, next).first->second
                                       : next);
        if (positions.back() != next) continue;
        is_uncertain = is_uncertain || (!local.uuid && pieces_.size() > 1);
        timeline_.devices.push_back(local.device);
        std::uint32_t& id = timeline_.devices.back().id;
        while (!used_ids.insert(id).second) ++id;
      }
      const std::size_t end =
          i + 1 < pieces_.size() ? pieces_[i + 1].streams : timeline_.streams.size();
      for (std::size_t s = pieces_[i].streams; s < end; ++s) {
        timeline_.streams[s].device = positions[timeline_.streams[s].device];
      }
    }
    if (is_uncertain) {
      timeline_.notes.push_back(
          {NoteKind::kInfo, "",
           "the processes do not tell which GPU is which, so each has devices of its own here"});
    }
  }

  // CUPTI's clock is one for each process. All become the monotonic clock of the machine, or the
  // time of day where the processes ran on several.
  void align_clocks() {
    const ProcessPiece* reference = nullptr;
    bool is_one_machine = true;
    bool is_all_known = true;
    for (const ProcessPiece& piece : pieces_) {
      is_all_known = is_all_known && piece.monotonic.is_known();
      if (!piece.monotonic.is_known()) continue;
      if (reference == nullptr) reference = &piece;
      const std::int64_t apart = piece.real.mean() - reference->real.mean();
      is_one_machine = is_one_machine && apart < kSameBootNs && apart > -kSameBootNs;
    }
    if (reference == nullptr) {
      if (pieces_.size() > 1) note_unaligned();
      return;
    }
    if (!is_all_known) note_unaligned();
    if (!is_one_machine) {
      timeline_.notes.push_back(
          {NoteKind::kInfo, "", "recorded on several machines: put together by the time of day"});
    }
    timeline_.unix_ns = is_one_machine ? reference->real.mean() : 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const ProcessPiece& clocks = pieces_[i].monotonic.is_known() ? pieces_[i] : *reference;
      const std::int64_t to_real = is_one_machine ? 0 : clocks.real.mean();
      shift(i, to_real - clocks.monotonic.mean());
    }
  }

  void note_unaligned() {
    timeline_.notes.push_back(
        {NoteKind::kInfo, "",
         "the clocks of the processes may be apart: some did not note theirs"});
  }

  void shift(std::size_t piece, std::int64_t by) {
    const auto each = [&](auto& events, std::size_t ProcessPiece::*begin, auto&& change) {
      const std::size_t end =
          piece + 1 < pieces_.size() ? pieces_[piece + 1].*begin : events.size();
      for (std::size_t i = pieces_[piece].*begin; i < end; ++i) change(events[i]);
    };
    // By way of unsigned numbers, which may wrap where a file is damaged; no end comes before its
    // start by that.
    const auto moved = [&](std::int64_t time) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) +
                                       static_cast<std::uint64_t>(by));
    };
    const auto move_span = [&](auto& event) {
      const std::int64_t start = moved(event.start_ns);
      const std::int64_t end = moved(event.end_ns);
      event.start_ns = std::min(start, end);
      event.end_ns = std::max(start, end);
    };
    each(timeline_.ops, &ProcessPiece::ops, move_span);
    each(timeline_.calls, &ProcessPiece::calls, move_span);
    each(timeline_.ranges, &ProcessPiece::ranges, move_span);
    each(timeline_.waits, &ProcessPiece::waits, move_span);
    each(timeline_.memory, &ProcessPiece::memory,
         [&](MemoryChange& change) { change.time_ns = moved(change.time_ns); });
  }

  Timeline timeline_;
  InternedTexts names_;
  std::vector<ProcessPiece> pieces_;
};

}  // namespace

bool is_recording_folder(const std::string& path) {
  const auto names = list_folder(path).value_or(std::vector<std::string>{});
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return std::filesystem::path(name).extension() == kRecordingExtension;
  });
}

std::string recording_of_run(const std::string& folder) {
  std::string path = (std::filesystem::path(folder) / kRecordingFolder).string();
  return is_recording_folder(path) ? path : "";
}

Result<Timeline> read_recorded_timeline(Input& input) {
  TimelineAssembler assembler(input.name());
  RETURN_IF_ERROR(assembler.add(input));
  return assembler.take();
}

Result<Timeline> read_recorded_timeline(const std::string& folder) {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  TimelineAssembler assembler(folder);
  for (const std::string& name : names) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (file.extension() != kRecordingExtension) continue;
    auto read =
        Input::open(file.string()).and_then([&](Input&& input) { return assembler.add(input); });
    if (!read) assembler.lose(name, read.error().message);
  }
  return assembler.take();
}

}  // namespace proofline
