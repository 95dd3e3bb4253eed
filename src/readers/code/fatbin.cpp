// SPDX-License-Identifier: Apache-2.0
//
// The layout, as fatbinary of CUDA 13.0 writes it; numbers are little-endian:
//
//   u32 magic, u16 version 1, u16 size of this header, u64 size of what follows: entries
//   an entry: u16 kind, u16 version, u32 size of its header, u64 size of its padded contents,
//     u32 compressed size, u32 place of options, u32 version of the contents, u32 architecture,
//     u32 place and u32 length of the source's name, u64 flags, u64 0, u64 expanded size, ...
#include "readers/code/fatbin.h"

#include <fmt/format.h>
#include <lz4.h>

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "base/byte_cursor.h"
#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin_code.h"

namespace proofline {
namespace {

constexpr std::string_view kFatbinMagic("\x50\xed\x55\xba", 4);
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kEntryHeaderBytes = 64;

enum Kind : std::uint16_t { kPtx = 1, kElf = 2, kLinkTimeCode = 8 };
enum Flag : std::uint64_t {
  kLz4 = 0x2000,
  kZstd = 0x8000,
  kArchSpecific = 0x100000,    // sm_90a
  kFamilySpecific = 0x200000,  // sm_100f
};

// What a cubin's name and number may take in every function's container.
constexpr std::size_t kMaxNameBytes = 120;

std::string arch_name(std::uint32_t arch, std::uint64_t flags) {
  constexpr std::uint32_t kHighest = 999;  // three digits; more would be damage
  if (arch > kHighest) return "unknown";
  const char* suffix = (flags & kArchSpecific) != 0     ? "a"
                       : (flags & kFamilySpecific) != 0 ? "f"
                                                        : "";
  return fmt::format("{}{}", arch, suffix);
}

Result<std::string> expand_lz4(std::string_view stored, std::uint64_t expected) {
  // LZ4's maximum ratio, so a header that promises more is invalid.
  constexpr std::uint64_t kMaxRatio = 255;
  constexpr std::uint64_t kMostBytes = std::numeric_limits<int>::max();
  if (stored.size() > kMostBytes || expected > std::min(kMostBytes, kMaxRatio * stored.size())) {
    return fail(ErrorKind::kInput, "its LZ4 data cannot have the size it claims");
  }
  std::string bytes(expected, '\0');
  const int got = LZ4_decompress_safe(stored.data(), bytes.data(), static_cast<int>(stored.size()),
                                      static_cast<int>(bytes.size()));
  if (got < 0 || static_cast<std::uint64_t>(got) != expected) {
    return fail(ErrorKind::kInput, "its LZ4 data is damaged");
  }
  return bytes;
}

Result<std::string> expand_zstd(std::string_view stored, std::uint64_t expected) {
  ASSIGN_OR_RETURN(auto input, Input::from_memory(stored, "cubin", {.max_bytes = expected}));
  const auto bytes = input.take_rest();
  if (!bytes || bytes->size() != expected) {
    return fail(ErrorKind::kInput, "its zstd data is damaged");
  }
  return std::string(*bytes);
}

}  // namespace

bool FatbinReader::Entry::is_compressed() const { return (flags & (kLz4 | kZstd)) != 0; }

bool is_fatbin(std::string_view prefix) { return prefix.starts_with(kFatbinMagic); }

FatbinReader::FatbinReader(std::uint64_t file_bytes, Listing& listing, const FunctionSink& sink)
    : listing_(listing),
      sink_(sink),
      expansion_left_(std::min(
          InputLimits::kDefaultMaxBytes,
          std::max(InputLimits::kFreeExpansionBytes, InputLimits::kMaxExpansion * file_bytes))) {}

void FatbinReader::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t start = std::min(bytes.find(kFatbinMagic), bytes.size());
    // The linker fills up with zeros between them.
    if (bytes.substr(0, start).find_first_not_of('\0') != std::string_view::npos) {
      lose("", "bytes between fatbins are no fatbin");
    }
    bytes.remove_prefix(start);
    bytes.remove_prefix(add_fatbin(bytes));
  }
}

// Returns how many bytes it took.
std::size_t FatbinReader::add_fatbin(std::string_view bytes) {
  if (bytes.empty()) return 0;
  ByteCursor header(bytes);
  header.take(kFatbinMagic.size());
  const std::uint16_t version = header.u16();
  const std::uint16_t header_bytes = header.u16();
  const std::uint64_t size = header.u64();
  if (!header.ok() || version != kVersion || header_bytes < header.offset() ||
      header_bytes > bytes.size()) {
    lose("", "a fatbin's header is damaged or of an unknown version");
    return kFatbinMagic.size();
  }
  std::string_view rest = bytes.substr(header_bytes);
  if (size > rest.size()) lose("", "a fatbin is cut off");
  rest = rest.substr(0, size);
  const std::size_t taken = header_bytes + rest.size();
  while (!rest.empty() && add_entry(rest)) continue;
  return taken;
}

// Takes the entry from the front; false where no further one can be found.
bool FatbinReader::add_entry(std::string_view& rest) {
  ByteCursor header(rest);
  Entry entry;
  entry.kind = header.u16();
  header.u16();  // version
  const std::uint32_t header_bytes = header.u32();
  const std::uint64_t size = header.u64();
  const std::uint32_t compressed_bytes = header.u32();
  header.take(4 + 4);  // options, version of the contents
  entry.arch = header.u32();
  const std::uint32_t name = header.u32();
  const std::uint32_t name_bytes = header.u32();
  entry.flags = header.u64();
  header.u64();
  entry.expanded_bytes = header.u64();
  if (!header.ok() || header_bytes < kEntryHeaderBytes || header_bytes > rest.size() ||
      size > rest.size() - header_bytes) {
    lose("", "an entry of a fatbin is damaged or cut off; those behind it are lost");
    return false;
  }
  const std::string_view whole_header = rest.substr(0, header_bytes);
  if (name >= kEntryHeaderBytes && name < header_bytes) {
    entry.name = whole_header.substr(name, std::min<std::size_t>(name_bytes, kMaxNameBytes));
  }
  entry.stored = rest.substr(header_bytes, size);
  if (entry.is_compressed()) entry.stored = entry.stored.substr(0, compressed_bytes);
  rest.remove_prefix(header_bytes + size);
  switch (entry.kind) {
    case kElf: cubins_.push_back(entry); break;
    case kPtx: ++not_read_["PTX for compute_" + arch_name(entry.arch, entry.flags)]; break;
    case kLinkTimeCode:
      ++not_read_["code for link-time optimisation for " + arch_name(entry.arch, entry.flags)];
      break;
    default: ++not_read_["something of an unknown kind"];
  }
  return true;
}

Result<void> FatbinReader::read() {
  std::unordered_set<std::string_view> seen;
  std::size_t functions = 0;
  std::uint64_t repeated = 0;
  for (std::size_t i = 0; i < cubins_.size(); ++i) {
    if (seen.insert(cubins_[i].stored).second) {
      functions += read_cubin(cubins_[i], i);
    } else {
      ++repeated;
    }
  }
  if (repeated > 0) {
    listing_.notes.push_back(
        {NoteKind::kInfo, "", "a cubin that equals an earlier one is read once", repeated});
  }
  std::string others;
  for (const auto& [what, count] : not_read_) {
    listing_.notes.push_back({NoteKind::kInfo, "", fmt::format("holds {}, not read", what), count});
    others += (others.empty() ? "" : ", ") + what;
  }
  if (functions > 0) return {};
  std::string why = "holds no GPU code";
  if (!others.empty()) why = fmt::format("holds no machine code of a GPU, only {}", others);
  for (const Note& note : listing_.notes) {
    if (note.kind == NoteKind::kLoss) return fail(ErrorKind::kInput, why + ": " + note.what);
  }
  return fail(ErrorKind::kInput, why);
}

// Returns how many functions it has.
std::size_t FatbinReader::read_cubin(const Entry& entry, std::size_t index) {
  std::string container;
  if (cubins_.size() > 1) {
    container = fmt::format("cubin {} (sm_{})", index + 1, arch_name(entry.arch, entry.flags));
    if (!entry.name.empty()) container += " of " + escape_terminal(entry.name);
  }
  Result<std::string> expanded;
  if (entry.is_compressed()) expanded = expand(entry);
  if (!expanded) {
    lose(container, "a cubin cannot be expanded: " + expanded.error().message);
    return 0;
  }
  const auto functions =
      read_cubin_code(entry.is_compressed() ? *expanded : entry.stored, container, listing_, sink_);
  if (!functions) lose(container, "a cubin is damaged: " + functions.error().message);
  return functions.value_or(0);
}

Result<std::string> FatbinReader::expand(const Entry& entry) {
  if (entry.expanded_bytes > expansion_left_) {
    return fail(ErrorKind::kInput,
                "all cubins together would expand to more than the limit for a file of this size");
  }
  auto bytes = (entry.flags & kLz4) != 0 ? expand_lz4(entry.stored, entry.expanded_bytes)
                                         : expand_zstd(entry.stored, entry.expanded_bytes);
  // Also what failed has cost as much as it was allowed to.
  expansion_left_ -= entry.expanded_bytes;
  return bytes;
}

void FatbinReader::lose(std::string place, std::string what) {
  const auto [known, is_new] = losses_.try_emplace(what, listing_.notes.size());
  if (is_new) {
    listing_.notes.push_back({NoteKind::kLoss, std::move(place), std::move(what)});
  } else {
    ++listing_.notes[known->second].count;
  }
}

}  // namespace proofline
