// SPDX-License-Identifier: Apache-2.0
//
// The labels as facts: one line for each, grouped by section. Where several lines have one label,
// the first whose condition holds is meant:
//   90-103   compute capabilities 9.0 to 10.3; either end may be left out
//   ~Word    the table's label has this word
//   before, since   ncu 2025.3
//   ilc      counted where the L2 compresses in line, which newer versions do on newer chips
// Sources: the section files of ncu 2025.3.1, and the details pages of 39 reports of ncu 2019 to
// 2026.1 joined with their raw pages. For the labels of ncu 2020 ("SOL ...") there was a report of
// a Pascal chip only; for newer chips they are unconfirmed.
#include "readers/ncu/ncu_labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "vocabulary/metric_unit.h"

namespace proofline {
namespace {

// "Roofline" are all roofline charts. "Pipe ..." are the tables of pipe utilisation, where the
// metric is sm__X.avg.pct_of_peak_sustained_{active,elapsed}. In "Workload Distribution" a label
// is in four rows: .avg, .max, .min and .sum.
constexpr std::string_view kFacts = R"(
[C2CLink]
Received Bandwidth|ctc__rx_bytes_data_user.sum.per_second
Received Peak Utilization|ctc__rx_bytes_data_user.sum.pct_of_peak_sustained_elapsed
Received User Bytes|ctc__rx_bytes_data_user.sum
Transmitted Bandwidth|ctc__tx_bytes_data_user.sum.per_second
Transmitted Peak Utilization|ctc__tx_bytes_data_user.sum.pct_of_peak_sustained_elapsed
Transmitted User Bytes|ctc__tx_bytes_data_user.sum
[Compute Workload Analysis]
Executed Ipc Active|sm__inst_executed.avg.per_cycle_active
Executed Ipc Elapsed|sm__inst_executed.avg.per_cycle_elapsed
Issue Slots Busy|sm__inst_issued.avg.pct_of_peak_sustained_active|before
Issue Slots Busy|sm__inst_issued.avg.pct_of_peak_sustained_elapsed|since
Issued Ipc Active|sm__inst_issued.avg.per_cycle_active
Max. Issued Slots Busy|sm__inst_issued.max.pct_of_peak_sustained_elapsed
SM Busy|sm__instruction_throughput.avg.pct_of_peak_sustained_active|before
SM Busy|sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed|since
[GPU Speed Of Light]
DRAM Frequency|dram__cycles_elapsed.avg.per_second
Duration|gpu__time_duration|-69
Duration|gpu__time_duration.sum
Elapsed Cycles|gpc__elapsed_cycles_max|-69
Elapsed Cycles|gpc__cycles_elapsed.max
Memory Frequency|dram__frequency|-69
Memory Frequency|dram__cycles_elapsed.avg.per_second
Memory [%]|gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
SM Active Cycles|sm__elapsed_cycles_avg|-69
SM Active Cycles|sm__cycles_active.avg
SM Frequency|gpc__frequency|-69
SM Frequency|gpc__cycles_elapsed.avg.per_second
SM [%]|sm__throughput.avg.pct_of_peak_sustained_elapsed
SOL DRAM|dram__throughput.avg.pct_of_peak_sustained_elapsed
SOL FB|fbpa__sol_pct|-69
SOL FB|dram__throughput.avg.pct_of_peak_sustained_elapsed
SOL L1/TEX Cache|l1tex__throughput.avg.pct_of_peak_sustained_active
SOL L2|ltc__sol_pct|-69
SOL L2|lts__throughput.avg.pct_of_peak_sustained_elapsed
SOL L2 Cache|lts__throughput.avg.pct_of_peak_sustained_elapsed
SOL Memory|gpu__compute_memory_sol_pct|-69
SOL Memory|gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
SOL SM|sm__sol_pct|-69
SOL SM|sm__throughput.avg.pct_of_peak_sustained_elapsed
SOL TEX|tex__sol_pct|-69
SOL TEX|l1tex__throughput.avg.pct_of_peak_sustained_active
[GPU Speed Of Light Throughput]
Compute (SM) Throughput|sm__throughput.avg.pct_of_peak_sustained_elapsed
Compute (SM) [%]|sm__throughput.avg.pct_of_peak_sustained_elapsed
DRAM Frequency|dram__cycles_elapsed.avg.per_second
DRAM Throughput|gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
Duration|gpu__time_duration.sum
Elapsed Cycles|gpc__cycles_elapsed.max
L1/TEX Cache Throughput|l1tex__throughput.avg.pct_of_peak_sustained_active
L2 Cache Throughput|lts__throughput.avg.pct_of_peak_sustained_elapsed
Memory Throughput|gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
Memory [%]|gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
SM Active Cycles|sm__cycles_active.avg
SM Frequency|gpc__cycles_elapsed.avg.per_second
Waves Per SM|launch__waves_per_multiprocessor
[GPU and Memory Workload Distribution]
Average DRAM Active Cycles|dram__cycles_active.avg
Average L1 Active Cycles|l1tex__cycles_active.avg
Average L2 Active Cycles|lts__cycles_active.avg
Average MC Channel Active Cycles|mcc__cycles_active.avg
Average SM Active Cycles|sm__cycles_active.avg
Average SMSP Active Cycles|smsp__cycles_active.avg
Total DRAM Elapsed Cycles|dram__cycles_elapsed.sum
Total L1 Elapsed Cycles|l1tex__cycles_elapsed.sum
Total L2 Elapsed Cycles|lts__cycles_elapsed.sum
Total MC Channel Elapsed Cycles|mcc__cycles_elapsed.sum
Total SM Elapsed Cycles|sm__cycles_elapsed.sum
Total SMSP Elapsed Cycles|smsp__cycles_elapsed.sum
[Instruction Statistics]
Avg. Executed Instructions Per Scheduler|smsp__inst_executed.avg
Avg. Issued Instructions Per Scheduler|smsp__inst_issued.avg
Executed Instructions|smsp__inst_executed.sum
Executed Instructions by SASS Opcode Category|sass__inst_executed_per_opcode_category
Executed Warp-Level Instructions By Basic SASS Opcode|sass__inst_executed_per_opcode
Instructions Executed|inst_executed
Issued Instructions|smsp__inst_issued.sum
Local Memory Spilling Requests|sass__inst_executed_register_spilling_mem_local
Shared Memory Spilling Requests|sass__inst_executed_register_spilling_mem_shared
[Launch Statistics]
# SMs|launch__sm_count
# TPCs|launch__tpc_count
Achieved Occupancy|sm__warps_active.avg.pct_of_peak_sustained_active
Block Size|launch__block_size
Cluster Scheduling Policy|launch__cluster_scheduling_policy
Cluster Size|launch__cluster_size
Driver Shared Memory Per Block|launch__shared_mem_per_block_driver
Dynamic Shared Memory Per Block|launch__shared_mem_per_block_dynamic
Enabled TPC IDs|launch__tpc_enabled
Function Cache Configuration|launch__func_cache_config
Grid Size|launch__grid_size
Preferred Cluster Size|launch__preferred_cluster_size
Registers Per Thread|launch__registers_per_thread
Shared Memory Configuration Size|launch__shared_mem_config_size
Stack Size|launch__stack_size
Static Shared Memory Per Block|launch__shared_mem_per_block_static
Theoretical Occupancy|sm__maximum_warps_per_active_cycle_pct
Threads|launch__thread_count
Uses Green Context|launch__uses_green_context
Waves Per SM|launch__waves_per_multiprocessor
[Memory Workload Analysis]
Instructions Executed|inst_executed
L1/TEX Hit Rate|l1tex__t_sector_hit_rate.pct
L2 Compression Input Sectors|lrc__ilc_input_sectors.sum|90-103 ilc
L2 Compression Input Sectors|lts__gcomp_input_sectors.sum
L2 Compression Ratio|lrc__average_ilc_output_sector_compression_achieved_rate.pct|90-103 ilc
L2 Compression Ratio|lts__average_gcomp_output_sector_compression_achieved_rate.ratio
L2 Compression Success Rate|lrc__average_ilc_input_sector_success_rate.pct|90-103 ilc
L2 Compression Success Rate|lts__average_gcomp_input_sector_success_rate.pct
L2 Hit Rate|lts__t_sector_hit_rate.pct
L2 Persisting Size|launch__persisting_l2_cache_size
L2 Sector Promotion Misses|derived__lts__t_sectors_lookup_miss_data_promoted_pct
Local Memory Spilling Request Overhead|derived__local_spilling_requests_pct
Local Memory Spilling Requests|derived__local_spilling_requests
Max Bandwidth|gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed
Mem Busy|gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed
Mem Pipes Busy|sm__memory_throughput.avg.pct_of_peak_sustained_elapsed
Memory Throughput|dram__bytes.sum.per_second
Shared Memory Spilling Request Overhead|derived__shared_spilling_requests_pct
Shared Memory Spilling Requests|derived__shared_spilling_requests
[Memory Workload Analysis Chart]
DRAM Bandwidth|dram__bytes.sum.per_second
L2 Cache Sector Throughput For TEX|lts__t_sectors_srcunit_tex.avg.pct_of_peak_sustained_elapsed
L2 Cache Sectors|lts__t_sectors.sum
L2 Compression Success Rate|lrc__average_ilc_input_sector_success_rate.pct|90- ilc
L2 Compression Success Rate|lts__average_gcomp_input_sector_success_rate.pct
Missed L2 Cache Sectors For TEX|lts__t_sectors_srcunit_tex_lookup_miss.sum
Missed L2 Cache Sectors For TEX Accessing Peer Memory|syslts__t_sectors_srcunit_tex_aperture_peer_lookup_miss.sum|100-103
Missed L2 Cache Sectors For TEX Accessing Peer Memory|syslts__t_sectors_srcunit_tex_aperture_peer_lookup_miss.sum|120-120
Missed L2 Cache Sectors For TEX Accessing Peer Memory|lts__t_sectors_srcunit_tex_aperture_peer_lookup_miss.sum
Missed L2 Cache Sectors For TEX Accessing System Memory|syslts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss.sum|100-103
Missed L2 Cache Sectors For TEX Accessing System Memory|syslts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss.sum|120-120
Missed L2 Cache Sectors For TEX Accessing System Memory|lts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss.sum
PCIe read bandwidth|pcie__read_bytes.sum.per_second
PCIe write bandwidth|pcie__write_bytes.sum.per_second
[Memory Workload Analysis Tables]
Average Bytes Per Sector For Global Loads|smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio
Average Bytes Per Sector For Global Stores|smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio
Average Bytes Per Sector For Local Loads|smsp__sass_average_data_bytes_per_sector_mem_local_op_ld.ratio
Average Bytes Per Sector For Local Stores|smsp__sass_average_data_bytes_per_sector_mem_local_op_st.ratio
DRAM Throughput|gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed
L1TEX Hit Rate For Global Loads|l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
L1TEX Hit Rate For Global Stores|l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct
L1TEX Hit Rate For Local Loads|l1tex__t_sector_pipe_lsu_mem_local_op_ld_hit_rate.pct
L1TEX Hit Rate For Local Stores|l1tex__t_sector_pipe_lsu_mem_local_op_st_hit_rate.pct
L1TEX Throughput|l1tex__throughput.avg.pct_of_peak_sustained_elapsed
L2 Hit Rate For Loads|lts__t_sector_op_read_hit_rate.pct
L2 Hit Rate For Stores|lts__t_sector_op_write_hit_rate.pct
L2 Throughput|lts__throughput.avg.pct_of_peak_sustained_elapsed
Maximum Bytes Per Sector For Global Loads|smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate
Maximum Bytes Per Sector For Global Stores|smsp__sass_average_data_bytes_per_sector_mem_global_op_st.max_rate
Maximum Bytes Per Sector For Local Loads|smsp__sass_average_data_bytes_per_sector_mem_local_op_ld.max_rate
Maximum Bytes Per Sector For Local Stores|smsp__sass_average_data_bytes_per_sector_mem_local_op_st.max_rate
[NUMA Affinity]
CPU Affinity|numa__cpu_affinity
Device Names|numa__dev_display_name_all
NUMA ID by CPU Affinity|numa__id_cpu
NUMA ID by Memory Affinity|numa__id_memory
[NVLink]
Logical Links|nvlink__count_logical
Physical Links|nvlink__count_physical
Received Bandwidth|nvlrx__bytes.sum.per_second
Received Bytes|nvlrx__bytes.sum
Received Overhead Bytes|nvlrx__bytes_data_protocol.sum
Received Peak Utilization|nvlrx__bytes.sum.pct_of_peak_sustained_elapsed
Received User Bytes|nvlrx__bytes_data_user.sum
Transmitted Bandwidth|nvltx__bytes.sum.per_second
Transmitted Bytes|nvltx__bytes.sum
Transmitted Overhead Bytes|nvltx__bytes_data_protocol.sum
Transmitted Peak Utilization|nvltx__bytes.sum.pct_of_peak_sustained_elapsed
Transmitted User Bytes|nvltx__bytes_data_user.sum
[Occupancy]
# Warps Per Block Barriers Size|launch__occupancy_per_barrier_count
# Warps Per Block Size|launch__occupancy_per_block_size
# Warps Per Register Count|launch__occupancy_per_register_count
# Warps Per Shared Mem Size|launch__occupancy_per_shared_mem_size
% Occupancy Per Block Barriers Size|derived__pct_occupancy_per_barrier_count
% Occupancy Per Block Size|derived__pct_occupancy_per_block_size
% Occupancy Per Register Count|derived__pct_occupancy_per_register_count
% Occupancy Per Shared Mem Size|derived__pct_occupancy_per_shared_mem_size
Achieved Active Warps Per SM|sm__active_warps_avg_per_active_cycle|-69
Achieved Active Warps Per SM|sm__warps_active.avg.per_cycle_active
Achieved Occupancy|sm__active_warps_avg_per_active_cycle_pct|-69
Achieved Occupancy|sm__warps_active.avg.pct_of_peak_sustained_active
Active Clusters|launch__occupancy_per_cluster_size
Block Barrier Count|launch__barrier_count
Block Limit Barriers|launch__occupancy_limit_barriers
Block Limit Registers|launch__occupancy_limit_registers
Block Limit SM|launch__occupancy_limit_blocks
Block Limit Shared Mem|launch__occupancy_limit_shared_mem
Block Limit Warps|launch__occupancy_limit_warps
Block Size|launch__block_size
Cluster Occupancy|launch__occupancy_cluster_pct
Cluster Size|launch__cluster_size
GPU Maximum Warps Per Scheduler|smsp__warps_active.avg.peak_sustained
Max Active Clusters|launch__cluster_max_active
Max Cluster Size|launch__cluster_max_potential_size
Overall GPU Occupancy|launch__occupancy_cluster_gpu_pct
Registers Per Thread|launch__registers_per_thread
Shared Memory Per Block|launch__shared_mem_per_block
Theoretical Active Warps per SM|sm__maximum_warps_avg_per_active_cycle
Theoretical Occupancy|sm__maximum_warps_per_active_cycle_pct
Theoretical Warps Per Scheduler|smsp__maximum_warps_avg_per_active_cycle
[PM Sampling]
# Pass Groups|profiler__pmsampler_pass_groups
Dropped Samples|profiler__pmsampler_dropped_samples
Duration|gpu__time_duration.sum
Elapsed Cycles|gpc__cycles_elapsed.max
Maximum Buffer Size|profiler__pmsampler_buffer_size_bytes
Maximum Sampling Interval|profiler__pmsampler_interval_time|86-
Maximum Sampling Interval|profiler__pmsampler_interval_cycles
[Pipe cycles]
Shared (FP16+Tensor)|pipe_shared_cycles_active
Shared (FP64+Tensor)|pipe_shared_cycles_active
TMEM (Tensor Memory)|mem_tensor_cycles_active
Tensor (All)|pipe_tensor_cycles_active_v2|89-89
Tensor (All)|pipe_tensor_cycles_active
Tensor (DP)|pipe_tensor_subpipe_dmma_cycles_active|100-
Tensor (DP)|pipe_tensor_op_dmma_cycles_active
Tensor (FP)|pipe_tensor_op_hmma_cycles_active_v2|89-89
Tensor (FP)|pipe_tensor_subpipe_hmma_cycles_active|100-
Tensor (FP)|pipe_tensor_op_hmma_cycles_active
Tensor (INT)|pipe_tensor_op_imma_cycles_active_v2|89-89
Tensor (INT)|pipe_tensor_subpipe_imma_cycles_active|100-
Tensor (INT)|pipe_tensor_op_imma_cycles_active
[Pipe instructions]
FMA (FP16)|inst_executed_pipe_fma_type_fp16
FP64 (DMMA)|inst_executed_pipe_fp64_op_dmma
FP64 (FP64)|inst_executed_pipe_fp64_op_fp64
Tensor (DP)|inst_executed_pipe_tensor_subpipe_dmma|100-
Tensor (DP)|inst_executed_pipe_tensor_op_dmma
Tensor (FP)|inst_executed_pipe_tensor_op_hmma_v2|89-89
Tensor (FP)|inst_executed_pipe_tensor_subpipe_hmma|100-
Tensor (FP)|inst_executed_pipe_tensor_op_hmma
Tensor (INT)|inst_executed_pipe_tensor_op_imma_v2|89-89
Tensor (INT)|inst_executed_pipe_tensor_subpipe_imma|100-
Tensor (INT)|inst_executed_pipe_tensor_op_imma
Tensor (Warp Group)|inst_executed_pipe_tensor_op_gmma
WorkID/CLC|inst_executed_pipe_workid
[Roofline]
DRAM Bandwidth|dram__bytes.sum.per_second
DRAM Frequency|dram__cycles_elapsed.avg.per_second
L1 Cache Bandwidth (Global/Local)|derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.per_second|90-
L1 Cache Bandwidth (Global/Local)|derived__l1tex__lsu_writeback_bytes.sum.per_second|-72
L1 Cache Bandwidth (Global/Local)|derived__l1tex__lsu_writeback_bytes_mem_lg.sum.per_second
L1/TEX Cache Bandwidth|derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.per_second|90-
L1/TEX Cache Bandwidth|derived__l1tex__lsu_writeback_bytes_mem_lg.sum.per_second
L1/TEX Cache Frequency|l1tex__cycles_elapsed.avg.per_second
L1/TEX active local/global writeback cycles per second|l1tex__lsu_writeback_active_mem_lgds.sum.per_second|90-
L1/TEX active local/global writeback cycles per second|l1tex__lsu_writeback_active_mem_lg.sum.per_second
L1/TEX active writeback cycles per second|l1tex__lsu_writeback_active.sum.per_second
L1/TEX peak local/global writeback cycles|l1tex__lsu_writeback_active_mem_lgds.sum.peak_sustained|90-
L1/TEX peak local/global writeback cycles|l1tex__lsu_writeback_active_mem_lg.sum.peak_sustained
L1/TEX peak writeback cycles|l1tex__lsu_writeback_active.sum.peak_sustained
L2 Cache Bandwidth|derived__lts__lts2xbar_bytes.sum.per_second
L2 Cache Frequency|lts__cycles_elapsed.avg.per_second
L2 active writeback cycles per second|lts__lts2xbar_cycles_active.sum.per_second
L2 peak writeback cycles|lts__lts2xbar_cycles_active.sum.peak_sustained
SM Frequency|smsp__cycles_elapsed.avg.per_second|~Achieved
SM Frequency|sm__cycles_elapsed.avg.per_second
Theoretical DRAM Bytes Accessible|dram__bytes.sum.peak_sustained
Theoretical L1/TEX Cache Bytes Accessible|derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.peak_sustained|90-
Theoretical L1/TEX Cache Bytes Accessible|derived__l1tex__lsu_writeback_bytes.sum.peak_sustained|-72
Theoretical L1/TEX Cache Bytes Accessible|derived__l1tex__lsu_writeback_bytes_mem_lg.sum.peak_sustained
Theoretical L2 Cache Bytes Accessible|derived__lts__lts2xbar_bytes.sum.peak_sustained
[Scheduler Statistics]
Active Warps Per Scheduler|smsp__warps_active.avg.per_cycle_active
Eligible Warps Per Scheduler|smsp__warps_eligible.avg.per_cycle_active
GPU Maximum Warps Per Scheduler|smsp__warps_active.avg.peak_sustained
Issued Warp Per Scheduler|smsp__issue_active.avg.per_cycle_active
No Eligible|smsp__issue_inst0.avg.pct_of_peak_sustained_active
One or More Eligible|smsp__issue_active.avg.pct_of_peak_sustained_active
Theoretical Active Warps Per Scheduler|smsp__warps_active.avg.peak_sustained
Theoretical Warps Per Scheduler|smsp__maximum_warps_avg_per_active_cycle
[Source Counters]
# Samples|smsp__pcsamp_sample_count
Access Operation|memory_access_type
Access Size|memory_access_size_type
Address Space|memory_type
Avg. Divergent Branches|smsp__sass_branch_targets_threads_divergent.avg
Avg. Predicated-On Threads Executed|derived__avg_thread_executed_true
Avg. Predicated-On Threads Unexecuted|derived__avg_thread_unexecuted_true
Avg. Threads Executed|derived__avg_thread_executed
Branch Efficiency|smsp__sass_average_branch_targets_threads_uniform.pct
Branch Instructions|smsp__inst_executed_op_branch.sum
Branch Instructions Ratio|derived__smsp__inst_executed_op_branch_pct
Derivative Avg. Predicated-On Threads Executed|derived__derivative_avg_thread_executed_true
Divergent Branches|smsp__branch_targets_threads_divergent
Elapsed Cycles|gpc__cycles_elapsed.max
Executed Instructions|smsp__inst_executed.sum
Instructions Executed|inst_executed
L1 Active Cycles|l1tex__cycles_active.sum
L1 Conflicts Shared N-Way|derived__memory_l1_conflicts_shared_nway
L1 Elapsed Cycles|l1tex__cycles_elapsed.sum
L1 Tag Requests Global|memory_l1_tag_requests_global
L1 Wavefronts Shared|memory_l1_wavefronts_shared
L1 Wavefronts Shared Excessive|derived__memory_l1_wavefronts_shared_excessive
L1 Wavefronts Shared Ideal|memory_l1_wavefronts_shared_ideal
L2 Active Cycles|lts__cycles_active.sum
L2 Elapsed Cycles|lts__cycles_elapsed.sum
L2 Explicit Evict Policies|smsp__sass_inst_executed_memdesc_explicit_evict_type
L2 Explicit Hit Policy Evict First|smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_first
L2 Explicit Hit Policy Evict Last|smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_last
L2 Explicit Hit Policy Evict Normal|smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal
L2 Explicit Hit Policy Evict Normal Demote|smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal_demote
L2 Explicit Miss Policy Evict First|smsp__sass_inst_executed_memdesc_explicit_missprop_evict_first
L2 Explicit Miss Policy Evict Normal|smsp__sass_inst_executed_memdesc_explicit_missprop_evict_normal
L2 Theoretical Sectors Global|memory_l2_theoretical_sectors_global
L2 Theoretical Sectors Global Excessive|derived__memory_l2_theoretical_sectors_global_excessive
L2 Theoretical Sectors Global Ideal|memory_l2_theoretical_sectors_global_ideal
L2 Theoretical Sectors Local|memory_l2_theoretical_sectors_local
Predicated-On Thread Instructions Executed|thread_inst_executed_true
Thread Instructions Executed|thread_inst_executed
[Tile Statistics]
#Thread Blocks Launched|launch__grid_size
#Tile Blocks Specified|launch__user_grid_size
Block Size (Chosen by Compiler)|launch__block_size
Blocks as Clusters|launch__uses_blocks_as_clusters
Cluster Size|launch__cluster_size
Launch Execution Model|launch__execution_model
[Warp State Statistics]
Avg. Active Threads Per Warp|smsp__thread_inst_executed_per_inst_executed.ratio
Avg. Not Predicated Off Threads Per Warp|smsp__thread_inst_executed_pred_on_per_inst_executed.ratio
Issued Warp Per Scheduler|smsp__issue_active.avg.per_cycle_active
Warp Cycles Per Executed Instruction|smsp__average_warps_active_per_inst_executed.ratio
Warp Cycles Per Issued Instruction|smsp__average_warp_latency_per_inst_issued.ratio
[Workload Distribution]
DRAM Active Cycles|dram__cycles_active.
L1 Active Cycles|l1tex__cycles_active.
L2 Active Cycles|lts__cycles_active.
MC Channel Active Cycles|mcc__cycles_active.
SM Active Cycles|sm__cycles_active.
SMSP Active Cycles|smsp__cycles_active.
)";

struct Fact {
  std::string_view section;
  std::string_view label;
  std::string_view metric;
  std::string_view condition;
};

bool before(const Fact& a, const Fact& b) {
  return a.section != b.section ? a.section < b.section : a.label < b.label;
}

std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return piece;
}

// Sorted by section and label; alternatives stay in their order.
const std::vector<Fact>& facts() {
  static const std::vector<Fact> kSorted = [] {
    std::vector<Fact> all;
    std::string_view section;
    for (std::string_view rest = kFacts; !rest.empty();) {
      std::string_view line = cut(rest, '\n');
      if (line.empty()) continue;
      if (line.front() == '[') {
        section = line.substr(1, line.size() - 2);
        continue;
      }
      Fact fact{section, cut(line, '|'), cut(line, '|'), {}};
      fact.condition = line;
      all.push_back(fact);
    }
    std::stable_sort(all.begin(), all.end(), before);
    return all;
  }();
  return kSorted;
}

int to_int(std::string_view text, int otherwise) {
  int number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// nullopt: what is printed does not tell.
std::optional<bool> word_holds(std::string_view word, const PrintedLabel& printed) {
  if (word.front() == '~') return printed.table.find(word.substr(1)) != std::string_view::npos;
  if (word == "ilc") return printed.version.inline_compression;
  if (word == "before" || word == "since") {
    if (!printed.version.since_2025_3) return std::nullopt;
    return *printed.version.since_2025_3 == (word == "since");
  }
  if (printed.compute_capability == 0) {
    // Text without it is nearly never of chips before Volta, which have names of their own.
    return word.front() == '-' ? std::optional(false) : std::nullopt;
  }
  constexpr int kEnd = 1000000;
  const int low = to_int(cut(word, '-'), 0);
  const int high = to_int(word, kEnd);
  return printed.compute_capability >= low && printed.compute_capability <= high;
}

std::optional<bool> holds(std::string_view condition, const PrintedLabel& printed) {
  std::optional<bool> all = true;
  while (!condition.empty()) {
    const auto here = word_holds(cut(condition, ' '), printed);
    if (here && !*here) return false;
    if (!here) all.reset();
  }
  return all;
}

// Of facts that may be meant: the one that is. Where conditions leave it open, the unit may tell.
std::string_view choose(const Fact* first, const Fact* last, const PrintedLabel& printed) {
  std::string_view open;
  std::string_view fitting;
  std::size_t open_count = 0;
  std::size_t fitting_count = 0;
  for (const Fact* fact = first; fact != last; ++fact) {
    const auto here = holds(fact->condition, printed);
    if (here && !*here) continue;
    if (here && open_count == 0) return fact->metric;
    open = fact->metric;
    ++open_count;
    if (metric_unit(fact->metric) == printed.base_unit) {
      fitting = fact->metric;
      ++fitting_count;
    }
    if (here) break;
  }
  if (open_count == 1) return open;
  return fitting_count == 1 ? fitting : std::string_view{};
}

std::string_view section_key(const PrintedLabel& printed) {
  if (printed.table.substr(0, 16) == "Pipe Utilization") {
    const bool counts = printed.table.find("instructions") != std::string_view::npos;
    return counts ? "Pipe instructions" : "Pipe cycles";
  }
  if (printed.table == "Workload Distribution") return printed.table;
  if (printed.section.find("Roofline Chart") != std::string_view::npos) return "Roofline";
  return printed.section;
}

std::string complete(std::string_view metric, const PrintedLabel& printed) {
  if (metric.back() != '.') return std::string(metric);
  constexpr std::array<std::string_view, 4> kRollups = {"avg", "max", "min", "sum"};
  return std::string(metric) + std::string(kRollups[std::min<std::size_t>(printed.repeat, 3)]);
}

}  // namespace

std::optional<std::string> metric_of_label(const PrintedLabel& printed) {
  const std::string_view section = section_key(printed);
  const Fact wanted{section, printed.label, {}, {}};
  const auto [first, last] = std::equal_range(facts().begin(), facts().end(), wanted, before);
  if (first == last) return metric_by_pattern(printed);
  const std::string_view metric = choose(&*first, &*first + (last - first), printed);
  if (metric.empty()) return std::nullopt;
  if (section.substr(0, 5) == "Pipe ") return pipe_metric(metric, printed.table);
  return complete(metric, printed);
}

}  // namespace proofline
