// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA adds to ELF, read off cubins of ptxas 10 to 13.2.
#include "readers/code/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <utility>

#include "base/byte_cursor.h"
#include "base/characters.h"
#include "base/propagate.h"

namespace proofline {
namespace {

constexpr std::string_view kText = ".text.";
constexpr std::string_view kToolNote = ".note.nv.tkinfo";

// The file's flags. Before CUDA 13: u8 sm, u8 options, u8 virtual sm; since then: u8 options, u8
// sm.
constexpr std::uint32_t kSmMask = 0xff;
constexpr std::uint32_t kOldArchSpecific = 0x800;  // sm_90a
constexpr unsigned kNewSmShift = 8;

// "sm_90a" in "... -arch sm_90a -m 64".
std::string_view arch_option(std::string_view options) {
  constexpr std::string_view kOption = "-arch ";
  const std::size_t at = options.find(kOption);
  if (at == std::string_view::npos) return {};
  options.remove_prefix(at + kOption.size());
  return options.substr(0, options.find(' '));
}

}  // namespace

Cubin::Cubin(ElfFile file) : ElfFile(std::move(file)) {}

Result<Cubin> Cubin::open(std::string_view bytes) {
  auto file = ElfFile::open(bytes);
  RETURN_IF_ERROR(file);
  if (file->machine() != EM_CUDA) {
    return fail(ErrorKind::kInput,
                fmt::format("an ELF file for machine {}, not for a GPU", file->machine()));
  }
  return Cubin(std::move(*file));
}

std::uint32_t Cubin::sm() const {
  return (before_cuda_13() ? flags() : flags() >> kNewSmShift) & kSmMask;
}

std::string Cubin::arch() const {
  std::string arch = fmt::format("sm_{}", sm());
  if (before_cuda_13()) return (flags() & kOldArchSpecific) != 0 ? arch + 'a' : arch;
  // The suffix is only in the compiler's options.
  const std::string_view option = arch_option(tool_note().options);
  if (option == arch + 'a' || option == arch + 'f') arch = option;
  return arch;
}

std::string Cubin::producer() const {
  const ToolNote note = tool_note();
  if (note.tool.empty() || note.version.empty()) return std::string(note.tool);
  return fmt::format("{}, {}", note.tool, note.version);
}

// "-no-bb-merge  -ret-end  -g  -arch sm_90a -m 64 " of nvcc -G, "-O 0 -arch ..." of -Xptxas -O0.
std::optional<bool> Cubin::optimised() const {
  std::string_view options = tool_note().options;
  if (options.empty()) return std::nullopt;
  std::string_view last;
  while (!options.empty()) {
    const std::string_view option = take_until(' ', options);
    if (option.empty()) continue;
    if (option == "-g" || option == "-O0" || option == "-O1") return false;
    if (last == "-O" && (option == "0" || option == "1")) return false;
    last = option;
  }
  return true;
}

Cubin::ToolNote Cubin::tool_note() const {
  const auto found = find(kToolNote);
  if (!found) return {};
  ByteCursor note(sections()[*found].bytes);
  const std::uint32_t name_bytes = note.u32();
  const std::uint32_t content_bytes = note.u32();
  note.u32();  // type
  note.take((std::uint64_t{name_bytes} + 3) / 4 * 4);
  ByteCursor content(note.take(content_bytes));
  content.take(4 + 4);  // version, name of the object
  const std::uint32_t tool = content.u32();
  const std::uint32_t version = content.u32();
  content.u32();  // build
  const std::uint32_t options = content.u32();
  const std::string_view strings = content.take(content.left());
  const auto text = [&](std::uint32_t offset) {
    return offset < strings.size() ? ByteCursor(strings.substr(offset)).text() : std::string_view{};
  };
  return {text(tool), text(version), text(options)};
}

bool is_cubin(std::string_view prefix) {
  return ElfFile::knows(prefix) && ElfFile::machine_of(prefix) == EM_CUDA;
}

std::string_view function_of_section(std::string_view section) {
  return section.starts_with(kText) ? section.substr(kText.size()) : std::string_view{};
}

}  // namespace proofline
