// SPDX-License-Identifier: Apache-2.0
//
// Two listings or binaries, function by function: the same code or not, and what changed. Functions
// are matched by name, symbol hashes aside; registers' names and addresses do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/code_diff.h"
#include "analysis/sass/code_report.h"
#include "diagnosis/comparison/match.h"
#include "model/diagnosis/diagnosis_source.h"

namespace proofline {

// One side: all functions with their code.
struct CodeSide {
  CodeReport report;
  std::vector<AnalysedFunction> functions;  // of each function of the report
};

enum class CodeAspect : std::uint8_t {
  kResources,  // what limits a launch: registers and their spills, memory, barriers, occupancy
  kHotLoop,
  kFunction,  // its instructions as a whole
};
std::string_view to_string(CodeAspect aspect);

// Something countable that differs: "registers" 128 -> 96.
struct CodeChange {
  CodeAspect aspect = CodeAspect::kFunction;
  std::string what;
  double a = 0;
  double b = 0;
  std::string unit;  // "B", "share"; "" a count
};

// One instruction that came, went or changed.
struct ChangedInstruction {
  struct Side {
    std::uint32_t address = 0;
    std::string text;               // where only bytes differ, these
    std::optional<double> samples;  // share of the launch's; absent: there are none
  };
  InstructionChange change = InstructionChange::kRemoved;
  std::optional<Side> a;
  std::optional<Side> b;

  double samples() const;  // the larger share
};

struct ChangedBlock {
  struct Side {
    std::uint32_t address = 0;
    std::optional<std::uint32_t> loop;  // address of the innermost one
    bool hot = false;                   // in the hot loop
    bool tensor = false;                // has tensor instructions
    std::uint32_t depth = 0;            // loops around it
    std::optional<double> samples;
  };
  std::optional<Side> a;  // absent: only in B
  std::optional<Side> b;
  std::vector<ChangedInstruction> instructions;  // in the order of the code

  bool hot() const { return (a && a->hot) || (b && b->hot); }
  double samples() const;
  std::size_t count(InstructionChange change) const;
};

struct FunctionComparison {
  std::size_t a = 0;  // in the reports
  std::size_t b = 0;
  std::string name_a;  // mangled
  std::string name_b;
  MatchKind match = MatchKind::kExact;
  CodeDiff diff;
  std::vector<CodeChange> changes;
  std::vector<ChangedBlock> blocks;  // what the diff is in words: the hottest first
  std::vector<std::string> unknown;  // what one side does not tell, so that nothing is said of it
};

struct CodeComparison {
  std::vector<FunctionComparison> pairs;  // those with changes first
  struct Alone {
    std::size_t function = 0;  // in its report
    std::string name;          // mangled
    std::string reason;
  };
  std::vector<Alone> only_in_a;
  std::vector<Alone> only_in_b;
};

Record describe(const CodeComparison*);

// Both sides with what was made of them.
struct ComparedCode {
  CodeSide a;
  CodeSide b;
  CodeComparison comparison;
};

// Whether the code is the same as far as it was compared.
bool is_same(Sameness sameness);

// Which functions belong together, by their names alone; `force` pairs where each side has one.
Matching match_functions(const CodeReport& a, const CodeReport& b, bool force);

// Whether all of the code is there, and the same to the last byte: nothing need be decoded to say
// so.
bool has_same_bytes(const CodeFunction& a, const CodeFunction& b);

// Functions of a pair with the same bytes need no more than those and what their cubin says of
// them; functions without a mate need only a name.
CodeComparison compare_code(const CodeSide& a, const CodeSide& b, const Matching& matching);
CodeComparison compare_code(const CodeSide& a, const CodeSide& b, bool force);

// The result of `compare` for two files of machine code.
struct CodeComparisonResult {
  std::vector<DiagnosisSource> sources;  // A, then B
  std::vector<Note> notes;
  const CodeComparison* comparison = nullptr;
};
CodeComparisonResult result_of(const CodeSide& a, const CodeSide& b,
                               const CodeComparison& comparison);
Record describe(const CodeComparisonResult*);

}  // namespace proofline
