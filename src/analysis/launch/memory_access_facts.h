// SPDX-License-Identifier: Apache-2.0
//
// Facts about the shape of memory accesses and the traffic between the levels of memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/launch/opcode_counts.h"
#include "model/diagnosis/fact_info.h"

namespace proofline {

// The two directions of an access.
enum class Access : std::uint8_t { kLoad, kStore };
constexpr std::string_view to_string(Access value) {
  switch (value) {
    case Access::kLoad: return "load";
    case Access::kStore: return "store";
  }
  return "";
}

// What sends sectors from the SMs to L2.
enum class L2Sender : std::uint8_t { kGlobal, kLocal, kAtomic };
constexpr std::string_view to_string(L2Sender value) {
  switch (value) {
    case L2Sender::kGlobal: return "global";
    case L2Sender::kLocal: return "local";
    case L2Sender::kAtomic: return "atomic";
  }
  return "";
}

namespace facts {

// The ideal depends on the width of the accesses: 32 lanes of 4 bytes fill four sectors.
inline constexpr std::string_view kPackedSectors = "4 is ideal for 4-byte accesses";

inline constexpr FactFamily<Access> kMemoryGlobalSectorsPerRequest = {{
    .name = "memory.global.<load|store>.sectors_per_request",
    .unit = "sector",
    .meaning = "32-byte sectors that one warp instruction touches; 4 is ideal for 4 bytes per "
               "thread, 16 for 16.",
    .words = "@ sectors per $ request",
    .ideal = kPackedSectors,
    .needs = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum "
             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum "
             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum "
             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    .quick = true,
}};
inline constexpr FactFamily<Access> kMemoryGlobalSectorUseShare = {{
    .name = "memory.global.<load|store>.sector_use.share",
    .unit = kShare,
    .meaning = "Bytes that threads asked for, of the bytes of the sectors touched; above 1 "
               "where threads share.",
    .words = "@ of each sector <loaded|stored> is used",
    .ideal = "100 % is ideal",
    .needs = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio "
             "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio "
             "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum "
             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
}};
inline constexpr FactInfo kMemoryGlobalExcessShare = {
    .name = "memory.global.excess.share",
    .unit = kShare,
    .meaning =
        "Sectors beyond those that the same accesses would need if coalesced, of all "
        "sectors.",
    .words = "@ of global-memory sectors not needed",
    .needs = "memory_l2_theoretical_sectors_global memory_l2_theoretical_sectors_global_ideal",
    .quick = true,
};
inline constexpr FactInfo kMemoryGlobalOverfetchShare = {
    .name = "memory.global.overfetch.share",
    .unit = kShare,
    .meaning =
        "Sectors between L1 and L2 beyond those that coalesced accesses would need: "
        "waste that L1 did not absorb.",
    .words = "@ of L2-to-L1 sectors not needed",
    .needs =
        "memory_l2_theoretical_sectors_global_ideal "
        "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum "
        "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryDramOverfetchShare = {
    .name = "memory.dram.overfetch.share",
    .unit = kShare,
    .meaning =
        "DRAM bytes beyond those that coalesced accesses would need: waste that no cache "
        "absorbed.",
    .words = "@ of DRAM bytes not needed",
    .needs =
        "memory_l2_theoretical_sectors_global_ideal dram__bytes_read.sum "
        "dram__bytes_write.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryGlobalWidth = {
    .name = "memory.global.width",
    .unit = "byte",
    .meaning = "Bytes that a thread moves in one global or generic load or store.",
    .words = "@ per thread in a global access",
    .ideal = "16 B is ideal",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kMemoryGlobalInstructionsShare = {
    .name = "memory.global.instructions.share",
    .unit = kShare,
    .meaning = "Global and generic loads and stores of all instructions.",
    .words = "@ of instructions are global loads and stores",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kMemorySharedExcessShare = {
    .name = "memory.shared.excess.share",
    .unit = kShare,
    .meaning =
        "Shared-memory wavefronts beyond those that the accesses would need without "
        "conflicts.",
    .words = "@ of shared-memory wavefronts are bank conflicts",
    .needs = "memory_l1_wavefronts_shared memory_l1_wavefronts_shared_ideal",
    .quick = true,
};
inline constexpr FactInfo kMemorySharedWavefrontsOverIdeal = {
    .name = "memory.shared.wavefronts_over_ideal",
    .meaning = "Shared-memory wavefronts over the ideal number.",
    .words = "@x the ideal wavefronts",
    .needs = "memory_l1_wavefronts_shared memory_l1_wavefronts_shared_ideal",
    .quick = true,
};
inline constexpr FactInfo kMemorySharedConflicts = {
    .name = "memory.shared.conflicts",
    .meaning = "Shared-memory bank conflicts.",
    .words = "@ bank conflicts",
    .needs = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    .quick = true,
};
inline constexpr FactInfo kMemorySharedAtomicShare = {
    .name = "memory.shared.atomic.share",
    .unit = kShare,
    .meaning = "Shared-memory wavefronts that are atomics.",
    .words = "@ of shared-memory wavefronts are atomics",
    .needs =
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum "
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    .quick = true,
};
inline constexpr FactFamily<Access> kMemorySharedWidth = {{
    .name = "memory.shared.<load|store>.width",
    .unit = "byte",
    .meaning = "Bytes that a thread moves in one shared load or store.",
    .words = "@ per thread in a shared $",
    .ideal = "16 B is ideal",
    .needs = kOpcodeMetrics[0],
    .quick = true,
}};
inline constexpr FactInfo kMemoryL1HitShare = {
    .name = "memory.l1.hit.share",
    .unit = kShare,
    .meaning = "Sectors found in L1.",
    .words = "@ L1 hits",
    .needs = "l1tex__t_sector_hit_rate.pct",
    .quick = true,
};
inline constexpr FactInfo kMemoryL2HitShare = {
    .name = "memory.l2.hit.share",
    .unit = kShare,
    .meaning = "Sectors found in L2; rounding can take it above 1.",
    .words = "@ L2 hits",
    .needs = "lts__t_sector_hit_rate.pct",
    .quick = true,
};
inline constexpr FactInfo kMemoryLocalInstructionsShare = {
    .name = "memory.local.instructions.share",
    .unit = kShare,
    .meaning = "Local loads and stores of all instructions.",
    .needs =
        "smsp__sass_inst_executed_op_local_ld.sum "
        "smsp__sass_inst_executed_op_local_st.sum smsp__inst_executed.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryLocalSpillShare = {
    .name = "memory.local.spill.share",
    .unit = kShare,
    .meaning = "Of the local instructions, those that spill registers; the rest index an array.",
    .needs =
        "sass__inst_executed_register_spilling smsp__sass_inst_executed_op_local_ld.sum "
        "smsp__sass_inst_executed_op_local_st.sum smsp__inst_executed.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryLocalUnmarked = {
    .name = "memory.local.unmarked",
    .meaning =
        "yes where the capture does not tell spills from arrays, so that the registers "
        "decide.",
    .text = true,
};
inline constexpr FactInfo kMemoryLocalSectorsShare = {
    .name = "memory.local.sectors.share",
    .unit = kShare,
    .meaning = "Local sectors of all sectors that L1 handles.",
    .words = "@ of L1 sectors are local memory",
    .needs =
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum "
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum "
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    .quick = true,
};
inline constexpr FactInfo kMemorySpillInstructionsShare = {
    .name = "memory.spill_instructions.share",
    .unit = kShare,
    .meaning = "Spill instructions of all instructions.",
    .words = "@ of instructions spill registers",
    .needs =
        "sass__inst_executed_register_spilling smsp__sass_inst_executed_op_local_ld.sum "
        "smsp__sass_inst_executed_op_local_st.sum smsp__inst_executed.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryIndexingInstructionsShare = {
    .name = "memory.indexing_instructions.share",
    .unit = kShare,
    .meaning = "Local instructions that are no spills, of all instructions.",
    .words = "@ of instructions index an array in local memory",
    .needs =
        "sass__inst_executed_register_spilling smsp__sass_inst_executed_op_local_ld.sum "
        "smsp__sass_inst_executed_op_local_st.sum smsp__inst_executed.sum",
    .quick = true,
};
inline constexpr FactFamily<L2Sender> kMemoryL2InboundShare = {{
    .name = "memory.l2.inbound.<global|local|atomic>.share",
    .unit = kShare,
    .meaning = "Sectors that SMs send to L2 by stores, by local memory and by atomics.",
    .words = "@ of L2's inbound sectors are <global stores|local stores|atomics>",
    .needs = "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum "
             "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    .quick = true,
}};
inline constexpr FactInfo kMemoryAtomicSectors = {
    .name = "memory.atomic.sectors",
    .unit = "sector",
    .meaning = "Sectors of atomics and reductions that reach L2.",
    .words = "@ sectors of atomics reach L2",
    .needs = "lts__t_sectors_srcunit_tex_op_red.sum lts__t_sectors_srcunit_tex_op_atom.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryAtomicBusiestSliceShare = {
    .name = "memory.atomic.busiest_slice.share",
    .unit = kShare,
    .meaning = "How much of its peak the busiest L2 slice's atomic unit was used.",
    .words = "atomic unit of the busiest L2 slice @ busy",
    .needs = "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed",
    .quick = true,
};
inline constexpr FactInfo kMemoryAtomicMeanSliceShare = {
    .name = "memory.atomic.mean_slice.share",
    .unit = kShare,
    .meaning = "The same, mean over all slices.",
    .words = "@ on average",
    .needs = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed",
    .quick = true,
};
inline constexpr FactInfo kMemoryHostBytesPerSecond = {
    .name = "memory.host.bytes_per_second",
    .unit = "byte/s",
    .meaning = "Bytes read from and written to host memory.",
    .words = "@ to and from host memory",
    .needs =
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_atom.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_red.sum gpu__time_duration.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryHostShare = {
    .name = "memory.host.share",
    .unit = kShare,
    .meaning = "Host-memory sectors of all sectors that SMs exchange with L2.",
    .words = "@ of L2 traffic is host memory",
    .needs =
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_atom.sum "
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_red.sum "
        "lts__t_sectors_srcunit_tex.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryPeerBytesPerSecond = {
    .name = "memory.peer.bytes_per_second",
    .unit = "byte/s",
    .meaning = "Bytes read from and written to another GPU.",
    .words = "@ to and from another GPU",
    .needs =
        "lts__t_sectors_srcunit_tex_aperture_peer_op_read_lookup_miss.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_write.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_atom.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_red.sum gpu__time_duration.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryPeerShare = {
    .name = "memory.peer.share",
    .unit = kShare,
    .meaning = "Peer-memory sectors of all sectors that SMs exchange with L2.",
    .words = "@ of L2 traffic is another GPU's memory",
    .needs =
        "lts__t_sectors_srcunit_tex_aperture_peer_op_read_lookup_miss.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_write.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_atom.sum "
        "lts__t_sectors_srcunit_tex_aperture_peer_op_red.sum "
        "lts__t_sectors_srcunit_tex.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryTmaLoadBytes = {
    .name = "memory.tma.load.bytes",
    .unit = "byte",
    .meaning = "Bytes that bulk copies (TMA) brought in.",
    .words = "@ loaded by TMA",
    .needs = "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryTmaStoreBytes = {
    .name = "memory.tma.store.bytes",
    .unit = "byte",
    .meaning = "Bytes that bulk copies (TMA) wrote out.",
    .needs = "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
};
inline constexpr FactInfo kMemoryTmaLoadShare = {
    .name = "memory.tma.load.share",
    .unit = kShare,
    .meaning = "Bytes brought in by bulk copies, of all bytes read by SMs.",
    .words = "@ of global bytes loaded by TMA",
    .needs =
        "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum "
        "l1tex__m_xbar2l1tex_read_bytes.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryTmaMulticastShare = {
    .name = "memory.tma.multicast.share",
    .unit = kShare,
    .meaning = "Bulk tensor loads that deliver to several blocks of a cluster.",
    .words = "@ of TMA loads multicast",
    .needs = kOpcodeMetrics[0],
    .quick = true,
};
inline constexpr FactInfo kMemoryL2DeliveredOverRead = {
    .name = "memory.l2.delivered_over_read",
    .meaning =
        "Bytes that SMs received over bytes read from L2: above 1 where loads are "
        "multicast.",
    .words = "SMs receive @x the bytes read from L2",
    .needs = "l1tex__m_xbar2l1tex_read_bytes.sum lts__t_sectors_srcunit_tex_op_read.sum",
};
inline constexpr FactInfo kMemoryTmaLoadBytesPerInstruction = {
    .name = "memory.tma.load.bytes_per_instruction",
    .unit = "byte",
    .meaning = "Bytes that one bulk load brings in.",
    .needs =
        "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum "
        "smsp__inst_executed_op_tma_ld.sum",
};
inline constexpr FactFamily<Access> kMemorySharedWavefronts = {{
    .name = "memory.shared.<load|store>.wavefronts",
    .meaning = "Shared-memory wavefronts of loads or stores.",
    .words = "@ wavefronts of shared <loads|stores>",
}};
inline constexpr FactFamily<Access> kMemorySharedThroughputShare = {{
    .name = "memory.shared.<load|store>.throughput.share",
    .unit = kShare,
    .meaning = "Their share of the peak of shared memory.",
}};
inline constexpr FactFamily<Access> kMemorySharedAccessConflicts = {{
    .name = "memory.shared.<load|store>.conflicts",
    .meaning = "Bank conflicts of loads or stores.",
}};
inline constexpr FactInfo kMemoryAsyncCopyShare = {
    .name = "memory.async_copy.share",
    .unit = kShare,
    .meaning =
        "Global bytes that went to shared memory by LDGSTS or TMA, of all bytes read by "
        "SMs.",
    .words = "@ of global bytes copied asynchronously to shared memory",
    .needs =
        "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum "
        "l1tex__m_xbar2l1tex_read_bytes.sum "
        "sm__sass_l1tex_m_xbar2l1tex_read_bytes_mem_global_op_ldgsts_cache_bypass.sum "
        "l1tex__t_bytes_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryConstantHitShare = {
    .name = "memory.constant.hit.share",
    .unit = kShare,
    .meaning = "Indexed constant loads found in their cache.",
    .words = "@ constant-cache hits",
    .needs = "idc__request_hit_rate.pct",
    .quick = true,
};
inline constexpr FactInfo kMemoryDramBytes = {
    .name = "memory.dram.bytes",
    .unit = "byte",
    .meaning = "Bytes read from and written to DRAM.",
    .words = "@ moved by DRAM",
    .needs = "dram__bytes_read.sum dram__bytes_write.sum",
    .quick = true,
};
inline constexpr FactInfo kMemoryDeclaredUniqueBytes = {
    .name = "memory.declared.unique_bytes",
    .unit = "byte",
    .meaning = "Distinct bytes that the user declared.",
    .words = "@ of distinct data",
};
inline constexpr FactInfo kMemoryDramOverUnique = {
    .name = "memory.dram.over_unique",
    .meaning = "DRAM bytes over the distinct bytes that the user declared.",
    .words = "DRAM moves @x the distinct bytes",
    .ideal = "1x is ideal",
    .needs = "dram__bytes_read.sum dram__bytes_write.sum",
    .quick = true,
};

}  // namespace facts

inline constexpr FactInfo kMemoryAccessFacts[] = {
    facts::kMemoryGlobalSectorsPerRequest.info,
    facts::kMemoryGlobalSectorUseShare.info,
    facts::kMemoryGlobalExcessShare,
    facts::kMemoryGlobalOverfetchShare,
    facts::kMemoryDramOverfetchShare,
    facts::kMemoryGlobalWidth,
    facts::kMemoryGlobalInstructionsShare,
    facts::kMemorySharedExcessShare,
    facts::kMemorySharedWavefrontsOverIdeal,
    facts::kMemorySharedConflicts,
    facts::kMemorySharedAtomicShare,
    facts::kMemorySharedWidth.info,
    facts::kMemoryL1HitShare,
    facts::kMemoryL2HitShare,
    facts::kMemoryLocalInstructionsShare,
    facts::kMemoryLocalSpillShare,
    facts::kMemoryLocalUnmarked,
    facts::kMemoryLocalSectorsShare,
    facts::kMemorySpillInstructionsShare,
    facts::kMemoryIndexingInstructionsShare,
    facts::kMemoryL2InboundShare.info,
    facts::kMemoryAtomicSectors,
    facts::kMemoryAtomicBusiestSliceShare,
    facts::kMemoryAtomicMeanSliceShare,
    facts::kMemoryHostBytesPerSecond,
    facts::kMemoryHostShare,
    facts::kMemoryPeerBytesPerSecond,
    facts::kMemoryPeerShare,
    facts::kMemoryTmaLoadBytes,
    facts::kMemoryTmaStoreBytes,
    facts::kMemoryTmaLoadShare,
    facts::kMemoryTmaMulticastShare,
    facts::kMemoryL2DeliveredOverRead,
    facts::kMemoryTmaLoadBytesPerInstruction,
    facts::kMemorySharedWavefronts.info,
    facts::kMemorySharedThroughputShare.info,
    facts::kMemorySharedAccessConflicts.info,
    facts::kMemoryAsyncCopyShare,
    facts::kMemoryConstantHitShare,
    facts::kMemoryDramBytes,
    facts::kMemoryDeclaredUniqueBytes,
    facts::kMemoryDramOverUnique,
};

}  // namespace proofline
