// SPDX-License-Identifier: Apache-2.0
//
// What the readers of disassembly text share: the lines of an input, and a function under
// construction that finds out by itself what is missing from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "model/code/listing.h"
#include "readers/code/read_code.h"
#include "readers/code/sass_text.h"

namespace proofline {

// The lines of an input, without their ends. Memory is bounded by the longest line.
class TextLines {
 public:
  TextLines(Input& input, std::size_t max_line) : input_(input), max_line_(max_line) {}

  // The next line; the view holds until the next call. False at the end or on an error.
  bool next(std::string_view& line);
  std::uint64_t number() const { return number_; }  // of the last line given, from 1
  const Input& input() const { return input_; }
  // Whether the input was read to its end.
  const Result<void>& status() const { return status_; }

 private:
  bool refill();

  Input& input_;
  std::size_t max_line_;
  std::string_view piece_;  // whole lines
  std::uint64_t number_ = 0;
  Result<void> status_;
};

inline constexpr std::size_t kMaxTextLine = 1U << 20U;

// The first line that `is_it` says yes to, from the front of a text.
template <class Predicate>
bool has_line(std::string_view text, Predicate is_it) {
  while (!text.empty()) {
    const std::size_t size = text.find('\n');
    if (is_it(text.substr(0, size))) return true;
    text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
  }
  return false;
}

// "/*0a30*/ @!P0 LDG.E R4, [R2.64] ; /* 0x... */"
struct InstructionLine {
  std::uint64_t address = 0;
  std::string_view text;  // without the ';'
  std::string_view rest;  // what follows the ';', without blanks before it
  bool whole = false;     // it has a ';'
};
// From the address on; nothing for lines of data (".byte") and all others.
std::optional<InstructionLine> parse_instruction_line(std::string_view line);

// "@!P0 LDG.E R4, [R2.64] ;" without an address: the text before the ';'. Absent for all other
// lines. A line that begins like an instruction but has no ';' is not whole.
struct BareInstruction {
  std::string_view text;
  bool whole = false;
};
std::optional<BareInstruction> parse_bare_instruction(std::string_view line);

// "square(int*, int):", "kernel:" and ".L_x_0:", as nvdisasm has them and cuobjdump never does; no
// prose that ends so.
bool is_code_label(std::string_view line);

// The line without CuAssembler's control codes, "[B------:R-:W0:-:S01]", and the blanks around
// them.
std::string_view without_control_codes(std::string_view line);

// "sm_90a" at the front of the text; "" for anything else.
std::string_view arch_at(std::string_view text);

// The remarks of nvdisasm -g and -gi, which hold for the instructions that follow them:
//   //## File "inner.cuh", line 21 inlined at "kernel.cu", line 42
//   //## File "kernel.cu", line 42
class SourceRemarks {
 public:
  static constexpr std::string_view kStart = "//## File ";

  void take(std::string_view remark, CodeFunction& function);
  // Of the next instruction; a position in the function's lines, or kNone.
  std::uint32_t line(CodeFunction& function) {
    if (!frames_.empty()) join_frames(function);
    return line_;
  }

 private:
  struct Frame {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    bool operator==(const Frame&) const = default;
  };
  std::optional<Frame> take_frame(std::string_view& text, CodeFunction& function);
  std::uint32_t file_id(std::string_view path, CodeFunction& function);
  void join_frames(CodeFunction& function);

  std::vector<Frame> frames_;    // since the last instruction, innermost first
  std::optional<Frame> caller_;  // that the last remark names
  std::uint32_t line_ = Instruction::kNone;
  std::uint32_t last_file_ = 0;
  std::unordered_map<std::string, std::uint32_t> file_ids_;
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> line_ids_;
};

// Collects one function after the other from the lines of a listing. What is missing or does not
// fit makes the function incomplete and is noted.
class SassListing {
 public:
  enum class Order : std::uint8_t { kAscending, kAny };

  SassListing(const TextLines& lines, Listing& listing, const FunctionSink& sink,
              Order order = Order::kAscending)
      : lines_(lines), listing_(listing), sink_(sink), order_(order), text_(listing.opcodes) {}

  // Of the functions that follow, and of the open one as long as it is empty.
  void set_arch(std::string_view arch);
  // ".target sm_90a", or ".headerflags" with EF_CUDA_SM90, which need not tell sm_90 from sm_90a.
  void arch_directive(std::string_view line);
  void set_container(std::string name) { container_ = std::move(name); }

  void begin(std::string_view name);
  bool open() const { return open_; }
  CodeFunction& function() { return draft_.function; }

  void instruction(const InstructionLine& line);
  // Where a listing has no addresses: at the next one.
  void instruction(std::string_view text);
  void instruction(const BareInstruction& line);
  // The low word, then the high word of the last instruction.
  void encoding(std::uint64_t word);
  // Of the next instruction.
  void label(std::string_view name);
  void source_remark(std::string_view remark) { draft_.remarks.take(remark, draft_.function); }
  // Part of the open function is lost.
  void lose(std::string_view what);
  // Of no function in particular.
  void note_loss(std::string_view what);
  // Gives the open function to the sink, if there is one.
  void finish(bool complete);

  // To be called after the last line.
  Result<void> end();

 private:
  struct Label {
    std::uint32_t first_char = 0;  // in Draft::label_text
    std::uint32_t size = 0;
    std::uint32_t address = 0;
  };
  struct Draft {
    CodeFunction function;
    bool refused = false;
    bool damaged = false;
    bool encodings_lost = false;
    std::uint8_t words = 2;  // of the last instruction's encoding that were read
    std::uint64_t base = 0;  // of addresses that begin beyond 32 bits
    std::uint32_t next_address = 0;
    std::string label_text;
    std::vector<Label> labels;
    std::size_t placed_labels = 0;  // the others wait for the next instruction
    std::vector<LabelUse> uses;
    SourceRemarks remarks;
  };

  bool accept_first(std::uint64_t address);
  bool accept(std::uint64_t address);
  bool add(std::uint64_t address, std::string_view text);
  void move_target();
  void refuse(std::string what);
  void place_labels(std::uint32_t address);
  void resolve_labels();
  void resolve(const LabelUse& use, std::uint32_t address);
  void sort_by_address();
  void check_encodings();

  const TextLines& lines_;
  Listing& listing_;
  const FunctionSink& sink_;
  Order order_;
  SassText text_;
  std::string arch_;
  std::string container_;
  std::uint64_t functions_ = 0;
  std::string refusal_;  // the last one
  bool open_ = false;
  Draft draft_;
};

}  // namespace proofline
