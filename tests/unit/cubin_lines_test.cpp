// SPDX-License-Identifier: Apache-2.0
//
// The line tables of cubins: that each instruction gets its own line, also in inlined code, and
// that nothing in a cubin can make the reader fail, hang or take much.
#include "readers/code/cubin_lines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "readers/read_profile.h"
#include "support/cubin_builder.h"
#include "support/report_builder.h"

namespace proofline::cubin_lines_test {
namespace {

using namespace proofline::test_support;  // NOLINT: the builders' words are what these tests are
                                          // made of

constexpr std::size_t kManyRows = 1U << 20U;

const std::string kHeader = line_header({"/src"}, {{"kernel.cu", 1}, {"header.cuh", 1}});

LineUnit unit(const LineProgram& program) { return line_unit(kHeader, program); }

// One function of 4 instructions: lines 10, 11, 11, 12.
LineProgram small_program() {
  return LineProgram().at("k").line(10).advance(16).line(11).advance(32).line(12).end(16);
}

std::string small_cubin() {
  return CubinBuilder().function("k", 64).lines(unit(small_program())).build();
}

// "kernel.cu:12", with the calling rows after it; "" where there is no line.
std::string place(const LineTable& table, std::string_view function, std::uint64_t offset) {
  const LineTable::Function* found = table.function(function);
  if (found == nullptr) return "no such function";
  const LineTable::Row* row = table.row(*found, offset);
  std::string text;
  while (row != nullptr) {
    text +=
        (text.empty() ? "" : " < ") + table.files[row->file].name + ':' + std::to_string(row->line);
    row = row->call != LineTable::kNone ? &table.rows[row->call] : nullptr;
  }
  return text;
}

std::string missing(const std::string& cubin, std::size_t max_rows = kManyRows) {
  const CubinLines lines = read_cubin_lines(cubin, max_rows);
  EXPECT_TRUE(lines.table.rows.empty());
  EXPECT_FALSE(lines.table.missing.empty());
  return lines.table.missing;
}

template <class Number>
std::string patched(std::string bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof(number));
  return bytes;
}

TEST(CubinLines, GivesEachInstructionItsLine) {
  const CubinLines lines = read_cubin_lines(small_cubin(), kManyRows);
  EXPECT_FALSE(lines.damaged);
  EXPECT_EQ(lines.table.missing, "");
  EXPECT_EQ(place(lines.table, "k", 0), "kernel.cu:10");
  EXPECT_EQ(place(lines.table, "k", 15), "kernel.cu:10");
  EXPECT_EQ(place(lines.table, "k", 16), "kernel.cu:11");
  EXPECT_EQ(place(lines.table, "k", 32), "kernel.cu:11");
  EXPECT_EQ(place(lines.table, "k", 63), "kernel.cu:12");
  EXPECT_EQ(place(lines.table, "k", 64), "");
  EXPECT_EQ(place(lines.table, "other", 0), "no such function");
  EXPECT_EQ(lines.table.folders.at(lines.table.files.at(1).folder), "/src");
  EXPECT_EQ(lines.table.function("k")->size, 64U);
  EXPECT_TRUE(lines.functions.empty());
}

TEST(CubinLines, KeepsFunctionsApartThatAllBeginAtZero) {
  const std::string cubin =
      CubinBuilder()
          .function("a", 32)
          .function("b", 32)
          .lines(unit(LineProgram().at("b").line(20).end(32).at("a").line(10).end(32)))
          .build();
  const LineTable table = read_cubin_lines(cubin, kManyRows).table;
  EXPECT_EQ(place(table, "a", 16), "kernel.cu:10");
  EXPECT_EQ(place(table, "b", 16), "kernel.cu:20");
}

TEST(CubinLines, SpecialOpcodesAdvanceBoth) {
  // Opcode = (line step + 5) + 14 * bytes + 10: 16 bytes and 2 lines on.
  const auto step = static_cast<char>(7 + 14 * 16 + 10);
  const std::string cubin = CubinBuilder()
                                .function("k", 64)
                                .lines(unit(LineProgram().at("k").line(10).raw({&step, 1}).end(16)))
                                .build();
  const LineTable table = read_cubin_lines(cubin, kManyRows).table;
  EXPECT_EQ(place(table, "k", 15), "kernel.cu:10");
  EXPECT_EQ(place(table, "k", 16), "kernel.cu:12");
}

TEST(CubinLines, NamesTheCallersOfInlinedCode) {
  // The rows of the second function count from its own start.
  const LineProgram program = LineProgram()
                                  .at("a")
                                  .line(1)
                                  .advance(16)
                                  .line(2)
                                  .end(16)
                                  .at("b")
                                  .line(30)
                                  .inlined_at_row(1)
                                  .file(2)
                                  .line(7)
                                  .inlined_at_row(2)
                                  .line(8)
                                  .inlined_at_row(0)
                                  .file(1)
                                  .advance(16)
                                  .line(31)
                                  .end(16);
  const std::string cubin =
      CubinBuilder().function("a", 32).function("b", 32).lines(unit(program)).build();
  const LineTable table = read_cubin_lines(cubin, kManyRows).table;
  EXPECT_EQ(place(table, "b", 0), "header.cuh:8 < header.cuh:7 < kernel.cu:30");
  EXPECT_EQ(place(table, "b", 16), "kernel.cu:31");
  EXPECT_EQ(place(table, "a", 16), "kernel.cu:2");
}

TEST(CubinLines, FindsWhereAnOldReportsFunctionsWereLoaded) {
  const std::string cubin =
      CubinBuilder()
          .function("k", 64, 0x7f0000001000)
          .without_addends()
          .lines(unit(LineProgram().at("k", 0x7f0000001000).line(10).advance(16).line(11).end(48)))
          .build();
  const CubinLines lines = read_cubin_lines(cubin, kManyRows);
  ASSERT_EQ(lines.functions.size(), 1U);
  EXPECT_EQ(lines.functions[0].name, "k");
  EXPECT_EQ(lines.functions[0].address, 0x7f0000001000U);
  EXPECT_EQ(place(lines.table, "k", 16), "kernel.cu:11");
}

TEST(CubinLines, ReadsDwarf5) {
  std::string header("\x01\x01\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1", 18);
  header += std::string("\x01\x01\x1f", 3) + uleb(2) + little_endian(0, 4) + little_endian(5, 4);
  header += std::string("\x03\x01\x08\x02\x0b\x05\x1e", 7) + uleb(2);
  header += std::string("kernel.cu\0\x01", 11) + std::string(16, '\x7c');
  header += std::string("other.cu\0\x00", 10) + std::string(16, '\x7c');
  const std::string cubin =
      CubinBuilder()
          .function("k", 64)
          .lines(line_unit(header, LineProgram().at("k").file(0).line(10).end(64), 5))
          .section(".debug_line_str", std::string("/src\0/home\0", 11))
          .build();
  const CubinLines lines = read_cubin_lines(cubin, kManyRows);
  EXPECT_EQ(lines.table.missing, "");
  EXPECT_EQ(place(lines.table, "k", 0), "kernel.cu:10");
  EXPECT_EQ(lines.table.folders.at(lines.table.files.at(0).folder), "/home");
}

TEST(CubinLines, SeveralUnitsMakeOneTable) {
  const std::string cubin = CubinBuilder()
                                .function("a", 16)
                                .function("b", 16)
                                .lines(unit(LineProgram().at("a").line(1).end(16)))
                                .lines(line_unit(line_header({"/lib"}, {{"other.cu", 1}}),
                                                 LineProgram().at("b").line(2).end(16), 3))
                                .build();
  const LineTable table = read_cubin_lines(cubin, kManyRows).table;
  EXPECT_EQ(place(table, "a", 0), "kernel.cu:1");
  EXPECT_EQ(place(table, "b", 0), "other.cu:2");
}

TEST(CubinLines, SaysWhyThereAreNone) {
  EXPECT_EQ(missing(CubinBuilder().function("k", 64).build()),
            "the kernel was compiled without -lineinfo");
  EXPECT_EQ(missing(""),
            "the embedded code is no readable cubin: 0 bytes are too few for an ELF file");
  EXPECT_EQ(missing(std::string(100, 'x')), "the embedded code is no readable cubin: no ELF file");
  const std::string cubin = small_cubin();
  const std::string prefix = "the embedded code is no readable cubin: ";
  EXPECT_EQ(missing(patched(cubin, EI_CLASS, std::uint8_t{ELFCLASS32})),
            prefix + "an ELF file, but not of 64 bits");
  EXPECT_EQ(missing(patched(cubin, EI_DATA, std::uint8_t{ELFDATA2MSB})),
            prefix + "an ELF file, but not little-endian");
  EXPECT_EQ(missing(patched(cubin, 18, std::uint16_t{EM_X86_64})),
            prefix + "an ELF file for machine 62, not for a GPU");
  EXPECT_EQ(
      missing(
          CubinBuilder().function("k", 64).lines(line_unit(kHeader, small_program(), 6)).build()),
      "the line table is of DWARF version 6, not 2 to 5");
  EXPECT_EQ(missing(CubinBuilder().lines(unit(small_program())).build()),
            "the line table names no function");
}

TEST(CubinLines, RefusesSectionTablesThatCannotBe) {
  const std::string cubin = small_cubin();
  constexpr std::size_t kOffset = 40;  // of e_shoff
  constexpr std::size_t kEntrySize = 58;
  constexpr std::size_t kCount = 60;
  constexpr std::size_t kNames = 62;
  for (const std::uint64_t offset :
       {std::uint64_t{0}, std::uint64_t{cubin.size()}, std::uint64_t{cubin.size() - 1},
        ~std::uint64_t{0}, ~std::uint64_t{0} - 63, std::uint64_t{1} << 63U}) {
    missing(patched(cubin, kOffset, offset));
  }
  missing(patched(cubin, kEntrySize, std::uint16_t{0}));
  missing(patched(cubin, kCount, std::uint16_t{0xffff}));
  missing(patched(cubin, kCount, std::uint16_t{0}));
  missing(patched(cubin, kNames, std::uint16_t{0xfff0}));
  const std::size_t header = CubinBuilder::header_of(cubin, ".debug_line");
  for (const std::uint64_t number :
       {~std::uint64_t{0}, std::uint64_t{1} << 60U, std::uint64_t{cubin.size()}}) {
    missing(patched(cubin, header + 24, number));  // offset
    missing(patched(cubin, header + 32, number));  // size
  }
}

TEST(CubinLines, DecompressesNothing) {
  const std::string cubin = small_cubin();
  const std::size_t header = CubinBuilder::header_of(cubin, ".debug_line");
  EXPECT_EQ(missing(patched(cubin, header + 8, std::uint64_t{SHF_COMPRESSED})),
            "the line table is compressed");
  // Without contents, of any size.
  const std::string without = patched(patched(cubin, header + 4, std::uint32_t{SHT_NOBITS}),
                                      header + 32, std::uint64_t{1} << 60U);
  EXPECT_EQ(missing(without), "the kernel was compiled without -lineinfo");
}

TEST(CubinLines, DamageCostsOnlyWhatFollowsIt) {
  LineProgram program = LineProgram().at("a").line(1).end(16).at("b").line(2);
  const std::string cubin = CubinBuilder()
                                .function("a", 16)
                                .function("b", 16)
                                .lines(unit(program.raw(std::string("\0\x09\x02", 3))))
                                .build();
  const CubinLines lines = read_cubin_lines(cubin, kManyRows);
  EXPECT_TRUE(lines.damaged);
  EXPECT_EQ(place(lines.table, "a", 0), "kernel.cu:1");
  EXPECT_EQ(place(lines.table, "b", 0), "");
}

TEST(CubinLines, DropsFunctionsWhoseRowsMakeNoSense) {
  const LineProgram program = LineProgram()
                                  .at("back")
                                  .advance(32)
                                  .line(1)
                                  .at("back")
                                  .line(2)
                                  .end(16)
                                  .at("far")
                                  .advance(std::uint64_t{1} << 40U)
                                  .line(1)
                                  .end(16)
                                  .at("nobody")
                                  .line(1)
                                  .end(16)
                                  .at("good")
                                  .file(99)
                                  .line(1)
                                  .advance(16)
                                  .file(1)
                                  .inlined_at_row(99)
                                  .line(2)
                                  .end(16);
  const std::string cubin = CubinBuilder()
                                .function("back", 64)
                                .function("far", 64)
                                .function("good", 64)
                                .lines(unit(program))
                                .build();
  const LineTable table = read_cubin_lines(cubin, kManyRows).table;
  EXPECT_EQ(place(table, "back", 0), "");
  EXPECT_EQ(place(table, "far", 0), "");
  EXPECT_EQ(place(table, "good", 0), "");  // its file is not in the list
  EXPECT_EQ(place(table, "good", 16), "kernel.cu:2");
}

TEST(CubinLines, NeverMoreRowsThanAllowed) {
  LineProgram program;
  program.at("k");
  program.raw(std::string(5000, '\x01'));  // no advance
  program.end(16);
  const std::string cubin = CubinBuilder().function("k", 64).lines(unit(program)).build();
  EXPECT_EQ(missing(cubin, 100), "the line tables have more than 100 rows");
  EXPECT_EQ(read_cubin_lines(cubin, kManyRows).table.rows.size(), 5001U);
}

// Small files that would cost much if names were joined or copied for each use.
TEST(CubinLines, BombsStaySmall) {
  const auto start = std::chrono::steady_clock::now();
  // One long folder, many files in it.
  const std::vector<std::pair<std::string, int>> files(60000, {"a", 1});
  const std::string long_folder(1000000, 'd');
  const CubinLines named =
      read_cubin_lines(CubinBuilder()
                           .function("k", 64)
                           .lines(line_unit(line_header({long_folder}, files), small_program()))
                           .build(),
                       kManyRows);
  EXPECT_EQ(named.table.folders.size(), 2U);
  EXPECT_EQ(named.table.files.size(), 60001U);
  EXPECT_EQ(place(named.table, "k", 0), "a:10");

  // Symbol tables that all are the whole file.
  const std::string small = small_cubin();
  std::string tables = small;
  Elf64_Shdr table{};
  table.sh_type = SHT_SYMTAB;
  table.sh_size = small.size() + 20000 * sizeof(table);
  for (int i = 0; i < 20000; ++i)
    tables.append(reinterpret_cast<const char*>(&table), sizeof(table));
  tables = patched(tables, 40, std::uint64_t{small.size()});
  tables = patched(tables, 60, std::uint16_t{20000});
  EXPECT_EQ(missing(tables), "the embedded code is no readable cubin: its sections overlap");

  // Many sections whose names all are the end of one long text.
  std::string cubin = CubinBuilder().function(std::string(500000, 'k'), 64).build();
  const std::size_t first = cubin.size();
  Elf64_Shdr section{};
  section.sh_type = SHT_NOBITS;
  section.sh_name = 1;
  for (int i = 0; i < 20000; ++i) {
    cubin.append(reinterpret_cast<const char*>(&section), sizeof(section));
  }
  const std::size_t header = CubinBuilder::header_of(cubin, ".shstrtab");
  cubin.append(cubin, header, sizeof(section));
  cubin = patched(cubin, 40, std::uint64_t{first});
  cubin = patched(cubin, 60, std::uint16_t{20001});
  cubin = patched(cubin, 62, std::uint16_t{20000});
  EXPECT_EQ(missing(cubin), "the embedded code is no readable cubin: its section names overlap");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(CubinLines, SurvivesEveryCutAndEveryBrokenByte) {
  const std::string cubin = small_cubin();
  for (std::size_t size = 0; size < cubin.size(); ++size) {
    read_cubin_lines(std::string_view(cubin).substr(0, size), kManyRows);
  }
  for (std::size_t at = 0; at < cubin.size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
      const std::string broken = patched(cubin, at, static_cast<std::uint8_t>(value));
      const LineTable table = read_cubin_lines(broken, kManyRows).table;
      for (const LineTable::Function& function : table.functions) {
        for (const std::uint64_t offset : {0U, 16U, 63U, 1U << 31U}) {
          const LineTable::Row* row = table.row(function, offset);
          ASSERT_TRUE(row == nullptr || row->file < table.files.size());
        }
      }
    }
  }
}

ReportBlock block_with_cubins(const std::vector<std::string>& cubins) {
  ReportBlock block;
  block.strings = {"launch__grid_size"};
  block.kernels = {
      kernel("k").message(13, integer_metric(0, 8)).message(15, Fields().integer(1, 2))};
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    block.sources.push_back(Fields().integer(1, i + 1).text(4, cubins[i]));
  }
  return block;
}

Result<Profile> read(const std::string& bytes, const ReadOptions& options) {
  auto input = Input::from_memory(bytes, "report");
  auto profile = read_profile(*input, options);
  if (profile) {
    EXPECT_EQ(profile->bytes.total, bytes.size());
    EXPECT_EQ(profile->bytes.total, profile->bytes.used + profile->bytes.skipped);
  }
  return profile;
}

TEST(CubinLines, OfAReportAreReadWhenAskedFor) {
  const std::string cubin = small_cubin();
  const std::string bytes = report({block_with_cubins({"not code", cubin, cubin})});
  const auto without = read(bytes, {});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->modules.at(1).lines, nullptr);
  const auto profile = read(bytes, {.lines = true});
  ASSERT_TRUE(profile);
  EXPECT_EQ(without->bytes.skipped - profile->bytes.skipped, 8 + 2 * cubin.size());
  EXPECT_TRUE(profile->modules.at(1).cubin.empty());
  EXPECT_TRUE(profile->modules.at(0).lines->rows.empty());
  EXPECT_EQ(place(*profile->modules.at(1).lines, "k", 16), "kernel.cu:11");
  EXPECT_EQ(profile->modules.at(1).lines, profile->modules.at(2).lines) << "equal cubins share";
  EXPECT_EQ(profile->launches.at(0).modules, std::vector<std::uint64_t>{1});
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_NE(profile->notes[0].what.find("embedded cubins are damaged"), std::string::npos);
  EXPECT_EQ(profile->notes[0].count, 1U);
}

TEST(CubinLines, OfAReportAreSharedByCubinsThatDifferInCodeOnly) {
  const auto cubin = [](const std::string& function, char code, int line) {
    return CubinBuilder()
        .kernel(function, std::string(64, code))
        .lines(unit(LineProgram().at(function).line(line).end(64)))
        .build();
  };
  const auto profile = read(report({block_with_cubins({cubin("k", 'a', 1), cubin("k", 'b', 1),
                                                       cubin("j", 'a', 1), cubin("k", 'a', 2)})}),
                            {.lines = true});
  ASSERT_TRUE(profile);
  const auto& modules = profile->modules;
  ASSERT_EQ(modules.size(), 4U);
  EXPECT_EQ(modules[0].lines, modules[1].lines);
  EXPECT_NE(modules[0].lines, modules[2].lines) << "another function";
  EXPECT_NE(modules[0].lines, modules[3].lines) << "other lines";
}

TEST(CubinLines, DamageInAReportIsALoss) {
  const std::string cubin =
      CubinBuilder().function("k", 64).lines(unit(LineProgram().at("k").line(1))).build();
  const auto profile = read(report({block_with_cubins({cubin, cubin})}), {.lines = true});
  ASSERT_TRUE(profile);
  ASSERT_EQ(profile->notes.size(), 1U);
  EXPECT_EQ(profile->notes[0].kind, NoteKind::kLoss);
}

// The rows of real cubins, as NVIDIA's compiler wrote them.
TEST(CubinLines, OfARealReport) {
  const std::string path = PROOFLINE_SOURCE_DIR "/examples/h200-kernels.ncu-rep.gz";
  const auto profile = read_profile(path, {.lines = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->modules.size(), 6U);
  std::string softmax;
  for (const Module& module : profile->modules) {
    ASSERT_NE(module.lines, nullptr);
    EXPECT_EQ(module.lines->missing, "");
    for (const Symbol& function : module.functions) {
      const LineTable::Function* found = module.lines->function(function.name);
      ASSERT_NE(found, nullptr) << function.name;
      // The first instruction belongs to the line on which the function's body begins.
      EXPECT_NE(place(*module.lines, function.name, 0), "");
      if (function.name == "_Z21softmax_block_per_rowPKfPfj") {
        softmax = place(*module.lines, function.name, 0x5f0);
      }
    }
  }
  // A shuffle in max_of_warp, which fold_block calls, which the kernel calls.
  EXPECT_EQ(softmax, "sm_30_intrinsics.hpp:449 < softmax.cu:16 < softmax.cu:58 < softmax.cu:74");
}

}  // namespace
}  // namespace proofline::cubin_lines_test
