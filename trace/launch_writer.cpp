// SPDX-License-Identifier: Apache-2.0
#include "launch_writer.h"

#include <cstring>

namespace proofline::trace {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio: bits well spread
  return hash ^ (hash >> 32U);
}

// Eight bytes a step: names are long, and this happens at every launch.
std::uint64_t add_to_hash(std::uint64_t hash, const void* bytes, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t word = 0;
  for (; size > sizeof word; size -= sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
    at += sizeof word;
  }
  word = 0;
  std::memcpy(&word, at, size);
  return mix(hash, word);
}

}  // namespace

void LaunchWriter::write(const DeviceActivity& device) {
  // In the order of kRecordedAttributes.
  const std::uint64_t attributes[] = {
      device.multiprocessors,      device.warp_size,
      device.core_clock_khz,       device.l2_cache_size,
      device.memory_size,          device.constant_memory_size,
      device.copy_engines,         device.max_warps_per_sm,
      device.max_blocks_per_sm,    device.max_shared_per_sm,
      device.max_registers_per_sm, device.max_registers_per_block,
      device.max_shared_per_block, device.max_threads_per_block,
      device.ecc_enabled,
  };
  static_assert(sizeof attributes / sizeof attributes[0] == kRecordedAttributes.size());
  file_.begin(RecordKind::kDevice);
  file_.number(device.id);
  file_.number(device.cc_major);
  file_.number(device.cc_minor);
  file_.number(kRecordedAttributes.size());
  for (const std::uint64_t value : attributes) file_.number(value);
  file_.text(device.name != nullptr ? device.name : "");
  file_.end();
}

void LaunchWriter::write_identity(const DeviceActivity& device) {
  std::uint64_t halves[2];
  static_assert(sizeof halves == sizeof device.uuid);
  std::memcpy(halves, device.uuid, sizeof halves);
  file_.begin(RecordKind::kIdentity);
  file_.number(device.id);
  for (const std::uint64_t half : halves) file_.number(half);
  file_.end();
}

void LaunchWriter::write(const KernelActivity& kernel, bool is_recent) {
  if (launches_ == kMaxRecordedLaunches) return add_dropped(1);
  ++launches_;
  const std::uint64_t shape = shape_of(kernel, is_recent);
  file_.begin(RecordKind::kLaunch);
  file_.number(shape);
  file_.signed_number(static_cast<std::int64_t>(kernel.correlation) - last_correlation_);
  file_.signed_number(static_cast<std::int64_t>(kernel.start - last_start_));
  file_.signed_number(static_cast<std::int64_t>(kernel.end - kernel.start));
  if (is_recent && kernel.graph_node != 0) file_.number(1);
  file_.end();
  last_correlation_ = kernel.correlation;
  last_start_ = kernel.start;
}

void LaunchWriter::store() {
  if (dropped_ > 0) {
    file_.begin(RecordKind::kDropped);
    file_.number(dropped_);
    file_.end();
    dropped_ = 0;
  }
  file_.store();
}

std::uint64_t LaunchWriter::shape_of(const KernelActivity& kernel, bool has_cluster) {
  const char* name = kernel.name != nullptr ? kernel.name : "";
  const auto size = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
  const auto cluster = [&](int i) { return has_cluster ? kernel.cluster[i] : 0; };
  // clang-format off
  const std::uint32_t numbers[] = {
      kernel.device, kernel.context, kernel.stream,
      size(kernel.grid[0]), size(kernel.grid[1]), size(kernel.grid[2]),
      size(kernel.block[0]), size(kernel.block[1]), size(kernel.block[2]),
      kernel.registers, size(kernel.static_shared), size(kernel.dynamic_shared),
      kernel.local_per_thread, kernel.shared_executed,
      cluster(0), cluster(1), cluster(2),
  };
  // clang-format on
  const std::uint64_t hash =
      add_to_hash(add_to_hash(1, numbers, sizeof numbers), name, std::strlen(name));
  std::size_t at = hash % kSlots;
  while (slots_[at].id != 0 && slots_[at].hash != hash) at = (at + 1) % kSlots;
  if (slots_[at].id != 0) return slots_[at].id - 1;

  if (++used_slots_ > kSlots / 2) {
    std::memset(slots_, 0, sizeof slots_);
    used_slots_ = 1;
    at = hash % kSlots;
  }
  slots_[at] = {hash, ++shapes_};
  file_.begin(RecordKind::kShape);
  for (const std::uint32_t number : numbers) file_.number(number);
  file_.text(name);
  file_.end();
  return shapes_ - 1;
}

}  // namespace proofline::trace
