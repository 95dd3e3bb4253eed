// SPDX-License-Identifier: Apache-2.0
//
// Units by metric name, one table for each kind of rule. The expected units are what ncu prints in
// the unit row of `--page raw --csv --print-units base`.
#include "vocabulary/metric_unit.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace proofline::metric_unit_test {
namespace {

struct Case {
  std::string_view name;
  std::string_view unit;
};

void expect_units(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(metric_unit(c.name), c.unit) << c.name;
}

TEST(MetricUnit, FirstCountingWordGivesTheBaseUnit) {
  expect_units({
      {"dram__bytes_read.sum", "byte"},
      {"gpu__time_duration.sum", "ns"},
      {"gr__workids_granted_as_ctas.max", "block"},
      {"l1tex__lsu_writeback_active_mem_lg.sum", "cycle"},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "sector"},
      {"lts__t_bytes_equiv_l1sectormiss_pipe_lsu.sum", "byte"},
      {"lts__t_requests_srcunit_tex_op_read.sum", "request"},
      {"lts__t_tag_requests_hit.sum", "tag"},
      {"sm__mem_tensor_reads_op_ldt.sum", "byte"},
      {"sm__threads_launched.sum", "thread"},
      {"smsp__cycles_active.avg", "cycle"},
      {"smsp__inst_executed_op_branch.sum", "inst"},
      {"smsp__sass_branch_targets_threads_divergent.avg", "branches"},
      {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst"},
      {"tpc__sm_rf_registers_allocated.sum", "register"},
      {"profiler__pmsampler_dropped_samples", "sample"},
      {"profiler__replayer_passes", "pass"},
      {"inst_executed", "inst"},
      {"thread_inst_executed_true.sum", "inst"},
  });
}

TEST(MetricUnit, SomeCountsArePlainNumbers) {
  expect_units({
      {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ""},
      {"l1tex__data_bank_reads.avg", ""},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", ""},
      {"gpc__cgas_launched.sum.per_cycle_elapsed", ""},
      {"sm__ops_path_tensor_src_bf16_dst_fp32.sum.peak_sustained_elapsed.per_second", ""},
  });
}

TEST(MetricUnit, SubmetricDivides) {
  expect_units({
      {"dram__bytes.sum.per_second", "byte/s"},
      {"lts__t_sectors_op_read.avg.per_second", "sector/s"},
      {"dram__bytes.sum.peak_sustained_elapsed.per_second", "byte/s"},
      {"dram__bytes.avg.peak_sustained", "byte/cycle"},
      {"dram__bytes.avg.peak_sustained_elapsed", "byte"},
      {"lts__t_sectors.avg.per_cycle_elapsed", "sector/cycle"},
      {"sm__inst_executed.avg.per_cycle_active", "inst/cycle"},
      {"tpc__warps_launched_shader_cs.sum.per_cycle_elapsed", "warp/cycle"},
  });
}

TEST(MetricUnit, CyclesPerTimeAreAFrequencyOrAPlainNumber) {
  expect_units({
      {"gpc__cycles_elapsed.avg.per_second", "hz"},
      {"l1tex__lsu_writeback_active.max.per_second", "hz"},
      {"lts__lts2xbar_cycles_active.sum.peak_sustained", ""},
      {"smsp__issue_active.sum.per_cycle_active", ""},
  });
}

TEST(MetricUnit, LevelPerCycleKeepsItsUnit) {
  expect_units({
      {"smsp__warps_active.avg.per_cycle_active", "warp"},
      {"smsp__warps_active.avg.peak_sustained", "warp"},
      {"smsp__warps_eligible.sum.per_cycle_active", "warp"},
      {"tpc__ctas_active_realtime.avg.per_cycle_elapsed", "block"},
      // In no report at hand; ncu describes them as cumulative, as it does those above.
      {"sm__inst_pending_pipe_tex_cmd_read.avg.per_cycle_active", "inst"},
      {"smsp__warps_issue_stalled_barrier.avg.per_cycle_active", "warp"},
      {"tpc__l1tex_sram_bytes_mem_tagged_realtime.avg.per_cycle_elapsed", "byte"},
      {"tpc__sm_rf_registers_allocated.avg.per_cycle_elapsed", "register"},
      {"tpc__warps_inactive_sm_idle_realtime.avg.per_cycle_elapsed", "warp"},
  });
}

TEST(MetricUnit, Percentages) {
  expect_units({
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "%"},
      {"dram__cycles_active.max.pct_of_peak_sustained_elapsed", "%"},
      {"lts__t_sector_hit_rate.pct", "%"},
      {"gpu__compute_memory_throughput", "%"},
      {"launch__occupancy_cluster_pct", "%"},
      {"sm__maximum_warps_per_active_cycle_pct", "%"},
      {"derived__local_spilling_requests_pct", "%"},
  });
}

TEST(MetricUnit, Ratios) {
  expect_units({
      {"l1tex__average_t_sectors_per_request_pipe_lsu.ratio", "sector"},
      {"lts__average_t_sectors_requested_srcunit_tex.ratio", ""},
      {"lts__t_sector_hit_rate.ratio", ""},
      {"sm__average_threads_launched_per_warp.ratio", "thread/warp"},
      {"smsp__amortized_warp_latency.ratio", "cycle/warp"},
      {"smsp__average_inst_executed_pipe_alu_per_warp.ratio", "inst/warp"},
      {"smsp__average_warp_latency_issue_stalled_barrier.ratio", "inst/warp"},
      {"smsp__average_warp_latency_per_inst_issued.ratio", "cycle"},
      {"smsp__average_warps_active_per_inst_executed.ratio", "cycle"},
      {"smsp__average_warps_active_per_issue_active.ratio", "warp"},
      {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", "inst"},
      {"smsp__inst_issued_per_issue_active.ratio", "inst/cycle"},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate", "byte/sector"},
      {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio", "byte"},
      {"smsp__thread_inst_executed_per_inst_executed.ratio", ""},
      {"smsp__warp_issue_stalled_barrier_per_warp_active.ratio", ""},
      {"tpc__average_registers_per_thread.ratio", "register/thread"},
      {"tpc__average_sharedmem_bytes_per_cta_realtime.ratio", "byte/block"},
  });
}

TEST(MetricUnit, SamplersAndDomainsAreNotPartOfTheName) {
  expect_units({
      {"SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime.sum", "sector"},
      {"TPC.TriageA.tpc__warps_active_realtime.avg.per_cycle_active", "warp"},
      {"pmsampling:dram__bytes.sum.per_second", "byte/s"},
      {"pmsampling:SM_B.TriageCompute.sm__ctas_active.avg.per_cycle_elapsed", "block"},
      {"warpsampling:smsp__pcsamp_warps_issue_stalled_wait", "warp"},
      {"breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed", ""},
      {"group:memory__dram_table", ""},
  });
}

TEST(MetricUnit, LaunchAndDeviceFacts) {
  expect_units({
      {"device__attribute_max_threads_per_block", ""},
      {"launch__block_dim_x", "block"},
      {"launch__block_size", ""},
      {"launch__cluster_max_active", "cluster"},
      {"launch__cluster_max_potential_size", "block"},
      {"launch__occupancy_limit_warps", "block"},
      {"launch__occupancy_per_register_count", ""},
      {"launch__persisting_l2_cache_size", "byte"},
      {"launch__registers_per_thread_allocated", "register/thread"},
      {"launch__shared_mem_config_size", "byte"},
      {"launch__shared_mem_per_block_static", "byte/block"},
      {"launch__sm_count", "SM"},
      {"launch__thread_count", "thread"},
      {"launch__uses_blocks_as_clusters", "block"},
      {"nvlink__bandwidth", ""},
  });
}

TEST(MetricUnit, DerivedMetrics) {
  expect_units({
      {"derived__avg_thread_executed", "thread"},
      {"derived__derivative_avg_thread_executed_true", "thread"},
      {"derived__l1tex__lsu_writeback_bytes_mem_lg.sum.per_second", ""},
      {"derived__lts__lts2xbar_bytes.sum.per_second", "byte"},
      {"derived__memory_l1_conflicts_shared_nway", ""},
      {"derived__memory_l2_theoretical_sectors_global_excessive", "sector"},
      {"derived__pct_occupancy_per_barrier_count", ""},
      {"derived__pct_occupancy_per_block_size", "%"},
      {"derived__pct_occupancy_per_register_count", "%/register"},
      {"derived__pct_occupancy_per_shared_mem_size", "%/byte"},
      {"derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", "thread"},
      {"derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "thread"},
      {"derived_tempMetric0", ""},
  });
}

TEST(MetricUnit, MetricsOfInstructions) {
  expect_units({
      {"branch_inst_executed", "branches"},
      {"memory_access_type", ""},
      {"memory_l1_wavefronts_shared", "sectors"},
      {"memory_l2_theoretical_sectors_global", "sectors"},
      {"sass__inst_executed_global_loads", "inst"},
      {"sass__inst_executed_per_opcode_with_modifier_all", ""},
      {"smsp__inst_executed_memdesc_explicit_evict_type", "inst"},
      {"smsp__pcsamp_sample_count", ""},
      {"smsp__pcsamp_warps_issue_stalled_branch_resolving_not_issued", "branches"},
      {"smsp__pcsamp_warps_issue_stalled_no_instructions", "inst"},
      {"smsp__sass_inst_executed_memdesc_explicit_evict_type", ""},
  });
}

TEST(MetricUnit, CountersAgainstTheGrammar) {
  expect_units({
      {"FE_A.TriageCompute.gpu__scheduler_engine_gr_queue_sync_cmd_semreleases.sum", "cycle"},
      {"fe__output_ops_cmd_go_idle.sum", "ops"},
      {"gcc__xbar2gcc_sectors.sum", ""},
      {"idc__requests.sum", ""},
      {"l1tex__f_cycles_active.sum", ""},
      {"l1tex__f_wavefronts_realtime.sum", "cycle"},
      {"l1tex__lsuin_requests.sum", ""},
      {"l1tex__m_l1tex2xbar_read_requests_mem_lg_op_ld.sum", "request"},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ""},
      {"l1tex__t_set_conflicts_pipe_lsu.sum", "cycle"},
      {"l1tex__texin_requests_mem_texture.sum", ""},
      {"l1tex__tmain_requests.sum", "inst"},
      {"sm__dcc_requests.sum", "cycle"},
      {"sm__icc_requests.sum", "cycle"},
      {"sm__idc_divergent_instruction_replays.sum", "inst"},
      {"sm__issue_active.sum", "cycle"},
      {"sm__mem_tensor_kilobytes_allocated.sum", "byte"},
      {"sm__mem_tensor_writes_op_stt.sum", "byte"},
      {"sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", ""},
      {"smsp__imc_request_hit_rate.ratio", ""},
      {"smsp__imc_requests.sum", "cycle"},
      {"smsp__issue_inst0.sum", "cycle"},
      {"smsp__l1tex_tmain_requests.sum", ""},
      {"smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts.sum", ""},
      {"smsp__tex_requests.sum", "cycle"},
      {"syslts__t_bytes.sum", ""},
      {"syslts__t_tag_requests_hit.sum", ""},
  });
}

TEST(MetricUnit, NamesOf2019HaveNone) {
  expect_units({
      {"gpc__elapsed_cycles_max", ""},
      {"gpc__frequency", ""},
      {"sm__active_warps_avg_per_active_cycle", ""},
      {"sm__active_warps_avg_per_active_cycle_pct", ""},
      {"sm__sol_pct", ""},
      {"sm__maximum_warps_avg_per_active_cycle", "warp"},
  });
}

TEST(MetricUnit, AnyTextIsAName) {
  expect_units({
      {"", ""},
      {".", ""},
      {":", ""},
      {"__", ""},
      {"_", ""},
      {"lts__", ""},
      {"sampling:", ""},
      {"a.b__c.d.e", ""},
      {"bytes__", ""},
      {"inst_per", "inst"},
      {"dram__bytes..per_second", "byte/s"},
      {"\xff\xfe__bytes.sum", "byte"},
  });
}

TEST(MetricUnit, ResultOutlivesTheName) {
  std::string_view unit;
  {
    std::string name = "lts__t_sectors_op_read.sum.per_second";
    unit = metric_unit(name);
    name.assign(name.size(), 'x');
  }
  EXPECT_EQ(unit, "sector/s");
}

}  // namespace
}  // namespace proofline::metric_unit_test
