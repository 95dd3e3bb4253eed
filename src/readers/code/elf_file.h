// SPDX-License-Identifier: Apache-2.0
//
// The sections and symbols of an ELF file of 64 bits: a cubin, or the host's program that carries
// some. It comes from a stranger, so every offset in it is checked, nothing is decompressed, and
// what cannot be right is an error with the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

// A view of bytes that must outlive it.
class ElfFile {
 public:
  // Names and sections may share bytes, but those that use them more often than this only serve to
  // make a small file cost much.
  static constexpr std::uint64_t kMaxReuse = 4;

  struct Section {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    bool compressed = false;
    std::string_view bytes;  // empty for a section without contents
    std::uint64_t size = 0;  // also of a section without contents
    std::uint32_t link = 0;
    std::uint32_t info = 0;
  };
  struct Symbol {
    std::uint32_t name = 0;  // offset into the string table
    bool is_function = false;
    std::uint8_t other = 0;   // visibility, and bits of the machine's own
    std::size_t section = 0;  // 0: none
    std::uint64_t value = 0;
  };

  // A place in another section that a linker has yet to fill in.
  struct Relocation {
    std::uint64_t offset = 0;
    std::uint32_t symbol = 0;
    std::uint32_t type = 0;
    std::int64_t addend = 0;  // 0 where it is stored in place (SHT_REL)
  };

  static Result<ElfFile> open(std::string_view bytes);
  // Whether bytes begin as an ELF file does.
  static bool knows(std::string_view prefix);
  // The machine that such bytes are for; 0 where they are too few to tell.
  static std::uint16_t machine_of(std::string_view prefix);

  std::uint8_t abi_version() const { return abi_version_; }
  std::uint16_t type() const { return type_; }
  std::uint16_t machine() const { return machine_; }
  std::uint32_t flags() const { return flags_; }
  std::size_t size() const { return bytes_.size(); }
  const std::vector<Section>& sections() const { return sections_; }
  // The position of the first section of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  // The symbols of a section that holds some.
  std::size_t symbol_count(const Section& table) const;
  Symbol symbol(const Section& table, std::size_t index) const;
  // Takes time by its length, and symbols may share a long one: count what you ask for.
  std::string_view symbol_name(const Section& table, const Symbol& symbol) const;
  // Those of a section that holds some; they are places in the section `info`.
  static std::vector<Relocation> relocations(const Section& section);

 private:
  Result<void> read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t names);

  std::string_view bytes_;
  std::uint8_t abi_version_ = 0;
  std::uint16_t type_ = 0;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::vector<Section> sections_;
};

}  // namespace proofline
