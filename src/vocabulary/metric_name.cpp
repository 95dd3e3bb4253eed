// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of metric names, and the search for the longest known phrase at each place.
#include "vocabulary/metric_name.h"

#include <algorithm>
#include <span>

#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

struct Word {
  std::string_view text;
  std::string_view meaning;
};

constexpr Word kUnits[] = {
    {"c2clink", "the link between CPU and GPU chip"},
    {"ctc", "the link between CPU and GPU chip, as a counter"},
    {"derived", "computed from other metrics by ncu's section files"},
    {"device", "an attribute of the device, not a counter"},
    {"dram", "device memory"},
    {"dramc", "the controllers of device memory"},
    {"fbpa", "a partition of device memory"},
    {"fe", "the front end, which takes commands from the host"},
    {"gcc", "the constant and instruction cache that the SMs of a cluster share"},
    {"gpc", "a cluster of SMs"},
    {"gpu", "the whole GPU"},
    {"gr", "the engine that runs compute and graphics work"},
    {"idc", "an SM's cache for indexed constants"},
    {"l1tex", "an SM's L1 and texture cache, which also is its shared memory"},
    {"launch", "the configuration of the launch, not a counter"},
    {"lrc", "the unit before L2 that merges requests"},
    {"lts", "a slice of the L2 cache"},
    {"mcc", "a channel of a memory controller"},
    {"numa", "the machine's NUMA nodes, not a counter"},
    {"nvlink", "the NVLinks and what they connect, not a counter"},
    {"nvlrx", "NVLink, what is received"},
    {"nvltx", "NVLink, what is sent"},
    {"pcie", "the PCI Express link"},
    {"profiler", "about the profiling itself"},
    {"sass", "counted in the kernel's machine code by instrumenting it"},
    {"sm", "a streaming multiprocessor"},
    {"smsp", "a quarter of an SM: one warp scheduler and its pipes"},
    {"sys", "units of the whole chip"},
    {"syslrc", "the unit before L2 that merges requests, for memory outside the GPU"},
    {"syslts", "a slice of the L2 cache for memory outside the GPU"},
    {"tpc", "a pair of SMs"},
};

// Phrases of a base name; the longest one that fits counts. Those that begin a kind ("op_") precede
// the open ones at the end, which take any next word.
constexpr Word kPhrases[] = {
    // what is counted
    {"branch_targets_threads_divergent", "branches whose threads went different ways"},
    {"branch_targets_threads_uniform", "branches whose threads all went the same way"},
    {"bytes", "bytes"},
    {"bytes_read", "bytes read"},
    {"bytes_write", "bytes written"},
    {"compute_memory_access_throughput", "the busiest of all memory units' access paths"},
    {"compute_memory_request_throughput", "the busiest of all memory units' request paths"},
    {"compute_memory_throughput", "the busiest of all memory units, L1 and shared memory included"},
    {"cache_requests", "lookups in the cache"},
    {"ctas_launched", "thread blocks started"},
    {"cycles_active", "cycles in which the unit had work"},
    {"cycles_elapsed", "all cycles of the measurement"},
    {"cycles_stalled", "cycles in which it could not go on"},
    {"data_bank", "the banks of the data memory"},
    {"data_bank_conflicts", "extra passes because lanes met in one bank"},
    {"data_bank_reads", "reads of banks"},
    {"data_bank_writes", "writes of banks"},
    {"data_bytes", "bytes that threads asked for"},
    {"data_pipe", "the stage that moves the data"},
    {"dram_throughput", "the busiest part of device memory"},
    {"hit_rate", "share of lookups that hit"},
    {"inst_executed", "instructions executed, once for each warp"},
    {"inst_issued", "instructions issued, once for each warp"},
    {"internal_activity", "the unit's inner parts, which have no counter of their own"},
    {"issue_active", "cycles in which the scheduler issued an instruction"},
    {"issue_inst0", "cycles in which the scheduler issued nothing"},
    {"lsu_writeback_active", "cycles in which load/store results were written back"},
    {"memory_l1", "in L1, found by looking at the addresses of an instruction"},
    {"memory_l2", "in L2, found by looking at the addresses of an instruction"},
    {"memory_throughput", "the busiest of the unit's memory paths"},
    {"ops_path_tensor", "arithmetic operations of the tensor cores"},
    {"registers_per_thread", "registers of a thread"},
    {"request_cycles_active", "cycles in which it took requests"},
    {"requests", "requests, one for each instruction of a warp"},
    {"sample_count", "number of samples"},
    {"sector", "a sector of 32 bytes"},
    {"sectors", "sectors of 32 bytes"},
    {"sectors_read", "sectors of 32 bytes read"},
    {"sectors_write", "sectors of 32 bytes written"},
    {"tag_requests", "lookups of tags, one for each cache line"},
    {"tex_writeback_active", "cycles in which texture results were written back"},
    {"thread_inst_executed", "instructions executed, once for each thread"},
    {"throughput", "share of peak of the busiest of several counters, its breakdown"},
    {"time_duration", "duration of the launch"},
    {"warp_issue", "the state of a warp at each cycle"},
    {"warp_latency", "cycles of a warp"},
    {"warps_active", "resident warps, summed over cycles"},
    {"warps_eligible", "warps that were ready to issue, summed over cycles"},
    {"warps_issue", "the state of the warps, summed over cycles"},
    {"warps_launched", "warps started"},
    {"waves_per_multiprocessor", "thread blocks over what the whole GPU can hold at once"},
    {"wavefronts", "passes through the data stage"},
    // where in the unit
    {"d", "the data stage"},
    {"f", "the filter stage of textures"},
    {"l1tex", "in L1"},
    {"l1tex2xbar", "from L1 to the crossbar"},
    {"lsuin", "what comes in from the load/store unit"},
    {"ltcfabric", "the link between the halves of L2"},
    {"lts2xbar", "from L2 to the crossbar"},
    {"m", "the side towards L2"},
    {"t", "the tag stage"},
    {"texin", "what comes in from the texture pipe"},
    {"tmain", "what comes in from the TMA unit"},
    {"xbar2l1tex", "from the crossbar to L1"},
    {"xbar2lts", "from the crossbar to L2"},
    // how it is counted
    {"average", "a mean, made of two counters"},
    {"pcsamp", "counted in samples of the program counter"},
    {"realtime", "a form that can be sampled over time"},
    {"sass", "counted in the machine code by instrumenting it"},
    {"pred_on", "only threads whose predicate is true"},
    {"pred_off", "only threads whose predicate is false"},
    {"pred_on_any", "only where a thread's predicate is true"},
    {"pred_off_all", "only where every thread's predicate is false"},
    {"not_issued", "only samples of cycles in which the scheduler issued nothing"},
    {"lookup_hit", "found in the cache"},
    {"lookup_miss", "not found in the cache"},
    {"read", "reads"},
    {"write", "writes"},
    {"hit", "found in the cache"},
    {"miss", "not found in the cache"},
    {"sparsity_off", "without structured sparsity"},
    {"sparsity_on", "with structured sparsity"},
    {"evict_first", "marked to be evicted first"},
    {"evict_last", "marked to be evicted last"},
    {"evict_normal", "with the normal order of eviction"},
    {"evict_normal_demote", "demoted to the normal order of eviction"},
    {"dest_multicast", "sent to several SMs of a cluster"},
    {"dest_self", "sent to the SM that asked"},
    // operations
    {"op_atom", "atomics that return a value"},
    {"op_atom_dot_alu", "atomics other than compare-and-swap"},
    {"op_atom_dot_cas", "compare-and-swap"},
    {"op_branch", "branches"},
    {"op_dmma", "tensor instructions on FP64"},
    {"op_global_ld", "loads from global memory"},
    {"op_global_st", "stores to global memory"},
    {"op_gmma", "wgmma, the tensor instructions of a warp group"},
    {"op_hmma", "tensor instructions on floating point"},
    {"op_imma", "tensor instructions on integers"},
    {"op_ld", "loads"},
    {"op_ldgsts", "copies from global to shared memory (cp.async)"},
    {"op_ldsm", "matrix loads from shared memory (ldmatrix)"},
    {"op_local_ld", "loads from local memory"},
    {"op_local_st", "stores to local memory"},
    {"op_membar", "memory fences"},
    {"op_read", "reads"},
    {"op_red", "atomics that return nothing"},
    {"op_redas", "asynchronous atomics to another SM's shared memory"},
    {"op_shared_gmma", "wgmma reading shared memory"},
    {"op_shared_ld", "loads from shared memory"},
    {"op_shared_st", "stores to shared memory"},
    {"op_st", "stores"},
    {"op_stas", "asynchronous stores to another SM's shared memory"},
    {"op_stsm", "matrix stores to shared memory (stmatrix)"},
    {"op_tma", "bulk copies (TMA)"},
    {"op_tma_ld", "bulk loads (TMA)"},
    {"op_tma_red", "bulk reductions (TMA)"},
    {"op_tma_st", "bulk stores (TMA)"},
    {"op_write", "writes"},
    // kinds of memory
    {"mem_dshared", "shared memory of other SMs in the cluster"},
    {"mem_global", "global memory"},
    {"mem_lg", "local and global memory"},
    {"mem_lgds", "local, global and distributed shared memory"},
    {"mem_local", "local memory: spills and indexed arrays"},
    {"mem_shared", "shared memory"},
    {"mem_surface", "surfaces"},
    {"mem_tensor", "tensor memory of Blackwell"},
    {"mem_texture", "textures"},
    {"aperture_device", "in device memory"},
    {"aperture_peer", "in another GPU's memory"},
    {"aperture_sysmem", "in the host's memory"},
    {"srcunit_gcc", "asked for by the constant and instruction cache"},
    {"srcunit_l1", "asked for by L1"},
    {"srcunit_ltcfabric", "asked for by the other half of L2"},
    {"srcunit_tex", "asked for by L1"},
    // pipes
    {"pipe_adu", "the pipe for addresses and dynamic branches"},
    {"pipe_alu", "the integer and logic pipe"},
    {"pipe_cbu", "the pipe for branches and barriers"},
    {"pipe_fma", "the pipe for FP32 and integer multiply-add"},
    {"pipe_fmaheavy", "the half of the FMA pipe that also does integers"},
    {"pipe_fmalite", "the half of the FMA pipe that does FP32 only"},
    {"pipe_fp16", "the pipe for FP16 pairs"},
    {"pipe_fp64", "the FP64 pipe"},
    {"pipe_ipa", "the interpolation pipe of graphics"},
    {"pipe_lsu", "the load/store unit"},
    {"pipe_shared", "the pipe that FP64 and tensor instructions share"},
    {"pipe_tc", "the tensor cores of Blackwell"},
    {"pipe_tensor", "the tensor cores"},
    {"pipe_tex", "the texture unit"},
    {"pipe_tma", "the tensor memory accelerator, which does bulk copies"},
    {"pipe_uniform", "the pipe for what all threads of a warp have in common"},
    {"pipe_xu", "the pipe for special functions and conversions"},
    {"per_inst_executed", "for each executed instruction"},
    {"per_inst_issued", "for each issued instruction"},
    {"per_issue_active", "for each issued instruction"},
    {"per_sector", "for each sector"},
    {"per_warp", "for each warp"},
    {"per_warp_active", "for each resident warp"},
    {"per_wavefront", "for each pass through the data stage"},
    {"per_opcode", "one value for each opcode"},
};

// Prefixes that take any next word.
constexpr Word kOpenings[] = {
    {"op", "this operation"},
    {"mem", "this kind of memory"},
    {"pipe", "this pipe"},
    {"srcunit", "asked for by this unit"},
    {"aperture", "in this memory"},
    {"type", "of this type"},
    {"src", "operands of this type"},
    {"dst", "results of this type"},
    {"per", "for each of these"},
    {"shader", "of this kind of program"},
    {"size", "of this size"},
    {"srcnode", "asked for by this node"},
    {"subpipe", "this part of a pipe"},
};

constexpr Word kRollups[] = {
    {"sum", "over all instances of the unit together"},
    {"avg", "the mean over all instances of the unit"},
    {"min", "of the instance that has least"},
    {"max", "of the instance that has most"},
};

constexpr Word kSubmetrics[] = {
    {"max_rate", "the largest value that the ratio can have"},
    {"pct", "in percent of the largest value that the ratio can have"},
    {"pct_of_peak_sustained_active",
     "in percent of what the unit could do in the cycles in which it was active"},
    {"pct_of_peak_sustained_elapsed",
     "in percent of what the unit could do in all cycles of the launch"},
    {"peak_sustained", "what the unit can do in one cycle, whatever the kernel did"},
    {"peak_sustained_active", "what the unit could have done in its active cycles"},
    {"peak_sustained_active.per_second", "what the unit could have done in a second, when active"},
    {"peak_sustained_elapsed", "what the unit could have done in all cycles of the launch"},
    {"peak_sustained_elapsed.per_second", "what the unit could do in a second"},
    {"per_cycle_active", "for each cycle in which the unit was active"},
    {"per_cycle_elapsed", "for each cycle of the launch"},
    {"per_second", "for each second of the launch"},
    {"ratio", "the ratio itself"},
};

constexpr Word kSamplers[] = {
    {"breakdown", "the list of counters behind a throughput"},
    {"group", "a list of metrics"},
    {"pmsampling", "sampled over the time of the launch"},
    {"warpsampling", "sampled over the time of the launch"},
};

constexpr std::string_view kUnitEnd = "__";
constexpr std::string_view kStalled = "stalled_";

std::string_view find_word(std::span<const Word> words, std::string_view text) {
  for (const Word& word : words) {
    if (word.text == text) return word.meaning;
  }
  return "";
}

bool begins_with_words(std::string_view text, std::string_view words) {
  return text.starts_with(words) && (text.size() == words.size() || text[words.size()] == '_');
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find('_')); }

// "stalled_long_scoreboard_per_issue_active" begins with "stalled_long_scoreboard".
NamePart stall_part(std::string_view text) {
  NamePart part{};
  if (!text.starts_with(kStalled)) return part;
  const std::string_view rest = text.substr(kStalled.size());
  for (const StallReason& reason : stall_reasons()) {
    for (const std::string_view spelling : {reason.name, reason.sampled}) {
      const std::size_t size = kStalled.size() + spelling.size();
      if (begins_with_words(rest, spelling) && size > part.text.size()) {
        part = {text.substr(0, size), reason.waits_for};
      }
    }
  }
  return part;
}

// The longest part at the beginning of the text that we can put in words; else one word of it.
NamePart next_part(std::string_view text) {
  NamePart part = stall_part(text);
  for (const Word& phrase : kPhrases) {
    if (phrase.text.size() > part.text.size() && begins_with_words(text, phrase.text)) {
      part = {text.substr(0, phrase.text.size()), phrase.meaning};
    }
  }
  if (!part.text.empty()) return part;
  const std::string_view word = first_word(text);
  const std::string_view opening = find_word(kOpenings, word);
  if (!opening.empty() && word.size() + 1 < text.size()) {
    const std::string_view operand = first_word(text.substr(word.size() + 1));
    return {text.substr(0, word.size() + 1 + operand.size()), opening};
  }
  return {word, ""};
}

void decode_quantity(std::string_view text, std::vector<NamePart>& parts) {
  while (!text.empty()) {
    NamePart part = next_part(text);
    text.remove_prefix(std::min(part.text.size() + 1, text.size()));
    const bool joins = part.meaning.empty() && !parts.empty() && parts.back().meaning.empty();
    if (joins && parts.back().text.data() + parts.back().text.size() + 1 == part.text.data()) {
      // Adjacent unknown words are kept as one part.
      part.text = {parts.back().text.data(), parts.back().text.size() + 1 + part.text.size()};
      parts.pop_back();
    }
    parts.push_back(part);
  }
}

}  // namespace

MetricNameParts split_metric_name(std::string_view name) {
  MetricNameParts split;
  std::string_view rest = name;
  if (const std::size_t colon = rest.find(':'); colon != rest.npos) {
    split.sampler = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  if (const std::size_t mark = rest.find(kUnitEnd); mark != rest.npos) {
    if (const std::size_t dot = rest.rfind('.', mark); dot != rest.npos) {
      split.domain = rest.substr(0, dot);
      rest.remove_prefix(dot + 1);
    }
  }
  split.base = rest.substr(0, rest.find('.'));
  rest.remove_prefix(std::min(split.base.size() + 1, rest.size()));
  if (const std::size_t mark = split.base.find(kUnitEnd); mark != split.base.npos) {
    split.unit = split.base.substr(0, mark);
  }
  const std::string_view first = rest.substr(0, rest.find('.'));
  if (!find_word(kRollups, first).empty()) {
    split.rollup = first;
    rest.remove_prefix(std::min(first.size() + 1, rest.size()));
  }
  split.submetric = rest;
  return split;
}

std::vector<NamePart> decode_metric_name(const MetricNameParts& name) {
  std::vector<NamePart> parts;
  const auto add = [&](std::string_view text, std::string_view meaning) {
    if (!text.empty()) parts.push_back({text, meaning});
  };
  add(name.sampler, find_word(kSamplers, name.sampler));
  add(name.domain, name.domain.empty() ? "" : "where its counter sits, for sampling");
  std::string_view quantity = name.base;
  // More than one in derived__smsp__x.
  while (quantity.find(kUnitEnd) != quantity.npos) {
    const std::string_view unit = quantity.substr(0, quantity.find(kUnitEnd));
    add(unit, find_word(kUnits, unit));
    quantity.remove_prefix(unit.size() + kUnitEnd.size());
  }
  decode_quantity(quantity, parts);
  add(name.rollup, find_word(kRollups, name.rollup));
  add(name.submetric, find_word(kSubmetrics, name.submetric));
  return parts;
}

}  // namespace proofline
