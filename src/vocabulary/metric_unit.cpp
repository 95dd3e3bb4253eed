// SPDX-License-Identifier: Apache-2.0
//
// Metric names follow a grammar, [sampler:][domain.]part__quantity_qualifiers[.rollup[.submetric]],
// for example "lts__t_sectors_op_read.sum.per_second". The first word that counts something gives
// the base unit, and the submetric says what it is divided by. Names that break this grammar are
// listed by prefix.
//
// Facts: the unit rows of ncu's raw CSV for reports of ncu 2019 to 2026, and
// `ncu 2025.3.1 --query-metrics` for 28 chips from tu102 to gb207. Where ncu is odd ("branches",
// instruction cache requests in cycles) this is odd with it: the two must agree.
#include "vocabulary/metric_unit.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/characters.h"

namespace proofline {
namespace {

struct Unit {
  std::string_view base;
  std::string_view per_second;
  std::string_view per_cycle;
};

constexpr Unit kNone{"", "", ""};
constexpr Unit kBlock{"block", "block/s", "block/cycle"};
constexpr Unit kBranches{"branches", "branches/s", "branches/cycle"};
constexpr Unit kByte{"byte", "byte/s", "byte/cycle"};
constexpr Unit kCycle{"cycle", "hz", ""};
constexpr Unit kInst{"inst", "inst/s", "inst/cycle"};
constexpr Unit kNs{"ns", "", "ns/cycle"};
constexpr Unit kOps{"ops", "ops/s", "ops/cycle"};
constexpr Unit kRegister{"register", "register/s", "register/cycle"};
constexpr Unit kRequest{"request", "request/s", "request/cycle"};
constexpr Unit kSector{"sector", "sector/s", "sector/cycle"};
constexpr Unit kTag{"tag", "tag/s", "tag/cycle"};
constexpr Unit kThread{"thread", "thread/s", "thread/cycle"};
constexpr Unit kWarp{"warp", "warp/s", "warp/cycle"};

// A unit that stays the same under every submetric.
constexpr Unit fixed(std::string_view text) { return {text, text, text}; }

constexpr Unit kBytePerBlock = fixed("byte/block");
constexpr Unit kBytePerSector = fixed("byte/sector");
constexpr Unit kCluster = fixed("cluster");
constexpr Unit kCyclePerWarp = fixed("cycle/warp");
constexpr Unit kFixedByte = fixed("byte");
constexpr Unit kFixedThread = fixed("thread");
constexpr Unit kInstPerCycle = fixed("inst/cycle");
constexpr Unit kInstPerWarp = fixed("inst/warp");
constexpr Unit kPass = fixed("pass");
constexpr Unit kPercent = fixed("%");
constexpr Unit kPercentPerByte = fixed("%/byte");
constexpr Unit kPercentPerRegister = fixed("%/register");
constexpr Unit kRegisterPerThread = fixed("register/thread");
constexpr Unit kSample = fixed("sample");
constexpr Unit kSectors = fixed("sectors");
constexpr Unit kSm = fixed("SM");
constexpr Unit kThreadPerWarp = fixed("thread/warp");

struct Entry {
  std::string_view text;
  const Unit* unit;
};

// The words that count something; the first one in a name decides. That is why words without a unit
// are here too: bank conflicts and bank reads are plain numbers, and "elapsed_cycles" is the word
// order of ncu 2019, whose metrics ncu prints without a unit.
constexpr Entry kWords[] = {
    {"bank", &kNone},        {"bytes", &kByte},
    {"conflicts", &kCycle},  {"ctas", &kBlock},
    {"cycles", &kCycle},     {"elapsed", &kNone},
    {"inst", &kInst},        {"kilobytes", &kByte},
    {"latency", &kCycle},    {"passes", &kPass},
    {"reads", &kByte},       {"registers", &kRegister},
    {"requests", &kRequest}, {"samples", &kSample},
    {"sectors", &kSector},   {"semreleases", &kCycle},
    {"tag", &kTag},          {"targets", &kBranches},
    {"threads", &kThread},   {"throughput", &kPercent},
    {"time", &kNs},          {"warps", &kWarp},
    {"writeback", &kCycle},  {"writes", &kByte},
};

// With these words it is a level, summed over cycles ("warps in flight", "bytes allocated"; ncu
// describes it as cumulative): divided by cycles it is in the unit itself again.
constexpr std::string_view kLevels[] = {"active",  "allocated", "eligible", "inactive",
                                        "pending", "sram",      "stalled"};

// "A_per_B" that is not simply in A. Warps are a level, so warps per instruction are cycles.
struct Quotient {
  const Unit* numerator;
  std::string_view denominator;
  const Unit* unit;
};
constexpr Quotient kQuotients[] = {
    {&kByte, "cta", &kBytePerBlock},
    {&kByte, "sector", &kBytePerSector},
    {&kInst, "inst", &kNone},
    {&kInst, "issue", &kInstPerCycle},
    {&kInst, "opcode", &kNone},
    {&kInst, "warp", &kInstPerWarp},
    {&kRegister, "thread", &kRegisterPerThread},
    {&kThread, "warp", &kThreadPerWarp},
    {&kWarp, "inst", &kCycle},
};

// Exceptions by prefix, sorted; the longest prefix decides.
constexpr Entry kPrefixes[] = {
    {"branch_inst_executed", &kBranches},
    // Section files compute these; ncu guesses the unit from a part of the name.
    {"derived_", &kNone},
    {"derived__avg_thread_", &kFixedThread},
    {"derived__derivative_avg_thread_", &kFixedThread},
    {"derived__lts__lts2xbar_bytes", &kFixedByte},
    // "byte" where an old report is imported, which is wrong; "sector" in a new one.
    {"derived__memory_l2_theoretical_sectors_", &kSector},
    {"derived__pct_occupancy_per_block_size", &kPercent},
    {"derived__pct_occupancy_per_register_count", &kPercentPerRegister},
    {"derived__pct_occupancy_per_shared_mem_size", &kPercentPerByte},
    {"derived__sm__sass_thread_inst_", &kFixedThread},
    {"derived__smsp__sass_thread_inst_", &kFixedThread},
    {"device__", &kNone},
    {"fe__output_ops", &kOps},
    // In sectors on the chips before gh100 only.
    {"gcc__xbar2gcc_sectors", &kNone},
    // Requests inside an SM: plain numbers, but cycles for its constant and instruction caches.
    {"idc__requests", &kNone},
    {"l1tex__f_cycles_active", &kNone},
    {"l1tex__f_wavefronts_realtime", &kCycle},
    {"l1tex__lsuin_requests", &kNone},
    {"l1tex__t_requests", &kNone},
    {"l1tex__texin_requests", &kNone},
    {"l1tex__tmain_requests", &kInst},
    {"launch__block_dim_", &kBlock},
    {"launch__cluster_max_active", &kCluster},
    {"launch__cluster_max_potential_size", &kBlock},
    {"launch__occupancy_limit_", &kBlock},
    {"launch__persisting_l2_cache_size", &kByte},
    {"launch__shared_mem_config_size", &kByte},
    {"launch__shared_mem_per_block", &kBytePerBlock},
    {"launch__sm_count", &kSm},
    {"launch__thread_count", &kThread},
    {"launch__uses_blocks_as_clusters", &kBlock},
    {"memory_l1_", &kSectors},
    {"memory_l2_", &kSectors},
    {"sm__active_warps_", &kNone},
    {"sm__dcc_requests", &kCycle},
    {"sm__icc_requests", &kCycle},
    {"sm__idc_divergent_instruction", &kInst},
    {"sm__issue_", &kCycle},
    {"sm__sass_l1tex_t_requests", &kNone},
    {"smsp__amortized_warp_latency", &kCyclePerWarp},
    {"smsp__average_warp_latency_issue_stalled_", &kInstPerWarp},
    {"smsp__average_warps_issue_stalled_", &kInst},
    {"smsp__imc_requests", &kCycle},
    {"smsp__issue_", &kCycle},
    {"smsp__l1tex_", &kNone},
    {"smsp__pcsamp_warps_issue_stalled_branch_resolving", &kBranches},
    {"smsp__pcsamp_warps_issue_stalled_no_instruction", &kInst},
    {"smsp__sass_inst_executed_memdesc_explicit_evict_type", &kNone},
    {"smsp__sass_l1tex_t_requests", &kNone},
    {"smsp__tex_requests", &kCycle},
    {"syslts__t_bytes", &kNone},
    {"syslts__t_tag_requests", &kNone},
};

constexpr bool by_text(const Entry& a, const Entry& b) { return a.text < b.text; }
static_assert(std::is_sorted(std::begin(kPrefixes), std::end(kPrefixes), by_text));

constexpr std::string_view kPartEnd = "__";

// The text before the next separator, taken off the front of `rest` together with it.
const Unit* find_word(std::string_view text) {
  for (const Entry& word : kWords) {
    if (word.text == text) return word.unit;
  }
  return nullptr;
}

// A prefix of `base` sorts at or before it, a longer one after a shorter one, so a walk back from
// its place meets the longest first and may end where the first letter changes.
const Unit* find_prefix(std::string_view base) {
  const Entry* entry =
      std::upper_bound(std::begin(kPrefixes), std::end(kPrefixes), Entry{base, nullptr}, by_text);
  while (entry != std::begin(kPrefixes) && (--entry)->text.front() == base.front()) {
    if (base.starts_with(entry->text)) return entry->unit;
  }
  return nullptr;
}

const Unit* quotient(const Unit* numerator, std::string_view denominator) {
  for (const Quotient& row : kQuotients) {
    if (row.numerator == numerator && row.denominator == denominator) return row.unit;
  }
  return numerator;
}

const Unit* read_words(std::string_view words) {
  const Unit* unit = nullptr;
  bool is_average = false;
  while (!words.empty()) {
    const std::string_view word = take_until('_', words);
    if (!unit) {
      unit = find_word(word);
      if (word == "average") is_average = true;
    } else if (word == "per") {
      return quotient(unit, take_until('_', words));
    }
  }
  // An average that names no "per" is over its own kind, such as sectors hit of all sectors.
  return !unit || (is_average && unit != &kCycle) ? &kNone : unit;
}

const Unit* base_unit(std::string_view base) {
  if (base.ends_with("_pct")) {
    const bool is_2019 = base.ends_with("_sol_pct") || base.starts_with("sm__active_warps_");
    return is_2019 ? &kNone : &kPercent;
  }
  if (const Unit* unit = find_prefix(base)) return unit;
  if (const std::size_t mark = base.find(kPartEnd); mark != base.npos) {
    base.remove_prefix(mark + kPartEnd.size());
  }
  return read_words(base);
}

bool is_level(std::string_view base) {
  while (!base.empty()) {
    const std::string_view word = take_until('_', base);
    if (std::find(std::begin(kLevels), std::end(kLevels), word) != std::end(kLevels)) return true;
  }
  return false;
}

}  // namespace

std::string_view metric_unit(std::string_view metric_name) {
  std::string_view rest = metric_name;
  if (const std::size_t colon = rest.find(':'); colon != rest.npos) {
    // "pmsampling:" and "warpsampling:" are values; "breakdown:" and "group:" are lists of names.
    if (!rest.substr(0, colon).ends_with("sampling")) return kNone.base;
    rest.remove_prefix(colon + 1);
  }
  if (const std::size_t mark = rest.find(kPartEnd); mark != rest.npos) {
    rest.remove_prefix(rest.rfind('.', mark) + 1);  // a domain, "SM_A.TriageCompute."
  }
  const std::string_view base = take_until('.', rest);
  const std::string_view submetric = rest.substr(rest.rfind('.') + 1);

  if (submetric.starts_with("pct")) return kPercent.base;
  const Unit& unit = *base_unit(base);
  if (submetric == "per_second") return unit.per_second;
  if (submetric == "peak_sustained" || submetric.starts_with("per_cycle_")) {
    return &unit != &kCycle && is_level(base) ? unit.base : unit.per_cycle;
  }
  return unit.base;
}

}  // namespace proofline
