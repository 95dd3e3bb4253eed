// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu_presets.h"

#include <fmt/format.h>

#include <algorithm>

namespace proofline {
namespace {

// What the rules read, and no more, since each section of ncu brings counters that none of them
// needs. tests/unit/ncu_presets_test.cpp holds it complete.
constexpr std::string_view kQuickMetrics[] = {
    // time, clocks and how busy each level and pipe was
    "gpc__cycles_elapsed.avg.per_second",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
    "l1tex__data_pipe_tex_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1tex__lsu_writeback_active_mem_lgds.sum.pct_of_peak_sustained_elapsed",
    "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "lts__t_tag_requests.avg.pct_of_peak_sustained_elapsed",
    "lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__cycles_active.max",
    "sm__cycles_active.sum",
    "sm__cycles_elapsed.avg.per_second",
    "sm__cycles_elapsed.max",
    "sm__icc_request_hit_rate.pct",
    "sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_issued.avg.pct_of_peak_sustained_elapsed",
    "sm__issue_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fmaheavy_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_dmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_op_imma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    // the tensor pipe of older and newer chips
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "sm__pipe_tensor_subpipe_hmma_cycles_active.avg.pct_of_peak_sustained_elapsed",
    // what warps wait for
    "smsp__average_warp_latency_per_inst_issued.ratio",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_drain_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_misc_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_selected_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_tex_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
    // warps of a scheduler, threads of an instruction
    "sm__inst_executed.avg.per_cycle_active",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__cycles_elapsed.avg.per_second",
    "smsp__inst_executed.sum",
    "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "smsp__warps_active.avg.per_cycle_active",
    "smsp__warps_eligible.avg.per_cycle_active",
    // traffic, hits and where the bytes come from
    "sm__sass_l1tex_m_xbar2l1tex_read_bytes_mem_global_op_ldgsts_cache_bypass.sum",
    "dram__bytes.sum.per_second",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "idc__request_hit_rate.pct",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum",
    "l1tex__m_xbar2l1tex_read_bytes.sum",
    "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum",
    "l1tex__t_bytes_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_aperture_peer_op_atom.sum",
    "lts__t_sectors_srcunit_tex_aperture_peer_op_read_lookup_miss.sum",
    "lts__t_sectors_srcunit_tex_aperture_peer_op_red.sum",
    "lts__t_sectors_srcunit_tex_aperture_peer_op_write.sum",
    "lts__t_sectors_srcunit_tex_aperture_sysmem_op_atom.sum",
    "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum",
    "lts__t_sectors_srcunit_tex_aperture_sysmem_op_red.sum",
    "lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum",
    "lts__t_sectors_srcunit_tex_op_atom.sum",
    "lts__t_sectors_srcunit_tex_op_red.sum",
    // instructions by opcode, spills
    "inst_executed",
    "sass__inst_executed_per_opcode_with_modifier_all",
    "sass__inst_executed_register_spilling",
    "smsp__sass_inst_executed_op_local_ld.sum",
    "smsp__sass_inst_executed_op_local_st.sum",
    // accesses against what they would need at best
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    // launch and occupancy
    "launch__barrier_count",
    "launch__block_size",
    "launch__cluster_max_active",
    "launch__cluster_size",
    "launch__grid_size",
    "launch__occupancy_limit_barriers",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__registers_per_thread",
    "launch__shared_mem_config_size",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_static",
    "launch__sm_count",
    "launch__waves_per_multiprocessor",
    "sm__maximum_warps_avg_per_active_cycle",
    "sm__maximum_warps_per_active_cycle_pct",
};

constexpr std::string_view kFullSet[] = {"full"};
constexpr std::string_view kRooflineSet[] = {"roofline"};
constexpr std::string_view kRooflineSections[] = {"LaunchStats", "Occupancy"};
constexpr std::string_view kSourceSections[] = {"SourceCounters", "SpeedOfLight", "LaunchStats",
                                                "Occupancy"};

constexpr NcuPreset kPresets[] = {
    {"quick",
     "What the diagnosis needs, in the fewest passes.",
     {},
     {},
     kQuickMetrics,
     false,
     true},
    {"full", "All that ncu has, with the sources.", kFullSet, {}, {}, true, true},
    {"roofline",
     "Rooflines of every precision over L1, L2 and DRAM.",
     kRooflineSet,
     kRooflineSections,
     {},
     false,
     false},
    {"source",
     "Stall samples and counts by instruction, with the sources.",
     {},
     kSourceSections,
     {},
     true,
     false},
};

void append(std::vector<std::string>& list, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.emplace_back(name);
  }
}

}  // namespace

std::span<const NcuPreset> ncu_presets() { return kPresets; }

const NcuPreset* find_ncu_preset(std::string_view name) {
  const auto found = std::find_if(std::begin(kPresets), std::end(kPresets),
                                  [&](const NcuPreset& preset) { return preset.name == name; });
  return found != std::end(kPresets) ? found : nullptr;
}

void add_preset(const NcuPreset& preset, NcuRequest& request) {
  append(request.sets, preset.sets);
  append(request.sections, preset.sections);
  append(request.metrics, preset.metrics);
  request.import_source = request.import_source || preset.import_source;
}

std::string ncu_section_file(std::string_view id, std::span<const std::string_view> metrics) {
  std::string text = fmt::format("Identifier: \"{0}\"\nDisplayName: \"{0}\"\nMetrics {{\n", id);
  for (const std::string_view metric : metrics) {
    text += fmt::format("  Metrics {{\n    Label: \"{0}\"\n    Name: \"{0}\"\n  }}\n", metric);
  }
  return text + "}\n";
}

}  // namespace proofline
