// SPDX-License-Identifier: Apache-2.0
#include "views/code/function_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/mnemonics.h"
#include "base/text.h"
#include "model/profile/display_name.h"
#include "views/code/code_cells.h"
#include "views/code/listing_table.h"
#include "views/code/loop_table.h"
#include "views/code/role_rows.h"
#include "views/code/sample_tables.h"
#include "views/code/source_view.h"
#include "views/code/verdict_points.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostOpcodes = 4;

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
    add_roles(function_, properties);
    add_mbarriers(function_, all_, properties);
    document_.blocks.emplace_back(std::move(properties));
    add_loops(function_, all_, document_);
    add_hot(function_, all_, document_);
    add_lanes(function_, all_, document_);
    add_verdicts(function_, document_);
    add_source(function_, all_, document_);
    add_listing(function_, document_);
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
    if (function_.instructions > 0 && function_.unknown == function_.instructions) {
      document_.blocks.emplace_back(
          Callout{true, fmt::format("none of its {} is known, so nothing is said of its code",
                                    plural(function_.instructions, "instruction"))});
    } else if (!function_.wholly_read()) {
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
      text += fmt::format(" in {}, {}", plural(function_.reached_blocks, "block"),
                          plural(function_.loops.size(), "loop"));
    }
    if (stats.predicated > 0) {
      text += fmt::format("; {} behind a predicate",
                          share_text(static_cast<double>(stats.predicated) / stats.instructions));
    }
    row("code", text);
    std::string most;
    for (std::size_t i = 0; i < std::min(kMostOpcodes, stats.opcodes.size()); ++i) {
      most += fmt::format("{}{} x {}", i == 0 ? "" : ", ", stats.opcodes[i].opcode,
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
    if (!resources.linked) {
      row("linked",
          "not yet (nvcc -dc): what it calls and shares with other files adds to registers, stack, "
          "barriers and shared memory");
    }
    if (resources.optimised == false) {
      row("compiled", "without optimisation (-G, -O0 or -O1): its speed says nothing");
    }
    if (resources.allocates == true) row("allocates", "calls malloc or new");
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
      if (instruction_class(one.opcode) != kind) continue;
      text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", one.opcode, one.count);
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
        text =
            fmt::format("{}{} of shared stores ({})", staging.maybe_restaged > 0 ? "at least " : "",
                        plural(staging.passes, "pass", "passes"), widths);
        if (staging.restaged > 0) {
          text += fmt::format(", {} of values that were read from shared memory", staging.restaged);
        }
        if (staging.maybe_restaged > 0) {
          text += fmt::format(", {} of values that generic loads brought, maybe from shared memory",
                              staging.maybe_restaged);
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

  std::string where(std::optional<std::uint32_t> loop) const {
    return loop ? fmt::format("loop {:#06x}: ", function_.loops[*loop].address) : "";
  }

  const CodeReport& report_;
  const FunctionReport& function_;
  bool all_;
  Document& document_;
  std::vector<std::pair<std::string, std::string>>* rows_ = nullptr;
};

}  // namespace

void add_function_screen(const CodeReport& report, const FunctionReport& function, bool all,
                         Document& document) {
  FunctionScreen(report, function, all, document).add();
}

}  // namespace proofline
