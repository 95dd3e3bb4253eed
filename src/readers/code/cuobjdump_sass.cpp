// SPDX-License-Identifier: Apache-2.0
//
// What `cuobjdump --dump-sass` prints: for each ELF of a file its architecture, and functions with
// raw offsets as targets. Pasted pieces without a header are one function without a name.
#include <fmt/format.h>

#include <string>

#include "readers/code/read_code.h"
#include "readers/code/sass_listing.h"
#include "readers/format.h"

namespace proofline {
namespace {

constexpr std::string_view kElfLine = "Fatbin elf code:";
constexpr std::string_view kFunction = "Function : ";
constexpr std::string_view kCodeFor = "code for ";
constexpr std::string_view kArch = "arch = ";

// A row of dots ends a function.
bool is_end(std::string_view line) {
  constexpr std::size_t kFewestDots = 8;
  return line.size() >= kFewestDots && line.find_first_not_of('.') == std::string_view::npos;
}

std::string_view arch_after(std::string_view line, std::string_view start) {
  return line.starts_with(start) ? arch_at(line.substr(start.size())) : std::string_view{};
}

class CuobjdumpPage {
 public:
  CuobjdumpPage(Input& input, Listing& listing, const FunctionSink& sink)
      : lines_(input, kMaxTextLine), sass_(lines_, listing, sink) {}

  Result<void> read() {
    std::string_view line;
    while (lines_.next(line)) take(without_blanks(line));
    return sass_.end();
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("/*")) {
      if (const auto word = parse_encoding(line)) {
        sass_.encoding(*word);
      } else if (const auto instruction = parse_instruction_line(line)) {
        sass_.instruction(*instruction);
      }
    } else if (line.starts_with('.')) {
      take_dots(line);
    } else {
      take_heading(line);
    }
  }

  void take_dots(std::string_view line) {
    if (is_end(line)) {
      sass_.finish(true);
    } else {
      sass_.arch_directive(line);
    }
  }

  void take_heading(std::string_view line) {
    if (line.starts_with(kFunction)) {
      sass_.begin(line.substr(kFunction.size()));
    } else if (line.starts_with(kElfLine)) {
      sass_.finish(false);
      sass_.set_arch("");
      sass_.set_container(fmt::format("elf {}", ++elves_));
    } else if (const auto arch = arch_after(line, kArch); !arch.empty()) {
      sass_.set_arch(arch);
    } else if (const auto code = arch_after(line, kCodeFor); !code.empty()) {
      sass_.set_arch(code);
    } else if (const auto bare = parse_bare_instruction(line);
               bare && bare->whole && sass_.open()) {
      sass_.instruction(bare->text);
    }
  }

  TextLines lines_;
  SassListing sass_;
  std::uint64_t elves_ = 0;
};

// Without a heading it takes code with encodings, unless it has nvdisasm's section separators or
// labels.
bool sniff_cuobjdump_sass(std::string_view prefix) {
  bool function = false;
  bool code = false;
  bool foreign = false;
  const bool heading = has_line(prefix, [&](std::string_view line) {
    foreign = foreign || line.starts_with("//-----") || is_code_label(line);
    line = without_blanks(line);
    function = function || line.starts_with(kFunction);
    const auto instruction = parse_instruction_line(line);
    code = code ||
           (instruction && instruction->whole && (function || parse_encoding(instruction->rest)));
    return line.starts_with(kElfLine) || !arch_after(line, kCodeFor).empty();
  });
  return heading || (code && !foreign);
}

Result<void> read_cuobjdump_sass(Input& input, Listing& listing, const FunctionSink& sink) {
  return CuobjdumpPage(input, listing, sink).read();
}

}  // namespace

Format cuobjdump_sass() {
  return {.name = "cuobjdump-sass",
          .what = "machine code that cuobjdump listed",
          .summary = "what cuobjdump --dump-sass prints, also pasted pieces of it",
          .sniff = sniff_cuobjdump_sass,
          .read_code = read_cuobjdump_sass};
}

}  // namespace proofline
