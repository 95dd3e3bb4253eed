// SPDX-License-Identifier: Apache-2.0
//
// All that is said of a function's machine code: what it is made of, its loops, registers, local
// memory, warp roles and staging, and, with a report's PC samples, where its warps wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sass/awaited_instructions.h"
#include "analysis/sass/code_stats.h"
#include "analysis/sass/expectations.h"
#include "analysis/sass/flow.h"
#include "analysis/sass/liveness.h"
#include "analysis/sass/local_accesses.h"
#include "analysis/sass/lost_lanes.h"
#include "analysis/sass/mbarriers.h"
#include "analysis/sass/operands.h"
#include "analysis/sass/roles.h"
#include "analysis/sass/samples.h"
#include "analysis/sass/staging.h"
#include "analysis/sass/trips.h"
#include "model/code/listing.h"
#include "model/code/triton_kernel.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

// A loop has the same number here as in Flow::loops.
struct LoopReport {
  std::uint32_t address = 0;            // of its header
  std::optional<std::uint32_t> parent;  // the loop around it
  std::uint32_t depth = 1;
  bool hot = false;      // the one that FunctionReport::hot_loop names
  bool polling = false;  // it does nothing but wait
  TripHint trips;
  std::optional<double> samples;  // share of the launch's
  CodeStats stats;
};

// What the choice of the hot loop rests on. Unknown: no loop that works was found, in code that was
// not wholly read.
enum class HotLoopBy : std::uint8_t { kNone, kStructure, kExecutions, kSamples, kUnknown };

std::string_view to_string(HotLoopBy by);

// One instruction at which warps wait.
struct HotRow {
  std::uint32_t address = 0;
  std::string text;
  std::string line;           // source; "" unknown
  std::uint64_t stalled = 0;  // samples
  double share = 0;           // of all samples of the launch
  std::string reason;
  std::optional<std::uint64_t> executed;
  std::string wait;                       // the first of `waits` in words, or why it is not known
  std::vector<AwaitedInstruction> waits;  // the most likely first
};

struct HotReport {
  std::size_t launch = 0;  // whose samples these are: the one with the most
  std::uint64_t samples = 0;
  std::vector<HotRow> rows;
  std::vector<double> blocks;               // share of each block
  std::vector<std::uint64_t> instructions;  // samples of each instruction
};

// A source line at which lanes do nothing.
struct LaneLine {
  std::string line;  // "attention.cu:88"; "" unknown
  LaneCounts lanes;
};

// An instruction at which lanes do nothing.
struct LaneInstruction : LaneLine {
  std::uint32_t address = 0;
  std::string text;
};

struct LaneReport {
  std::size_t launch = 0;
  LaneCounts function;
  std::vector<LaneInstruction> instructions;  // most lost first
  std::vector<LaneLine> lines;                // likewise
};

// One instruction with what was measured of it.
struct MeasuredInstruction {
  std::uint32_t address = 0;
  std::string text;
  std::optional<std::uint32_t> live;  // general registers; absent: the code was not wholly read
  RowSamples samples;
  LaneCounts lanes;  // executed is 0: not counted
};

// One instruction of a listing.
struct InstructionRow : MeasuredInstruction {
  std::string_view opcode;  // a name in CodeReport::opcodes
  std::string line;         // source; "" unknown
  std::uint32_t block = 0;
  std::optional<Control> control;
  bool sampled = false;  // the function has PC samples
  std::optional<std::uint64_t> threads_executed;
};

// One source line with what it became.
struct SourceLine {
  std::uint32_t file = 0;  // in SourceReport::files
  std::uint32_t line = 0;
  std::optional<std::string> text;  // absent: the file is not at hand
  std::vector<MeasuredInstruction> instructions;
  // Of all of them together.
  RowSamples samples;
  LaneCounts lanes;
  std::optional<std::uint32_t> live;  // the most
  bool hot = false;                   // in the hot loop
  bool tensor = false;
};

struct SourceReport {
  struct File {
    std::string path;   // as the code names it
    std::string found;  // where its text comes from: "report", or a path; "" it is not at hand
  };
  std::vector<File> files;
  std::vector<SourceLine> lines;  // by file, then line
  // Instructions without a line, and the samples that fell on them.
  std::uint32_t unattributed = 0;
  std::uint64_t unattributed_samples = 0;
};

struct ExpectationReport {
  std::string pattern;
  bool forbidden = false;
  Expectation result;
  std::vector<std::uint32_t> addresses;  // that it rests on, the first few
};

struct FunctionReport {
  std::string name;   // mangled
  std::string shown;  // as people write it
  bool entry = true;
  bool complete = true;
  // Instructions whose unknown opcode, and those that the samples saw executed although
  // by our edges nothing leads to them.
  std::uint32_t unknown = 0;
  std::uint32_t executed_unreached = 0;
  std::string arch;
  std::string container;
  FunctionResources resources;
  DecodeLoss decoding;

  std::uint32_t instructions = 0;    // the padding after the code too
  CodeStats stats;                   // without it
  std::uint32_t blocks = 0;          // those that nothing leads to, and of the padding, too
  std::uint32_t reached_blocks = 0;  // without them
  std::uint32_t edges = 0;
  std::uint32_t dangling = 0;
  std::uint32_t indirect_unknown = 0;
  std::uint32_t irreducible = 0;

  std::vector<LoopReport> loops;        // outer before inner
  std::optional<std::size_t> hot_loop;  // in loops
  HotLoopBy hot_loop_by = HotLoopBy::kNone;

  std::uint32_t live_registers = 0;  // the most at one instruction
  std::uint32_t live_at = 0;         // its address

  LocalAccesses local;
  std::vector<Staging> staging;
  Roles roles;
  Mbarriers mbarriers;

  ExecutionCounts executed;  // in the launch that was measured; empty: nothing was counted
  std::optional<HotReport> hot;
  std::optional<LaneReport> lanes;   // where the report has counted them
  std::vector<InstructionRow> rows;  // where a listing was asked for
  std::vector<std::pair<std::uint32_t, std::uint32_t>> block_ranges;  // first row, count: likewise
  std::vector<FlowEdge> block_edges;                                  // likewise
  std::optional<SourceReport> source;                                 // where it was asked for
  std::vector<ExpectationReport> expectations;
  std::optional<TritonKernel> triton;  // what Triton's cache says of it

  // Whether every instruction was read and named: only then may anything be called absent.
  bool wholly_read() const { return complete && instructions > 0 && unknown == 0; }
};

struct CodeReport {
  std::string path;
  std::string format;
  std::string producer;
  OpcodeNames opcodes;
  std::vector<FunctionReport> functions;
  std::vector<Note> notes;
};
Record describe(const CodeReport*);

// A function, completed, with its flow: what reports, pictures and expectations are made of.
struct AnalysedFunction {
  CodeFunction code;
  Flow flow;
  PatternScope scope;
};

// What a report has besides what is said of every function.
struct ReportParts {
  bool listing = false;  // a row for each instruction
  bool source = false;   // source lines with their instructions
};

class CodeAnalyst {
 public:
  // The names must outlive it.
  CodeAnalyst(OpcodeNames& opcodes, const ReportParts& parts)
      : opcodes_(opcodes), completer_(opcodes), traits_(opcodes), parts_(parts) {}

  // The profile's launches of that function tell where its warps wait; null: there is none. The
  // samples are those of one launch: `measured`, or, where it is null, the one with the most.
  FunctionReport analyse(CodeFunction&& function, const Profile* profile,
                         AnalysedFunction& analysed, const Launch* measured = nullptr);

 private:
  void add_structure(AnalysedFunction& analysed, const Profile* profile, FunctionReport& report);
  void add_loops(const AnalysedFunction& analysed, FunctionReport& report);
  // A row for each instruction, with its samples where there are any.
  std::vector<InstructionRow> rows_of(const AnalysedFunction& analysed, const Liveness& liveness,
                                      const CodeSamples& samples, bool wholly_read);
  void add_listing(const AnalysedFunction& analysed, std::vector<InstructionRow> rows,
                   FunctionReport& report);
  void add_samples(const AnalysedFunction& analysed, std::size_t launch, const CodeSamples& samples,
                   FunctionReport& report);
  void add_lanes(const CodeFunction& code, const CodeSamples& samples, std::size_t launch,
                 FunctionReport& report);
  void choose_hot_loop(const Flow& flow, const CodeSamples& samples, FunctionReport& report);

  OpcodeNames& opcodes_;
  CodeCompleter completer_;
  OpcodeTraits traits_;
  ReportParts parts_;
};

}  // namespace proofline
