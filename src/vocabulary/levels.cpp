// SPDX-License-Identifier: Apache-2.0
//
// The paths are those that a kernel can saturate. ncu's `lts__throughput` also counts internal
// activity and reads 91 % on a copy whose DRAM is at 87 %; shares of active cycles exceed 100 %.
// Both stay out.
//
// In which order levels bind: a tensor core's operand reads count as shared wavefronts, each
// instruction of a pipe takes an issue slot and an LSU slot, and what comes from DRAM passes L2 and
// L1.
#include "vocabulary/levels.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace proofline {
namespace {

// One path, under the names that it has had; ncu renamed it over the years.
constexpr std::string_view kDramPaths[] = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                                           "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                           "dram__sol_pct", "fbpa__sol_pct"};
constexpr std::string_view kL2Paths[] = {
    "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kL1Paths[] = {
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1tex__lsu_writeback_active_mem_lgds.sum.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_tex_wavefronts.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kSharedPaths[] = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kTensorPaths[] = {
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_subpipe_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kFmaPaths[] = {
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kFmaHeavyPaths[] = {
    "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kFp64Paths[] = {
    "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kIntegerPaths[] = {
    "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kSpecialFunctionPaths[] = {
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kLsuPaths[] = {
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kIssuePaths[] = {"sm__issue_active.avg.pct_of_peak_sustained_elapsed",
                                            "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
                                            "sm__inst_executed.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kConstantPaths[] = {
    "idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed"};
constexpr std::string_view kTmaPaths[] = {
    "sm__pipe_tma_cycles_active.avg.pct_of_peak_sustained_elapsed"};

// In the order of Level.
constexpr LevelInfo kAllLevels[] = {
    {.level = Level::kDram,
     .name = "dram",
     .label = "DRAM",
     .what = "The device's memory.",
     .paths = kDramPaths,
     .renamed = true,
     .binds = 7,
     .bytes = "dram__bytes.sum",
     .clock = "dram__cycles_elapsed.avg.per_second"},
    {.level = Level::kL2,
     .name = "l2",
     .label = "L2",
     .what = "The cache that all SMs share, and the crossbar between it and them.",
     .paths = kL2Paths,
     .aggregate = kL2Throughput,
     .binds = 10,
     .bytes = "derived__lts__lts2xbar_bytes.sum",
     .clock = "lts__cycles_elapsed.avg.per_second"},
    {.level = Level::kL1,
     .name = "l1",
     .label = "L1",
     .what = "An SM's cache for global, local and texture accesses, without shared memory.",
     .paths = kL1Paths,
     .aggregate = kL1Throughput,
     .binds = 9,
     .bytes = "derived__l1tex__lsu_writeback_bytes_mem_lgds.sum",
     .clock = "l1tex__cycles_elapsed.avg.per_second"},
    {.level = Level::kShared,
     .name = "shared",
     .label = "Shared memory",
     .what = "An SM's memory that the threads of a block share.",
     .paths = kSharedPaths,
     .binds = 8},
    {.level = Level::kTensor,
     .name = "tensor",
     .label = "The tensor pipe",
     .what = "Matrix multiply-adds: HMMA, IMMA, DMMA, wgmma, tcgen05.",
     .paths = kTensorPaths,
     .binds = 1},
    {.level = Level::kFma,
     .name = "fma",
     .label = "The FMA pipe",
     .what = "Single- and half-precision arithmetic and integer multiply-adds.",
     .paths = kFmaPaths,
     .binds = 3},
    {.level = Level::kFmaHeavy,
     .name = "fma-heavy",
     .label = "The FMA pipe",
     .what = "The half of the FMA pipe that takes integer multiply-adds and dot products besides "
             "floating point.",
     .paths = kFmaHeavyPaths,
     .binds = 5},
    {.level = Level::kFp64,
     .name = "fp64",
     .label = "The FP64 pipe",
     .what = "Double-precision arithmetic.",
     .paths = kFp64Paths,
     .binds = 2},
    {.level = Level::kInteger,
     .name = "integer",
     .label = "The integer pipe",
     .what = "The ALU: integer adds, logic, comparisons, selects, min and max.",
     .paths = kIntegerPaths,
     .binds = 6},
    {.level = Level::kSpecialFunction,
     .name = "special-function",
     .label = "The special-function pipe",
     .what = "The XU: reciprocals, roots, exponentials, logarithms, sines, and most conversions of "
             "numbers.",
     .paths = kSpecialFunctionPaths,
     .binds = 4},
    {.level = Level::kLsu,
     .name = "lsu",
     .label = "The load/store unit",
     .what = "It takes every memory instruction and shuffle of an SM.",
     .paths = kLsuPaths,
     .binds = 11},
    {.level = Level::kIssue,
     .name = "issue",
     .label = "Instruction issue",
     .what = "The schedulers, each of which issues one warp instruction per cycle.",
     .paths = kIssuePaths,
     .binds = 12},
    {.level = Level::kSm,
     .name = "sm",
     .label = "The SM",
     .what = "All pipes of an SM and its issue slots together, where none of them was captured.",
     .aggregate = kSmThroughput,
     .binds = 13},
    {.level = Level::kMemory,
     .name = "memory",
     .label = "The memory system",
     .what = "All levels of memory together, where none of them was captured.",
     .aggregate = kMemoryThroughput,
     .binds = 14},
    {.level = Level::kConstant,
     .name = "constant",
     .label = "The constant cache",
     .what = "The cache that serves indexed constant loads.",
     .paths = kConstantPaths},
    {.level = Level::kTma,
     .name = "tma",
     .label = "The TMA unit",
     .what = "The unit that copies tiles between global and shared memory by itself.",
     .paths = kTmaPaths},
};

constexpr bool levels_are_in_order() {
  for (std::size_t i = 0; i < std::size(kAllLevels); ++i) {
    if (kAllLevels[i].level != static_cast<Level>(i)) return false;
  }
  return std::size(kAllLevels) == static_cast<std::size_t>(Level::kTma) + 1;
}
static_assert(levels_are_in_order());

}  // namespace

std::string_view to_string(Level level) { return level_info(level).name; }

std::span<const LevelInfo> levels() { return kAllLevels; }

const LevelInfo& level_info(Level level) { return kAllLevels[static_cast<std::size_t>(level)]; }

const LevelInfo* find_level(std::string_view name) {
  const auto* found = std::find_if(std::begin(kAllLevels), std::end(kAllLevels),
                                   [&](const LevelInfo& level) { return level.name == name; });
  return found != std::end(kAllLevels) ? found : nullptr;
}

}  // namespace proofline
