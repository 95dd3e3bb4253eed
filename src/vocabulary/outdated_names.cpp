// SPDX-License-Identifier: Apache-2.0
//
// The table of outdated, wrong and misread names, and matching against it. Where two rows match,
// the earlier one counts.
#include "vocabulary/outdated_names.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr bool kSame = true;
constexpr bool kDiffers = false;
constexpr NameFault kOutdated = NameFault::kOutdated;
constexpr NameFault kUnknown = NameFault::kUnknown;
constexpr NameFault kMisread = NameFault::kMisread;

constexpr OutdatedName kOutdatedNames[] = {
    // --- metrics: stall reasons
    {"metric", "smsp__average_warps_issue_stalled_*_per_issue_active.pct",
     "smsp__warp_issue_stalled_*_per_warp_active.pct", kMisread, kDiffers,
     "It is warps per issued instruction, times 100, not a share of the stalls: a plain copy reads "
     "over 12,000. The share is its .ratio over "
     "smsp__average_warp_latency_per_inst_issued.ratio, which is the fact stall.<reason>.share."},
    {"metric", "smsp__warps_issue_stalled_*.avg.pct_of_peak_sustained_active",
     "smsp__warp_issue_stalled_*_per_warp_active.pct", kMisread, kDiffers,
     "It is a share of the scheduler's warp slots, so that all reasons together add up to the "
     "occupancy, not to 100 %. Divide by the achieved occupancy, or take the metric that is "
     "already per resident warp."},
    {"metric", "smsp__pcsamp_warps_issue_stalled_no_instruction",
     "smsp__pcsamp_warps_issue_stalled_no_instructions", kUnknown, kSame,
     "Samples spell this reason with an s, counters without."},
    {"metric", "smsp__pcsamp_warps_issue_stalled_no_instruction_not_issued",
     "smsp__pcsamp_warps_issue_stalled_no_instructions_not_issued", kUnknown, kSame,
     "Samples spell this reason with an s, counters without."},
    {"metric", "smsp__pcsamp_warps_issue_stalled_gmma*",
     "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive*", kUnknown, kSame,
     "What counters call gmma is warpgroup_arrive in samples."},
    {"metric", "smsp__*issue_stalled_no_instructions_per_*",
     "smsp__*issue_stalled_no_instruction_per_*", kUnknown, kSame,
     "Samples spell this reason with an s, counters without."},
    {"metric", "smsp__*issue_stalled_warpgroup_arrive_per_*", "smsp__*issue_stalled_gmma_per_*",
     kUnknown, kSame, "What samples call warpgroup_arrive is gmma in counters."},
    {"stall reason", "wait", "stall samples on the waiting instruction", kMisread, kDiffers,
     "It is the fixed latency of the warp's previous instruction. Waiting for cp.async.bulk "
     "(wait_group) is not in it: look on the source page at the instruction that waits."},
    {"instruction", "cp.async.bulk.wait_group*", "stall samples on the waiting instruction",
     kMisread, kDiffers,
     "No stall reason stands for it, and the reason wait least of all: that is a fixed latency. "
     "Attribute the samples at the SASS instruction that waits."},
    {"stall reason", "membar", "long_scoreboard, sleeping (at SYNCS.PHASECHK...TRYWAIT), gmma",
     kMisread, kDiffers,
     "It is a memory fence. Waiting on an mbarrier shows as samples on SYNCS.PHASECHK...TRYWAIT, "
     "on its branch and on NANOSLEEP; waiting for wgmma shows as gmma (warpgroup_arrive in "
     "samples)."},
    {"stall reason", "barrier", "long_scoreboard, sleeping (at SYNCS.PHASECHK...TRYWAIT), gmma",
     kMisread, kDiffers,
     "It is the barrier of a thread block only. Barriers of TMA (mbarriers) are not in it: they "
     "show as samples on SYNCS.PHASECHK...TRYWAIT, on its branch and on NANOSLEEP."},
    {"stall reason", "imc_miss", "imc_miss on GPUs up to compute capability 9.0", kMisread,
     kDiffers,
     "ncu's own section asks for it only up to compute capability 9.0, so its absence on a newer "
     "GPU says nothing."},
    {"stall reason", "gmma", "gmma on compute capability 9.0", kMisread, kDiffers,
     "It exists on compute capability 9.0 only. A Blackwell tensor instruction is asynchronous in "
     "another way; its waits show at SYNCS instructions."},
    {"stall reason", "local memory",
     "derived__local_spilling_requests, derived__local_spilling_requests_pct, "
     "sass__inst_executed_register_spilling, smsp__sass_inst_executed_op_local_ld, "
     "smsp__sass_inst_executed_op_local_st, launch__registers_per_thread",
     kUnknown, kDiffers,
     "No warp state is named after local memory; its traffic waits as long_scoreboard and "
     "lg_throttle. These metrics count the spills themselves."},

    // --- metrics: threads and predicates
    {"metric", "smsp__thread_inst_executed_not_predicated_off*",
     "smsp__thread_inst_executed_pred_on*", kUnknown, kSame,
     "ncu says pred_on for threads whose predicate let them execute."},
    {"metric", "smsp__inst_executed_not_predicated_off*",
     "smsp__average_thread_inst_executed_pred_on_per_inst_executed.ratio", kUnknown, kDiffers,
     "There is no total for whole warps, only pred_on_any and pred_off_all for single kinds of "
     "instruction. This ratio over 32 is the share of threads that did something."},
    {"metric", "smsp__thread_inst_executed_per_inst_executed*",
     "smsp__average_thread_inst_executed_per_inst_executed*", kOutdated, kSame,
     "Deprecated in favour of the name with average; ncu's own sections still ask for the old "
     "one."},
    {"metric", "smsp__thread_inst_executed_pred_on_per_inst_executed*",
     "smsp__average_thread_inst_executed_pred_on_per_inst_executed*", kOutdated, kSame,
     "Deprecated in favour of the name with average; ncu's own sections still ask for the old "
     "one."},

    // --- metrics: throughput and memory
    {"metric", "dram__throughput*", "gpu__dram_throughput*", kMisread, kSame,
     "The Speed of Light section asks for the gpu__ name, so a report lacks this one even with "
     "the full set."},
    {"metric", "sm__pipe_tensor_op_*mma_cycles_active*",
     "sm__pipe_tensor_subpipe_*mma_cycles_active* on Blackwell", kMisread, kDiffers,
     "Right up to Hopper; Blackwell's metrics are named after sub-pipes."},
    {"word", "Compute Throughput",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", kMisread, kDiffers,
     "Compute (SM) Throughput is sm__throughput, the busiest part of the SM whichever that is, not "
     "the tensor cores. Take the tensor pipe's cycles; on Hopper also "
     "sm__inst_executed_pipe_tensor_op_gmma.sum, on Blackwell sm__pipe_tc_cycles_active, "
     "sm__pipe_tensor_subpipe_hmma_cycles_active and sm__mem_tensor_cycles_active."},
    {"word", "Memory Throughput",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed, dram__bytes.sum.per_second",
     kMisread, kDiffers,
     "In Speed of Light it is a percentage and includes L1 and shared memory; in Memory Workload "
     "Analysis it is bytes per second of DRAM. A kernel with bank conflicts can read 95 % with "
     "hardly any DRAM traffic."},
    {"word", "TMA Efficiency", "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", kUnknown,
     kDiffers,
     "No such metric. Compare these bytes with those of the tiles you asked for; the forms with "
     "_dest_multicast and _dest_self, smsp__inst_executed_op_tma_ld, smsp__inst_executed_op_tma_st "
     "and sm__pipe_tma_cycles_active tell the rest."},
    {"metric", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld*",
     "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld*", kMisread, kDiffers,
     "It counts loads through the load/store unit only. In a kernel that loads by TMA the traffic "
     "is in the other metric."},
    {"metric", "smsp__inst_executed_op_global_ld*", "smsp__sass_inst_executed_op_global_ld*",
     kMisread, kDiffers, "It counts LDG only; the form with sass_ counts LDG and generic LD."},
    {"metric", "lts__t_sector_hit_rate*", "lts__t_sector_hit_rate*", kMisread, kDiffers,
     "It may read a little above 100 % (100.03 was seen); that is no reason to distrust the "
     "report."},
    {"word", "Eligible warps per cycle", "smsp__warps_eligible.avg.per_cycle_active", kOutdated,
     kSame, "ncu calls it Eligible Warps Per Scheduler; it comes with --section SchedulerStats."},

    // --- words and metrics of nvprof
    {"word", "Global Memory Load Efficiency",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", kOutdated, kSame,
     "A word of nvprof; ncu has the used bytes of each sector."},
    {"word", "Global Load Efficiency",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", kOutdated, kSame,
     "A word of nvprof; ncu has the used bytes of each sector."},
    {"word", "gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
     kOutdated, kSame, "nvprof's name."},
    {"word", "gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
     kOutdated, kSame, "nvprof's name."},
    {"word", "shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct",
     kOutdated, kSame, "nvprof's name."},
    {"word", "branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct",
     kOutdated, kSame, "nvprof's name."},
    {"word", "achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", kOutdated,
     kSame, "nvprof's name; nvprof gave it as 0 to 1, ncu gives percent."},
    {"word", "sm_efficiency", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", kOutdated,
     kSame, "nvprof's name."},
    {"word", "warp_execution_efficiency",
     "smsp__average_thread_inst_executed_per_inst_executed.ratio", kOutdated, kDiffers,
     "nvprof's name; that one was a percentage, this is threads of 32."},
    {"word", "dram_read_bytes", "dram__bytes_read.sum", kOutdated, kSame, "nvprof's name."},
    {"word", "dram_write_bytes", "dram__bytes_write.sum", kOutdated, kSame, "nvprof's name."},
    {"word", "dram_read_throughput", "dram__bytes_read.sum.per_second", kOutdated, kSame,
     "nvprof's name."},
    {"word", "dram_write_throughput", "dram__bytes_write.sum.per_second", kOutdated, kSame,
     "nvprof's name."},
    {"word", "gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", kOutdated, kSame,
     "nvprof's name; a transaction is a sector of 32 bytes."},
    {"word", "gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", kOutdated, kSame,
     "nvprof's name; a transaction is a sector of 32 bytes."},
    {"stall reason", "Memory Throttle", "lg_throttle, mio_throttle", kOutdated, kDiffers,
     "A word of nvprof. ncu tells the queue for local and global memory from the one for shared "
     "memory and special functions."},
    {"stall reason", "stall_memory_throttle", "lg_throttle, mio_throttle", kOutdated, kDiffers,
     "nvprof's name. ncu tells the queue for local and global memory from the one for shared "
     "memory and special functions."},
    {"stall reason", "Execution Dependency", "wait, short_scoreboard, math_pipe_throttle",
     kOutdated, kDiffers,
     "A word of nvprof. ncu tells a fixed latency, a variable one and a busy pipe apart."},
    {"stall reason", "stall_exec_dependency", "wait, short_scoreboard, math_pipe_throttle",
     kOutdated, kDiffers,
     "nvprof's name. ncu tells a fixed latency, a variable one and a busy "
     "pipe apart."},
    {"stall reason", "Memory Dependency", "long_scoreboard", kOutdated, kSame, "A word of nvprof."},
    {"stall reason", "stall_memory_dependency", "long_scoreboard", kOutdated, kSame,
     "nvprof's name."},
    {"stall reason", "Synchronization", "barrier, membar, gmma, sleeping", kOutdated, kDiffers,
     "A word of nvprof. ncu tells block barriers, fences, wgmma and polling apart."},
    {"stall reason", "Synchronisation", "barrier, membar, gmma, sleeping", kOutdated, kDiffers,
     "A word of nvprof. ncu tells block barriers, fences, wgmma and polling apart."},
    {"stall reason", "stall_sync", "barrier, membar, gmma, sleeping", kOutdated, kDiffers,
     "nvprof's name. ncu tells block barriers, fences, wgmma and polling apart."},
    {"stall reason", "stall_inst_fetch", "no_instruction", kOutdated, kSame, "nvprof's name."},
    {"stall reason", "stall_pipe_busy", "math_pipe_throttle", kOutdated, kSame, "nvprof's name."},
    {"stall reason", "stall_constant_memory_dependency", "imc_miss", kOutdated, kSame,
     "nvprof's name."},
    {"stall reason", "stall_texture", "tex_throttle", kOutdated, kSame, "nvprof's name."},

    // --- sections and sets
    {"section", "WarpStateStatistics", "WarpStateStats", kUnknown, kSame,
     "That is the name of the section's file; --section takes the id."},
    {"section", "SchedulerStatistics", "SchedulerStats", kUnknown, kSame,
     "That is the name of the section's file; --section takes the id."},
    {"section", "InstructionStatistics", "InstructionStats", kUnknown, kSame,
     "That is the name of the section's file; --section takes the id."},
    {"section", "LaunchStatistics", "LaunchStats", kUnknown, kSame,
     "That is the name of the section's file; --section takes the id."},
    {"section", "SharedMemory", "MemoryWorkloadAnalysis_Tables", kUnknown, kSame,
     "No such section. The table of shared memory, bank conflicts included, is one of the memory "
     "tables."},
    {"section", "MemoryCharts", "MemoryWorkloadAnalysis_Chart", kUnknown, kSame,
     "No such section; the memory chart is a part of Memory Workload Analysis."},
    {"section", "SpeedOfLight", "SpeedOfLight_RooflineChart, --set roofline", kMisread, kDiffers,
     "It holds throughputs but no roofline; for tensor cores take "
     "SpeedOfLight_HierarchicalTensorRooflineChart."},
    {"set", "detailed",
     "--set full, or --set detailed --section WarpStateStats --section SchedulerStats --section "
     "InstructionStats",
     kMisread, kDiffers,
     "It has no warp states, scheduler or instruction statistics and no memory tables. What is "
     "left for stall reasons is sampling: smsp__pcsamp_warps_issue_stalled_*."},
    {"set", "source", "--section SourceCounters --import-source on", kUnknown, kDiffers,
     "No such set: ncu only warns that nothing is to be collected, and exits 0. Take --set full or "
     "the section, with --import-source on; then --import FILE --page source --print-source sass "
     "--csv."},

    // --- flags and commands
    {"flag", "--source-level*", "--import FILE --page source --print-source sass", kUnknown,
     kDiffers, "No such flag of ncu; leave it out."},
    {"flag", "--target-processes all", "nothing: it is the default", kOutdated, kDiffers,
     "ncu profiles all processes unless told otherwise."},
    {"flag", "--metrics a, b", "--metrics a,b", kUnknown, kSame,
     "One list with commas and no blanks: after a blank or an indented line the shell makes the "
     "rest another word, which ncu takes for the program to run."},
    {"flag", "--sample=cpu", "--sample=process-tree", kOutdated, kSame,
     "nsys took cpu up to 2021.4; since 2022.1 it is process-tree, system-wide or none."},
    {"command", "ncu --page raw --csv *", "ncu --import * --page raw --csv", kUnknown, kSame,
     "Without --import ncu takes the report for the program to run."},
    {"command", "ncu script.py", "ncu python script.py", kUnknown, kSame,
     "ncu starts a program, and a script is none: name its interpreter."},
    {"command", "cuobjdump --dump-cubin*", "cuobjdump -xelf all FILE", kUnknown, kDiffers,
     "No such option. -xelf writes the cubins to files; nvcc -cubin makes one directly."},
    {"flag", "--dump-cubin*", "cuobjdump -xelf all FILE", kUnknown, kDiffers,
     "No such option of cuobjdump. -xelf writes the cubins to files; nvcc -cubin makes one "
     "directly."},
    {"command", "nvdisasm -playout*", "nvdisasm -c", kUnknown, kDiffers,
     "No such option. Addresses come with -c, encodings with -hex, lines with -g or -gi, register "
     "lifetimes with -plr, all of it for programs with -json."},
    {"flag", "-playout", "nvdisasm -c", kUnknown, kDiffers,
     "No such option of nvdisasm. Addresses come with -c, encodings with -hex, lines with -g or "
     "-gi, register lifetimes with -plr, all of it for programs with -json."},
    {"tool", "initcheck", "racecheck for shared memory", kMisread, kDiffers,
     "initcheck looks at global memory only; stale data in shared memory is a matter for "
     "racecheck."},
    {"word", "cuda_time_total", "device_time_total", kOutdated, kSame,
     "PyTorch's profiler says device for what it called cuda; the old word is still accepted."},
    {"word", "chrome://tracing", "https://ui.perfetto.dev", kOutdated, kSame,
     "Chrome's own trace viewer gave way to Perfetto, which reads the same files."},

    // --- PTX taken for SASS
    {"instruction", "TCGEN05.LD*", "LDTM", kUnknown, kSame, "That is PTX; this is the SASS."},
    {"instruction", "TCGEN05.WAIT*", "nothing of its own", kUnknown, kDiffers,
     "That is PTX; in SASS the instruction that reads the result waits for a scoreboard."},
    {"instruction", "TCGEN05.MMA*", "UTCHMMA, UTCQMMA", kUnknown, kDiffers,
     "That is PTX; the SASS has a mnemonic for each type of number."},
    {"instruction", "TCGEN05.COMMIT*", "UTCBAR", kUnknown, kSame, "That is PTX; this is the SASS."},
    {"instruction", "FENCE.PROXY.ASYNC*", "FENCE.VIEW.ASYNC", kUnknown, kSame,
     "That is PTX; this is the SASS."},
    {"instruction", "BAR.SYNC.WARP*", "WARPSYNC", kUnknown, kSame,
     "BAR is for blocks; a warp's own barrier is WARPSYNC."},
    {"instruction", "CP.ASYNC.BULK*", "UTMALDG, UTMASTG, UTMACMDFLUSH, UBLKCP", kUnknown, kDiffers,
     "That is PTX; the SASS has one mnemonic for each direction and for plain bulk copies."},
    {"instruction", "MBARRIER*", "SYNCS", kUnknown, kDiffers,
     "That is PTX; in SASS every operation on an mbarrier is a SYNCS."},
    {"instruction", "wgmma*", "HGMMA, QGMMA, IGMMA, BGMMA, WARPGROUP", kUnknown, kDiffers,
     "That is PTX, and a search of the SASS finds nothing. Counters: "
     "smsp__sass_inst_executed_op_shared_gmma, sass__inst_executed_per_opcode."},
    {"instruction", "st.shared*", "STS, STS.64, STS.128", kUnknown, kDiffers,
     "That is PTX; the width is the suffix. Counters: smsp__sass_inst_executed_op_shared_st, and "
     "smsp__sass_average_data_bytes_per_wavefront_mem_shared_op_st for the width."},
    {"instruction", "ld.shared*", "LDS, LDS.64, LDS.128", kUnknown, kDiffers,
     "That is PTX; the width is the suffix. Counter: smsp__sass_inst_executed_op_shared_ld."},
    {"instruction", "CVT*", "F2F, F2FP, I2F, F2I", kUnknown, kDiffers,
     "That is PTX; the SASS has one mnemonic for each pair of types."},
    {"instruction", "STG.E.V8", "STG.E.ENL2.256", kUnknown, kSame,
     "No such mnemonic: 256-bit stores exist from sm_100 on, and four words are STG.E.128."},
};

std::string lower_with_underscores(std::string_view name) {
  std::string text;
  for (const char c : name) {
    text += c == ' ' ? '_' : to_lower(c);
  }
  return text;
}

// The text that each * of the pattern matches, as ranges; empty where the pattern does not match.
// A * is non-greedy, but the last one takes the rest.
struct Range {
  std::size_t begin;
  std::size_t size;
};
using Ranges = std::vector<Range>;

std::optional<Ranges> match(std::string_view pattern, std::string_view text) {
  Ranges ranges;
  std::size_t at = 0;
  while (true) {
    const std::size_t star = pattern.find('*');
    const std::string_view fixed = pattern.substr(0, star);
    const bool last = star == pattern.npos;
    if (ranges.empty()) {
      if (!text.starts_with(fixed) || (last && text != fixed)) return std::nullopt;
      at = fixed.size();
    } else {
      const bool rest_fits = text.size() >= at + fixed.size() && text.ends_with(fixed);
      const std::size_t found = !last       ? text.find(fixed, at)
                                : rest_fits ? text.size() - fixed.size()
                                            : text.npos;
      if (found == text.npos) return std::nullopt;
      ranges.back().size = found - ranges.back().begin;
      at = found + fixed.size();
    }
    if (last) return ranges;
    ranges.push_back({at, 0});
    pattern.remove_prefix(star + 1);
  }
}

std::string_view without_flag(std::string_view name) {
  for (const std::string_view flag : {"--section ", "--section=", "--set ", "--set="}) {
    if (name.starts_with(flag)) return name.substr(flag.size());
  }
  return name;
}

const OutdatedName* find_exactly(std::string_view name) {
  const std::string text = lower_with_underscores(name);
  const auto matches = [&](const OutdatedName& entry) {
    return match(lower_with_underscores(entry.name), text).has_value();
  };
  const OutdatedName* found =
      std::find_if(std::begin(kOutdatedNames), std::end(kOutdatedNames), matches);
  return found != std::end(kOutdatedNames) ? found : nullptr;
}

}  // namespace

std::span<const OutdatedName> outdated_names() { return kOutdatedNames; }

const OutdatedName* find_outdated(std::string_view name) {
  if (name.empty()) return nullptr;
  const OutdatedName* found = find_exactly(name);
  return found != nullptr ? found : find_exactly(without_flag(name));
}

std::string right_name(const OutdatedName& entry, std::string_view typed) {
  const auto ranges = match(lower_with_underscores(entry.name), lower_with_underscores(typed));
  std::string right(entry.right);
  if (!ranges) return right;
  std::size_t at = 0;
  for (const Range& range : *ranges) {
    at = right.find('*', at);
    if (at == right.npos) break;
    right.replace(at, 1, typed.substr(range.begin, range.size));
    at += range.size;
  }
  return right;
}

}  // namespace proofline
