// SPDX-License-Identifier: Apache-2.0
//
// Machine code with nothing around it, as Compiler Explorer shows it and people paste it: functions
// by name, labels, and instructions, mostly without addresses. What every other listing has (a
// heading, a section) is missing, so that it is known by its instructions alone.
#include <algorithm>
#include <string>

#include "base/characters.h"
#include "base/text.h"
#include "readers/code/read_code.h"
#include "readers/code/sass_listing.h"
#include "readers/format.h"

namespace proofline {
namespace {

// Fewer lines could be anything.
constexpr std::size_t kFewestInstructions = 4;

// Without its guard and operands: "LDG.E.128".
std::string_view opcode_of(std::string_view line) {
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
    line = without_blanks(line);
  }
  return line.substr(0, line.find_first_of(" \t;"));
}

bool is_instruction(std::string_view line) {
  if (!parse_bare_instruction(line)) return false;
  const std::string_view opcode = opcode_of(line);
  return opcode.size() > 2 && std::all_of(opcode.begin(), opcode.end(), [](char c) {
           return is_upper(c) || is_digit(c) || c == '.' || c == '_' || c == 'x';
         });
}

// What no other assembly language has.
bool is_of_nvidia(std::string_view line) {
  constexpr std::string_view kSigns[] = {"c[0x", " SR_", " RZ", " URZ", "desc[UR", " PT,", "`(."};
  return std::any_of(std::begin(kSigns), std::end(kSigns), [line](std::string_view sign) {
    return line.find(sign) != std::string_view::npos;
  });
}

bool is_remark(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with('#');
}

// "square(int*, int):" and ".L_x_0:", but no "MOV R1, R2 ; x:".
bool is_label(std::string_view line) {
  return line.ends_with(':') && line.find(';') == std::string_view::npos;
}

// "/*0a30*/ LDG.E R4, [R2.64] ; /* 0x... */", or the second half of its encoding.
bool has_address(std::string_view line) { return line.starts_with("/*"); }

// Nothing marks where a function ends, but no code runs past its end. A call may come back.
bool may_end_here(const CodeFunction& function) {
  constexpr std::string_view kEnds[] = {"EXIT", "RET", "BRA",  "BRX", "JMP",
                                        "JMX",  "NOP", "KILL", "BPT", "RTT"};
  if (function.instructions.empty()) return true;
  const Instruction& last = function.instructions.back();
  const std::string_view text = function.text_of(last);
  const bool ends = std::any_of(std::begin(kEnds), std::end(kEnds),
                                [text](std::string_view end) { return text.starts_with(end); });
  return ends && last.guard.always();
}

class PlainPage {
 public:
  PlainPage(Input& input, Listing& listing, const FunctionSink& sink)
      : lines_(input, kMaxTextLine), sass_(lines_, listing, sink) {}

  Result<void> read() {
    std::string_view line;
    while (lines_.next(line)) take(trim(without_control_codes(line)));
    finish();
    return sass_.end();
  }

 private:
  void finish() {
    if (sass_.open()) sass_.finish(may_end_here(sass_.function()));
  }

  void take(std::string_view line) {
    if (line.starts_with(SourceRemarks::kStart) && sass_.open()) sass_.source_remark(line);
    if (is_remark(line)) return;
    if (has_address(line)) {
      take_with_address(line);
    } else if (is_label(line)) {
      line.remove_suffix(1);
      // "$kernel$callee" follows the kernel that calls it.
      if (line.starts_with('.') || (line.starts_with('$') && sass_.open())) {
        sass_.label(line);
      } else {
        finish();
        sass_.begin(line);
      }
    } else if (const auto instruction = parse_bare_instruction(line)) {
      sass_.instruction(trim(instruction->text));
    } else if (sass_.open()) {
      sass_.lose("line is neither an instruction nor a label and is left out");
    }
  }

  void take_with_address(std::string_view line) {
    if (const auto word = parse_encoding(line)) {
      sass_.encoding(*word);
    } else if (const auto instruction = parse_instruction_line(line)) {
      sass_.instruction(*instruction);
    } else if (sass_.open()) {
      sass_.lose("line is neither an instruction nor a label and is left out");
    }
  }

  TextLines lines_;
  SassListing sass_;
};

// Nothing but code, labels and remarks; a last line may be cut. Code with encodings but without
// labels is cuobjdump's, and what has sections is nvdisasm's.
bool sniff_sass_plain(std::string_view prefix) {
  std::size_t instructions = 0;
  std::size_t others = 0;
  bool of_nvidia = false;
  bool labels = false;
  bool encodings = false;
  const bool foreign = has_line(prefix, [&](std::string_view line) {
    line = trim(without_control_codes(line));
    labels = labels || is_code_label(line);
    if (has_address(line)) {
      const auto instruction = parse_instruction_line(line);
      encodings = encodings || (instruction && parse_encoding(instruction->rest));
      instructions += instruction ? 1 : 0;
      of_nvidia = of_nvidia || (instruction && is_of_nvidia(line));
    } else if (is_instruction(line)) {
      ++instructions;
      of_nvidia = of_nvidia || is_of_nvidia(line);
    } else if (!is_remark(line) && !is_label(line)) {
      ++others;
    }
    return others > instructions + kFewestInstructions || line.starts_with(".section") ||
           line.starts_with("Function : ") || line.starts_with("//-----");
  });
  return !foreign && of_nvidia && instructions >= kFewestInstructions &&
         others * kFewestInstructions <= instructions && (labels || !encodings);
}

Result<void> read_sass_plain(Input& input, Listing& listing, const FunctionSink& sink) {
  return PlainPage(input, listing, sink).read();
}

}  // namespace

Format sass_plain() {
  return {.name = "sass-plain",
          .what = "machine code without addresses",
          .summary = "instructions and labels alone, as Compiler Explorer shows them",
          .sniff = sniff_sass_plain,
          .read_code = read_sass_plain};
}

}  // namespace proofline
