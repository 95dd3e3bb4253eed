// SPDX-License-Identifier: Apache-2.0
//
// The sections and symbols of a cubin: the ELF file that holds a GPU's machine code. It comes from
// a stranger, so every offset in it is checked, nothing is decompressed, and what cannot be right
// is an error with the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

// A view of bytes that must outlive it.
class Cubin {
 public:
  struct Section {
    std::string_view name;
    std::uint32_t type = 0;
    bool compressed = false;
    std::string_view bytes;  // empty for a section without contents
    std::uint64_t size = 0;  // also of a section without contents
    std::uint32_t link = 0;
    std::uint32_t info = 0;
  };
  struct Symbol {
    bool is_function = false;
    std::size_t section = 0;  // 0: none
    std::uint64_t value = 0;
  };

  static Result<Cubin> open(std::string_view bytes);

  const std::vector<Section>& sections() const { return sections_; }
  // The position of the first section of that name.
  std::optional<std::size_t> find(std::string_view name) const;
  // The symbols of a section that holds some.
  std::size_t symbol_count(const Section& table) const;
  Symbol symbol(const Section& table, std::size_t index) const;

 private:
  Result<void> read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t names);

  std::string_view bytes_;
  std::vector<Section> sections_;
};

// The function whose code a section holds: ".text.<function>"; "" for other sections.
std::string_view function_of_section(std::string_view section);

}  // namespace proofline
