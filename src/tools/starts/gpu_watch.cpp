// SPDX-License-Identifier: Apache-2.0
#include "tools/starts/gpu_watch.h"

#include <fmt/format.h>

#include <utility>

#include "model/machine/gpu.h"

namespace proofline {
namespace {

constexpr std::size_t kMostNamed = 8;

}  // namespace

GpuWatch::GpuWatch() {
  const NvmlAnswer answer = ask_nvml();
  machine_.driver = answer.driver;
  if (answer.cuda)
    machine_.cuda = fmt::format("{}.{}", *answer.cuda / 1000, *answer.cuda % 1000 / 10);
  if (answer.gpus.size() != 1) return;
  const GpuState& gpu = answer.gpus.front();
  machine_.gpu = gpu.name;
  machine_.uuid = gpu.uuid;
  machine_.compute_capability = gpu.compute_capability;
  if (gpu.max_sm_clock_mhz) machine_.max_sm_mhz = *gpu.max_sm_clock_mhz;
  machine_.ecc = gpu.ecc;
  machine_.mig = gpu.mig;
  gpu_ = std::make_unique<const NvmlGpu>(gpu.index);
}

void GpuWatch::look_for_others() {
  if (gpu_ == nullptr) return;
  for (GpuProcess& process : gpu_->processes()) others_[process.pid] = std::move(process.name);
}

void GpuWatch::begin_run() {
  begun_ = false;
  looks_ = 0;
  held_back_ = 0;
}

void GpuWatch::look() {
  if (gpu_ == nullptr) return;
  // The first look comes before the program does.
  if (!std::exchange(begun_, true)) return;
  ++looks_;
  if (is_held_back(gpu_->reasons().value_or(0))) ++held_back_;
}

void GpuWatch::tag(Benchmark& result) const {
  if (looks_ == 0 || 2 * held_back_ < looks_) return;
  for (Measurement& measurement : result.measurements) {
    for (Sample& sample : measurement.samples) {
      if (!sample.sm_mhz) sample.throttled = true;
    }
  }
}

std::vector<Note> GpuWatch::notes() const {
  if (others_.empty()) return {};
  std::string names;
  std::size_t named = 0;
  for (const auto& [pid, name] : others_) {
    if (named++ == kMostNamed) break;
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", pid,
                         name.empty() ? "" : fmt::format(" ({})", name));
  }
  if (others_.size() > kMostNamed) names += ", ...";
  return {{NoteKind::kInfo, "",
           fmt::format("the GPU was not free: {} on it between the runs and may have slowed them "
                       "down: {}",
                       others_.size() == 1 ? "1 other process was"
                                           : fmt::format("{} other processes were", others_.size()),
                       names)}};
}

}  // namespace proofline
