// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "model/profile/display_name.h"
#include "views/code/source_view.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

// Each of so few functions gets a screen; of more there is only the table, unless all are asked
// for.
constexpr std::size_t kFewFunctions = 3;
constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostLoops = 12;
constexpr std::size_t kMostOpcodes = 4;
constexpr std::size_t kMostHotRows = 12;
constexpr std::size_t kMostMbarriers = 8;
constexpr std::size_t kMostLaneRows = 6;
// A loop with such a share of the samples is never left out.
constexpr double kSamplesOfALoop = 0.01;
constexpr std::size_t kMostVerdicts = 20;

Cell number(std::uint64_t value) { return {group_digits(value), true}; }
Cell number(const std::optional<std::uint32_t>& value) {
  return value ? number(std::uint64_t{*value}) : Cell{"-"};
}

std::string bytes_text(std::uint64_t bytes) {
  return bytes < 1024 ? fmt::format("{} B", bytes)
                      : fmt::format("{:.4g} KiB", static_cast<double>(bytes) / 1024);
}

// "16 B x 8, 4 B x 2"
std::string widths_text(const CodeStats& stats, InstructionClass kind) {
  std::string text;
  for (std::size_t i = stats.widths.size(); i-- > 0;) {
    const CodeStats::WidthCount& row = stats.widths[i];
    if (row.kind != kind) continue;
    text += fmt::format("{}{} B x {}", text.empty() ? "" : ", ", row.width, row.count);
  }
  return text;
}

// "64", "at most 8", "by c[0x0][0x228]"; "" not known.
std::string trips_text(const TripHint& trips) {
  if (trips.exact) return group_digits(*trips.exact);
  if (trips.most) return "at most " + group_digits(*trips.most);
  return trips.bound.empty() ? "" : "by " + trips.bound;
}

std::string words_before(const AwaitedInstruction& awaited) {
  switch (awaited.via) {
    case Wait::Via::kResult: break;
    case Wait::Via::kOperands: return "waits until operands are read by the";
    case Wait::Via::kGroup: return "waits on the group of the";
    case Wait::Via::kWarps: return "waits for other warps at the";
    case Wait::Via::kMemory: return "waits for its own memory accesses at the";
  }
  if (awaited.mbarrier.empty()) return "waits on the";
  return fmt::format("waits on the mbarrier {}:", awaited.mbarrier);
}

class FunctionScreen {
 public:
  FunctionScreen(const CodeReport& report, const FunctionReport& function, bool all,
                 Document& document)
      : report_(report), function_(function), all_(all), document_(document) {}

  void add() {
    document_.blocks.emplace_back(Heading{shown_name(function_.shown)});
    add_doubts();
    Properties properties;
    rows_ = &properties.rows;
    add_code();
    add_resources();
    add_triton();
    add_tensor();
    add_memory();
    add_local();
    add_staging();
    add_roles();
    add_mbarriers();
    document_.blocks.emplace_back(std::move(properties));
    add_loops();
    add_hot();
    add_lanes();
    add_expectations();
    add_source(function_, all_, document_);
    add_listing();
  }

 private:
  // "24 of 24 instructions are unknown"; "" where all were read.
  std::string unread_text() const {
    if (function_.instructions == 0) return "no instruction was read";
    std::string text;
    if (function_.unknown > 0) {
      text = fmt::format("{} of {} instructions are unknown", function_.unknown,
                         function_.instructions);
    }
    if (!function_.complete) text += (text.empty() ? "" : "; ") + std::string("it is cut short");
    return text;
  }

  // What was not read comes before what is said of the rest.
  void add_doubts() {
    if (!function_.wholly_read()) {
      document_.blocks.emplace_back(
          Callout{true, fmt::format("{}: what is said here holds for the rest alone, and nothing "
                                    "is called absent",
                                    unread_text())});
    }
    if (function_.executed_unreached > 0) {
      document_.blocks.emplace_back(Callout{
          true, fmt::format(
                    "{} executed that nothing leads to by the branches as read: one of "
                    "them is read wrongly, so loops and order are not certain",
                    plural(function_.executed_unreached, "instruction was", "instructions were"))});
    }
  }

  // What stands where nothing of a kind was found.
  std::string absent(std::string_view words) const {
    return function_.wholly_read() ? std::string(words) : "not known: " + unread_text();
  }

  void row(std::string name, std::string text) {
    if (!text.empty()) rows_->emplace_back(std::move(name), std::move(text));
  }

  void add_code() {
    const CodeStats& stats = function_.stats;
    std::string text = plural(stats.instructions, "instruction");
    if (function_.wholly_read() || !function_.loops.empty()) {
      text += fmt::format(" in {}, {}", plural(function_.blocks, "block"),
                          plural(function_.loops.size(), "loop"));
    }
    if (stats.predicated > 0) {
      text += fmt::format("; {} behind a predicate",
                          share_text(static_cast<double>(stats.predicated) / stats.instructions));
    }
    row("code", text);
    std::string most;
    for (std::size_t i = 0; i < std::min(kMostOpcodes, stats.opcodes.size()); ++i) {
      most += fmt::format("{}{} x {}", i == 0 ? "" : ", ", report_.opcodes[stats.opcodes[i].opcode],
                          group_digits(stats.opcodes[i].count));
    }
    row("most frequent", most);
    std::string odd;
    const auto say = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) odd += fmt::format("{}{} {}", odd.empty() ? "" : "; ", count, what);
    };
    say(function_.unknown, "instructions of unknown opcodes");
    say(function_.dangling, "branches to nowhere");
    say(function_.indirect_unknown, "indirect branches without known targets");
    say(function_.irreducible, "edges into the middle of a loop");
    if (!function_.complete) odd += (odd.empty() ? "" : "; ") + std::string("cut short");
    row("not modelled", odd);
  }

  void add_resources() {
    const FunctionResources& resources = function_.resources;
    std::vector<std::string> parts;
    if (resources.registers) parts.push_back(plural(*resources.registers, "register"));
    if (function_.wholly_read()) {
      parts.push_back(
          fmt::format("{} live at most, at {:#06x}", function_.live_registers, function_.live_at));
    } else {
      parts.emplace_back("live ones not known");
    }
    if (resources.shared_bytes && *resources.shared_bytes > 0) {
      parts.push_back(bytes_text(*resources.shared_bytes) + " static shared memory");
    }
    if (resources.stack_bytes && *resources.stack_bytes > 0) {
      parts.push_back(bytes_text(*resources.stack_bytes) + " stack");
    }
    if (resources.barriers && *resources.barriers > 0) {
      parts.push_back(plural(*resources.barriers, "barrier"));
    }
    if (resources.max_threads) {
      parts.push_back(fmt::format("at most {} threads", *resources.max_threads));
    }
    row("registers", fmt::format("{}", fmt::join(parts, "; ")));
  }

  // "4 warps (128 threads), 3 stages, 48 KiB dynamic shared memory, for cuda 90; beside it add.ptx"
  void add_triton() {
    if (!function_.triton) return;
    const TritonKernel& kernel = *function_.triton;
    std::vector<std::string> parts;
    if (kernel.warps) parts.push_back(plural(*kernel.warps, "warp"));
    if (kernel.threads) parts.back() += fmt::format(" ({} threads)", *kernel.threads);
    if (kernel.stages) parts.push_back(plural(*kernel.stages, "stage"));
    if (kernel.blocks_per_cluster && *kernel.blocks_per_cluster > 1) {
      parts.push_back(fmt::format("{} blocks a cluster", *kernel.blocks_per_cluster));
    }
    if (kernel.shared_bytes) {
      parts.push_back(bytes_text(*kernel.shared_bytes) + " dynamic shared memory");
    }
    if (!kernel.target.empty()) parts.push_back("for " + kernel.target);
    std::string text = fmt::format("{}", fmt::join(parts, ", "));
    if (!kernel.files.empty()) {
      text +=
          fmt::format("{}beside it {}", text.empty() ? "" : "; ", fmt::join(kernel.files, ", "));
    }
    row("triton", text);
  }

  // "HGMMA x 4, HMMA x 2"; "" for none.
  std::string opcodes_text(InstructionClass kind) const {
    std::string text;
    for (const auto& one : function_.stats.opcodes) {
      const std::string& opcode = report_.opcodes[one.opcode];
      if (instruction_class(opcode) != kind) continue;
      text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", opcode, one.count);
    }
    return text;
  }

  void add_tensor() {
    std::string text = opcodes_text(InstructionClass::kTensor);
    if (!text.empty()) {
      text += fmt::format("; {} of all instructions",
                          share_text(function_.stats.share(InstructionClass::kTensor)));
    }
    row("tensor", text.empty() ? absent("none") : text);
  }

  void add_memory() {
    using enum InstructionClass;
    for (const InstructionClass kind : {kGlobalLoad, kGlobalStore, kSharedLoad, kSharedStore,
                                        kGenericLoad, kGenericStore, kAsyncCopy, kAtomic}) {
      row(std::string(to_string(kind)), widths_text(function_.stats, kind));
    }
    for (const InstructionClass kind : {kBulkCopy, kTensorMemory, kMbarrier, kBarrier, kFence}) {
      row(std::string(to_string(kind)), opcodes_text(kind));
    }
  }

  // "spills: 12 loads, 8 stores (4 in loops); ..."
  void add_local() {
    std::string text;
    for (const LocalUse use :
         {LocalUse::kSpill, LocalUse::kArray, LocalUse::kCallFrame, LocalUse::kUnclear}) {
      const LocalUseCounts& counts = function_.local.of(use);
      const std::uint32_t all = counts.loads.accesses + counts.stores.accesses;
      if (all == 0) continue;
      text += fmt::format("{}{}: {}, {}, {} B", text.empty() ? "" : "; ", to_string(use),
                          plural(counts.loads.accesses, "load"),
                          plural(counts.stores.accesses, "store"),
                          counts.loads.bytes + counts.stores.bytes);
      const std::uint32_t in_loops =
          counts.loads_in_loops.accesses + counts.stores_in_loops.accesses;
      if (in_loops > 0) text += fmt::format(" ({} of them in loops)", in_loops);
    }
    row("local memory", text.empty() ? absent("not used: no spills") : text);
  }

  void add_staging() {
    for (const Staging& staging : function_.staging) {
      std::string text;
      if (staging.passes > 0) {
        std::string widths;
        for (const auto& width : staging.store_widths) {
          widths +=
              fmt::format("{}{} B x {}", widths.empty() ? "" : ", ", width.width, width.count);
        }
        text = fmt::format("{} of shared stores ({})", plural(staging.passes, "pass", "passes"),
                           widths);
        if (staging.restaged > 0) {
          text += fmt::format(", {} of values that were read from shared memory", staging.restaged);
        }
      } else if (staging.async_fills > 0) {
        text = fmt::format("filled by {}, no stores by threads",
                           plural(staging.async_fills, "asynchronous copy instruction"));
      } else {
        continue;
      }
      if (staging.conversions > 0) {
        text += fmt::format("; {}, longest chain {}", plural(staging.conversions, "conversion"),
                            staging.longest_chain);
      }
      row("staging", where(staging.loop) + text);
    }
  }

  std::string where(std::uint32_t loop) const {
    for (const LoopReport& one : function_.loops) {
      if (one.loop == loop) return fmt::format("loop {:#06x}: ", one.address);
    }
    return "";
  }

  void add_roles() {
    const Roles& roles = function_.roles;
    if (roles.verdict == RoleVerdict::kNone) return;
    row("warp roles", fmt::format("{}, {}", roles.roles.size(), to_string(roles.verdict)));
    for (std::uint32_t i = 0; i < roles.roles.size(); ++i) {
      const Role& role = roles.roles[i];
      std::string text = fmt::format("{}: {}, {}", role.condition, to_string(role.kind),
                                     plural(role.instructions, "instruction"));
      if (role.registers) text += fmt::format(", {} registers", *role.registers);
      for (const auto kind :
           {InstructionClass::kTensor, InstructionClass::kBulkCopy, InstructionClass::kAsyncCopy,
            InstructionClass::kTensorMemory, InstructionClass::kGlobalStore}) {
        if (role.count(kind) > 0)
          text += fmt::format(", {} x {}", to_string(kind), role.count(kind));
      }
      row("  role", text + role_time_text(i));
    }
    add_role_waits();
    for (const RoleBarrier& barrier : roles.barriers) {
      std::string text = barrier.cluster ? "cluster barrier" : "barrier";
      if (barrier.number) text += fmt::format(" {}", *barrier.number);
      text += barrier.threads ? fmt::format(" of {} threads", *barrier.threads)
                              : std::string(" of all threads");
      text += fmt::format(" joins {} roles{}", barrier.roles.size(),
                          barrier.in_loop ? ", inside a loop" : "");
      row("  meet at", text);
    }
  }

  // "; 41 % of the samples, waits for other roles 17 % of its time, 31.8 of 32 lanes"
  std::string role_time_text(std::uint32_t role) const {
    const RoleSamples& sampled = function_.role_samples;
    if (sampled.roles.empty() || !function_.hot || function_.hot->samples == 0) return "";
    const RoleTime& time = sampled.roles[role];
    std::string text =
        fmt::format("; {} of the samples", share_text(static_cast<double>(time.samples) /
                                                      static_cast<double>(function_.hot->samples)));
    if (time.samples > 0) {
      text +=
          fmt::format(", waits for other roles {} of its time", share_text(time.waiting_share()));
    }
    if (time.executed) text += fmt::format(", {} executed", group_digits(*time.executed));
    if (const auto lanes = time.lanes()) text += fmt::format(", {:.1f} of 32 lanes", *lanes);
    return text;
  }

  // "epilogue", or with its condition where there are several.
  std::string role_name(std::uint32_t role) const {
    const auto& roles = function_.roles.roles;
    const Role& one = roles[role];
    const bool alone = std::count_if(roles.begin(), roles.end(), [&](const Role& other) {
                         return other.kind == one.kind;
                       }) == 1;
    const std::string kind(to_string(one.kind));
    return alone ? kind : fmt::format("{} ({})", kind, one.condition);
  }

  void add_role_waits() {
    const RoleSamples& sampled = function_.role_samples;
    for (const RoleWait& wait : sampled.waits) {
      const RoleTime& time = sampled.roles[wait.role];
      if (time.samples == 0) continue;
      const std::string who = role_name(wait.role);
      const std::string whom = role_name(wait.for_role);
      row("  waits", wait.samples == 0
                         ? fmt::format("{} never waits for {}", who, whom)
                         : fmt::format("{} waits for {} {} of its time", who, whom,
                                       share_text(static_cast<double>(wait.samples) /
                                                  static_cast<double>(time.samples))));
    }
    if (sampled.balance) {
      row("  balance", fmt::format("the least busy role works {} as much of its time as the "
                                   "busiest",
                                   share_text(*sampled.balance)));
    }
  }

  // "load -> mma"; "" where neither is in a role.
  std::string meeting_text(const Mbarrier& barrier) const {
    std::set<std::string> from;
    std::set<std::string> to;
    for (const std::uint32_t i : barrier.accesses) {
      const MbarrierAccess& access = function_.mbarriers.accesses[i];
      const std::string name = access.role == kNoRole ? "all warps" : role_name(access.role);
      if (arrives(access.use)) from.insert(name);
      if (access.use == MbarrierUse::kWait) to.insert(name);
    }
    if (function_.roles.roles.empty() || from.empty() || to.empty()) return "";
    return fmt::format("{} -> {}", fmt::join(from, ", "), fmt::join(to, ", "));
  }

  void add_mbarriers() {
    const Mbarriers& mbarriers = function_.mbarriers;
    if (mbarriers.accesses.empty()) return;
    std::size_t paired = 0;
    for (const Mbarrier& one : mbarriers.barriers) paired += one.paired ? 1 : 0;
    row("mbarriers",
        fmt::format(
            "{} instructions on {}, {} with both arrival and wait; mbarriers order warps but "
            "are no edges",
            mbarriers.accesses.size(), plural(mbarriers.barriers.size(), "barrier"), paired));
    std::size_t shown = 0;
    for (const Mbarrier& one : mbarriers.barriers) {
      // A ring is what a pipeline is made of: every one is shown, and so is where warps wait.
      const auto position = static_cast<std::size_t>(&one - mbarriers.barriers.data());
      const auto& waiting = function_.role_samples.mbarriers;
      const bool awaited = position < waiting.size() && waiting[position] > 0;
      if (!one.ring && !awaited && !all_ && shown >= kMostMbarriers) continue;
      add_mbarrier(one, position);
      ++shown;
    }
    if (shown < mbarriers.barriers.size()) {
      row("  mbarrier", fmt::format("and {} more that are no rings; --all shows them",
                                    mbarriers.barriers.size() - shown));
    }
  }

  // "0x5408: load -> mma; init 0x0150; arrive 0x0740; wait 0x05f0, 0x0d30"
  void add_mbarrier(const Mbarrier& barrier, std::size_t position) {
    std::map<MbarrierUse, std::vector<std::string>> by_use;
    for (const std::uint32_t i : barrier.accesses) {
      const MbarrierAccess& access = function_.mbarriers.accesses[i];
      by_use[access.use].push_back(fmt::format("{:#06x}", access.address));
    }
    std::string text = barrier.place;
    if (barrier.slots > 0) {
      text += fmt::format(" (ring of {})", barrier.slots);
    } else if (barrier.ring) {
      text += " (ring)";
    }
    text += ":";
    std::string_view separator = " ";
    if (const std::string meeting = meeting_text(barrier); !meeting.empty()) {
      text += " " + meeting;
      separator = "; ";
    }
    for (const auto& [use, addresses] : by_use) {
      text += fmt::format("{}{} {}", separator, to_string(use), fmt::join(addresses, ", "));
      separator = "; ";
    }
    const auto& waiting = function_.role_samples.mbarriers;
    if (position < waiting.size() && function_.hot && function_.hot->samples > 0) {
      text += fmt::format("; {} of the samples wait there",
                          share_text(static_cast<double>(waiting[position]) /
                                     static_cast<double>(function_.hot->samples)));
    }
    row("  mbarrier", text);
  }

  void add_hot() {
    if (!function_.hot || function_.hot->rows.empty()) return;
    document_.blocks.emplace_back(
        Paragraph{fmt::format("Where warps wait: {} samples of launch {}",
                              group_digits(function_.hot->samples), function_.hot->launch)});
    Table table{{{"Address"},
                 {"Stalled", Align::kRight},
                 {"Reason"},
                 {"Executed", Align::kRight, false, true},
                 {"Instruction", Align::kLeft, true},
                 {"Line", Align::kLeft, true},
                 {"Waits on", Align::kLeft, true}},
                {}};
    const std::size_t count = function_.hot->rows.size();
    for (std::size_t i = 0; i < (all_ ? count : std::min(kMostHotRows, count)); ++i) {
      const HotRow& hot = function_.hot->rows[i];
      table.rows.push_back({{fmt::format("{:#06x}", hot.address)},
                            {share_text(hot.share), true},
                            {hot.reason},
                            hot.executed ? number(*hot.executed) : Cell{"-"},
                            {hot.text},
                            {hot.line},
                            {wait_text(hot.waits, hot.not_known)}});
    }
    document_.blocks.emplace_back(std::move(table));
  }

  // Instructions, then source lines, by the lanes that did nothing.
  void add_lanes() {
    if (!function_.lanes || function_.lanes->function.lost() == 0) return;
    const LaneReport& lanes = *function_.lanes;
    const LaneCounts& all = lanes.function;
    document_.blocks.emplace_back(Paragraph{fmt::format(
        "Lanes: {} of all that were issued did nothing in launch {}; {:.1f} of 32 active, {:.1f} "
        "with their predicate on",
        lost_share(all, all.all()), lanes.launch, all.mean_active(), all.mean_predicated_on())});
    Table table{{{"Address"},
                 {"Lost", Align::kRight},
                 {"Active", Align::kRight},
                 {"Pred. on", Align::kRight},
                 {"Executed", Align::kRight, false, true},
                 {"Instruction", Align::kLeft, true},
                 {"Line", Align::kLeft, true}},
                {}};
    const auto add_rows = [&](const std::vector<LaneRow>& rows) {
      for (std::size_t i = 0; i < std::min(kMostLaneRows, rows.size()); ++i) {
        const LaneRow& one = rows[i];
        table.rows.push_back({{one.address ? fmt::format("{:#06x}", *one.address) : "line"},
                              {lost_share(one.lanes, all.lost()), true},
                              {fmt::format("{:.1f}", one.lanes.mean_active()), true},
                              {fmt::format("{:.1f}", one.lanes.mean_predicated_on()), true},
                              number(one.lanes.executed),
                              {one.text},
                              {one.line}});
      }
    };
    add_rows(lanes.instructions);
    add_rows(lanes.lines);
    document_.blocks.emplace_back(std::move(table));
  }

  static std::string lost_share(const LaneCounts& lanes, std::uint64_t of) {
    return share_text(static_cast<double>(lanes.lost()) / static_cast<double>(of));
  }

  void add_expectations() {
    Points points;
    for (const ExpectationReport& one : function_.expectations) {
      points.points.push_back(
          {std::string(to_string(one.result.verdict)),
           fmt::format("{} {}", one.forbidden ? "forbid" : "expect", one.pattern),
           "",
           {{"", one.result.text}}});
    }
    if (!points.points.empty()) document_.blocks.emplace_back(std::move(points));
  }

  void add_listing() {
    if (function_.rows.empty()) return;
    Table table{{{"Address"},
                 {"Instruction", Align::kLeft, true},
                 {"Live", Align::kRight},
                 {"Stall", Align::kRight, false, true},
                 {"Sets", Align::kLeft, false, true},
                 {"Waits", Align::kLeft, false, true},
                 {"Samples", Align::kRight},
                 {"Executed", Align::kRight, false, true},
                 {"Line", Align::kLeft, true}},
                {}};
    for (const InstructionRow& one : function_.rows) table.rows.push_back(listing_row(one));
    document_.blocks.emplace_back(std::move(table));
  }

  static std::vector<Cell> listing_row(const InstructionRow& one) {
    std::string sets;
    std::string waits;
    if (one.control) {
      if (one.control->write_barrier != Control::kNoBarrier) {
        sets += fmt::format("w{}", one.control->write_barrier);
      }
      if (one.control->read_barrier != Control::kNoBarrier) {
        sets += fmt::format("r{}", one.control->read_barrier);
      }
      for (unsigned bit = 0; bit < 6; ++bit) {
        if ((one.control->wait_mask >> bit & 1U) != 0) waits += std::to_string(bit);
      }
    }
    return {{fmt::format("{:#06x}", one.address)},
            {one.text},
            number(std::uint64_t{one.live}),
            one.control ? number(std::uint64_t{one.control->stall}) : Cell{"-"},
            {sets},
            {waits},
            one.samples.samples > 0 ? number(one.samples.samples) : Cell{},
            one.samples.executed ? number(*one.samples.executed) : Cell{},
            {one.line}};
  }

  void add_loops() {
    if (function_.loops.empty()) return;
    Table table{{{"Loop"},
                 {"Depth", Align::kRight},
                 {"Instr.", Align::kRight},
                 {"Tensor", Align::kRight},
                 {"Global", Align::kRight},
                 {"Shared", Align::kRight},
                 {"Local", Align::kRight},
                 {"FP", Align::kRight},
                 {"Int.", Align::kRight},
                 {"Conv.", Align::kRight, false, true},
                 {"Sync", Align::kRight, false, true},
                 {"Rounds"},
                 {""}},
                {}};
    // The table is cut, but never at the cost of a row that matters.
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < function_.loops.size(); ++i) {
      if (all_ || matters(i) || table.rows.size() < kMostLoops) {
        table.rows.push_back(loop_row(i));
      } else {
        ++left_out;
      }
    }
    document_.blocks.emplace_back(std::move(table));
    if (left_out > 0) {
      document_.blocks.emplace_back(
          Paragraph{fmt::format("and {}, without tensor instructions, local memory or samples that "
                                "matter; --all shows them",
                                plural(left_out, "more loop"))});
    }
  }

  // A loop whose row is shown however long the table is.
  bool matters(std::size_t position) const {
    using enum InstructionClass;
    const LoopReport& loop = function_.loops[position];
    const CodeStats& stats = loop.stats;
    return function_.hot_loop == position || stats.count(kTensor) > 0 ||
           stats.count(kLocalLoad) + stats.count(kLocalStore) > 0 ||
           loop.samples.value_or(0) >= kSamplesOfALoop;
  }

  std::vector<Cell> loop_row(std::size_t position) const {
    using enum InstructionClass;
    const LoopReport& loop = function_.loops[position];
    const auto sum = [&](std::initializer_list<InstructionClass> kinds) {
      std::uint64_t count = 0;
      for (const InstructionClass kind : kinds) count += loop.stats.count(kind);
      return number(count);
    };
    std::string remark;
    const auto remark_also = [&](std::string_view text) {
      remark += fmt::format("{}{}", remark.empty() ? "" : ", ", text);
    };
    if (function_.hot_loop == position) {
      remark = function_.hot_loop_by == HotLoopBy::kSamples
                   ? "hot"
                   : fmt::format("hot, by {}", to_string(function_.hot_loop_by));
    }
    if (loop.polling) remark_also("polls");
    if (loop.samples) remark_also(share_text(*loop.samples) + " of samples");
    return {{std::string(2 * (std::min(loop.depth, 8U) - 1), ' ') +
             fmt::format("{:#06x}", loop.address)},
            number(std::uint64_t{loop.depth}),
            number(std::uint64_t{loop.stats.instructions}),
            sum({kTensor}),
            sum({kGlobalLoad, kGlobalStore, kGenericLoad, kGenericStore, kAsyncCopy, kBulkCopy}),
            sum({kSharedLoad, kSharedStore}),
            sum({kLocalLoad, kLocalStore}),
            sum({kFp16, kFp32, kFp64, kSpecialFunction}),
            sum({kInteger, kUniform}),
            sum({kConversion}),
            sum({kBarrier, kMbarrier, kFence}),
            {trips_text(loop.trips)},
            {remark}};
  }

  const CodeReport& report_;
  const FunctionReport& function_;
  bool all_;
  Document& document_;
  std::vector<std::pair<std::string, std::string>>* rows_ = nullptr;
};

// The functions of a cut table: those with samples, tensor instructions and local memory first, in
// the order of the file.
std::vector<const FunctionReport*> foremost_functions(const CodeReport& report) {
  std::vector<const FunctionReport*> list;
  for (const FunctionReport& function : report.functions) list.push_back(&function);
  if (list.size() <= kMostRows) return list;
  const auto rank = [](const FunctionReport& function) {
    using enum InstructionClass;
    const CodeStats& stats = function.stats;
    return std::make_tuple(function.hot ? function.hot->samples : 0, stats.count(kTensor) > 0,
                           stats.count(kLocalLoad) + stats.count(kLocalStore) > 0,
                           stats.instructions);
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto* x, const auto* y) { return rank(*x) > rank(*y); });
  list.resize(kMostRows);
  std::sort(list.begin(), list.end());
  return list;
}

void add_table(const CodeReport& report, Document& document) {
  const bool triton =
      std::any_of(report.functions.begin(), report.functions.end(),
                  [](const FunctionReport& function) { return function.triton.has_value(); });
  Table table{{{"Function", Align::kLeft, true},
               {"Arch"},
               {"Instr.", Align::kRight},
               {"Regs", Align::kRight},
               {"Live", Align::kRight, false, true},
               {"Loops", Align::kRight},
               {"Tensor", Align::kRight},
               {"Local", Align::kRight},
               {"Unknown", Align::kRight, false, true}},
              {}};
  if (triton) {
    // Kernels of one name differ by their configuration.
    table.columns.push_back({"Warps", Align::kRight});
    table.columns.push_back({"Stages", Align::kRight});
    table.columns.push_back({"Shared", Align::kRight});
    table.columns.push_back({"Entry", Align::kLeft, true});
  }
  for (const FunctionReport* one : foremost_functions(report)) {
    const FunctionReport& function = *one;
    // "3+": at least so many, since not all was read.
    const auto found = [&](std::uint64_t count) {
      if (function.wholly_read()) return number(count);
      return count == 0 ? Cell{"?"} : Cell{group_digits(count) + "+", true};
    };
    const auto all = [&](std::uint64_t count) {
      return function.wholly_read() ? number(count) : Cell{"?"};
    };
    table.rows.push_back({{std::string(without_signature(function.shown))},
                          {function.arch},
                          number(std::uint64_t{function.stats.instructions}),
                          number(function.resources.registers),
                          all(function.live_registers),
                          found(function.loops.size()),
                          found(function.stats.count(InstructionClass::kTensor)),
                          found(std::uint64_t{function.stats.count(InstructionClass::kLocalLoad)} +
                                function.stats.count(InstructionClass::kLocalStore)),
                          number(std::uint64_t{function.unknown})});
    if (triton) {
      const TritonKernel kernel = function.triton.value_or(TritonKernel{});
      auto& row = table.rows.back();
      row.push_back(number(kernel.warps));
      row.push_back(number(kernel.stages));
      row.push_back(kernel.shared_bytes ? Cell{bytes_text(*kernel.shared_bytes), true} : Cell{"-"});
      row.push_back({kernel.entry});
    }
  }
  document.blocks.emplace_back(std::move(table));
  if (report.functions.size() > kMostRows) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("and {} more functions; --function chooses, --format csv or json "
                              "has all",
                              report.functions.size() - kMostRows)});
  }
}

// Where functions have no screen of their own: which of them are not as they must be.
void add_verdicts(const CodeReport& report, Document& document) {
  Points points;
  std::size_t left_out = 0;
  for (const ExpectationVerdict verdict :
       {ExpectationVerdict::kFail, ExpectationVerdict::kUnknown}) {
    for (const FunctionReport& function : report.functions) {
      for (const ExpectationReport& one : function.expectations) {
        if (one.result.verdict != verdict) continue;
        if (points.points.size() == kMostVerdicts) {
          ++left_out;
          continue;
        }
        points.points.push_back(
            {std::string(to_string(verdict)),
             fmt::format("{} {}", one.forbidden ? "forbid" : "expect", one.pattern),
             "",
             {{"", fmt::format("{}: {}", without_signature(function.shown), one.result.text)}}});
      }
    }
  }
  if (!points.points.empty()) document.blocks.emplace_back(std::move(points));
  if (left_out > 0) {
    document.blocks.emplace_back(Paragraph{fmt::format(
        "and {} more that did not pass; --format json has all", group_digits(left_out))});
  }
}

}  // namespace

Document compose_code(const CodeReport& report, const CodeParts& parts) {
  Document document;
  std::string source = fmt::format("{}: {}", report.path, report.format);
  if (!report.producer.empty()) source += ", " + report.producer;
  document.blocks.emplace_back(Paragraph{std::move(source)});
  const std::size_t count = report.functions.size();
  if (count > 1) add_table(report, document);
  const std::size_t screens = parts.all || count <= kFewFunctions ? count : 0;
  for (std::size_t i = 0; i < screens; ++i) {
    FunctionScreen(report, report.functions[i], parts.all, document).add();
  }
  if (screens == 0) add_verdicts(report, document);
  for (const Note& note : report.notes) {
    document.blocks.emplace_back(Callout{note.kind == NoteKind::kLoss, note_text(note)});
  }
  return document;
}

std::string wait_text(std::span<const AwaitedInstruction> waits, std::string_view not_known) {
  if (waits.empty() && !not_known.empty()) return fmt::format("producer not known: {}", not_known);
  if (waits.empty()) return "";
  const AwaitedInstruction& first = waits.front();
  std::string text =
      fmt::format("{} {} at {:#06x}", words_before(first), first.opcode, first.address);
  if (!first.line.empty()) text += ", " + first.line;
  for (std::size_t i = 0; i < first.arrivals.size(); ++i) {
    text += fmt::format("{}{:#06x}", i == 0 ? ", which is ended at " : ", ", first.arrivals[i]);
  }
  if (waits.size() > 1) text += fmt::format(", and {} more", waits.size() - 1);
  return text;
}

}  // namespace proofline
