// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "proofline/version.h"
#include "store/file_hash.h"
#include "tools/machine/nvml.h"
#include "workflow/run/phases/step_parts.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

// A file that is hashed as a part of the command; larger ones are data.
constexpr std::uintmax_t kMostHashedBytes = 256U << 20U;

// The words as they were typed, and the files among them by what is in them.
void add_command(const StepTask& task, Hash& hash) {
  const std::vector<std::string>& words = task.step.command;
  const auto command = step_command(task);
  for (std::size_t i = 0; i < words.size(); ++i) {
    hash.add(words[i]);
    fs::path file = command ? fs::path((*command)[i]) : fs::path(words[i]);
    if (file.is_relative() && !task.work_folder.empty()) file = task.work_folder / file;
    std::error_code error;
    if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > kMostHashedBytes) {
      continue;
    }
    if (const auto digest = file_sha256(file.string())) hash.add(*digest);
  }
}

void add_gpu(Hash& hash) {
  static const NvmlAnswer kAnswer = ask_nvml();
  hash.add(kAnswer.driver);
  for (const GpuState& gpu : kAnswer.gpus) hash.add(gpu.name);
}

}  // namespace

const Phase& phase_of(PhaseKind kind) {
  const auto all = phases();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Phase& one) { return one.kind == kind; });
  CHECK(found != all.end(), "the kind measures, so it has a phase");
  return *found;
}

std::string step_inputs(const StepTask& task) {
  const Phase& phase = phase_of(task.step.does);
  if (phase.inputs == nullptr) return "";
  Hash hash;
  hash.add(kVersion);
  hash.add(to_string(phase.kind));
  hash.add(task.revision);
  for (const auto& [key, values] : task.step.phase->settings) {
    hash.add(key);
    for (const std::string& value : values) hash.add(value);
  }
  if (task.step.kernel != nullptr) hash.add(task.step.kernel->name);
  hash.add(task.options.request.kernel);
  add_command(task, hash);
  add_gpu(hash);
  phase.inputs(task, hash);
  return fmt::format("{:016x}", hash.value());
}

std::string describe_step(const StepTask& task, Announcer& announcer) {
  auto command = step_command(task);
  if (!command) return described_error(command.error());
  return phase_of(task.step.does).describe(task, std::move(*command), announcer);
}

}  // namespace proofline
