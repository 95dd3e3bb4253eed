// SPDX-License-Identifier: Apache-2.0
//
// A line table is a program that, run to its end, has written all rows. DWARF 2 to 5 define it
// (section 6.2 of the standard); NVIDIA adds two operations for inlined calls. Each function's
// stretch of rows begins with its address, which is zero until a relocation fills it in: that
// relocation tells which function it is.
#include "readers/code/cubin_lines.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/byte_cursor.h"
#include "readers/code/cubin.h"

namespace proofline {
namespace {

// Far more than any real table has.
constexpr std::size_t kMaxTableBytes = 16U << 20U;
constexpr std::size_t kMaxFiles = 1U << 16U;
// Names of DWARF 5 may be used several times; more often than this they only serve to make a small
// file cost much.
constexpr std::size_t kMaxReuse = 4;
constexpr std::size_t kAddressBytes = 8;

// Names as the standard has them.
enum StandardOpcode : std::uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum ExtendedOpcode : std::uint8_t {
  kEndSequence = 1,
  kSetAddress = 2,
  kDefineFile = 3,
  kInlinedCall = 0x90,  // NVIDIA's: number of the calling row, function name
};
enum Form : std::uint16_t {
  kFormBlock = 0x09,
  kFormData1 = 0x0b,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormData16 = 0x1e,
  kFormString = 0x08,
  kFormUdata = 0x0f,
  kFormStrp = 0x0e,
  kFormLineStrp = 0x1f,
};
enum ContentType : std::uint16_t { kPath = 1, kDirectoryIndex = 2 };

// Where each section's code was loaded, 0 where that is not known: a function's symbol is zero, the
// start of its section, until a loader has changed it.
std::vector<std::uint64_t> load_addresses(const Cubin& cubin) {
  constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  const auto& sections = cubin.sections();
  std::vector<std::uint64_t> addresses(sections.size(), kUnknown);
  for (const Cubin::Section& table : sections) {
    for (std::size_t i = 0; i < cubin.symbol_count(table); ++i) {
      const Cubin::Symbol symbol = cubin.symbol(table, i);
      if (!symbol.is_function) continue;
      addresses[symbol.section] = std::min(addresses[symbol.section], symbol.value);
    }
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (addresses[i] == kUnknown || addresses[i] < sections[i].size) addresses[i] = 0;
  }
  return addresses;
}

// Resolves the addresses in the table by its relocations.
class Relocations {
 public:
  struct Target {
    std::size_t section = 0;
    std::uint64_t offset = 0;  // in the section
  };

  Relocations(const Cubin& cubin, std::size_t table, std::vector<std::uint64_t> loaded_at)
      : loaded_at_(std::move(loaded_at)) {
    const auto& sections = cubin.sections();
    for (const Cubin::Section& section : sections) {
      const bool is_relocation = section.type == SHT_REL || section.type == SHT_RELA;
      if (!is_relocation || section.info != table || section.link >= sections.size()) continue;
      read(cubin, section, sections[section.link]);
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.at < b.at; });
  }

  // The target of the operand at that offset; `operand` is the stored value.
  std::optional<Target> target(std::size_t at, std::uint64_t operand) const {
    const auto entry =
        std::lower_bound(entries_.begin(), entries_.end(), at,
                         [](const Entry& a, std::size_t wanted) { return a.at < wanted; });
    if (entry == entries_.end() || entry->at != at || entry->symbol.section == 0) {
      return std::nullopt;
    }
    const std::uint64_t loaded_at = loaded_at_[entry->symbol.section];
    // A loader that placed the code has filled in the operand too.
    const bool filled_in = loaded_at != 0 && !entry->addend;
    const std::uint64_t address =
        filled_in ? operand : entry->symbol.value + entry->addend.value_or(operand);
    return Target{entry->symbol.section, address - loaded_at};
  }

 private:
  struct Entry {
    std::uint64_t at = 0;
    Cubin::Symbol symbol;
    std::optional<std::uint64_t> addend;
  };

  void read(const Cubin& cubin, const Cubin::Section& section, const Cubin::Section& symbols) {
    const bool with_addend = section.type == SHT_RELA;
    ByteCursor cursor(section.bytes);
    while (cursor.left() >= (with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel))) {
      Entry entry;
      entry.at = cursor.u64();
      entry.symbol = cubin.symbol(symbols, ELF64_R_SYM(cursor.u64()));
      if (with_addend) entry.addend = cursor.u64();
      entries_.push_back(entry);
    }
  }

  std::vector<std::uint64_t> loaded_at_;  // by section
  std::vector<Entry> entries_;            // by place
};

class TableReader {
 public:
  // `functions` are those of the table, by section.
  TableReader(const Cubin& cubin, std::string_view bytes, const Relocations& relocations,
              const std::vector<LineTable::Function*>& functions, std::size_t max_rows,
              LineTable& table)
      : cubin_(cubin),
        bytes_(bytes),
        relocations_(relocations),
        functions_(functions),
        max_rows_(max_rows),
        table_(table),
        strings_(cubin.find(".debug_str")),
        line_strings_(cubin.find(".debug_line_str")) {}

  // All units of the table. An error leaves what was read before it.
  Result<void> read();

 private:
  struct Unit {
    std::size_t start = 0;  // of its bytes in the table
    std::string_view bytes;
    std::uint16_t version = 0;
    std::size_t offset_size = 4;
    std::size_t program = 0;  // where the program begins in bytes
    std::uint64_t min_instruction = 1;
    std::int8_t line_base = 0;
    std::uint8_t line_range = 0;
    std::string_view operand_counts;  // of opcodes 1, 2, ...
    std::uint32_t first_folder = 0;
    std::uint32_t first_file = 0;
  };
  // The registers of the standard's machine that matter here.
  struct State {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
    std::uint64_t call = 0;
  };
  // The rows since the last end of a sequence.
  struct Sequence {
    std::size_t section = 0;  // 0: of no known function
    std::size_t first = 0;
    bool usable = true;  // of one function, and in the order of addresses
  };

  Result<void> read_header(Unit& unit);
  bool read_names(const Unit& unit, ByteCursor& header);
  bool read_entries(const Unit& unit, ByteCursor& header, bool folders);
  std::string_view shared_name(const Unit& unit, ByteCursor& header,
                               const std::optional<std::size_t>& section);
  Result<void> run(const Unit& unit);
  void run_standard(const Unit& unit, std::uint8_t opcode, ByteCursor& program);
  void run_extended(const Unit& unit, ByteCursor& program);
  void set_address(std::size_t at, std::uint64_t operand);
  void add_row(const Unit& unit);
  void end_sequence();
  void define_folder(std::string_view name);
  void define_file(const Unit& unit, std::string_view name, std::uint64_t folder);

  const Cubin& cubin_;
  std::string_view bytes_;
  const Relocations& relocations_;
  const std::vector<LineTable::Function*>& functions_;
  std::size_t max_rows_;
  LineTable& table_;
  std::optional<std::size_t> strings_;       // section
  std::optional<std::size_t> line_strings_;  // section
  std::size_t shared_name_bytes_ = 0;
  State state_;
  Sequence sequence_;
  bool full_ = false;
};

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::kInput, fmt::format("the line table is damaged: {}", what));
}

Result<void> TableReader::read() {
  ByteCursor cursor(bytes_);
  while (!cursor.at_end()) {
    Unit unit;
    std::uint64_t length = cursor.u32();
    if (length == 0xffffffffU) {
      length = cursor.u64();
      unit.offset_size = 8;
    }
    unit.start = cursor.offset();
    unit.bytes = cursor.take(length);
    if (!cursor.ok()) return damaged("it ends too early");
    if (unit.bytes.empty()) continue;  // padding
    if (auto header = read_header(unit); !header) return header;
    if (auto ran = run(unit); !ran) return ran;
  }
  return {};
}

Result<void> TableReader::read_header(Unit& unit) {
  ByteCursor header(unit.bytes);
  unit.version = header.u16();
  if (header.ok() && (unit.version < 2 || unit.version > 5)) {
    return fail(ErrorKind::kInput,
                fmt::format("the line table is of DWARF version {}, not 2 to 5", unit.version));
  }
  if (unit.version >= 5) header.take(2);  // sizes of an address and of a segment
  const std::uint64_t header_bytes = header.number(unit.offset_size);
  if (!header.ok() || header_bytes > header.left()) return damaged("its header is too long");
  unit.program = header.offset() + static_cast<std::size_t>(header_bytes);
  header = ByteCursor(unit.bytes.substr(0, unit.program));
  header.take(unit.program - header_bytes);
  unit.min_instruction = header.u8();
  // Several operations in an instruction: no GPU has that.
  if (unit.version >= 4 && header.u8() != 1) return damaged("it is for another kind of machine");
  header.u8();  // whether rows begin statements
  unit.line_base = static_cast<std::int8_t>(header.u8());
  unit.line_range = header.u8();
  const std::uint8_t opcode_base = header.u8();
  if (opcode_base == 0 || unit.line_range == 0) return damaged("its header is senseless");
  unit.operand_counts = header.take(opcode_base - 1U);
  unit.first_folder = static_cast<std::uint32_t>(table_.folders.size());
  unit.first_file = static_cast<std::uint32_t>(table_.files.size());
  if (!read_names(unit, header)) return damaged("its list of files");
  return {};
}

// After the names NVIDIA leaves four bytes more, which the header's size includes.
bool TableReader::read_names(const Unit& unit, ByteCursor& header) {
  if (unit.version >= 5) {
    return read_entries(unit, header, true) && read_entries(unit, header, false);
  }
  // Folder 0 is the compiler's working directory, which cubins do not name; file 0 is unused.
  define_folder("");
  for (auto name = header.text(); !name.empty(); name = header.text()) define_folder(name);
  define_file(unit, "", 0);
  for (auto name = header.text(); !name.empty(); name = header.text()) {
    const std::uint64_t folder = header.uleb();
    header.uleb();  // time
    header.uleb();  // size
    define_file(unit, name, folder);
  }
  return header.ok();
}

// DWARF 5 says what each entry of a list consists of.
bool TableReader::read_entries(const Unit& unit, ByteCursor& header, bool folders) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> formats(header.u8());
  for (auto& [content, form] : formats) {
    content = header.uleb();
    form = header.uleb();
  }
  const std::uint64_t count = header.uleb();
  // Every form takes at least one byte, so a larger count is invalid.
  if (!header.ok() || count > header.left() || (formats.empty() && count > 0)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string_view path;
    std::uint64_t folder = 0;
    for (const auto& [content, form] : formats) {
      std::string_view text;
      std::uint64_t number = 0;
      switch (form) {
        case kFormString: text = header.text(); break;
        case kFormStrp: text = shared_name(unit, header, strings_); break;
        case kFormLineStrp: text = shared_name(unit, header, line_strings_); break;
        case kFormUdata: number = header.uleb(); break;
        case kFormData1: number = header.u8(); break;
        case kFormData2: number = header.u16(); break;
        case kFormData4: number = header.u32(); break;
        case kFormData8: number = header.u64(); break;
        case kFormData16: header.take(16); break;
        case kFormBlock: header.take(header.uleb()); break;
        default: return false;
      }
      if (content == kPath) path = text;
      if (content == kDirectoryIndex) folder = number;
    }
    if (!header.ok()) return false;
    if (folders) {
      define_folder(path);
    } else {
      define_file(unit, path, folder);
    }
  }
  return true;
}

// A name in another section, at the offset that the header gives.
std::string_view TableReader::shared_name(const Unit& unit, ByteCursor& header,
                                          const std::optional<std::size_t>& section) {
  const std::size_t at = unit.start + header.offset();
  std::uint64_t offset = header.number(unit.offset_size);
  if (const auto target = relocations_.target(at, offset)) offset = target->offset;
  const std::string_view strings = section ? cubin_.sections()[*section].bytes : "";
  if (offset >= strings.size() || shared_name_bytes_ > kMaxReuse * strings.size()) return {};
  const std::string_view name = ByteCursor(strings.substr(offset)).text();
  shared_name_bytes_ += name.size();
  return name;
}

void TableReader::define_folder(std::string_view name) {
  if (table_.folders.size() < kMaxFiles) table_.folders.emplace_back(name);
}

void TableReader::define_file(const Unit& unit, std::string_view name, std::uint64_t folder) {
  if (table_.files.size() >= kMaxFiles) return;
  LineTable::File& file = table_.files.emplace_back();
  file.name = std::string(name);
  if (folder < table_.folders.size() - unit.first_folder) {
    file.folder = unit.first_folder + static_cast<std::uint32_t>(folder);
  }
}

Result<void> TableReader::run(const Unit& unit) {
  state_ = {};
  sequence_ = {0, table_.rows.size(), true};
  ByteCursor program(unit.bytes);
  program.take(unit.program);
  // Every operation takes at least a byte, so this ends.
  while (!program.at_end() && !full_) {
    const std::uint8_t opcode = program.u8();
    if (opcode > unit.operand_counts.size()) {
      const int special = opcode - static_cast<int>(unit.operand_counts.size()) - 1;
      state_.line += static_cast<std::uint64_t>(unit.line_base + special % unit.line_range);
      state_.address += unit.min_instruction * static_cast<unsigned>(special / unit.line_range);
      add_row(unit);
    } else if (opcode == 0) {
      run_extended(unit, program);
    } else {
      run_standard(unit, opcode, program);
    }
  }
  const bool unfinished = table_.rows.size() > sequence_.first;
  table_.rows.resize(sequence_.first);
  if (full_) {
    return fail(ErrorKind::kInput,
                fmt::format("the line tables have more than {} rows", max_rows_));
  }
  if (!program.ok() || unfinished) return damaged("its program ends too early");
  return {};
}

void TableReader::run_standard(const Unit& unit, std::uint8_t opcode, ByteCursor& program) {
  switch (opcode) {
    case kCopy: add_row(unit); break;
    case kAdvancePc: state_.address += unit.min_instruction * program.uleb(); break;
    case kAdvanceLine: state_.line += static_cast<std::uint64_t>(program.sleb()); break;
    case kSetFile: state_.file = program.uleb(); break;
    case kConstAddPc: {
      const auto special = 255U - static_cast<unsigned>(unit.operand_counts.size()) - 1;
      state_.address += unit.min_instruction * (special / unit.line_range);
      break;
    }
    case kFixedAdvancePc: state_.address += program.u16(); break;
    default:  // columns and flags
      for (int i = 0; i < static_cast<unsigned char>(unit.operand_counts[opcode - 1U]); ++i) {
        program.uleb();
      }
  }
}

void TableReader::run_extended(const Unit& unit, ByteCursor& program) {
  const std::uint64_t length = program.uleb();
  const std::size_t at = unit.start + program.offset() + 1;  // of the operand, in the table
  ByteCursor operation(program.take(length));
  switch (operation.u8()) {
    case kEndSequence:
      add_row(unit);
      end_sequence();
      break;
    case kSetAddress:
      set_address(at, operation.number(std::min(operation.left(), kAddressBytes)));
      break;
    case kDefineFile: {
      const std::string_view name = operation.text();
      define_file(unit, name, operation.uleb());
      break;
    }
    case kInlinedCall: state_.call = operation.uleb(); break;
    default: break;
  }
}

void TableReader::set_address(std::size_t at, std::uint64_t operand) {
  const auto target = relocations_.target(at, operand);
  const bool begins = table_.rows.size() == sequence_.first;
  if (!target || (!begins && sequence_.section != target->section)) {
    sequence_.usable = false;
    return;
  }
  sequence_.section = target->section;
  state_.address = target->offset;
}

void TableReader::add_row(const Unit& unit) {
  if (table_.rows.size() >= max_rows_) {
    full_ = true;
    return;
  }
  LineTable::Row row;
  const std::size_t earlier = table_.rows.size() - sequence_.first;
  const std::uint64_t least = earlier > 0 ? table_.rows.back().offset : 0;
  if (state_.address < least || state_.address >= LineTable::kNone) sequence_.usable = false;
  row.offset = static_cast<std::uint32_t>(state_.address);
  if (state_.file < table_.files.size() - unit.first_file) {
    const auto file = unit.first_file + static_cast<std::uint32_t>(state_.file);
    if (!table_.files[file].name.empty()) row.file = file;
  }
  if (state_.line < LineTable::kNone) row.line = static_cast<std::uint32_t>(state_.line);
  if (state_.call > 0 && state_.call <= earlier) {
    row.call = static_cast<std::uint32_t>(sequence_.first + state_.call - 1);
  }
  table_.rows.push_back(row);
}

void TableReader::end_sequence() {
  const std::size_t count = table_.rows.size() - sequence_.first;
  LineTable::Function* function = functions_[sequence_.section];
  if (sequence_.usable && function != nullptr && count > 1) {
    function->stretches.push_back(
        {static_cast<std::uint32_t>(sequence_.first), static_cast<std::uint32_t>(count)});
  } else {
    table_.rows.resize(sequence_.first);
  }
  state_ = {};
  sequence_ = {0, table_.rows.size(), true};
}

// The functions of a cubin by section, null for a section that holds none. The table has them
// in section order until they are sorted.
std::vector<LineTable::Function*> list_functions(const Cubin& cubin, LineTable& table) {
  const auto& sections = cubin.sections();
  for (const Cubin::Section& section : sections) {
    const std::string_view name = function_of_section(section.name);
    if (!name.empty()) table.functions.push_back({std::string(name), section.size, {}});
  }
  std::vector<LineTable::Function*> functions(sections.size());
  auto next = table.functions.begin();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!function_of_section(sections[i].name).empty()) functions[i] = &*next++;
  }
  return functions;
}

void sort_functions(LineTable& table) {
  for (LineTable::Function& function : table.functions) {
    std::stable_sort(function.stretches.begin(), function.stretches.end(),
                     [&](const LineTable::Stretch& a, const LineTable::Stretch& b) {
                       return table.rows[a.first].offset < table.rows[b.first].offset;
                     });
  }
  std::stable_sort(
      table.functions.begin(), table.functions.end(),
      [](const LineTable::Function& a, const LineTable::Function& b) { return a.name < b.name; });
}

// Fills in the rows. The error says why rows are missing.
Result<void> read_rows(const Cubin& cubin, const std::vector<LineTable::Function*>& functions,
                       std::vector<std::uint64_t> loaded_at, std::size_t max_rows,
                       CubinLines& lines) {
  const auto found = cubin.find(".debug_line");
  if (!found || cubin.sections()[*found].bytes.empty()) {
    return fail(ErrorKind::kInput, "the kernel was compiled without -lineinfo");
  }
  const Cubin::Section& section = cubin.sections()[*found];
  if (section.compressed) return fail(ErrorKind::kInput, "the line table is compressed");
  if (section.bytes.size() > kMaxTableBytes) {
    return fail(ErrorKind::kInput,
                fmt::format("the line table has {} bytes, more than the limit of {}",
                            section.bytes.size(), kMaxTableBytes));
  }
  const Relocations relocations(cubin, *found, std::move(loaded_at));
  auto read =
      TableReader(cubin, section.bytes, relocations, functions, max_rows, lines.table).read();
  lines.damaged = !read;
  if (read && lines.table.rows.empty()) {
    return fail(ErrorKind::kInput, "the line table names no function");
  }
  return read;
}

// Whether the bytes of a section, and not only its header, have a part in what is read here.
bool tells_lines(const Cubin::Section& section) {
  return section.type == SHT_SYMTAB || section.type == SHT_REL || section.type == SHT_RELA ||
         section.name.starts_with(".debug_line") || section.name == ".debug_str";
}

}  // namespace

CubinLines read_cubin_lines(std::string_view bytes, std::size_t max_rows) {
  CubinLines lines;
  const auto cubin = Cubin::open(bytes);
  if (!cubin) {
    lines.unreadable = true;
    lines.table.missing = "the embedded code is no readable cubin: " + cubin.error().message;
    return lines;
  }
  std::vector<std::uint64_t> loaded_at = load_addresses(*cubin);
  const std::vector<LineTable::Function*> functions = list_functions(*cubin, lines.table);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (functions[i] == nullptr || loaded_at[i] == 0) continue;
    lines.functions.push_back({functions[i]->name, loaded_at[i]});
  }
  const auto read = read_rows(*cubin, functions, std::move(loaded_at), max_rows, lines);
  if (lines.table.rows.empty()) lines.table.missing = read.error().message;
  sort_functions(lines.table);
  return lines;
}

std::size_t hash_of_lines(std::string_view bytes) {
  constexpr std::hash<std::string_view> kHash;
  const auto cubin = Cubin::open(bytes);
  if (!cubin) return kHash(bytes);
  std::size_t hash = bytes.size();
  const auto mix = [&](std::size_t more) {
    // Boost's hash_combine: keeps the order of what is mixed in.
    hash ^= more + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
  };
  for (const Cubin::Section& section : cubin->sections()) {
    for (const std::size_t number :
         {std::size_t{section.type}, std::size_t{section.flags}, std::size_t{section.size},
          std::size_t{section.link}, std::size_t{section.info}}) {
      mix(number);
    }
    mix(kHash(section.name));
    if (tells_lines(section)) mix(kHash(section.bytes));
  }
  return hash;
}

}  // namespace proofline
