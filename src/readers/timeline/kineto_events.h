// SPDX-License-Identifier: Apache-2.0
//
// The events of a piece of a Chrome trace, compact and by category. Pieces are parsed in parallel,
// so names, threads and streams are numbered within a piece; kineto_timeline.h joins them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interned.h"
#include "model/timeline/timeline.h"
#include "readers/timeline/launch_shape_hash.h"

namespace proofline {

struct KinetoStream {
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint64_t stream = 0;

  auto operator<=>(const KinetoStream&) const = default;
};

// Unparsed: numbers or strings.
struct KinetoThread {
  std::string_view pid;
  std::string_view tid;

  auto operator<=>(const KinetoThread&) const = default;
};

struct KinetoThreadName {
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  bool of_process = false;
};

// Of a piece: positions in the model's records are those of this batch.
struct KinetoBatch {
  Interned<std::string_view> names;  // unparsed, with their escapes
  std::vector<KinetoThread> threads;
  std::vector<KinetoStream> streams;
  Interned<LaunchShape, LaunchShapeHash> shapes;
  std::vector<GpuOp> ops;
  std::vector<ApiCall> calls;
  std::vector<HostRange> ranges;
  std::vector<Collective> collectives;
  std::vector<Collective> asked_collectives;
  std::vector<KinetoThreadName> thread_names;
  std::uint64_t memory_peak = 0;   // bytes, of the allocator on a GPU; 0: unknown
  std::uint64_t mtia = 0;          // events of Meta's accelerator
  std::uint64_t events = 0;        // events of all kinds
  std::uint64_t malformed = 0;     // events that could not be read, by reason
  std::uint64_t without_time = 0;  // no start, no length, or one below 0
  std::uint64_t lost_ops = 0;      // of these, such of the GPU
  std::uint64_t unknown = 0;       // events with a length, of a category that is not known
  std::string_view unknown_category;
  std::uint64_t unpaired = 0;  // begin and end events, which Kineto does not write
  std::uint64_t wide_ids = 0;  // correlations beyond 32 bits: kept, but joined to nothing
  std::optional<std::uint64_t> first_malformed;  // where, in the piece
  // Where parsing stopped: at the bracket that ends the events, or at an event that the piece does
  // not hold to its end.
  std::size_t stopped_at = 0;
  bool ended = false;
};

// Parses events from `from` on; the text is followed by kScanPadding zero bytes and has to outlive
// the batch. With `last`, an incomplete event is malformed.
KinetoBatch parse_kineto_events(std::string_view text, std::size_t from, bool last);

// The last place in the text where an event starts that follows another one. npos: none.
std::size_t last_kineto_event(std::string_view text);

}  // namespace proofline
