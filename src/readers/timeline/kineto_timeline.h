// SPDX-License-Identifier: Apache-2.0
//
// Puts the pieces of a Chrome trace together into one Timeline: names, threads and streams that
// pieces numbered for themselves get one number each. A trace of Kineto is that of one process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interned.h"
#include "model/timeline/timeline.h"
#include "readers/timeline/kineto_events.h"
#include "readers/timeline/launch_shape_hash.h"

namespace proofline {

class KinetoTimeline {
 public:
  explicit KinetoTimeline(Timeline& timeline) : timeline_(timeline) {}

  // In the order of the file. `offset` is where the batch's text starts in it.
  void add(const KinetoBatch& batch, std::uint64_t offset);
  // Devices, names and notes, once all batches are there.
  void finish();
  std::uint64_t events() const { return events_; }

 private:
  // What a name says of an operation that bears it.
  struct CopyKind {
    CopyDirection direction = CopyDirection::kUnknown;
    MemoryKind from = MemoryKind::kUnknown;
    MemoryKind to = MemoryKind::kUnknown;
  };
  static CopyKind copy_kind(std::string_view name);

  std::vector<std::uint32_t> name_numbers(const KinetoBatch& batch);
  std::vector<std::uint32_t> thread_numbers(const KinetoBatch& batch);
  std::vector<std::uint32_t> stream_numbers(const KinetoBatch& batch);
  std::uint32_t plain_call_name(std::uint32_t name);
  void add_ops(const KinetoBatch& batch, const std::vector<std::uint32_t>& names);
  void doubt_ops();
  void add_loss(std::uint64_t count, std::string_view what, std::string place = {});

  Timeline& timeline_;
  InternedTexts names_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> threads_;
  std::map<KinetoStream, std::uint32_t> streams_;
  Interned<LaunchShape, LaunchShapeHash> shapes_;
  std::map<std::uint32_t, CopyKind> copy_kinds_;
  std::map<std::uint32_t, std::uint32_t> call_names_;
  std::uint64_t events_ = 0;
  std::uint64_t mtia_ = 0;
  std::uint64_t malformed_ = 0;
  std::optional<std::uint64_t> first_malformed_;
  std::uint64_t without_time_ = 0;
  std::uint64_t lost_ops_ = 0;
  std::uint64_t unknown_ = 0;
  std::string unknown_category_;
  std::uint64_t unpaired_ = 0;
  std::uint64_t wide_ids_ = 0;
};

}  // namespace proofline
