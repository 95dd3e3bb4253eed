// SPDX-License-Identifier: Apache-2.0
//
// Reads ELF headers by hand: a library would have to be fenced in by the same checks, and would
// then have nothing left to do.
#include "readers/code/elf_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/byte_cursor.h"
#include "base/propagate.h"

namespace proofline {
namespace {

tl::unexpected<Error> bad(std::string what) { return fail(ErrorKind::kInput, std::move(what)); }

// The part of the file, or nothing where it does not have that part.
std::optional<std::string_view> part(std::string_view bytes, std::uint64_t offset,
                                     std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

// The text at an offset of a string table, cut at the table's end where its zero is missing.
std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

// Memory that the file has no bytes for. Cubins that are yet to be linked have types of their own
// for it: global variables without a value, and shared ones.
bool is_without_contents(std::uint32_t type, std::uint16_t machine) {
  constexpr std::uint32_t kCudaGlobal = SHT_LOPROC + 0x7;
  constexpr std::uint32_t kCudaShared = SHT_LOPROC + 0xa;
  if (type == SHT_NULL || type == SHT_NOBITS) return true;
  return machine == EM_CUDA && (type == kCudaGlobal || type == kCudaShared);
}

}  // namespace

bool ElfFile::knows(std::string_view prefix) { return prefix.substr(0, SELFMAG) == ELFMAG; }

std::uint16_t ElfFile::machine_of(std::string_view prefix) {
  ByteCursor header(prefix);
  header.take(EI_NIDENT + 2);
  return header.u16();
}

Result<ElfFile> ElfFile::open(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return bad(fmt::format("{} bytes are too few for an ELF file", bytes.size()));
  }
  if (!knows(bytes)) return bad("no ELF file");
  if (bytes[EI_CLASS] != ELFCLASS64) return bad("an ELF file, but not of 64 bits");
  if (bytes[EI_DATA] != ELFDATA2LSB) return bad("an ELF file, but not little-endian");
  ElfFile file;
  file.bytes_ = bytes;
  file.abi_version_ = static_cast<std::uint8_t>(bytes[EI_ABIVERSION]);
  ByteCursor header(bytes.substr(EI_NIDENT));
  file.type_ = header.u16();
  file.machine_ = header.u16();
  header.take(4 + 8);  // version, entry
  const std::uint64_t program_offset = header.u64();
  const std::uint64_t offset = header.u64();
  file.flags_ = header.u32();
  header.take(2);  // size of this header
  const std::uint64_t program_entry_size = header.u16();
  const std::uint64_t program_count = header.u16();
  // Nothing in them is needed, but where they are missing the file is cut.
  if (program_count > 0 && !part(bytes, program_offset, program_count * program_entry_size)) {
    return bad("its program headers reach past its end");
  }
  const std::uint16_t entry_size = header.u16();
  std::uint64_t count = header.u16();
  std::uint64_t names = header.u16();
  if (offset == 0) return bad("an ELF file without sections");
  const auto first = part(bytes, offset, sizeof(Elf64_Shdr));
  if (entry_size != sizeof(Elf64_Shdr) || !first) return bad("its section table is damaged");
  // Numbers that do not fit into the header are in the first section header.
  ByteCursor extension(*first);
  extension.take(4 + 4 + 8 + 8 + 8);
  const std::uint64_t extended_count = extension.u64();
  const std::uint32_t extended_names = extension.u32();
  if (count == 0) count = extended_count;
  if (names == SHN_XINDEX) names = extended_names;
  RETURN_IF_ERROR(file.read_sections(offset, count, names));
  return file;
}

Result<void> ElfFile::read_sections(std::uint64_t offset, std::uint64_t count,
                                    std::uint64_t names) {
  if (count > (bytes_.size() - offset) / sizeof(Elf64_Shdr)) {
    return bad("its section table reaches past its end");
  }
  if (names >= count) return bad("its section names are missing");
  ByteCursor headers(bytes_.substr(offset, count * sizeof(Elf64_Shdr)));
  std::vector<std::uint32_t> name_offsets;
  sections_.reserve(count);
  name_offsets.reserve(count);
  std::uint64_t content_bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Section& section = sections_.emplace_back();
    name_offsets.push_back(headers.u32());
    section.type = headers.u32();
    section.flags = headers.u64();
    section.compressed = (section.flags & SHF_COMPRESSED) != 0;
    headers.u64();  // address
    const std::uint64_t start = headers.u64();
    section.size = headers.u64();
    section.link = headers.u32();
    section.info = headers.u32();
    headers.take(8 + 8);  // alignment, entry size
    if (is_without_contents(section.type, machine_)) continue;
    const auto contents = part(bytes_, start, section.size);
    if (!contents) return bad(fmt::format("its section {} reaches past its end", i));
    section.bytes = *contents;
    content_bytes += contents->size();
    if (content_bytes > kMaxReuse * bytes_.size()) return bad("its sections overlap");
  }
  std::uint64_t name_bytes = 0;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    sections_[i].name = text_at(sections_[names].bytes, name_offsets[i]);
    name_bytes += sections_[i].name.size();
    if (name_bytes > kMaxReuse * bytes_.size()) return bad("its section names overlap");
  }
  return {};
}

std::optional<std::size_t> ElfFile::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const Section& section) { return section.name == name; });
  if (found == sections_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sections_.begin());
}

std::size_t ElfFile::symbol_count(const Section& table) const {
  return table.type == SHT_SYMTAB ? table.bytes.size() / sizeof(Elf64_Sym) : 0;
}

ElfFile::Symbol ElfFile::symbol(const Section& table, std::size_t index) const {
  Symbol symbol;
  if (index >= symbol_count(table)) return symbol;
  ByteCursor entry(table.bytes.substr(index * sizeof(Elf64_Sym), sizeof(Elf64_Sym)));
  symbol.name = entry.u32();
  symbol.is_function = ELF64_ST_TYPE(entry.u8()) == STT_FUNC;
  symbol.other = entry.u8();
  const std::uint16_t section = entry.u16();
  symbol.value = entry.u64();
  if (section < sections_.size() && section < SHN_LORESERVE) symbol.section = section;
  return symbol;
}

std::string_view ElfFile::symbol_name(const Section& table, const Symbol& symbol) const {
  return table.link < sections_.size() ? text_at(sections_[table.link].bytes, symbol.name) : "";
}

std::vector<ElfFile::Relocation> ElfFile::relocations(const Section& section) {
  std::vector<Relocation> relocations;
  const bool with_addend = section.type == SHT_RELA;
  if (!with_addend && section.type != SHT_REL) return relocations;
  const std::size_t size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  ByteCursor entries(section.bytes);
  while (entries.left() >= size) {
    Relocation& one = relocations.emplace_back();
    one.offset = entries.u64();
    const std::uint64_t info = entries.u64();
    one.symbol = static_cast<std::uint32_t>(ELF64_R_SYM(info));
    one.type = static_cast<std::uint32_t>(ELF64_R_TYPE(info));
    if (with_addend) one.addend = static_cast<std::int64_t>(entries.u64());
  }
  return relocations;
}

}  // namespace proofline
