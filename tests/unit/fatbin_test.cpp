// SPDX-License-Identifier: Apache-2.0
//
// Fatbins, by themselves and in the host's files: that every cubin in them is found whichever way
// it is packed, and that no size they claim costs more than they really hold.
#include "readers/code/fatbin.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/code/read_code.h"
#include "readers/format.h"
#include "support/cubin_builder.h"

namespace proofline {
Format fatbin_file();
Format host_elf();
}  // namespace proofline

namespace proofline::fatbin_test {
namespace {

using namespace proofline::test_support;  // NOLINT: the builders' words are what these tests are
                                          // made of

struct Code {
  Listing listing;
  std::string error;  // "" none

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CodeFunction& function : listing.functions) names.push_back(function.name);
    return names;
  }
  bool has_note(std::string_view text, NoteKind kind = NoteKind::kLoss) const {
    return std::any_of(listing.notes.begin(), listing.notes.end(), [&](const Note& note) {
      return note.kind == kind && note.what.find(text) != std::string::npos;
    });
  }
  bool has_loss() const { return has_note(""); }
};

using Names = std::vector<std::string>;

Code read_with(const Format& format, std::string_view bytes) {
  Code code;
  auto input = Input::from_memory(bytes, "test");
  std::vector<CodeFunction> functions;
  const auto read = format.read_code(*input, code.listing, [&](CodeFunction&& function) {
    functions.push_back(std::move(function));
  });
  code.listing.functions = std::move(functions);
  if (!read) code.error = read.error().message;
  return code;
}

std::string fixture(const std::string& name) {
  std::ifstream file(PROOFLINE_SOURCE_DIR "/tests/fixtures/cubin/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string cubin(const std::string& function) {
  return CubinBuilder().sm(90).function(function, 64).build();
}

struct Entry {
  std::string stored;
  std::uint64_t flags = 0;
  std::uint64_t expanded_bytes = 0;
  std::uint16_t kind = 2;

  std::string bytes() const {
    const bool compressed = flags != 0;
    std::string padded = stored;
    padded.resize((stored.size() + 7) / 8 * 8);
    return little_endian(kind, 2) + little_endian(0x101, 2) + little_endian(64, 4) +
           little_endian(padded.size(), 8) + little_endian(compressed ? stored.size() : 0, 4) +
           little_endian(0, 4) + little_endian(0x10008, 4) + little_endian(90, 4) +
           little_endian(0, 8) + little_endian(flags, 8) + little_endian(0, 8) +
           little_endian(expanded_bytes, 8) + padded;
  }
};

constexpr std::uint64_t kLz4 = 0x2000;
constexpr std::uint64_t kZstd = 0x8000;

Entry lz4(const std::string& content) {
  std::string stored(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))),
                     '\0');
  stored.resize(static_cast<std::size_t>(LZ4_compress_default(content.data(), stored.data(),
                                                              static_cast<int>(content.size()),
                                                              static_cast<int>(stored.size()))));
  return {stored, kLz4, content.size()};
}

Entry zstd(const std::string& content) {
  std::string stored(ZSTD_compressBound(content.size()), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), content.data(), content.size(), 3));
  return {stored, kZstd, content.size()};
}

std::string fatbin(const std::vector<Entry>& entries) {
  std::string body;
  for (const Entry& entry : entries) body += entry.bytes();
  return "\x50\xed\x55\xba" + little_endian(1, 2) + little_endian(16, 2) +
         little_endian(body.size(), 8) + body;
}

TEST(Fatbin, GivesTheFunctionsOfAllCubinsHoweverPacked) {
  for (const char* name : {"kernels.lz4.fatbin", "kernels.zstd.fatbin"}) {
    const Code code = read_with(fatbin_file(), fixture(name));
    EXPECT_EQ(code.error, "") << name;
    EXPECT_EQ(code.names(),
              (Names{"chooses", "divides", "shares", "chooses", "divides", "shares"}));
    const CodeFunction& first = code.listing.functions.front();
    EXPECT_EQ(first.arch, "sm_80");
    EXPECT_EQ(first.container, "cubin 1 (sm_80) of kernels.cu");
    EXPECT_EQ(first.instructions.size(), 80U);
    const CodeFunction& last = code.listing.functions.back();
    EXPECT_EQ(last.arch, "sm_90a");
    EXPECT_EQ(last.container, "cubin 2 (sm_90a) of kernels.cu");
    EXPECT_EQ(last.resources.shared_bytes, 1200U);
    EXPECT_TRUE(code.has_note("holds PTX for compute_80, not read", NoteKind::kInfo));
    EXPECT_FALSE(code.has_loss());
  }
}

TEST(Fatbin, NoticesEveryCut) {
  const std::string whole =
      fatbin({{cubin("a")}, lz4(cubin("b")), zstd(cubin("c"))}) + fatbin({{cubin("d")}});
  EXPECT_EQ(read_with(fatbin_file(), whole).names(), (Names{"a", "b", "c", "d"}));
  const std::size_t boundary = fatbin({{cubin("a")}, lz4(cubin("b")), zstd(cubin("c"))}).size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size == boundary)
      continue;  // where the second fatbin begins: nothing tells that it is gone
    const Code code = read_with(fatbin_file(), std::string_view(whole).substr(0, size));
    EXPECT_TRUE(!code.error.empty() || code.has_loss()) << size;
  }
}

TEST(Fatbin, GoesOnBehindADamagedCubin) {
  Entry damaged = zstd(cubin("damaged"));
  damaged.stored[20] = static_cast<char>(damaged.stored[20] ^ 0x55);
  damaged.stored.resize(damaged.stored.size() / 2);
  Entry other = lz4(cubin("damaged too"));
  other.stored.resize(other.stored.size() / 2);
  const Code code =
      read_with(fatbin_file(), fatbin({damaged, other, {"no ELF file at all"}, {cubin("k")}}));
  EXPECT_EQ(code.error, "");
  EXPECT_EQ(code.names(), Names{"k"});
  EXPECT_EQ(code.listing.functions[0].container, "cubin 4 (sm_90)");
  EXPECT_TRUE(code.has_note("its zstd data is damaged"));
  EXPECT_TRUE(code.has_note("its LZ4 data is damaged"));
  EXPECT_TRUE(code.has_note("a cubin is damaged"));
}

TEST(Fatbin, ReadsEqualCubinsOnce) {
  std::vector<Entry> entries(1000, Entry{cubin("same")});
  entries.push_back({cubin("other")});
  const Code code = read_with(fatbin_file(), fatbin(entries));
  EXPECT_EQ(code.names(), (Names{"same", "other"}));
  ASSERT_EQ(code.listing.notes.size(), 1U);
  EXPECT_EQ(code.listing.notes[0].kind, NoteKind::kInfo);
  EXPECT_EQ(code.listing.notes[0].count, 999U);
}

TEST(Fatbin, ExpandsNoMoreThanAFileOfThatSizeMayHold) {
  // Different, so that none is passed over.
  std::vector<Entry> entries;
  std::string content(64U << 20U, '\0');
  for (int i = 0; i < 3; ++i) {
    content[0] = static_cast<char>(i);
    entries.push_back(zstd(content));
  }
  entries.push_back({cubin("k")});
  const Code code = read_with(fatbin_file(), fatbin(entries));
  EXPECT_EQ(code.names(), Names{"k"});
  EXPECT_TRUE(code.has_note("would expand to more than the limit"));
}

TEST(Fatbin, BelievesNoClaimedSize) {
  for (const std::uint64_t claim :
       {std::uint64_t{0}, std::uint64_t{63} << 20U, std::uint64_t{1} << 31U, ~std::uint64_t{0}}) {
    Entry short_lz4 = lz4(cubin("a"));
    Entry short_zstd = zstd(cubin("b"));
    short_lz4.expanded_bytes = short_zstd.expanded_bytes = claim;
    const Code code = read_with(fatbin_file(), fatbin({short_lz4, short_zstd, {cubin("k")}}));
    EXPECT_EQ(code.names(), Names{"k"}) << claim;
    EXPECT_TRUE(code.has_loss());
  }
}

TEST(Fatbin, SaysWhatItHoldsInsteadOfMachineCode) {
  const Code ptx = read_with(fatbin_file(), fatbin({{".version 9.0", 0, 0, 1}}));
  EXPECT_EQ(ptx.error,
            "\"test\": the fatbin holds no machine code of a GPU, only PTX for compute_90");
  EXPECT_EQ(read_with(fatbin_file(), fatbin({})).error, "\"test\": the fatbin holds no GPU code");
  const Code other = read_with(fatbin_file(), fatbin({{"?", 0, 0, 77}, {cubin("k")}}));
  EXPECT_TRUE(other.has_note("an unknown kind", NoteKind::kInfo));
}

TEST(Fatbin, ManyBrokenOnesAreOneNote) {
  std::string bytes;
  for (int i = 0; i < 10'000; ++i) bytes += "\x50\xed\x55\xba";
  const Code code = read_with(fatbin_file(), bytes + fatbin({{cubin("k")}}));
  EXPECT_EQ(code.names(), Names{"k"});
  ASSERT_EQ(code.listing.notes.size(), 1U);
  EXPECT_EQ(code.listing.notes[0].count, 10'000U);
}

std::string host(std::uint16_t type, std::uint16_t machine, const std::string& linked,
                 const std::string& relocatable = "") {
  CubinBuilder builder;
  builder.file(type, machine);
  if (!linked.empty()) builder.section(".nv_fatbin", linked);
  if (!relocatable.empty()) builder.section("__nv_relfatbin", relocatable);
  return builder.build();
}

TEST(HostElf, FindsTheFatbinsOfAnObject) {
  const Code code = read_with(host_elf(), fixture("kernels.o"));
  EXPECT_EQ(code.error, "");
  EXPECT_EQ(code.names(), (Names{"chooses", "divides", "shares"}));
  EXPECT_EQ(code.listing.functions[0].arch, "sm_90a");
  EXPECT_EQ(code.listing.functions[0].container, "");
}

TEST(HostElf, FindsAllFatbinsOfASection) {
  const std::string padding(1000, '\0');
  const std::string sections = fatbin({{cubin("a")}}) + padding + fatbin({{cubin("b")}}) + padding;
  for (const std::uint16_t machine : {std::uint16_t{EM_X86_64}, std::uint16_t{EM_AARCH64}}) {
    const Code code = read_with(host_elf(), host(ET_DYN, machine, sections));
    EXPECT_EQ(code.names(), (Names{"a", "b"}));
    EXPECT_TRUE(code.listing.notes.empty());
  }
  EXPECT_TRUE(read_with(host_elf(), host(ET_DYN, EM_X86_64, sections + "junk junk"))
                  .has_note("bytes between fatbins"));
}

TEST(HostElf, PassesOverRelocatableCodeThatWasLinked) {
  const std::string linked = fatbin({{cubin("linked")}});
  const std::string relocatable = fatbin({{cubin("relocatable")}});
  const Code program = read_with(host_elf(), host(ET_DYN, EM_X86_64, linked, relocatable));
  EXPECT_EQ(program.names(), Names{"linked"});
  EXPECT_TRUE(program.has_note("relocatable GPU code is passed over", NoteKind::kInfo));
  EXPECT_EQ(read_with(host_elf(), host(ET_DYN, EM_X86_64, "", relocatable)).names(),
            Names{"relocatable"});
  EXPECT_EQ(read_with(host_elf(), host(ET_REL, EM_X86_64, linked, relocatable)).names(),
            (Names{"linked", "relocatable"}));
}

TEST(HostElf, SaysThatAProgramHasNoGpuCode) {
  EXPECT_EQ(read_with(host_elf(), host(ET_EXEC, EM_X86_64, "")).error,
            "\"test\": holds no GPU code");
  EXPECT_EQ(read_with(host_elf(),
                      "\x7f"
                      "ELF")
                .error,
            "\"test\": 4 bytes are too few for an ELF file");
}

std::string member(const std::string& bytes) {
  std::string size = std::to_string(bytes.size());
  size.resize(10, ' ');
  return std::string(48, 'n') + size + "`\n" + bytes + (bytes.size() % 2 != 0 ? "\n" : "");
}

TEST(HostElf, ReadsTheObjectsOfAnArchive) {
  const std::string archive =
      "!<arch>\n" + member("names") + member(host(ET_REL, EM_X86_64, fatbin({{cubin("a")}}))) +
      member("odd") + member(host(ET_REL, EM_X86_64, fatbin({{cubin("b")}})));
  ASSERT_TRUE(host_elf().sniff(archive));
  const Code code = read_with(host_elf(), archive);
  EXPECT_EQ(code.names(), (Names{"a", "b"}));
  EXPECT_TRUE(code.listing.notes.empty());
  const Code cut = read_with(host_elf(), std::string_view(archive).substr(0, archive.size() - 9));
  EXPECT_EQ(cut.names(), Names{"a"});
  EXPECT_TRUE(cut.has_note("the archive is damaged or cut off"));
  EXPECT_NE(read_with(host_elf(), "!<arch>\n").error, "");
}

TEST(HostElf, ExactlyOneFormatTakesEachBinary) {
  const std::vector<std::string> inputs = {fixture("kernels.o"),
                                           fixture("kernels.lz4.fatbin"),
                                           cubin("k"),
                                           cubin("k").substr(0, 10),
                                           host(ET_DYN, EM_AARCH64, ""),
                                           std::string("NVR\0\2\0\0\0\x08\7", 10),
                                           "!<arch>\n"};
  for (const std::string& input : inputs) {
    const auto all = formats();
    EXPECT_EQ(std::count_if(all.begin(), all.end(),
                            [&](const Format& format) { return format.sniff(input); }),
              1);
  }
}

}  // namespace
}  // namespace proofline::fatbin_test
