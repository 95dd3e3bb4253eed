// SPDX-License-Identifier: Apache-2.0
//
// Builds cubins, and host files with fatbins, in memory, so that a test shows its input as text and
// can break any part of it.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline::test_support {

inline std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>((number >> (8 * i)) & 0xffU));
  }
  return text;
}

inline std::string uleb(std::uint64_t number) {
  std::string bytes;
  do {
    bytes.push_back(static_cast<char>((number & 0x7fU) | (number > 0x7fU ? 0x80U : 0U)));
    number >>= 7U;
  } while (number != 0);
  return bytes;
}

inline std::string sleb(std::int64_t number) {
  std::string bytes;
  bool more = true;
  while (more) {
    const auto digit = static_cast<unsigned>(number & 0x7f);
    number >>= 7;
    more = !((number == 0 && (digit & 0x40U) == 0) || (number == -1 && (digit & 0x40U) != 0));
    bytes.push_back(static_cast<char>(digit | (more ? 0x80U : 0U)));
  }
  return bytes;
}

// The program of a line table. Each function begins with at(), ends with end().
class LineProgram {
 public:
  // Sets the address; `function` is what the relocation there names.
  LineProgram& at(std::string_view function, std::uint64_t address = 0) {
    relocations_.emplace_back(bytes_.size() + 3, function);
    return extended(2, little_endian(address, 8));
  }
  LineProgram& file(std::uint64_t number) { return operation(4, uleb(number)); }
  // NVIDIA's operation: the code that follows was inlined at that row of the function.
  LineProgram& inlined_at_row(std::uint64_t row) { return extended(0x90, uleb(row) + uleb(0)); }
  LineProgram& advance(std::uint64_t bytes) { return operation(2, uleb(bytes)); }
  // A row for that line at the current address.
  LineProgram& line(std::int64_t number) {
    operation(3, sleb(number - line_));
    line_ = number;
    return operation(1, "");
  }
  LineProgram& end(std::uint64_t bytes_on) {
    advance(bytes_on);
    line_ = 1;
    return extended(1, "");
  }
  LineProgram& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  const std::vector<std::pair<std::size_t, std::string>>& relocations() const {
    return relocations_;
  }

 private:
  LineProgram& operation(unsigned opcode, const std::string& operand) {
    bytes_ += static_cast<char>(opcode) + operand;
    return *this;
  }
  LineProgram& extended(unsigned opcode, const std::string& operand) {
    bytes_ += std::string(1, '\0') + uleb(operand.size() + 1);
    return operation(opcode, operand);
  }

  std::string bytes_;
  std::vector<std::pair<std::size_t, std::string>> relocations_;
  std::int64_t line_ = 1;
};

// What is before the program in a table of DWARF 2, with its size.
inline std::string line_header(const std::vector<std::string>& folders,
                               const std::vector<std::pair<std::string, int>>& files) {
  // One byte an instruction, rows begin statements, line base -5, range 14, 9 standard operations.
  std::string header("\x01\x01\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1", 14);
  for (const std::string& folder : folders) header += folder + '\0';
  header += '\0';
  for (const auto& [name, folder] : files) {
    header += name + '\0' + uleb(static_cast<std::uint64_t>(folder)) + uleb(0) + uleb(0);
  }
  return header + '\0';
}

struct LineUnit {
  std::string bytes;
  std::vector<std::pair<std::size_t, std::string>> relocations;
};

inline LineUnit line_unit(const std::string& header, const LineProgram& program,
                          std::uint16_t version = 2) {
  std::string body = little_endian(version, 2);
  if (version >= 5) body += little_endian(8, 1) + little_endian(0, 1);
  body += little_endian(header.size(), 4) + header;
  const std::size_t start = 4 + body.size();
  body += program.bytes();
  LineUnit unit{little_endian(body.size(), 4) + body, program.relocations()};
  for (auto& [place, function] : unit.relocations) place += start;
  return unit;
}

class CubinBuilder {
 public:
  // A kernel of that many bytes; `loaded_at` as cubins in old reports have it.
  CubinBuilder& function(const std::string& name, std::uint64_t size, std::uint64_t loaded_at = 0) {
    return kernel(name, std::string(size, '\x5a'), loaded_at);
  }
  CubinBuilder& kernel(const std::string& name, const std::string& code,
                       std::uint64_t loaded_at = 0) {
    functions_.push_back({name, code});
    symbols_.push_back({name, functions_.size() - 1, loaded_at, kEntry});
    return *this;
  }
  // A function that kernels call, in a section of its own.
  CubinBuilder& callee(const std::string& name, const std::string& code) {
    kernel(name, code);
    symbols_.back().other = 0;
    return *this;
  }
  // A symbol inside the section of the last function.
  CubinBuilder& inner(const std::string& name, std::uint64_t value) {
    symbols_.push_back({name, functions_.size() - 1, value, 0});
    return *this;
  }
  CubinBuilder& lines(const LineUnit& unit) {
    const std::size_t start = table_.size();
    table_ += unit.bytes;
    for (const auto& [place, name] : unit.relocations)
      relocations_.emplace_back(start + place, name);
    return *this;
  }
  CubinBuilder& section(const std::string& name, const std::string& bytes) {
    others_.emplace_back(name, bytes);
    return *this;
  }
  // A section that takes so many bytes of memory and none of the file.
  CubinBuilder& reserve(const std::string& name, std::uint64_t size) {
    reserved_.emplace_back(name, size);
    return *this;
  }
  // As CUDA 13 writes it: "sm_90" is 90.
  CubinBuilder& sm(std::uint32_t number) {
    header_.e_ident[EI_ABIVERSION] = 8;
    header_.e_flags = number << 8U;
    return *this;
  }
  CubinBuilder& before_cuda_13(std::uint32_t flags) {
    header_.e_ident[EI_ABIVERSION] = 7;
    header_.e_flags = flags;
    return *this;
  }
  CubinBuilder& file(std::uint16_t type, std::uint16_t machine) {
    header_.e_type = type;
    header_.e_machine = machine;
    return *this;
  }
  CubinBuilder& without_addends() {
    with_addends_ = false;
    return *this;
  }

  std::string build() const;

  // Where in the built file a field of the header, or of the section of that name, stands.
  static std::size_t header_of(const std::string& cubin, std::string_view section);

 private:
  static constexpr std::uint8_t kEntry = 0x10;
  struct Function {
    std::string name;
    std::string code;
  };
  struct Symbol {
    std::string name;
    std::size_t function;
    std::uint64_t value;
    std::uint8_t other;
  };
  static Elf64_Ehdr cubin_header() {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_CUDA;
    header.e_shentsize = sizeof(Elf64_Shdr);
    return header;
  }

  Elf64_Ehdr header_ = cubin_header();
  std::vector<Function> functions_;
  std::vector<Symbol> symbols_;
  std::vector<std::pair<std::string, std::string>> others_;
  std::vector<std::pair<std::string, std::uint64_t>> reserved_;
  std::string table_;
  std::vector<std::pair<std::size_t, std::string>> relocations_;
  bool with_addends_ = true;
};

inline std::string CubinBuilder::build() const {
  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> sections(1, Elf64_Shdr{});
  const auto add = [&](const std::string& name, std::uint32_t type, const std::string& bytes,
                       std::uint32_t link, std::uint32_t info) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<std::uint32_t>(names.size());
    section.sh_type = type;
    section.sh_offset = file.size();
    section.sh_size = bytes.size();
    section.sh_link = link;
    section.sh_info = info;
    names += name + '\0';
    file += bytes;
    sections.push_back(section);
    return static_cast<std::uint32_t>(sections.size() - 1);
  };

  std::vector<std::uint32_t> texts;
  for (const Function& function : functions_) {
    texts.push_back(add(".text." + function.name, SHT_PROGBITS, function.code, 0, 0));
  }
  std::string symbols(sizeof(Elf64_Sym), '\0');
  std::string symbol_names(1, '\0');
  for (const Symbol& named : symbols_) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<std::uint32_t>(symbol_names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_other = named.other;
    symbol.st_shndx = static_cast<std::uint16_t>(texts[named.function]);
    symbol.st_value = named.value;
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof(symbol));
    symbol_names += named.name + '\0';
  }
  const std::uint32_t strings = add(".strtab", SHT_STRTAB, symbol_names, 0, 0);
  const std::uint32_t symbol_table = add(".symtab", SHT_SYMTAB, symbols, strings, 0);
  if (!table_.empty()) {
    const std::uint32_t lines = add(".debug_line", SHT_PROGBITS, table_, 0, 0);
    std::string relocations;
    for (const auto& [place, name] : relocations_) {
      std::uint64_t symbol = 0;
      for (std::size_t i = 0; i < symbols_.size(); ++i) {
        if (symbols_[i].name == name) symbol = i + 1;
      }
      relocations += little_endian(place, 8) + little_endian(symbol << 32U | 2U, 8);
      if (with_addends_) relocations += little_endian(0, 8);
    }
    add(with_addends_ ? ".rela.debug_line" : ".rel.debug_line", with_addends_ ? SHT_RELA : SHT_REL,
        relocations, symbol_table, lines);
  }
  for (const auto& [name, bytes] : others_) add(name, SHT_PROGBITS, bytes, 0, 0);
  for (const auto& [name, size] : reserved_) {
    sections[add(name, SHT_NOBITS, "", 0, 0)].sh_size = size;
  }
  const std::uint32_t section_names = static_cast<std::uint32_t>(sections.size());
  names += ".shstrtab";
  Elf64_Shdr name_section{};
  name_section.sh_type = SHT_STRTAB;
  name_section.sh_name = static_cast<std::uint32_t>(names.size() - 9);
  name_section.sh_offset = file.size();
  names += '\0';
  name_section.sh_size = names.size();
  file += names;
  sections.push_back(name_section);

  Elf64_Ehdr header = header_;
  header.e_shoff = file.size();
  header.e_shnum = static_cast<std::uint16_t>(sections.size());
  header.e_shstrndx = static_cast<std::uint16_t>(section_names);
  std::memcpy(file.data(), &header, sizeof(header));
  file.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return file;
}

inline std::size_t CubinBuilder::header_of(const std::string& cubin, std::string_view section) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof(header));
  const auto at = [&](std::size_t i) {
    Elf64_Shdr read;
    std::memcpy(&read, cubin.data() + header.e_shoff + i * sizeof(read), sizeof(read));
    return read;
  };
  const Elf64_Shdr names = at(header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    if (cubin.c_str() + names.sh_offset + at(i).sh_name == section) {
      return header.e_shoff + i * sizeof(Elf64_Shdr);
    }
  }
  return 0;
}

}  // namespace proofline::test_support
