// SPDX-License-Identifier: Apache-2.0
//
// The shape of memory accesses: how much of each sector is used, how many wavefronts shared memory
// needs, what local memory is used for, where the bytes come from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/launch/memory_access_facts.h"
#include "analysis/launch/opcode_counts.h"
#include "base/option.h"
#include "vocabulary/metric_names.h"

namespace proofline {
namespace {

constexpr double kSectorBytes = 32;

void publish_ratio(const Subject& subject, const FactRef& fact, std::string_view over,
                   std::string_view under, Facts& facts) {
  Formula formula(subject);
  const double numerator = formula.read(over);
  const double denominator = formula.read(under);
  formula.publish(facts, fact, numerator / denominator);
}

// Of loads, stores and atomics, if packed.
constexpr std::string_view kIdealSectors = "memory_l2_theoretical_sectors_global_ideal";

// Sectors that atomics and reductions send to L2.
double sent_atomics(const Subject& subject) {
  double sectors = 0;
  for (const char* op : {"atom", "red"}) {
    sectors +=
        subject.number(fmt::format("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_{}.sum", op))
            .value_or(0);
  }
  return sectors;
}

// What the accesses would need if packed; where that was not counted, what is used of the sectors
// that they touch.
double packed_sectors(const Subject& subject, Formula& formula) {
  if (subject.number(kIdealSectors)) return formula.read(kIdealSectors);
  double sectors = 0;
  for (const std::string op : {"ld", "st"}) {
    const auto use =
        subject.number("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + op + ".ratio");
    const auto touched = subject.number("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum");
    if (!use || !touched) return formula.read(kIdealSectors);
    sectors += *touched * std::min(1.0, *use / kSectorBytes);
  }
  return sectors;
}

void publish_global(const Subject& subject, Facts& facts) {
  for (const Access access : {Access::kLoad, Access::kStore}) {
    const std::string op = access == Access::kLoad ? "ld" : "st";
    const std::string tail = "_pipe_lsu_mem_global_op_" + op + ".sum";
    publish_ratio(subject, facts::kMemoryGlobalSectorsPerRequest[access], "l1tex__t_sectors" + tail,
                  "l1tex__t_requests" + tail, facts);
    Formula use(subject);
    const double bytes =
        use.read("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + op + ".ratio");
    // A launch without such accesses has a ratio of zero.
    const double requests = use.read("l1tex__t_requests" + tail);
    use.publish(facts, facts::kMemoryGlobalSectorUseShare[access],
                bytes / (requests > 0 ? kSectorBytes : 0));
  }
  Formula excess(subject);
  const double touched = excess.read("memory_l2_theoretical_sectors_global");
  const double ideal = excess.read(kIdealSectors);
  excess.publish(facts, facts::kMemoryGlobalExcessShare,
                 touched > 0 ? std::max(0.0, 1 - ideal / touched) : touched);
  Formula beyond(subject);
  const double packed = packed_sectors(subject, beyond);
  const double atomics = subject.number(kIdealSectors) ? sent_atomics(subject) : 0;
  // Without these, what L2 exchanges with all SMs, which is more by textures and atomics alone.
  constexpr std::string_view kRead = "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum";
  constexpr std::string_view kWritten = "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum";
  constexpr std::string_view kExchanged = "lts__t_sectors_srcunit_tex.sum";
  const bool exchanged = !subject.number(kRead) && subject.number(kExchanged);
  const double moved =
      exchanged ? beyond.read(kExchanged) : beyond.read(kRead) + beyond.read(kWritten) + atomics;
  beyond.publish(facts, facts::kMemoryGlobalOverfetchShare,
                 moved > 0 ? std::max(0.0, 1 - packed / moved) : moved);
  Formula dram(subject);
  const double needed = kSectorBytes * packed_sectors(subject, dram);
  const double bytes = dram.read("dram__bytes_read.sum") + dram.read("dram__bytes_write.sum");
  dram.publish(facts, facts::kMemoryDramOverfetchShare,
               bytes > 0 ? std::max(0.0, 1 - needed / bytes) : bytes);
}

// Widths come from opcodes; without them a width is left unknown rather than guessed.
void publish_widths(const OpcodeCounts& counts, Facts& facts) {
  using enum InstructionClass;
  const Sources sources = {counts.metric};
  const auto publish_width = [&](std::initializer_list<InstructionClass> kinds,
                                 const FactRef& fact) {
    double bytes = 0;
    double accesses = 0;
    for (const OpcodeCount& row : counts.rows) {
      const InstructionClass kind = instruction_class(row.opcode);
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
      bytes += row.count * access_width(row.opcode);
      accesses += row.count;
    }
    if (!counts.modifiers) {
      facts.mark_absent(fact, "the capture does not count instructions by opcode and modifier",
                        {std::string(kOpcodeMetrics[0])});
    } else if (accesses > 0) {
      facts.add(fact, bytes / accesses, sources);
    } else {
      facts.mark_absent(fact, "the launch has no such access");
    }
    return accesses;
  };
  const double global = publish_width({kGlobalLoad, kGlobalStore, kGenericLoad, kGenericStore},
                                      facts::kMemoryGlobalWidth);
  publish_width({kSharedLoad}, facts::kMemorySharedWidth[Access::kLoad]);
  publish_width({kSharedStore}, facts::kMemorySharedWidth[Access::kStore]);
  if (counts.total > 0) {
    facts.add(facts::kMemoryGlobalInstructionsShare, global / counts.total, sources);
  } else {
    facts.mark_absent(facts::kMemoryGlobalInstructionsShare,
                      "the capture does not count instructions by opcode",
                      {std::string(kOpcodeMetrics[0])});
  }
}

void publish_shared(const Subject& subject, Facts& facts) {
  Formula excess(subject);
  double wavefronts = 0;
  double beyond = 0;
  if (subject.number("memory_l1_wavefronts_shared")) {
    wavefronts = excess.read("memory_l1_wavefronts_shared");
    beyond = wavefronts - excess.read("memory_l1_wavefronts_shared_ideal");
  } else {
    // Conflicts count arbitration too, so they say a little more than the source counters do.
    wavefronts = excess.read("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
    beyond = excess.read("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
  }
  excess.publish(facts, facts::kMemorySharedExcessShare,
                 wavefronts > 0 ? std::max(0.0, beyond / wavefronts) : wavefronts);
  publish_ratio(subject, facts::kMemorySharedWavefrontsOverIdeal, "memory_l1_wavefronts_shared",
                "memory_l1_wavefronts_shared_ideal", facts);
  Formula atomics(subject);
  const double atomic = atomics.read("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum");
  const double every = atomics.read("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  atomics.publish(facts, facts::kMemorySharedAtomicShare, every > 0 ? atomic / every : every);
  for (const Access access : {Access::kLoad, Access::kStore}) {
    const std::string op = access == Access::kLoad ? "ld" : "st";
    const std::string base = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" + op + ".sum";
    publish_metric(subject, facts, facts::kMemorySharedWavefronts[access], base);
    publish_percent(subject, facts, facts::kMemorySharedThroughputShare[access],
                    base + ".pct_of_peak_sustained_elapsed");
    publish_metric(subject, facts, facts::kMemorySharedAccessConflicts[access],
                   "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" + op + ".sum");
  }
  publish_metric(subject, facts, facts::kMemorySharedConflicts);
}

void publish_caches(const Subject& subject, Facts& facts) {
  publish_percent(subject, facts, facts::kMemoryL1HitShare);
  publish_percent(subject, facts, facts::kMemoryL2HitShare);
  publish_percent(subject, facts, facts::kMemoryConstantHitShare);
}

constexpr std::string_view kSpills = "sass__inst_executed_register_spilling";

// A kernel that spills has exactly as many registers as it may have: all that a thread can address,
// or what launch bounds leave it, which is a multiple of eight.
bool is_at_limit(double registers) {
  constexpr double kAddressable = 255;
  return registers >= kAddressable || std::fmod(registers, 8) == 0;
}

void publish_local(const Subject& subject, Facts& facts) {
  const auto read_instructions = [](Formula& formula) {
    return formula.read_any({"sass__inst_executed_local_loads",
                             "smsp__sass_inst_executed_op_local_ld.sum",
                             "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"}) +
           formula.read_any({"sass__inst_executed_local_stores",
                             "smsp__sass_inst_executed_op_local_st.sum",
                             "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"});
  };
  const auto read_all = [](Formula& formula) {
    return formula.read_any({"smsp__inst_executed.sum", "inst_executed"});
  };
  Formula local(subject);
  const double instructions = read_instructions(local);
  local.publish(facts, facts::kMemoryLocalInstructionsShare, instructions / read_all(local));

  // Spills are marked by newer compilers only; a launch without any local access needs no mark.
  Formula split(subject);
  const double all_local = read_instructions(split);
  double spills = 0;
  if (subject.number(kSpills)) {
    spills = split.read(kSpills);
  } else if (all_local != 0) {
    spills = is_at_limit(split.read("launch__registers_per_thread")) ? all_local : 0;
    split.publish(facts, facts::kMemoryLocalUnmarked, "yes");
  }
  const double all = read_all(split);
  split.publish(facts, facts::kMemorySpillInstructionsShare, spills / all);
  split.publish(facts, facts::kMemoryIndexingInstructionsShare,
                std::max(0.0, all_local - spills) / all);
  split.publish(facts, facts::kMemoryLocalSpillShare, spills / all_local);

  Formula sectors(subject);
  const double local_sectors = sectors.read("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum") +
                               sectors.read("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
  const double global_sectors = sectors.read("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                                sectors.read("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  sectors.publish(facts, facts::kMemoryLocalSectorsShare,
                  local_sectors / (local_sectors + global_sectors));
}

void publish_inbound(const Subject& subject, Facts& facts) {
  Formula inbound(subject);
  const double written = inbound.read("l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum");
  const double atomics = sent_atomics(subject);
  // Global stores go through L1, so that what is left is local memory that it did not hold.
  const double global =
      std::min(written, inbound.read("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"));
  const double all = written + atomics;
  inbound.publish(facts, facts::kMemoryL2InboundShare[L2Sender::kGlobal], global / all);
  inbound.publish(facts, facts::kMemoryL2InboundShare[L2Sender::kLocal], (written - global) / all);
  inbound.publish(facts, facts::kMemoryL2InboundShare[L2Sender::kAtomic], atomics / all);
}

void publish_atomics(const Subject& subject, Facts& facts) {
  Formula sectors(subject);
  const double count = sectors.read("lts__t_sectors_srcunit_tex_op_red.sum") +
                       sectors.read_or("lts__t_sectors_srcunit_tex_op_atom.sum", 0);
  sectors.publish(facts, facts::kMemoryAtomicSectors, count);
  publish_percent(subject, facts, facts::kMemoryAtomicBusiestSliceShare);
  publish_percent(subject, facts, facts::kMemoryAtomicMeanSliceShare);
}

// Memory that is not this GPU's: host memory over PCIe or C2C, and other GPUs over NVLink or PCIe.
void publish_aperture(const Subject& subject, const std::string& aperture,
                      const FactInfo& bytes_per_second, const FactInfo& sector_share,
                      Facts& facts) {
  const std::string prefix = "lts__t_sectors_srcunit_tex_aperture_" + aperture;
  Formula rate(subject);
  const double sectors =
      rate.read(prefix + "_op_read_lookup_miss.sum") + rate.read_or(prefix + "_op_write.sum", 0) +
      rate.read_or(prefix + "_op_atom.sum", 0) + rate.read_or(prefix + "_op_red.sum", 0);
  Formula share = rate;  // of the same sectors
  const double seconds = rate.read_any(kDuration) * 1e-9;
  rate.publish(facts, bytes_per_second, kSectorBytes * sectors / seconds);
  const double all = share.read("lts__t_sectors_srcunit_tex.sum");
  share.publish(facts, sector_share, all > 0 ? std::min(1.0, sectors / all) : sectors);
}

void publish_async(const Subject& subject, Facts& facts) {
  publish_metric(subject, facts, facts::kMemoryTmaLoadBytes);
  publish_metric(subject, facts, facts::kMemoryTmaStoreBytes);
  Formula share(subject);
  const double bulk = share.read("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum");
  const double read = share.read("l1tex__m_xbar2l1tex_read_bytes.sum");
  share.publish(facts, facts::kMemoryTmaLoadShare, read > 0 ? bulk / read : read);
  const double copied = share.read_or(
      "sm__sass_l1tex_m_xbar2l1tex_read_bytes_mem_global_op_ldgsts_cache_bypass.sum", 0);
  const double cached =
      share.read_or("l1tex__t_bytes_pipe_lsu_mem_global_op_ldgsts_cache_access.sum", 0);
  share.publish(facts, facts::kMemoryAsyncCopyShare,
                read > 0 ? std::min(1.0, (bulk + copied + cached) / read) : read);
}

void publish_multicast(const Subject& subject, const OpcodeCounts& counts, Facts& facts) {
  double tensor_loads = 0;
  double multicast = 0;
  for (const OpcodeCount& row : counts.rows) {
    if (!row.opcode.starts_with("UTMALDG")) continue;
    tensor_loads += row.count;
    if (has_part(row.opcode, "MULTICAST")) multicast += row.count;
  }
  if (tensor_loads > 0 && counts.modifiers) {
    facts.add(facts::kMemoryTmaMulticastShare, multicast / tensor_loads, {counts.metric});
  } else if (counts.modifiers) {
    facts.mark_absent(facts::kMemoryTmaMulticastShare, "no bulk tensor load was executed");
  } else {
    facts.mark_absent(facts::kMemoryTmaMulticastShare,
                      "the capture does not count instructions by opcode and modifier",
                      {std::string(kOpcodeMetrics[0])});
  }
  Formula delivered(subject);
  const double received = delivered.read("l1tex__m_xbar2l1tex_read_bytes.sum");
  const double read = kSectorBytes * delivered.read("lts__t_sectors_srcunit_tex_op_read.sum");
  delivered.publish(facts, facts::kMemoryL2DeliveredOverRead, received / read);
  publish_ratio(subject, facts::kMemoryTmaLoadBytesPerInstruction,
                "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
                "smsp__inst_executed_op_tma_ld.sum", facts);
}

void publish_declared(const Subject& subject, Facts& facts) {
  Formula dram(subject);
  const double bytes = dram.read("dram__bytes_read.sum") + dram.read("dram__bytes_write.sum");
  dram.publish(facts, facts::kMemoryDramBytes, bytes);
  if (!subject.declared.unique_bytes) {
    for (const FactInfo& fact : {facts::kMemoryDeclaredUniqueBytes, facts::kMemoryDramOverUnique}) {
      facts.mark_absent(fact,
                        fmt::format("no report holds the distinct bytes that a kernel touches; "
                                    "declare them with {} KERNEL=BYTES",
                                    option("unique-bytes")));
    }
    return;
  }
  facts.add(facts::kMemoryDeclaredUniqueBytes, *subject.declared.unique_bytes);
  dram.publish(facts, facts::kMemoryDramOverUnique, bytes / *subject.declared.unique_bytes);
}

void publish_memory_access(const Subject& subject, Facts& facts) {
  const OpcodeCounts counts = opcode_counts(subject);
  publish_global(subject, facts);
  publish_widths(counts, facts);
  publish_shared(subject, facts);
  publish_caches(subject, facts);
  publish_local(subject, facts);
  publish_inbound(subject, facts);
  publish_atomics(subject, facts);
  publish_aperture(subject, "sysmem", facts::kMemoryHostBytesPerSecond, facts::kMemoryHostShare,
                   facts);
  publish_aperture(subject, "peer", facts::kMemoryPeerBytesPerSecond, facts::kMemoryPeerShare,
                   facts);
  publish_async(subject, facts);
  publish_multicast(subject, counts, facts);
  publish_declared(subject, facts);
}

}  // namespace

Analysis memory_access() { return {"memory", kMemoryAccessFacts, publish_memory_access}; }

}  // namespace proofline
