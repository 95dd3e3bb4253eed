// SPDX-License-Identifier: Apache-2.0
#include "views/code/code_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "views/code/sample_tables.h"
#include "views/code/source_view.h"
#include "views/json_parts.h"

namespace proofline {
namespace {

std::string address_text(std::uint64_t address) { return fmt::format("{:#06x}", address); }

// A number that stands for "none" is null.
std::optional<std::uint32_t> unless(std::uint32_t none, std::uint32_t number) {
  return number == none ? std::nullopt : std::optional(number);
}

// What may be called so only where every instruction was read.
std::string_view unless_unread(const FunctionReport& function, bool found, std::string_view word) {
  return found || function.wholly_read() ? word : "unknown";
}

void write_resources(const FunctionResources& resources, JsonWriter& json) {
  json.key("resources");
  json.begin_object();
  json.member("registers", resources.registers);
  json.member("shared_bytes", resources.shared_bytes);
  json.member("local_bytes", resources.local_bytes);
  json.member("stack_bytes", resources.stack_bytes);
  json.member("barriers", resources.barriers);
  json.member("parameter_bytes", resources.parameter_bytes);
  json.member("parameters", resources.parameters);
  json.member("max_threads", resources.max_threads);
  json.member("min_blocks", resources.min_blocks);
  json.member("required_threads", resources.required_threads);
  json.member("cluster_size", resources.cluster_size);
  json.member("line_table", resources.line_table);
  json.member("optimised", resources.optimised);
  json.member("allocates", resources.allocates);
  json.member("linked", resources.linked);
  json.end_object();
}

class Writer {
 public:
  Writer(const CodeReport& report, JsonWriter& json) : report_(report), json_(json) {}

  void write_function(const FunctionReport& function) {
    json_.begin_object();
    json_.member("name", function.name);
    json_.member("shown", function.shown);
    json_.member("arch", function.arch);
    json_.member("container", function.container);
    json_.member("entry", function.entry);
    json_.member("complete", function.complete);
    json_.member("wholly_read", function.wholly_read());
    json_.member("unknown_instructions", std::uint64_t{function.unknown});
    json_.member("executed_unreached", std::uint64_t{function.executed_unreached});
    write_resources(function.resources, json_);
    write_decoding(function.decoding);
    json_.member("instructions_with_padding", std::uint64_t{function.instructions});
    write_stats(function.stats);
    write_flow(function);
    json_.key("live_registers");
    if (function.wholly_read()) {
      json_.begin_object();
      json_.member("most", std::uint64_t{function.live_registers});
      json_.member("at", address_text(function.live_at));
      json_.end_object();
    } else {
      json_.null();
    }
    write_loops(function);
    write_local(function);
    write_staging(function);
    write_roles(function);
    write_mbarriers(function);
    write_hot(function);
    write_lanes(function);
    write_expectations(function);
    if (!function.rows.empty()) write_listing(function);
    write_source_lines(function, json_);
    write_triton(function);
    json_.end_object();
  }

 private:
  void write_triton(const FunctionReport& function) {
    json_.key("triton");
    if (!function.triton) return json_.null();
    const TritonKernel& kernel = *function.triton;
    json_.begin_object();
    json_.member("entry", kernel.entry);
    json_.member("warps", kernel.warps);
    json_.member("threads", kernel.threads);
    json_.member("stages", kernel.stages);
    json_.member("blocks_per_cluster", kernel.blocks_per_cluster);
    json_.member("shared_bytes", kernel.shared_bytes);
    json_.member("target", kernel.target);
    texts_member(json_, "files", kernel.files);
    json_.end_object();
  }

  void write_local(const FunctionReport& function) {
    // Of code that was not wholly read, what was not seen is not known.
    const auto count = [&](std::uint64_t seen) {
      return seen > 0 || function.wholly_read() ? std::optional(seen) : std::nullopt;
    };
    json_.key("local_memory");
    json_.begin_object();
    for (std::size_t i = 0; i < kLocalUses; ++i) {
      const LocalUseCounts& counts = function.local.by_use[i];
      json_.key(to_string(static_cast<LocalUse>(i)));
      json_.begin_object();
      json_.member("loads", count(counts.loads.accesses));
      json_.member("stores", count(counts.stores.accesses));
      json_.member("bytes", count(counts.loads.bytes + counts.stores.bytes));
      json_.member("in_loops", count(std::uint64_t{counts.loads_in_loops.accesses} +
                                     counts.stores_in_loops.accesses));
      json_.end_object();
    }
    json_.end_object();
  }

  void write_place(std::uint32_t loop, const FunctionReport& function) {
    json_.key("loop");
    for (std::size_t i = 0; i < function.loops.size(); ++i) {
      if (function.loops[i].loop == loop) return json_.number(std::uint64_t{i});
    }
    json_.null();
  }

  void write_staging(const FunctionReport& function) {
    json_.objects("staging", function.staging, [&](const Staging& staging) {
      write_place(staging.loop, function);
      json_.member("tensor_instructions", std::uint64_t{staging.tensor});
      json_.member("store_passes", std::uint64_t{staging.passes});
      json_.member("stores", std::uint64_t{staging.stores});
      json_.member("restaged_stores", std::uint64_t{staging.restaged});
      json_.member("maybe_restaged_stores", std::uint64_t{staging.maybe_restaged});
      json_.member("async_fills", std::uint64_t{staging.async_fills});
      json_.member("shared_loads", std::uint64_t{staging.shared_loads});
      json_.objects("store_widths", staging.store_widths, [&](const auto& width) {
        json_.member("bytes", std::uint64_t{width.width});
        json_.member("count", std::uint64_t{width.count});
      });
      json_.member("conversions", std::uint64_t{staging.conversions});
      json_.member("longest_conversion_chain", std::uint64_t{staging.longest_chain});
    });
  }

  void write_roles(const FunctionReport& function) {
    const Roles& roles = function.roles;
    json_.key("roles");
    json_.begin_object();
    json_.member("verdict",
                 unless_unread(function, !roles.roles.empty(), to_string(roles.verdict)));
    std::size_t position = 0;
    json_.objects("roles", roles.roles, [&](const Role& role) {
      json_.member("condition", role.condition);
      json_.member("kind", to_string(role.kind));
      json_.member("instructions", std::uint64_t{role.instructions});
      json_.member("registers", role.registers);
      write_classes(role.by_class);
      write_role_time(function.role_samples, position++);
    });
    json_.objects("waits", function.role_samples.waits, [&](const RoleWait& wait) {
      json_.member("role", std::uint64_t{wait.role});
      json_.member("for_role", std::uint64_t{wait.for_role});
      json_.member("samples", wait.samples);
    });
    json_.member("balance", function.role_samples.balance);
    json_.member("shared_blocks", std::uint64_t{roles.shared.size()});
    json_.objects("barriers", roles.barriers, [&](const RoleBarrier& barrier) {
      json_.member("number", barrier.number);
      json_.member("threads", barrier.threads);
      json_.member("cluster", barrier.cluster);
      json_.member("in_loop", barrier.in_loop);
      numbers("roles", barrier.roles);
    });
    json_.end_object();
  }

  void write_role_time(const RoleSamples& sampled, std::size_t role) {
    json_.key("sampled");
    if (role >= sampled.roles.size()) return json_.null();
    const RoleTime& time = sampled.roles[role];
    json_.begin_object();
    json_.member("samples", time.samples);
    json_.member("stalled_samples", time.stalled);
    json_.member("waiting_samples", time.waiting);
    json_.member("executed", time.executed);
    json_.member("threads_executed", time.threads_executed);
    json_.end_object();
  }

  void numbers(std::string_view name, const std::vector<std::uint32_t>& values) {
    json_.key(name);
    json_.begin_array();
    for (const std::uint32_t value : values) json_.number(std::uint64_t{value});
    json_.end_array();
  }

  void write_mbarriers(const FunctionReport& function) {
    const Mbarriers& mbarriers = function.mbarriers;
    json_.objects("mbarriers", mbarriers.barriers, [&](const Mbarrier& barrier) {
      json_.member("place", barrier.place);
      json_.member("ring", barrier.ring);
      json_.member("slots", unless(0, barrier.slots));
      json_.member("paired", barrier.paired);
      const auto& waiting = function.role_samples.mbarriers;
      const auto at = static_cast<std::size_t>(&barrier - mbarriers.barriers.data());
      json_.member("waiting_samples",
                   at < waiting.size() ? std::optional(waiting[at]) : std::nullopt);
      json_.key("accesses");
      json_.begin_array();
      for (const std::uint32_t i : barrier.accesses) {
        const MbarrierAccess& access = mbarriers.accesses[i];
        json_.begin_object();
        json_.member("address", address_text(access.address));
        json_.member("use", to_string(access.use));
        json_.member("role", unless(kNoRole, access.role));
        json_.end_object();
      }
      json_.end_array();
    });
  }

  void write_hot(const FunctionReport& function) {
    json_.key("hot");
    if (!function.hot) return json_.null();
    json_.begin_object();
    json_.member("launch", std::uint64_t{function.hot->launch});
    json_.member("samples", function.hot->samples);
    json_.objects("instructions", function.hot->rows, [&](const HotRow& row) {
      json_.member("address", address_text(row.address));
      json_.member("text", row.text);
      json_.member("line", row.line);
      json_.member("stalled_samples", row.stalled);
      json_.member("share", row.share);
      json_.member("reason", row.reason);
      json_.member("executed", row.executed);
      json_.member("waits", wait_text(row.waits, row.not_known));
      write_waits(row.waits);
    });
    json_.end_object();
  }

  void write_lane_counts(const LaneCounts& lanes) {
    json_.member("executed", lanes.executed);
    json_.member("active_lanes", lanes.active);
    json_.member("predicated_on_lanes", lanes.predicated_on);
    json_.member("lost_lanes", lanes.lost());
  }

  void write_lanes(const FunctionReport& function) {
    json_.key("lanes");
    if (!function.lanes) return json_.null();
    json_.begin_object();
    json_.member("launch", std::uint64_t{function.lanes->launch});
    write_lane_counts(function.lanes->function);
    json_.objects("instructions", function.lanes->instructions, [&](const LaneRow& row) {
      json_.member("address", address_text(row.address.value_or(0)));
      json_.member("text", row.text);
      json_.member("line", row.line);
      write_lane_counts(row.lanes);
    });
    json_.objects("lines", function.lanes->lines, [&](const LaneRow& row) {
      json_.member("line", row.line);
      write_lane_counts(row.lanes);
    });
    json_.end_object();
  }

  void write_waits(const std::vector<AwaitedInstruction>& waits) {
    json_.objects("waits_on", waits, [&](const AwaitedInstruction& one) {
      json_.member("via", to_string(one.via));
      json_.member("opcode", one.opcode);
      json_.member("address", address_text(one.address));
      json_.member("line", one.line);
      json_.member("scoreboard", one.scoreboard);
      json_.member("carrier", one.carrier);
      json_.member("mbarrier", one.mbarrier);
      json_.array("arrivals", one.arrivals,
                  [&](const std::uint32_t address) { json_.text(address_text(address)); });
    });
  }

  void write_expectations(const FunctionReport& function) {
    json_.objects("expectations", function.expectations, [&](const ExpectationReport& one) {
      json_.member("kind", one.forbidden ? "forbid" : "expect");
      json_.member("pattern", one.pattern);
      json_.member("verdict", to_string(one.result.verdict));
      json_.member("text", one.result.text);
      json_.array("addresses", one.addresses,
                  [&](const std::uint32_t address) { json_.text(address_text(address)); });
    });
  }

  void write_listing(const FunctionReport& function) {
    json_.key("listing");
    json_.begin_array();
    for (const InstructionRow& row : function.rows) {
      const std::string& opcode = report_.opcodes[row.opcode];
      json_.begin_object();
      json_.member("address", address_text(row.address));
      json_.member("text", row.text);
      json_.member("opcode", opcode);
      json_.member("class", to_string(instruction_class(opcode)));
      json_.member("block", std::uint64_t{row.block});
      json_.member("live", row.live);
      json_.member("line", row.line);
      if (row.control) write_control(*row.control);
      if (function.hot) write_samples(function.sample_reasons, row.samples);
      json_.end_object();
    }
    json_.end_array();
    json_.key("edges");
    json_.begin_array();
    for (const FlowEdge& edge : function.block_edges) {
      json_.begin_array();
      json_.number(std::uint64_t{edge.from});
      json_.number(std::uint64_t{edge.to});
      json_.end_array();
    }
    json_.end_array();
  }

  void write_control(const Control& control) {
    json_.key("control");
    json_.begin_object();
    json_.member("stall", std::uint64_t{control.stall});
    json_.member("yield", control.yield);
    json_.member("write_barrier", unless(Control::kNoBarrier, control.write_barrier));
    json_.member("read_barrier", unless(Control::kNoBarrier, control.read_barrier));
    json_.member("wait_mask", std::uint64_t{control.wait_mask});
    json_.member("reuse", std::uint64_t{control.reuse});
    json_.end_object();
  }

  void write_samples(const std::vector<std::string>& reasons, const CodeSamples::Row& row) {
    json_.member("samples", row.samples);
    json_.member("stalled_samples", row.stalled);
    json_.key("reasons");
    json_.begin_object();
    for (std::size_t i = 0; i < row.by_reason.size(); ++i) {
      if (row.by_reason[i] > 0) json_.member(reasons[i], row.by_reason[i]);
    }
    json_.end_object();
    json_.member("executed", row.executed);
    json_.member("threads_executed", row.threads_executed);
  }

  void write_decoding(const DecodeLoss& loss) {
    json_.key("decoding");
    json_.begin_object();
    json_.member("by", loss.decoded > 0 ? "proofline" : "listing");
    json_.member("unknown_opcodes", loss.unknown_opcodes);
    json_.member("unknown_modifiers", loss.unknown_modifiers);
    json_.end_object();
  }

  void write_classes(const ClassCounts& by_class) {
    json_.key("classes");
    json_.begin_object();
    for (std::size_t i = 0; i < kInstructionClasses; ++i) {
      if (by_class[i] == 0) continue;
      json_.member(to_string(static_cast<InstructionClass>(i)), std::uint64_t{by_class[i]});
    }
    json_.end_object();
  }

  void write_stats(const CodeStats& stats) {
    json_.member("instructions", std::uint64_t{stats.instructions});
    json_.member("predicated", std::uint64_t{stats.predicated});
    write_classes(stats.by_class);
    json_.key("opcodes");
    json_.begin_object();
    for (const auto& row : stats.opcodes) {
      json_.member(report_.opcodes[row.opcode], std::uint64_t{row.count});
    }
    json_.end_object();
    json_.objects("widths", stats.widths, [&](const auto& row) {
      json_.member("class", to_string(row.kind));
      json_.member("bytes", std::uint64_t{row.width});
      json_.member("count", std::uint64_t{row.count});
    });
  }

  void write_flow(const FunctionReport& function) {
    json_.key("flow");
    json_.begin_object();
    json_.member("blocks", std::uint64_t{function.blocks});
    json_.member("edges", std::uint64_t{function.edges});
    json_.member("dangling_branches", std::uint64_t{function.dangling});
    json_.member("indirect_without_targets", std::uint64_t{function.indirect_unknown});
    json_.member("irreducible_edges", std::uint64_t{function.irreducible});
    json_.end_object();
  }

  void write_loops(const FunctionReport& function) {
    json_.key("loops");
    json_.begin_array();
    for (std::size_t i = 0; i < function.loops.size(); ++i) {
      const LoopReport& loop = function.loops[i];
      json_.begin_object();
      json_.member("address", address_text(loop.address));
      json_.member("parent", unless(kNoLoop, loop.parent));
      json_.member("depth", std::uint64_t{loop.depth});
      json_.member("hot", function.hot_loop == i);
      json_.member("polling", loop.polling);
      json_.member("rounds", loop.trips.exact);
      json_.member("most_rounds", loop.trips.most);
      json_.member("rounds_by", loop.trips.bound);
      json_.member("samples", loop.samples);
      write_stats(loop.stats);
      json_.end_object();
    }
    json_.end_array();
    json_.member("hot_loop_by", unless_unread(function, function.hot_loop.has_value(),
                                              to_string(function.hot_loop_by)));
  }

  const CodeReport& report_;
  JsonWriter& json_;
};

}  // namespace

void write_code_json(const CodeReport& report, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.key("sources");
  json.begin_array();
  write_source({report.path, report.format, report.producer}, json);
  json.end_array();
  write_notes(report.notes, json);
  json.key("functions");
  json.begin_array();
  Writer writer(report, json);
  for (const FunctionReport& function : report.functions) writer.write_function(function);
  json.end_array();
  json.end_object();
}

}  // namespace proofline
