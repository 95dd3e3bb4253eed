// SPDX-License-Identifier: Apache-2.0
//
// What nvdisasm prints, whole files as well as code alone (-c), with lines (-g, -gi), encodings
// (-hex) or life ranges (-plr); and what others make of it: CUDA.jl without addresses and with
// lines of its own ("; Location"), CuAssembler (.cuasm) with control codes, indented labels and the
// ELF file's header before it all. Targets are labels.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"
#include "readers/code/nvdisasm_info.h"
#include "readers/code/read_code.h"
#include "readers/code/sass_listing.h"
#include "readers/format.h"

namespace proofline {
namespace {

constexpr std::string_view kCode = ".text.";
constexpr std::string_view kLocation = "; Location ";

// The name in "//--------------------- .text.k --------------------------", also with a space
// after the slashes; "" for other lines.
std::string_view section_of_rule(std::string_view line) {
  if (!line.starts_with("//-----") && !line.starts_with("// -----")) return {};
  line.remove_prefix(2);
  if (line.starts_with(' ')) line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of('-'), line.size()));
  if (!line.starts_with(' ')) return {};
  line.remove_prefix(1);
  const std::size_t end = line.find(' ');
  return end != std::string_view::npos && line.ends_with('-') ? line.substr(0, end)
                                                              : std::string_view{};
}

// What follows the directive's name; nothing for other lines.
std::optional<std::string_view> operands_of(std::string_view line, std::string_view directive) {
  if (!line.starts_with(directive)) return {};
  line.remove_prefix(directive.size());
  if (!line.starts_with(' ') && !line.starts_with('\t')) return {};
  return without_blanks(line);
}

// The name in `.section .text.k,"ax",@progbits`; "" for other lines.
std::string_view section_of_directive(std::string_view line) {
  const auto name = operands_of(line, ".section");
  return name ? name->substr(0, name->find(',')) : std::string_view{};
}

std::optional<std::uint32_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// "  .L_x_0:"
bool is_bare_label(std::string_view line) {
  line = trim(line);
  return is_code_label(line) && line.find_first_of(" \t(") == std::string_view::npos;
}

class NvdisasmPage {
 public:
  NvdisasmPage(Input& input, Listing& listing, const FunctionSink& sink)
      : lines_(input, kMaxTextLine), sass_(lines_, listing, sink) {}

  Result<void> read() {
    std::string_view line;
    while (lines_.next(line)) take(line);
    sass_.finish(end_seen_);
    return sass_.end();
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) return;
    const bool indented = line[0] == ' ' || line[0] == '\t';
    if (!indented) {
      take_margin(line);
      return;
    }
    line = without_control_codes(line);
    if (is_bare_label(line)) {
      take_margin(trim(line));
    } else if (line.starts_with('.')) {
      take_directive(line);
    } else if (line.starts_with('/')) {
      sass_.open() ? take_code(line) : info_.take(line);
    } else if (const auto instruction = parse_bare_instruction(line); instruction && sass_.open()) {
      sass_.instruction(*instruction);
    }
  }

  void take_code(std::string_view line) {
    if (const auto word = parse_encoding(line)) {
      sass_.encoding(*word);
    } else if (const auto instruction = parse_instruction_line(line)) {
      sass_.instruction(*instruction);
    } else if (line.starts_with(SourceRemarks::kStart)) {
      sass_.source_remark(line);
    }
  }

  // A section's rule, or a label.
  void take_margin(std::string_view line) {
    if (line.starts_with('/')) {
      if (const auto section = section_of_rule(line); !section.empty()) begin_section(section);
      return;
    }
    if (line.starts_with(kLocation)) {
      if (sass_.open()) take_location(line.substr(kLocation.size()));
      return;
    }
    const std::size_t colon = line.find(':');
    if (!sass_.open() || colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon);
    sass_.label(name);
    end_seen_ = end_seen_ || (!end_label_.empty() && name == end_label_);
  }

  // "./int.jl:487"
  void take_location(std::string_view place) {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return;
    sass_.source_remark(fmt::format("{}\"{}\", line {}", SourceRemarks::kStart,
                                    place.substr(0, colon), place.substr(colon + 1)));
  }

  void begin_section(std::string_view name) {
    // Without .size the next section alone tells that the code before it ended.
    sass_.finish(end_label_.empty() || end_seen_);
    end_label_.clear();
    end_seen_ = false;
    info_.begin_section(name);
    if (!name.starts_with(kCode)) return;
    sass_.begin(name.substr(kCode.size()));
    sass_.function().resources = info_.resources(sass_.function().name);
  }

  void take_directive(std::string_view line) {
    if (const auto section = section_of_directive(line); !section.empty()) {
      const bool ruled = sass_.open() && section.starts_with(kCode) &&
                         section.substr(kCode.size()) == sass_.function().name;
      if (!ruled) begin_section(section);
    } else if (const auto flags = operands_of(line, ".__elf_flags")) {
      take_flags(*flags);
    } else if (!sass_.open()) {
      sass_.arch_directive(line);
    } else if (const auto type = operands_of(line, ".type")) {
      if (names_function(*type)) sass_.function().entry = false;  // until .other says so
    } else if (const auto other = operands_of(line, ".other")) {
      const bool entry = other->find("STO_CUDA_ENTRY") != std::string_view::npos;
      if (entry && names_function(*other)) sass_.function().entry = true;
    } else if (const auto size = operands_of(line, ".size")) {
      take_size(*size);
    } else if (const auto registers = number_after(line, "SHI_REGISTERS=")) {
      sass_.function().resources.registers = registers;
    } else if (const auto barriers = number_after(line, "SHF_BARRIERS=")) {
      sass_.function().resources.barriers = barriers;
    }
  }

  // CuAssembler's "0x4b054b   // Flags, SM_75(0x4b), COMPUTE_75(0x4b)".
  void take_flags(std::string_view flags) {
    if (const auto sm = number_after(flags, " SM_")) sass_.set_arch(fmt::format("sm_{}", *sm));
  }

  bool names_function(std::string_view operands) {
    return operands.substr(0, operands.find(',')) == sass_.function().name;
  }

  // "k,(.L_x_17 - k)": the code ends at that label. Functions after the kernel have their own, and
  // the last one's is the section's.
  void take_size(std::string_view operands) {
    const std::size_t open = operands.find(",(");
    const std::size_t minus = operands.find(" - ");
    if (open == std::string_view::npos || minus == std::string_view::npos || minus < open) return;
    end_label_ = operands.substr(open + 2, minus - open - 2);
    end_seen_ = false;
  }

  TextLines lines_;
  SassListing sass_;
  NvdisasmInfo info_;
  std::string end_label_;  // of the last function in the section
  bool end_seen_ = false;
};

bool sniff_nvdisasm_text(std::string_view prefix) {
  std::string_view ruled;
  return has_line(prefix, [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    // The names of a cubin's sections may fill all that is looked at.
    const auto machine = operands_of(without_blanks(line), ".__elf_machine");
    if (machine && machine->starts_with("EM_CUDA")) return true;
    const std::string_view section = section_of_directive(without_blanks(line));
    const bool known = !section.empty() && (section == ruled || section.starts_with(kCode));
    if (const auto rule = section_of_rule(line); !rule.empty()) ruled = rule;
    return known || ruled.starts_with(kCode);
  });
}

Result<void> read_nvdisasm_text(Input& input, Listing& listing, const FunctionSink& sink) {
  return NvdisasmPage(input, listing, sink).read();
}

}  // namespace

Format nvdisasm_text() {
  return {.name = "nvdisasm-text",
          .what = "machine code that nvdisasm listed",
          .summary = "what nvdisasm prints, with or without lines and encodings",
          .sniff = sniff_nvdisasm_text,
          .read_code = read_nvdisasm_text};
}

}  // namespace proofline
