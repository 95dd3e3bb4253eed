// SPDX-License-Identifier: Apache-2.0
//
// The result of `sass`, member by member: what a file's functions are made of and where their warps
// wait.
#include "analysis/sass/code_record.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "analysis/sass/code_report.h"
#include "arch/mnemonics.h"
#include "base/record_schema.h"
#include "model/diagnosis/diagnosis_source.h"

namespace proofline {
namespace {

using Counts = std::vector<std::pair<std::string_view, std::uint32_t>>;

Counts counts_by_class(const ClassCounts& by_class) {
  Counts counts;
  for (std::size_t i = 0; i < kInstructionClasses; ++i) {
    if (by_class[i] > 0) {
      counts.emplace_back(to_string(static_cast<InstructionClass>(i)), by_class[i]);
    }
  }
  return counts;
}

Counts counts_by_opcode(const CodeStats& stats) {
  Counts counts;
  for (const CodeStats::OpcodeCount& row : stats.opcodes)
    counts.emplace_back(row.opcode, row.count);
  return counts;
}

// Accesses to local memory for one use. Absent: none was seen, in code that was not wholly read.
struct LocalUseReport {
  std::optional<std::uint64_t> loads;
  std::optional<std::uint64_t> stores;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> in_loops;
};

Record describe(const LocalUseReport* /*type*/) {
  return {
      about("local_use", "Accesses to local memory for one use."),
      member<&LocalUseReport::loads>("loads"),
      member<&LocalUseReport::stores>("stores"),
      member<&LocalUseReport::bytes>("bytes", "per thread"),
      member<&LocalUseReport::in_loops>("in_loops", "loads and stores"),
  };
}

std::vector<std::pair<std::string_view, LocalUseReport>> local_uses(
    const FunctionReport& function) {
  const auto count = [&](std::uint64_t seen) {
    return seen > 0 || function.wholly_read() ? std::optional(seen) : std::nullopt;
  };
  std::vector<std::pair<std::string_view, LocalUseReport>> uses;
  for (std::size_t i = 0; i < kLocalUses; ++i) {
    const LocalUseCounts& counts = function.local.by_use[i];
    const LocalUseReport report{
        count(counts.loads.accesses), count(counts.stores.accesses),
        count(counts.loads.bytes + counts.stores.bytes),
        count(std::uint64_t{counts.loads_in_loops.accesses} + counts.stores_in_loops.accesses)};
    uses.emplace_back(to_string(static_cast<LocalUse>(i)), report);
  }
  return uses;
}

std::vector<std::array<std::uint32_t, 2>> edges_of(const FunctionReport& function) {
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (const FlowEdge& edge : function.block_edges) edges.push_back({edge.from, edge.to});
  return edges;
}

std::optional<std::uint32_t> scoreboard(std::uint8_t number) {
  return number == Control::kNoBarrier ? std::nullopt : std::optional<std::uint32_t>(number);
}

std::optional<std::uint64_t> if_counted(const LaneCounts& lanes, std::uint64_t count) {
  return lanes.executed > 0 ? std::optional(count) : std::nullopt;
}

}  // namespace

std::string hex_text(std::uint32_t address) { return fmt::format("{:#06x}", address); }

std::optional<std::string> hex_text(const std::optional<std::uint32_t>& address) {
  return address ? std::optional(hex_text(*address)) : std::nullopt;
}

std::vector<std::string> hex_text(const std::vector<std::uint32_t>& addresses) {
  std::vector<std::string> texts;
  for (const std::uint32_t address : addresses) texts.push_back(hex_text(address));
  return texts;
}

Record describe(const FunctionResources* /*type*/) {
  using Resources = FunctionResources;
  return {
      about("resources", "null: the file does not tell"),
      member<&Resources::registers>("registers", "per thread"),
      member<&Resources::shared_bytes>("shared_bytes", "static, per block"),
      member<&Resources::local_bytes>("local_bytes", "per thread"),
      member<&Resources::stack_bytes>("stack_bytes", "frame of the function itself"),
      member<&Resources::barriers>("barriers", "named barriers"),
      member<&Resources::parameter_bytes>("parameter_bytes"),
      member<&Resources::parameters>("parameters"),
      member<&Resources::max_threads>("max_threads", "__launch_bounds__, first argument"),
      member<&Resources::min_blocks>("min_blocks", "__launch_bounds__, second argument"),
      member<&Resources::required_threads>("required_threads", "reqntid"),
      member<&Resources::cluster_size>("cluster_size", "__cluster_dims__"),
      member<&Resources::line_table>("line_table", "the cubin has source lines for it"),
      member<&Resources::optimised>("optimised", "false: compiled with -G, -O0 or -O1"),
      member<&Resources::allocates>("allocates",
                                    "calls malloc or new, itself or in functions it calls"),
      member<&Resources::linked>(
          "linked",
          "false: an object of nvcc -dc; what it calls and shares with other files adds to "
          "registers, stack, barriers and shared memory"),
  };
}

Record describe(const TritonKernel* /*type*/) {
  using Kernel = TritonKernel;
  return {
      about("triton", "What Triton's cache says of a kernel."),
      member<&Kernel::entry>("entry", "the folder of the cache"),
      member<&Kernel::warps>("warps"),
      member<&Kernel::threads>("threads"),
      member<&Kernel::stages>("stages"),
      member<&Kernel::blocks_per_cluster>("blocks_per_cluster"),
      member<&Kernel::shared_bytes>("shared_bytes", "dynamic, given at launch"),
      member<&Kernel::target>("target"),
      member<&Kernel::files>("files", "besides the cubin and its JSON"),
  };
}

Record describe(const CodeStats::WidthCount* /*type*/) {
  using Width = CodeStats::WidthCount;
  return {
      about("width"),
      member<&Width::kind>("class"),
      member<&Width::width>("bytes", "per thread and access"),
      member<&Width::count>("count", "instructions"),
  };
}

Record describe(const CodeStats* /*type*/) {
  return {
      about("stats"),
      member<&CodeStats::instructions>("instructions",
                                       "reachable ones, without the padding after the code"),
      member<&CodeStats::predicated>("predicated", "of these: behind a predicate"),
      derived("classes", "instructions by class, as `list opcodes` names them",
              [](const CodeStats& stats) { return counts_by_class(stats.by_class); })
          .at_least(1),
      derived("opcodes", "by opcode with its modifiers, most frequent first",
              [](const CodeStats& stats) { return counts_by_opcode(stats); })
          .at_least(1),
      member<&CodeStats::widths>("widths", "memory accesses by the bytes that a thread moves"),
  };
}

Record describe(const TripHint* /*type*/) {
  return {
      about("trips"),
      member<&TripHint::exact>("rounds", "trip count, where only the exit test ends the loop"),
      member<&TripHint::most>("most_rounds", "upper bound, where something else may end it"),
      member<&TripHint::bound>("rounds_by", "what the exit test compares with; \"\" unknown"),
  };
}

Record describe(const LoopReport* /*type*/) {
  return {
      about("loop"),
      address<&LoopReport::address>("address", "of its header"),
      member<&LoopReport::parent>("parent", "the loop around it: a position in this list"),
      member<&LoopReport::depth>("depth"),
      member<&LoopReport::hot>("hot"),
      member<&LoopReport::polling>("polling",
                                   "it does nothing but poll an mbarrier, sleep or elect a lane"),
      inlined<&LoopReport::trips>(),
      member<&LoopReport::samples>("samples", "share of the launch's").share(),
      inlined<&LoopReport::stats>(),
  };
}

Record describe(const DecodeLoss* /*type*/) {
  return {
      about("decoding"),
      derived("by",
              [](const DecodeLoss& loss) -> std::string_view {
                return loss.decoded > 0 ? "proofline" : "listing";
              })
          .one_of({"proofline", "listing"}),
      member<&DecodeLoss::unknown_opcodes>("unknown_opcodes"),
      member<&DecodeLoss::unknown_modifiers>("unknown_modifiers"),
  };
}

Record describe(const Staging::WidthCount* /*type*/) {
  using Width = Staging::WidthCount;
  return {
      about("store_width"),
      member<&Width::width>("bytes", "per thread"),
      member<&Width::count>("count"),
  };
}

Record describe(const Staging* /*type*/) {
  return {
      about("staging", "How operands of tensor instructions come into shared memory."),
      member<&Staging::loop>("loop", "position in loops; null: the whole function"),
      member<&Staging::tensor>("tensor_instructions"),
      member<&Staging::passes>("store_passes"),
      member<&Staging::stores>("stores"),
      member<&Staging::restaged>("restaged_stores", "of values read from shared memory"),
      member<&Staging::maybe_restaged>(
          "maybe_restaged_stores",
          "stores of what generic loads brought, which may be shared memory: store_passes is "
          "the least then"),
      member<&Staging::async_fills>("async_fills", "LDGSTS, UTMALDG, UBLKCP"),
      member<&Staging::shared_loads>("shared_loads"),
      member<&Staging::store_widths>("store_widths"),
      member<&Staging::conversions>("conversions"),
      member<&Staging::longest_chain>("longest_conversion_chain"),
  };
}

Record describe(const RoleTime* /*type*/) {
  return {
      about("role_time", "What a report's samples tell of a role.").closed(),
      member<&RoleTime::samples>("samples"),
      member<&RoleTime::stalled>("stalled_samples"),
      member<&RoleTime::waiting>("waiting_samples", "for other roles"),
      member<&RoleTime::executed>("executed"),
      member<&RoleTime::threads_executed>("threads_executed"),
  };
}

Record describe(const Role* /*type*/) {
  return {
      about("role"),
      member<&Role::condition>("condition", "\"warp == 8\", or the comparison's own text"),
      member<&Role::kind>("kind"),
      member<&Role::instructions>("instructions"),
      member<&Role::registers>("registers", "per thread, set by USETMAXREG"),
      derived("classes", [](const Role& role) { return counts_by_class(role.by_class); })
          .at_least(1),
      member<&Role::sampled>("sampled"),
  };
}

Record describe(const RoleWait* /*type*/) {
  return {
      about("role_wait").closed(),
      member<&RoleWait::role>("role", "position in roles"),
      member<&RoleWait::for_role>("for_role", "position in roles"),
      member<&RoleWait::samples>("samples", "0: it never waits"),
  };
}

Record describe(const RoleBarrier* /*type*/) {
  return {
      about("role_barrier", "A barrier that several roles come to."),
      member<&RoleBarrier::number>("number", "null: a barrier of the cluster"),
      member<&RoleBarrier::threads>("threads", "null: all of the block"),
      member<&RoleBarrier::cluster>("cluster"),
      member<&RoleBarrier::in_loop>("in_loop"),
      member<&RoleBarrier::roles>("roles", "positions in roles"),
  };
}

Record describe(const Roles* /*type*/) {
  return {
      about("roles", "Warp specialisation."),
      member<&Roles::verdict>(
          "verdict", "unknown: the code was not wholly read, and no role was found in the rest"),
      member<&Roles::roles>("roles"),
      member<&Roles::waits>("waits", "every pair of roles that meets at a barrier"),
      member<&Roles::balance>("balance",
                              "the busy share of the least busy role over that of the busiest")
          .share(),
      derived("shared_blocks",
              [](const Roles& roles) { return std::uint64_t{roles.shared.size()}; }),
      member<&Roles::barriers>("barriers"),
  };
}

Record describe(const MbarrierAccess* /*type*/) {
  return {
      about("mbarrier_access"),
      address<&MbarrierAccess::address>("address"),
      member<&MbarrierAccess::use>("use"),
      member<&MbarrierAccess::role>("role", "position in roles"),
  };
}

Record describe(const Mbarrier* /*type*/) {
  return {
      about("mbarrier"),
      member<&Mbarrier::place>("place", "its address in shared memory, as the code computes it"),
      member<&Mbarrier::ring>("ring", "one of several: the address has an index that changes"),
      member<&Mbarrier::slots>("slots",
                               "of a ring; null: no ring, or its initialisation does not show "
                               "them")
          .at_least(2),
      member<&Mbarrier::paired>("paired", "it has both an arrival and a wait"),
      member<&Mbarrier::waiting_samples>("waiting_samples", "null: no samples, or no roles"),
      member<&Mbarrier::accesses>("accesses"),
  };
}

Record describe(const AwaitedInstruction* /*type*/) {
  using Awaited = AwaitedInstruction;
  return {
      about("awaited", "An instruction that a stalled one waits for."),
      member<&Awaited::via>("via"),
      member<&Awaited::opcode>("opcode"),
      address<&Awaited::address>("address"),
      member<&Awaited::line>("line"),
      member<&Awaited::scoreboard>("scoreboard", "null: found by registers").at_most(5),
      member<&Awaited::carrier>(
          "carrier", "the register or predicate that carries the value or is overwritten"),
      member<&Awaited::mbarrier>("mbarrier", "the address of the mbarrier as the code writes it"),
      address<&Awaited::arrivals>(
          "arrivals",
          "instructions that end the phase of the mbarrier; empty where it is not known"),
  };
}

Record describe(const HotRow* /*type*/) {
  return {
      about("hot_instruction"),
      address<&HotRow::address>("address"),
      member<&HotRow::text>("text"),
      member<&HotRow::line>("line"),
      member<&HotRow::stalled>("stalled_samples"),
      member<&HotRow::share>("share", "of all samples of the launch").share(),
      member<&HotRow::reason>("reason"),
      member<&HotRow::executed>("executed"),
      member<&HotRow::wait>("waits", "the first of waits_on, in words"),
      member<&HotRow::waits>("waits_on",
                             "what the code shows that it waits for, the most likely first"),
  };
}

Record describe(const HotReport* /*type*/) {
  return {
      about("hot", "Where warps wait."),
      member<&HotReport::launch>("launch", "the one with the most samples"),
      member<&HotReport::samples>("samples"),
      member<&HotReport::rows>("instructions", "most stalled samples first"),
  };
}

Record describe(const LaneCounts* /*type*/) {
  return {
      about("lane_counts"),
      member<&LaneCounts::executed>("executed", "by warps"),
      member<&LaneCounts::active>("active_lanes"),
      member<&LaneCounts::predicated_on>("predicated_on_lanes"),
      derived("lost_lanes", "inactive, or switched off by a predicate, of 32 in each execution",
              [](const LaneCounts& lanes) { return lanes.lost(); }),
  };
}

Record describe(const LaneLine* /*type*/) {
  return {
      about("lane_line"),
      member<&LaneLine::line>("line"),
      inlined<&LaneLine::lanes>(),
  };
}

Record describe(const LaneInstruction* /*type*/) {
  using Row = LaneInstruction;
  return {
      about("lane_instruction"),   address<&Row::address>("address"),
      member<&Row::text>("text"),  member<&Row::line, Row>("line"),
      inlined<&Row::lanes, Row>(),
  };
}

Record describe(const LaneReport* /*type*/) {
  return {
      about("lanes",
            "Lanes that did nothing, where the report has counted threads by instruction."),
      member<&LaneReport::launch>("launch"),
      inlined<&LaneReport::function>(),
      member<&LaneReport::instructions>("instructions", "most lost lanes first"),
      member<&LaneReport::lines>("lines", "most lost lanes first"),
  };
}

Record describe(const ExpectationReport* /*type*/) {
  using Claim = ExpectationReport;
  return {
      about("expectation"),
      derived(
          "kind",
          [](const Claim& one) -> std::string_view { return one.forbidden ? "forbid" : "expect"; })
          .one_of({"expect", "forbid"}),
      member<&Claim::pattern>("pattern"),
      derived("verdict", [](const Claim& one) { return one.result.verdict; }),
      derived("text", [](const Claim& one) -> const std::string& { return one.result.text; }),
      address<&Claim::addresses>("addresses"),
  };
}

Record describe(const RowSamples* /*type*/) {
  return {
      about("samples"),
      member<&RowSamples::samples>("samples"),
      member<&RowSamples::stalled>("stalled_samples"),
      member<&RowSamples::reasons>("reasons").at_least(1),
      member<&RowSamples::executed>("executed", "by warps"),
  };
}

Record describe(const Control* /*type*/) {
  return {
      about("control", "What the compiler tells the scheduler."),
      member<&Control::stall>("stall", "cycles until the next instruction may issue"),
      member<&Control::yield>("yield"),
      derived("write_barrier", "scoreboard released when the result is written",
              [](const Control& control) { return scoreboard(control.write_barrier); }),
      derived("read_barrier", "scoreboard released when the operands were read",
              [](const Control& control) { return scoreboard(control.read_barrier); }),
      member<&Control::wait_mask>("wait_mask", "scoreboards that it waits for"),
      member<&Control::reuse>("reuse", "operand slots kept in the reuse cache"),
  };
}

Record describe(const InstructionRow* /*type*/) {
  using Row = InstructionRow;
  constexpr auto kSampled = [](const Row& row) { return row.sampled; };
  return {
      about("instruction"),
      address<&Row::address, Row>("address"),
      member<&Row::text, Row>("text"),
      member<&Row::opcode>("opcode"),
      derived("class", [](const Row& row) { return instruction_class(row.opcode); }),
      member<&Row::block>("block"),
      member<&Row::live, Row>("live", "general registers"),
      member<&Row::line>("line"),
      member<&Row::control>("control").if_there(),
      inlined<&Row::samples, Row>().when(kSampled),
      member<&Row::threads_executed>("threads_executed").when(kSampled),
  };
}

Record describe(const MeasuredInstruction* /*type*/) {
  using Row = MeasuredInstruction;
  return {
      about("measured_instruction"),
      address<&Row::address>("address"),
      member<&Row::text>("text"),
      member<&Row::live>("live", "general registers"),
      inlined<&Row::samples>(),
      derived("active_lanes", "in all executions; null: not counted",
              [](const Row& row) { return if_counted(row.lanes, row.lanes.active); }),
      derived("predicated_on_lanes",
              [](const Row& row) { return if_counted(row.lanes, row.lanes.predicated_on); }),
  };
}

Record describe(const SourceLine* /*type*/) {
  return {
      about("source_line"),
      member<&SourceLine::file>("file", "position in files"),
      member<&SourceLine::line>("line"),
      member<&SourceLine::text>("text"),
      member<&SourceLine::hot>("hot", "part of it is in the hot loop"),
      member<&SourceLine::live>("live",
                                "general registers, the most at one of its instructions; null "
                                "where the code was not wholly read"),
      inlined<&SourceLine::samples>(),
      derived("active_lanes", "in all executions; null: not counted",
              [](const SourceLine& line) { return if_counted(line.lanes, line.lanes.active); }),
      derived(
          "predicated_on_lanes",
          [](const SourceLine& line) { return if_counted(line.lanes, line.lanes.predicated_on); }),
      member<&SourceLine::instructions>("instructions"),
  };
}

Record describe(const SourceReport::File* /*type*/) {
  using File = SourceReport::File;
  return {
      about("source_file"),
      member<&File::path>("path", "as the code names it"),
      member<&File::found>("found", "\"report\" or a path; \"\": the text is not at hand"),
  };
}

Record describe(const SourceReport* /*type*/) {
  return {
      about("source_report"),
      member<&SourceReport::files>("files"),
      member<&SourceReport::unattributed>("unattributed_instructions", "without a source line"),
      member<&SourceReport::unattributed_samples>("unattributed_samples"),
      member<&SourceReport::lines>("lines", "by file, then line"),
  };
}

Record describe(const FunctionReport* /*type*/) {
  using Function = FunctionReport;
  return {
      about("function"),
      member<&Function::name>("name", "mangled"),
      member<&Function::shown>("shown", "demangled"),
      member<&Function::arch>("arch"),
      member<&Function::container>("container", "which cubin of several"),
      member<&Function::entry>("entry", "a kernel"),
      member<&Function::complete>("complete", "false: the input ended or was damaged inside it"),
      derived("wholly_read",
              "every instruction was read and named; where false, what is not counted here may "
              "still be there",
              [](const Function& function) { return function.wholly_read(); }),
      member<&Function::unknown>("unknown_instructions",
                                 "instructions whose opcode could not be named"),
      member<&Function::executed_unreached>(
          "executed_unreached",
          "instructions that were executed although nothing leads to them by the branches as "
          "read: loops and order are not certain"),
      member<&Function::resources>("resources"),
      member<&Function::decoding>("decoding"),
      member<&Function::instructions>("instructions_with_padding"),
      inlined<&Function::stats>(),
      group("flow",
            {
                member<&Function::blocks>("blocks"),
                member<&Function::edges>("edges"),
                member<&Function::dangling>("dangling_branches"),
                member<&Function::indirect_unknown>("indirect_without_targets"),
                member<&Function::irreducible>("irreducible_edges"),
            }),
      group("live_registers",
            {
                member<&Function::live_registers>("most"),
                address<&Function::live_at>("at"),
            },
            "null where not all of the function was read")
          .null_unless([](const Function& function) { return function.wholly_read(); }),
      member<&Function::loops>("loops", "outer before inner"),
      member<&Function::hot_loop_by>(
          "hot_loop_by",
          "what the choice of the hot loop rests on; a polling loop is never it; unknown: the "
          "code was not wholly read, and no loop that works was found"),
      derived("local_memory",
              "accesses by what they are for; null where none was seen in code that was not wholly "
              "read",
              [](const Function& function) { return local_uses(function); }),
      member<&Function::staging>("staging"),
      member<&Function::roles>("roles"),
      derived("mbarriers", "they order warps, but are no edges",
              [](const Function& function) -> const std::vector<Mbarrier>& {
                return function.mbarriers.barriers;
              }),
      member<&Function::hot>("hot", "null: the file has no PC samples of it"),
      member<&Function::lanes>("lanes"),
      member<&Function::expectations>("expectations"),
      member<&Function::rows>("listing", "with `proofline sass --listing`").if_there(),
      derived("edges", "from block, to block; with `proofline sass --listing`",
              [](const Function& function) { return edges_of(function); })
          .when([](const Function& function) { return !function.rows.empty(); }),
      member<&Function::source>("source", "with `proofline sass --source`").if_there(),
      member<&Function::triton>("triton", "null: it is from no cache of Triton's"),
  };
}

Record describe(const CodeReport* /*type*/) {
  return {
      about("code"),
      schema_version(),
      tool(),
      derived("sources",
              [](const CodeReport& report) {
                return std::vector<DiagnosisSource>{{report.path, report.format, report.producer}};
              }),
      member<&CodeReport::notes>("notes"),
      member<&CodeReport::functions>("functions"),
  };
}

ResultSchema code_record() {
  return {"sass", "What `proofline sass --format json` prints", {record_of<CodeReport>}};
}

}  // namespace proofline
