// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/calibration_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/propagate.h"
#include "tools/calibrate/calibration_kernels.h"

namespace proofline {
namespace {

using Memory = std::shared_ptr<CudaMemory>;
using Kernel = std::shared_ptr<CudaKernel>;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGiB = 1024 * kMiB;

// Size of a copy in multiples of L2, which still holds the end of one copy when the next begins.
// Less than the second number is worth a remark, less than the third is not worth measuring.
constexpr std::uint64_t kCopySize = 64;
constexpr std::uint64_t kSmallCopy = 16;
constexpr std::uint64_t kLeastCopy = 2;

// Reads from L2 are of this part of it: every SM's half of L2 keeps what it reads from the other.
// Of less, several blocks at a time would read the same.
constexpr std::uint64_t kL2Part = 4;

std::string size_text(std::uint64_t bytes) {
  if (bytes % kGiB == 0) return fmt::format("{} GiB", bytes / kGiB);
  return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / kMiB);
}

// With pseudo-random bits: what memory draws, and so its clock, depends on the bits that move.
Result<Memory> allocate_filled(const CudaGpu& gpu, std::uint64_t bytes) {
  ASSIGN_OR_RETURN(const auto kernel, gpu.load(compose_fill(), kCalibrationEntry));
  auto memory = gpu.allocate(bytes);
  if (!memory) return memory;
  const auto tiles = static_cast<std::uint32_t>(bytes / kTileBytes);
  auto done = kernel->launch(tiles, kTileThreads, (*memory)->address(), tiles);
  if (done) done = gpu.check();
  RETURN_IF_ERROR(done);
  return memory;
}

// With each number of blocks that is worth trying.
std::vector<CalibrationWork> ways_of(
    const CudaGpu& gpu, const RoundsKernel& kernel,
    const std::function<Result<void>(unsigned blocks, std::uint32_t rounds)>& launch) {
  std::vector<CalibrationWork> ways;
  ways.reserve(kernel.blocks_per_sm.size());
  for (const unsigned per_sm : kernel.blocks_per_sm) {
    const unsigned blocks = per_sm * gpu.device().multiprocessors;
    ways.push_back({fmt::format("{}, {} threads per SM", kernel.how, per_sm * kernel.threads),
                    kernel.per_round * blocks,
                    [launch, blocks](std::uint32_t rounds) { return launch(blocks, rounds); }});
  }
  return ways;
}

// Reads of all of `memory`, again and again.
Result<std::vector<CalibrationWork>> ways_to_read(const CudaGpu& gpu, const Memory& memory,
                                                  std::uint64_t bytes) {
  RoundsKernel reads = compose_read();
  const auto kernel = gpu.load(reads.ptx, kCalibrationEntry);
  RETURN_IF_ERROR(kernel);
  reads.how = fmt::format("reads of {}, 16 bytes per thread", size_text(bytes));
  const auto tiles = static_cast<std::uint32_t>(bytes / kTileBytes);
  return ways_of(gpu, reads,
                 [kernel = *kernel, memory, tiles](unsigned blocks, std::uint32_t rounds) {
                   return kernel->launch(blocks, kTileThreads, std::uint64_t{0}, rounds,
                                         memory->address(), tiles);
                 });
}

struct CopyMemory {
  Memory from;
  Memory to;
  std::uint64_t bytes = 0;
};

// As large as wanted, or as there is room for.
Result<CopyMemory> allocate_copy(const CudaGpu& gpu, std::uint64_t l2) {
  const auto free = gpu.free_bytes();
  RETURN_IF_ERROR(free);
  std::uint64_t bytes = std::bit_ceil(kCopySize * l2);
  while (bytes > *free / 4) bytes /= 2;
  Error trouble{ErrorKind::kTool, fmt::format("only {} of memory are free", size_text(*free))};
  for (; bytes >= kLeastCopy * l2; bytes /= 2) {
    auto from = allocate_filled(gpu, bytes);
    auto to = from ? gpu.allocate(bytes) : tl::make_unexpected(from.error());
    if (to) return CopyMemory{*std::move(from), *std::move(to), bytes};
    trouble = to.error();
  }
  trouble.message += "; end other programs on this GPU";
  return tl::make_unexpected(trouble);
}

Result<CalibrationPlan> plan_dram(const CudaGpu& gpu) {
  const std::uint64_t l2 = std::max(gpu.device().l2_bytes, kMiB);
  const auto kernel = gpu.load(compose_copy(), kCalibrationEntry);
  RETURN_IF_ERROR(kernel);
  const auto memory = allocate_copy(gpu, l2);
  RETURN_IF_ERROR(memory);

  const std::string what = "copies of " + size_text(memory->bytes);
  const double moved = 2.0 * static_cast<double>(memory->bytes);  // read and written
  const auto tiles = static_cast<std::uint32_t>(memory->bytes / kTileBytes);
  CalibrationPlan plan;
  auto reads = ways_to_read(gpu, memory->from, memory->bytes);
  RETURN_IF_ERROR(reads);
  plan.ways = *std::move(reads);
  const auto add = [&](std::string how, std::function<Result<void>()> copy) {
    plan.ways.push_back({std::move(how), moved, [copy = std::move(copy)](std::uint32_t rounds) {
                           Result<void> done;
                           for (std::uint32_t i = 0; done && i < rounds; ++i) done = copy();
                           return done;
                         }});
  };
  const auto add_kernel = [&](unsigned blocks, const std::string& how) {
    add(fmt::format("{}, 16 bytes per thread, {}", what, how),
        [kernel = *kernel, memory = *memory, blocks, tiles] {
          return kernel->launch(blocks, kTileThreads, memory.to->address(), memory.from->address(),
                                tiles);
        });
  };
  for (const unsigned blocks : {2U, 4U}) {
    add_kernel(std::min(blocks * gpu.device().multiprocessors, tiles),
               fmt::format("{} threads per SM", blocks * kTileThreads));
  }
  add_kernel(tiles, fmt::format("a block for each {} KiB", kTileBytes / 1024));
  add(what + " by the driver",
      [gpu, memory = *memory] { return gpu.copy(*memory.to, *memory.from, memory.bytes); });
  if (memory->bytes < kSmallCopy * l2) {
    plan.remark =
        what +
        " are not large against L2, which may make them look faster than memory is: there "
        "was no room for more";
  }
  return plan;
}

Result<CalibrationPlan> plan_l2(const CudaGpu& gpu) {
  CalibrationPlan plan;
  const std::uint64_t bytes = gpu.device().l2_bytes / kL2Part / kTileBytes * kTileBytes;
  if (bytes == 0) {
    plan.remark = "the driver does not say how large L2 is";
    return plan;
  }
  ASSIGN_OR_RETURN(const auto memory, allocate_filled(gpu, bytes));
  auto reads = ways_to_read(gpu, memory, bytes);
  RETURN_IF_ERROR(reads);
  plan.ways = *std::move(reads);
  return plan;
}

Result<CalibrationPlan> plan_arithmetic(const CudaGpu& gpu, const RoundsKernel& composed) {
  const auto kernel = gpu.load(composed.ptx, kCalibrationEntry);
  RETURN_IF_ERROR(kernel);
  CalibrationPlan plan;
  plan.at_least = composed.at_least;
  plan.ways = ways_of(
      gpu, composed,
      [kernel = *kernel, threads = composed.threads](unsigned blocks, std::uint32_t rounds) {
        return kernel->launch(blocks, threads, std::uint64_t{0}, rounds);
      });
  return plan;
}

}  // namespace

Result<CalibrationPlan> plan_ceiling(const CudaGpu& gpu, std::string_view name) {
  if (name == "dram") return plan_dram(gpu);
  if (name == "l2") return plan_l2(gpu);
  const CudaDevice& device = gpu.device();
  if (const auto composed = compose_arithmetic(name, {device.major, device.minor})) {
    return plan_arithmetic(gpu, *composed);
  }
  return CalibrationPlan{
      {},
      false,
      fmt::format("there is no kernel that does this on compute capability {}.{}", device.major,
                  device.minor)};
}

}  // namespace proofline
