// SPDX-License-Identifier: Apache-2.0
//
// A function's code is in its section .text.<function>. What else belongs to it is in sections that
// end with its name, in the section .nv.info for all functions together, and in its symbols. The
// numbers of attributes and the places of fields were read off cubins of ptxas 10 to 13.2 and agree
// with what `ptxas -v` prints and what ncu reports.
#include "readers/code/cubin_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/byte_cursor.h"
#include "base/propagate.h"
#include "readers/code/cubin.h"
#include "readers/code/cubin_lines.h"
#include "readers/code/function_lines.h"

namespace proofline {
namespace {

constexpr std::string_view kInfo = ".nv.info";
constexpr std::string_view kFunctionInfo = ".nv.info.";
constexpr std::string_view kShared = ".nv.shared.";
constexpr std::string_view kCallGraph = ".nv.callgraph";

constexpr std::size_t kEncodingBytes = 16;
// Older ones have instructions of 8 bytes, and a word of control bits before every three.
constexpr std::uint32_t kFirstSmOfEncoding = 70;
constexpr std::uint32_t kFirstSmOfGroups = 50;  // Maxwell: three instructions share control bits
// From there on the first kilobyte of a linked block's static shared memory is the system's;
// neither ptxas nor ncu counts it.
constexpr std::uint32_t kFirstSmOfReservedShared = 90;
constexpr std::uint64_t kReservedShared = 1024;

// A symbol's bit that tells a kernel from a function that kernels call.
constexpr std::uint8_t kEntry = 0x10;
// Of a code section before CUDA 13, in its flags and its info.
constexpr unsigned kBarrierShift = 20;
constexpr std::uint64_t kBarrierMask = 0x7f;
constexpr unsigned kRegisterShift = 24;

// Types of relocations: half of an address of 64 bits.
constexpr std::uint32_t kLowHalf = 0x38;
constexpr std::uint32_t kHighHalf = 0x39;

constexpr std::size_t kMaxRows = (64U << 20U) / sizeof(LineTable::Row);
// Of the names of source files, for each byte of the cubin: real paths take far less, and a few
// long ones that every function names would take much more. The same holds for the names of
// symbols that instructions lack.
constexpr std::size_t kMaxPathBytes = 16;

// Names as cuobjdump has them.
enum AttributeId : std::uint8_t {
  kMaxThreads = 0x05,
  kRequiredThreads = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kParameterBytes = 0x19,
  kRegisterCount = 0x2f,
  kIndirectBranchTargets = 0x34,
  kBlocksPerCluster = 0x3d,
  kLargeParameter = 0x45,
  kBarrierCount = 0x4c,
};

struct Attribute {
  std::uint8_t id = 0;
  std::uint16_t value = 0;   // where it has no payload
  std::string_view payload;  // where it has one
};

// Calls back for each attribute; false where the section is damaged.
template <class Use>
bool for_each_attribute(std::string_view section, Use&& use) {
  enum Format : std::uint8_t { kNoValue = 1, kByteValue = 2, kHalfValue = 3, kSizedValue = 4 };
  ByteCursor cursor(section);
  while (!cursor.at_end()) {
    const std::uint8_t format = cursor.u8();
    Attribute attribute;
    attribute.id = cursor.u8();
    attribute.value = cursor.u16();
    if (format == kSizedValue) attribute.payload = cursor.take(attribute.value);
    if (format < kNoValue || format > kSizedValue || !cursor.ok()) return false;
    use(attribute);
  }
  return true;
}

// There is one; what other sections say about its place is wrong in cubins that were stripped.
Cubin::Section symbol_table(const Cubin& cubin) {
  const auto& sections = cubin.sections();
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [](const auto& section) { return section.type == SHT_SYMTAB; });
  return found != sections.end() ? *found : Cubin::Section{};
}

// The product of three dimensions; absent where one is zero.
std::optional<std::uint32_t> volume(std::string_view payload) {
  ByteCursor cursor(payload);
  const std::array<std::uint32_t, 3> dim = {cursor.u32(), cursor.u32(), cursor.u32()};
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t area = std::uint64_t{dim[0]} * dim[1];
  if (!cursor.ok() || area > kMost || area * dim[2] > kMost) return std::nullopt;
  return static_cast<std::uint32_t>(area * dim[2]);
}

// u32 address of the branch, u32 of unknown use, u32 count, u32 targets; and so on.
std::vector<CodeFunction::BranchTargets> branch_targets(std::string_view payload) {
  std::vector<CodeFunction::BranchTargets> branches;
  ByteCursor cursor(payload);
  while (!cursor.at_end()) {
    CodeFunction::BranchTargets branch;
    branch.address = cursor.u32();
    cursor.u32();
    ByteCursor targets(cursor.take(std::uint64_t{cursor.u32()} * 4));
    if (!cursor.ok()) break;
    while (!targets.at_end()) branch.targets.push_back(targets.u32());
    branches.push_back(std::move(branch));
  }
  return branches;
}

class CodeReading {
 public:
  CodeReading(std::string_view bytes, const Cubin& cubin, const std::string& container,
              Listing& listing)
      : bytes_(bytes),
        cubin_(cubin),
        sections_(cubin.sections()),
        symbols_(symbol_table(cubin)),
        container_(container),
        listing_(listing),
        arch_(cubin.arch()),
        path_bytes_left_(kMaxPathBytes * bytes.size()),
        relocation_bytes_left_(kMaxPathBytes * bytes.size()) {}

  // Returns how many functions there are.
  std::size_t read(const FunctionSink& sink);

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  // A function as far as it is known before its code is read.
  struct Known {
    std::size_t section = 0;
    std::optional<std::uint64_t> start;  // the least value of its symbols
    bool has_info = false;
    bool wanted = true;
    CodeFunction function;
  };

  void list_functions();
  bool ask_for_wanted(const FunctionSink& sink);
  void read_symbols();
  void read_symbol(const Cubin::Symbol& symbol);
  void read_resource_sections();
  void read_callers_of_malloc();
  void read_info(const Cubin::Section& section);
  void read_function_info(const Cubin::Section& section, Known& known);
  void complete_resources(Known& known);
  void read_instructions(Known& known);
  void read_words(const Cubin::Section& code, CodeFunction& function);
  void read_lines(CodeFunction& function);
  void read_relocations(const Cubin::Section& section);
  std::string symbol_text(std::uint32_t symbol);
  bool is_linked() const { return cubin_.type() != ET_REL; }
  Known* named(std::string_view section, std::string_view prefix);
  Known* in_section(std::size_t section);
  void add_notes();
  void lose(std::uint64_t count, std::string what);

  std::string_view bytes_;
  const Cubin& cubin_;
  const std::vector<Cubin::Section>& sections_;
  const Cubin::Section symbols_;
  const std::string& container_;
  Listing& listing_;
  std::string arch_;
  CubinLines lines_;
  std::vector<Known> functions_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<std::size_t> by_section_;
  std::size_t path_bytes_left_;
  std::size_t relocation_bytes_left_;
  std::size_t symbol_name_bytes_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t incomplete_ = 0;
  std::uint64_t damaged_info_ = 0;
  std::uint64_t lost_names_ = 0;
};

std::size_t CodeReading::read(const FunctionSink& sink) {
  list_functions();
  if (functions_.empty()) return 0;
  if (listing_.producer.empty()) listing_.producer = cubin_.producer();
  if (sink.offer_cubin && sink.offer_cubin(bytes_, container_)) return functions_.size();
  if (!ask_for_wanted(sink)) return functions_.size();
  lines_ = read_cubin_lines(bytes_, kMaxRows);
  read_symbols();
  read_resource_sections();
  read_callers_of_malloc();
  const std::optional<bool> optimised = cubin_.optimised();
  for (Known& known : functions_) {
    if (!known.wanted) continue;
    complete_resources(known);
    known.function.resources.optimised = optimised;
    known.function.resources.linked = is_linked();
    read_instructions(known);
    read_lines(known.function);
    sink(std::move(known.function));
  }
  add_notes();
  return functions_.size();
}

// Whether any function is wanted: a library's cubin may have thousands of which one was profiled.
bool CodeReading::ask_for_wanted(const FunctionSink& sink) {
  if (!sink.wants) return true;
  bool any = false;
  for (Known& known : functions_) {
    known.wanted = sink.wants(known.function.name);
    any = any || known.wanted;
  }
  return any;
}

void CodeReading::list_functions() {
  by_section_.assign(sections_.size(), kNone);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const std::string_view name = function_of_section(sections_[i].name);
    if (name.empty()) continue;
    if (!by_name_.try_emplace(name, functions_.size()).second) {
      ++repeated_;
      continue;
    }
    by_section_[i] = functions_.size();
    Known& known = functions_.emplace_back();
    known.section = i;
    known.function.name = name;
    known.function.arch = arch_;
    known.function.container = container_;
  }
}

CodeReading::Known* CodeReading::named(std::string_view section, std::string_view prefix) {
  if (!section.starts_with(prefix)) return nullptr;
  const auto found = by_name_.find(section.substr(prefix.size()));
  return found != by_name_.end() ? &functions_[found->second] : nullptr;
}

CodeReading::Known* CodeReading::in_section(std::size_t section) {
  const std::size_t position = by_section_[section];
  return position != kNone ? &functions_[position] : nullptr;
}

// A function's own symbol is the first of its section; those after it are functions that the
// compiler put into the same section. Values are offsets or, in reports of ncu before 2022.2, load
// addresses.
void CodeReading::read_symbols() {
  const std::size_t count = cubin_.symbol_count(symbols_);
  for (std::size_t i = 0; i < count; ++i) {
    const Cubin::Symbol symbol = cubin_.symbol(symbols_, i);
    Known* known = in_section(symbol.section);
    if (!symbol.is_function || known == nullptr) continue;
    known->start = std::min(known->start.value_or(symbol.value), symbol.value);
    known->function.entry = false;  // unless its own symbol says so
  }
  for (std::size_t i = 0; i < count; ++i) read_symbol(cubin_.symbol(symbols_, i));
  for (Known& known : functions_) {
    auto& inner = known.function.inner;
    std::stable_sort(inner.begin(), inner.end(),
                     [](const auto& a, const auto& b) { return a.address < b.address; });
    inner.erase(std::unique(inner.begin(), inner.end(),
                            [](const auto& a, const auto& b) { return a.address == b.address; }),
                inner.end());
  }
}

void CodeReading::read_symbol(const Cubin::Symbol& symbol) {
  Known* known = in_section(symbol.section);
  if (!symbol.is_function || known == nullptr) return;
  const std::uint64_t address = symbol.value - *known->start;
  if (address == 0) {
    known->function.entry |= (symbol.other & kEntry) != 0;
    return;
  }
  if (address >= sections_[known->section].bytes.size()) return;
  if (symbol_name_bytes_ > Cubin::kMaxReuse * cubin_.size()) {
    ++lost_names_;
    return;
  }
  const std::string_view name = cubin_.symbol_name(symbols_, symbol);
  symbol_name_bytes_ += name.size();
  known->function.inner.push_back({static_cast<std::uint32_t>(address), std::string(name)});
}

void CodeReading::read_resource_sections() {
  for (const Cubin::Section& section : sections_) {
    if (section.name == kInfo) {
      read_info(section);
    } else if (Known* informed = named(section.name, kFunctionInfo)) {
      read_function_info(section, *informed);
    } else if (Known* sharing = named(section.name, kShared)) {
      const bool reserved = is_linked() && cubin_.sm() >= kFirstSmOfReservedShared;
      const std::uint64_t system = reserved ? std::min(section.size, kReservedShared) : 0;
      sharing->function.resources.shared_bytes = section.size - system;
    } else {
      read_relocations(section);
    }
  }
}

// Of a code section: what its instructions lack until the program is linked or loaded.
void CodeReading::read_relocations(const Cubin::Section& section) {
  if (section.info >= sections_.size()) return;
  Known* known = in_section(section.info);
  if (known == nullptr || !known->wanted) return;
  auto& relocations = known->function.relocations;
  for (const Cubin::Relocation& one : Cubin::relocations(section)) {
    const std::uint64_t address = one.offset / kEncodingBytes * kEncodingBytes;
    if (address >= sections_[known->section].bytes.size()) continue;
    std::string what = symbol_text(one.symbol);
    if (one.addend != 0) what = fmt::format("({} + {:#x})", what, one.addend);
    if (one.type == kLowHalf) what = fmt::format("32@lo({})", what);
    if (one.type == kHighHalf) what = fmt::format("32@hi({})", what);
    relocations.push_back({static_cast<std::uint32_t>(address), std::move(what)});
  }
  std::stable_sort(relocations.begin(), relocations.end(),
                   [](const auto& a, const auto& b) { return a.address < b.address; });
}

// The symbol's name, or that of its section for a section symbol.
std::string CodeReading::symbol_text(std::uint32_t number) {
  const Cubin::Symbol symbol = cubin_.symbol(symbols_, number);
  std::string_view name = cubin_.symbol_name(symbols_, symbol);
  if (name.empty()) name = sections_[symbol.section].name;
  const bool fits = name.size() < relocation_bytes_left_;
  relocation_bytes_left_ = fits ? relocation_bytes_left_ - name.size() : 0;
  if (fits && !name.empty()) return std::string(name);
  return fmt::format("symbol {}", number);
}

// The call graph has pairs of symbols, caller and callee, up to a pair that ends this list; other
// lists follow. Where something in the cubin calls malloc, a function that the graph does not lead
// there from may still call it through a pointer.
void CodeReading::read_callers_of_malloc() {
  const auto section = cubin_.find(kCallGraph);
  if (!section) return;
  const std::size_t count = cubin_.symbol_count(symbols_);
  std::unordered_set<std::uint32_t> allocators;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Cubin::Symbol symbol = cubin_.symbol(symbols_, i);
    if (!symbol.is_function || symbol.section != SHN_UNDEF) continue;
    if (symbol_name_bytes_ > Cubin::kMaxReuse * cubin_.size()) return;
    const std::string_view name = cubin_.symbol_name(symbols_, symbol);
    symbol_name_bytes_ += name.size();
    if (name == "malloc" || name == "__nv_aligned_device_malloc") allocators.insert(i);
  }
  if (allocators.empty()) {
    if (!is_linked()) return;  // other files may
    for (Known& known : functions_) known.function.resources.allocates = false;
    return;
  }
  std::unordered_multimap<std::uint32_t, std::uint32_t> callers;  // by callee
  ByteCursor graph(sections_[*section].bytes);
  constexpr std::uint32_t kFirstMark = 0xfffffff0;
  for (bool listed = false; !graph.at_end();) {
    const std::uint32_t caller = graph.u32();
    const std::uint32_t callee = graph.u32();
    if (!graph.ok() || (listed && callee >= kFirstMark)) break;
    listed = true;
    if (callee < kFirstMark) callers.emplace(callee, caller);
  }
  std::vector<std::uint32_t> found(allocators.begin(), allocators.end());
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto [first, last] = callers.equal_range(found[next]);
    for (auto caller = first; caller != last; ++caller) {
      if (allocators.insert(caller->second).second) found.push_back(caller->second);
    }
  }
  for (const std::uint32_t symbol : found) {
    Known* known = in_section(cubin_.symbol(symbols_, symbol).section);
    if (known != nullptr) known->function.resources.allocates = true;
  }
}

// Attributes of functions, each with the function's symbol.
void CodeReading::read_info(const Cubin::Section& section) {
  const bool whole = for_each_attribute(section.bytes, [&](const Attribute& attribute) {
    ByteCursor payload(attribute.payload);
    const Cubin::Symbol symbol = cubin_.symbol(symbols_, payload.u32());
    const std::uint32_t value = payload.u32();
    Known* known = in_section(symbol.section);
    // What inner functions need is part of what their kernel needs.
    if (!payload.ok() || known == nullptr || symbol.value != known->start) return;
    FunctionResources& resources = known->function.resources;
    switch (attribute.id) {
      case kRegisterCount: resources.registers = value; break;
      case kFrameSize: resources.stack_bytes = value; break;
      case kMinStackSize: resources.local_bytes = value; break;
      default: break;
    }
  });
  if (!whole) ++damaged_info_;
}

void CodeReading::read_function_info(const Cubin::Section& section, Known& known) {
  known.has_info = true;
  FunctionResources& resources = known.function.resources;
  const bool whole = for_each_attribute(section.bytes, [&](const Attribute& attribute) {
    switch (attribute.id) {
      case kMaxThreads: resources.max_threads = volume(attribute.payload); break;
      case kRequiredThreads: resources.required_threads = volume(attribute.payload); break;
      case kBlocksPerCluster: resources.cluster_size = volume(attribute.payload); break;
      case kParameter:
      case kLargeParameter: resources.parameters = resources.parameters.value_or(0) + 1; break;
      case kParameterBytes: resources.parameter_bytes = attribute.value; break;
      case kBarrierCount: resources.barriers = attribute.value & 0xffU; break;
      case kIndirectBranchTargets:
        known.function.branch_targets = branch_targets(attribute.payload);
        break;
      default: break;
    }
  });
  if (!whole) ++damaged_info_;
}

// Compilers leave out what is zero, and before CUDA 13 had other places for some numbers.
void CodeReading::complete_resources(Known& known) {
  const Cubin::Section& code = sections_[known.section];
  FunctionResources& resources = known.function.resources;
  if (cubin_.before_cuda_13()) {
    if (!resources.registers && code.info >> kRegisterShift != 0) {
      resources.registers = code.info >> kRegisterShift;
    }
    resources.barriers = static_cast<std::uint32_t>(code.flags >> kBarrierShift & kBarrierMask);
  }
  if (!known.has_info || !known.function.entry) return;
  resources.barriers = resources.barriers.value_or(0);
  resources.shared_bytes = resources.shared_bytes.value_or(0);
  resources.parameters = resources.parameters.value_or(0);
  resources.parameter_bytes = resources.parameter_bytes.value_or(0);
}

void CodeReading::read_instructions(Known& known) {
  const Cubin::Section& code = sections_[known.section];
  CodeFunction& function = known.function;
  if (cubin_.sm() < kFirstSmOfEncoding) {
    read_words(code, function);
    return;
  }
  constexpr std::size_t kMostBytes = Instruction::kNone - kEncodingBytes;
  const std::size_t bytes = code.compressed ? 0 : std::min(code.bytes.size(), kMostBytes);
  const std::size_t count = bytes / kEncodingBytes;
  if (count * kEncodingBytes != code.size) {
    function.complete = false;
    ++incomplete_;
  }
  function.instructions.resize(count);
  function.encodings.resize(count);
  ByteCursor cursor(code.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    function.instructions[i].address = static_cast<std::uint32_t>(i * kEncodingBytes);
    function.encodings[i].low = cursor.u64();
    function.encodings[i].high = cursor.u64();
  }
}

// Before Volta, one 64-bit word of control bits precedes each group of three instructions. Its
// fields are those of Volta, so each instruction gets its own where a 128-bit encoding has them.
void CodeReading::read_words(const Cubin::Section& code, CodeFunction& function) {
  constexpr std::size_t kWordBytes = 8;
  constexpr std::size_t kGroup = 3;
  constexpr std::uint32_t kControlBits = 21;
  constexpr std::uint32_t kControlPlace = 41;  // in the high word
  const bool grouped = cubin_.sm() >= kFirstSmOfGroups && !code.compressed;
  const std::size_t words = grouped ? code.bytes.size() / kWordBytes : 0;
  const std::size_t groups = std::min<std::size_t>(words / (kGroup + 1), Instruction::kNone / 64);
  if (groups * (kGroup + 1) * kWordBytes != code.size) {
    function.complete = false;
    ++incomplete_;
  }
  ByteCursor cursor(code.bytes);
  for (std::size_t group = 0; group < groups; ++group) {
    std::uint64_t control = cursor.u64();
    for (std::size_t i = 1; i <= kGroup; ++i, control >>= kControlBits) {
      Instruction& instruction = function.instructions.emplace_back();
      instruction.address = static_cast<std::uint32_t>((group * (kGroup + 1) + i) * kWordBytes);
      const std::uint64_t own = control & ((std::uint64_t{1} << kControlBits) - 1);
      const std::uint64_t low = cursor.u64();
      function.encodings.push_back({low, own << kControlPlace});
    }
  }
}

void CodeReading::read_lines(CodeFunction& function) {
  const LineTable::Function* in_table = lines_.table.function(function.name);
  function.resources.line_table = in_table != nullptr && !in_table->stretches.empty();
  if (!*function.resources.line_table) return;
  FunctionLines lines(lines_.table, function, path_bytes_left_);
  for (Instruction& instruction : function.instructions) {
    const LineTable::Row* row = lines_.table.row(*in_table, instruction.address);
    if (row != nullptr) instruction.line = lines.line(*row);
  }
}

void CodeReading::add_notes() {
  lose(incomplete_, "a function's code is no whole number of instructions, or is compressed");
  lose(repeated_, "a second function of the same name is left out");
  lose(damaged_info_, "what a function uses of the GPU is damaged");
  lose(lost_names_, "the names of inner functions take more than the whole cubin");
  lose(path_bytes_left_ == 0 ? 1 : 0,
       "the names of source files take too much, so lines are missing");
  if (lines_.damaged) lose(1, "the line table is damaged, so source lines are missing");
}

void CodeReading::lose(std::uint64_t count, std::string what) {
  if (count > 0) listing_.notes.push_back({NoteKind::kLoss, container_, std::move(what), count});
}

}  // namespace

Result<std::size_t> read_cubin_code(std::string_view bytes, const std::string& container,
                                    Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const auto cubin, Cubin::open(bytes));
  return CodeReading(bytes, cubin, container, listing).read(sink);
}

}  // namespace proofline
