// SPDX-License-Identifier: Apache-2.0
//
// Functions out of cubins, by themselves and in ncu's reports: that code, resources and source
// lines are what the compiler put there, and that nothing in a cubin can make the reader fail or
// take much.
#include "readers/code/cubin_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/code/read_code.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "support/cubin_builder.h"
#include "support/report_builder.h"

namespace proofline {
Format cubin_file();
Format ncu_rep();
}  // namespace proofline

namespace proofline::cubin_code_test {
namespace {

using namespace proofline::test_support;  // NOLINT: the builders' words are what these tests are
                                          // made of

const std::string kFixture = PROOFLINE_SOURCE_DIR "/tests/fixtures/cubin/kernels.sm_90a.cubin.gz";

struct Code {
  Listing listing;
  std::string error;  // "" none

  const CodeFunction& operator[](std::string_view name) const {
    const auto found = std::find_if(listing.functions.begin(), listing.functions.end(),
                                    [&](const auto& function) { return function.name == name; });
    return found != listing.functions.end() ? *found : kNone;
  }
  bool has_note(std::string_view text) const {
    return std::any_of(listing.notes.begin(), listing.notes.end(),
                       [&](const Note& note) { return note.what.find(text) != std::string::npos; });
  }

  inline static const CodeFunction kNone;
};

Code read_input(const Format& format, Result<Input> input) {
  Code code;
  if (!input) {
    code.error = input.error().message;
    return code;
  }
  std::vector<CodeFunction> functions;
  const auto read = format.read_code(*input, code.listing, [&](CodeFunction&& function) {
    functions.push_back(std::move(function));
  });
  code.listing.functions = std::move(functions);
  if (!read) code.error = read.error().message;
  return code;
}

Code read_bytes(std::string_view bytes) {
  return read_input(cubin_file(), Input::from_memory(bytes, "test.cubin"));
}

template <class Number>
std::string patched(std::string bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof(number));
  return bytes;
}

std::string encoding(std::uint64_t low, std::uint64_t high) {
  return little_endian(low, 8) + little_endian(high, 8);
}

std::string words(std::initializer_list<std::uint32_t> numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) bytes += little_endian(number, 4);
  return bytes;
}

std::string sized_attribute(unsigned id, const std::string& payload) {
  return little_endian(4, 1) + little_endian(id, 1) + little_endian(payload.size(), 2) + payload;
}

std::string attribute(unsigned format, unsigned id, unsigned value) {
  return little_endian(format, 1) + little_endian(id, 1) + little_endian(value, 2);
}

// "kernels.cu:27 < kernels.cu:32": a line and the calls it was inlined at.
std::string place(const CodeFunction& function, std::uint32_t address) {
  const auto at = function.at(address);
  if (!at) return "no instruction";
  std::string text;
  for (std::uint32_t i = function.instructions[*at].line; i != Instruction::kNone;
       i = function.lines[i].inlined_at) {
    const CodeLine& line = function.lines[i];
    text +=
        (text.empty() ? "" : " < ") + function.files[line.file] + ':' + std::to_string(line.line);
  }
  return text;
}

TEST(CubinCode, GivesWhatTheCompilerPutIntoARealCubin) {
  const Code code = read_input(cubin_file(), Input::open(kFixture));
  ASSERT_EQ(code.error, "");
  EXPECT_TRUE(code.listing.notes.empty());
  EXPECT_EQ(code.listing.producer, "ptxas, Cuda compilation tools, release 13.0, V13.0.88");
  ASSERT_EQ(code.listing.functions.size(), 3U);
  for (const CodeFunction& function : code.listing.functions) {
    EXPECT_EQ(function.arch, "sm_90a");
    EXPECT_EQ(function.container, "");
    EXPECT_TRUE(function.entry);
    EXPECT_TRUE(function.complete);
    EXPECT_EQ(function.encodings.size(), function.instructions.size());
    EXPECT_EQ(function.resources.line_table, true);
  }

  const FunctionResources& shares = code["shares"].resources;
  EXPECT_EQ(shares.registers, 12U);
  EXPECT_EQ(shares.shared_bytes, 300U * 4U);
  EXPECT_EQ(shares.local_bytes, 0U);
  EXPECT_EQ(shares.stack_bytes, 0U);
  EXPECT_EQ(shares.barriers, 4U);
  EXPECT_EQ(shares.parameters, 2U);
  EXPECT_EQ(shares.parameter_bytes, 48U);
  EXPECT_EQ(shares.max_threads, 256U);
  EXPECT_EQ(shares.cluster_size, std::nullopt);
  EXPECT_EQ(code["shares"].instructions.size(), 56U);

  const CodeFunction& divides = code["divides"];
  EXPECT_EQ(divides.resources.cluster_size, 2U);
  EXPECT_EQ(divides.resources.shared_bytes, 0U);
  EXPECT_EQ(divides.resources.max_threads, std::nullopt);
  ASSERT_EQ(divides.inner.size(), 1U);
  EXPECT_EQ(divides.inner[0].name, "$__internal_0_$__cuda_sm20_div_u64");
  EXPECT_EQ(divides.inner[0].address, 0x250U);
}

TEST(CubinCode, GivesSourceLinesWithTheCallsTheyWereInlinedAt) {
  const Code code = read_input(cubin_file(), Input::open(kFixture));
  const CodeFunction& chooses = code["chooses"];
  EXPECT_EQ(place(chooses, 0x10), "/src/kernels.cu:31");
  EXPECT_EQ(place(chooses, 0x130), "/src/kernels.cu:27 < /src/kernels.cu:32");
  EXPECT_EQ(place(chooses, 0x160), "/src/device_atomic_functions.hpp:107 < /src/kernels.cu:33");
  EXPECT_EQ(chooses.files.size(), 2U);
}

TEST(CubinCode, GivesTheTargetsOfIndirectBranches) {
  const Code code = read_input(cubin_file(), Input::open(kFixture));
  const auto& branches = code["chooses"].branch_targets;
  ASSERT_EQ(branches.size(), 2U);
  EXPECT_EQ(branches[0].address, 0x90U);
  EXPECT_EQ(branches[0].targets, (std::vector<std::uint32_t>{0x110, 0x160, 0xa0, 0x350}));
  EXPECT_EQ(branches[1].address, 0x240U);
  EXPECT_EQ(branches[1].targets.size(), 3U);
}

TEST(CubinCode, GivesEachInstructionItsEncoding) {
  const Code code =
      read_bytes(CubinBuilder().sm(120).kernel("k", encoding(1, 2) + encoding(~0ULL, 4)).build());
  const CodeFunction& function = code["k"];
  EXPECT_EQ(function.arch, "sm_120");
  ASSERT_EQ(function.instructions.size(), 2U);
  EXPECT_EQ(function.instructions[0].address, 0U);
  EXPECT_EQ(function.instructions[1].address, 16U);
  EXPECT_EQ(function.instructions[1].opcode, kUnknownOpcode);
  EXPECT_EQ(function.encodings[0], (Encoding{1, 2}));
  EXPECT_EQ(function.encodings[1], (Encoding{~0ULL, 4}));
  EXPECT_EQ(function.resources.line_table, false);
}

TEST(CubinCode, FindsResourcesWhereOlderCompilersPutThem) {
  const std::string cubin =
      CubinBuilder().before_cuda_13(0x5a0d5a).function("k", 32).function("l", 32).build();
  const std::size_t header = CubinBuilder::header_of(cubin, ".text.k");
  const Code code = read_bytes(patched(patched(cubin, header + 8, std::uint64_t{5} << 20U | 6U),
                                       header + 44, std::uint32_t{40} << 24U | 7U));
  EXPECT_EQ(code["k"].arch, "sm_90a");
  EXPECT_EQ(code["k"].resources.registers, 40U);
  EXPECT_EQ(code["k"].resources.barriers, 5U);
  EXPECT_EQ(code["l"].resources.registers, std::nullopt);
}

TEST(CubinCode, LeavesTheSystemsSharedMemoryOut) {
  const auto shared_bytes = [](std::uint32_t sm, std::uint64_t size) {
    return read_bytes(
               CubinBuilder().sm(sm).function("k", 16).reserve(".nv.shared.k", size).build())["k"]
        .resources.shared_bytes;
  };
  EXPECT_EQ(shared_bytes(80, 2048), 2048U);
  EXPECT_EQ(shared_bytes(90, 2048), 1024U);
  EXPECT_EQ(shared_bytes(90, 100), 0U);
}

// Uninitialised and shared variables have no bytes in the file, whatever the type of their section;
// what instructions lack is told by its symbol.
TEST(CubinCode, ReadsWhatIsYetToBeLinked) {
  const std::string path =
      PROOFLINE_SOURCE_DIR "/tests/fixtures/cubin/relocatable.first.sm_90a.cubin.gz";
  const Code code = read_input(cubin_file(), Input::open(path));
  EXPECT_EQ(code.error, "");
  const CodeFunction& kernel = code["calls_elsewhere"];
  EXPECT_FALSE(kernel.resources.linked);
  EXPECT_EQ(kernel.resources.registers, 24U);
  EXPECT_EQ(kernel.resources.shared_bytes, 16384U) << "the linker adds what the system takes";
  EXPECT_EQ(kernel.resources.allocates, std::nullopt) << "its callee may";
  const auto lacks = [&](std::uint32_t address) {
    const auto found = std::find_if(kernel.relocations.begin(), kernel.relocations.end(),
                                    [&](const auto& one) { return one.address == address; });
    return found != kernel.relocations.end() ? found->what : "";
  };
  EXPECT_EQ(kernel.relocations.size(), 7U);
  EXPECT_EQ(lacks(0xb0), "32@lo(other_weights)");
  EXPECT_EQ(lacks(0x1f0), "32@hi((calls_elsewhere + 0x210))");
  EXPECT_EQ(lacks(0x200), "_Z5firstf");
  EXPECT_TRUE(read_input(cubin_file(), Input::open(kFixture))["shares"].resources.linked);
}

TEST(CubinCode, ReadsAttributesByTheFunctionsOwnSymbol) {
  // Symbol 1 is the kernel, symbol 2 a function after it.
  const std::string info =
      sized_attribute(0x2f, words({1, 30})) + sized_attribute(0x11, words({2, 64})) +
      sized_attribute(0x11, words({1, 16})) + sized_attribute(0x12, words({1, 80})) +
      sized_attribute(0x2f, words({99, 255}));
  const std::string function_info =
      sized_attribute(0x10, words({32, 4, 1})) + sized_attribute(0x05, words({~0U, ~0U, ~0U})) +
      attribute(3, 0x19, 24) + attribute(2, 0x4c, 3) + attribute(1, 0x99, 0);
  const Code code = read_bytes(CubinBuilder()
                                   .sm(90)
                                   .function("k", 64)
                                   .inner("behind", 32)
                                   .section(".nv.info", info)
                                   .section(".nv.info.k", function_info)
                                   .build());
  EXPECT_TRUE(code.listing.notes.empty());
  const FunctionResources& resources = code["k"].resources;
  EXPECT_EQ(resources.registers, 30U);
  EXPECT_EQ(resources.stack_bytes, 16U);
  EXPECT_EQ(resources.local_bytes, 80U);
  EXPECT_EQ(resources.required_threads, 128U);
  EXPECT_EQ(resources.max_threads, std::nullopt);  // no such block can be
  EXPECT_EQ(resources.parameter_bytes, 24U);
  EXPECT_EQ(resources.parameters, 0U);
  EXPECT_EQ(resources.barriers, 3U);
}

TEST(CubinCode, DoesNotInventWhatTheFileDoesNotTell) {
  const FunctionResources resources =
      read_bytes(CubinBuilder().sm(90).function("k", 16).build())["k"].resources;
  EXPECT_EQ(resources.registers, std::nullopt);
  EXPECT_EQ(resources.barriers, std::nullopt);
  EXPECT_EQ(resources.shared_bytes, std::nullopt);
  EXPECT_EQ(resources.parameters, std::nullopt);
}

TEST(CubinCode, OffersTheWholeCubinFirst) {
  const std::string cubin = CubinBuilder().sm(90).function("k", 16).function("l", 16).build();
  for (const bool taken : {true, false}) {
    std::size_t functions = 0;
    std::string offered;
    FunctionSink sink([&](CodeFunction&&) { ++functions; });
    sink.offer_cubin = [&](std::string_view bytes, const std::string& container) {
      offered = container;
      return taken && bytes == cubin;
    };
    Listing listing;
    EXPECT_EQ(read_cubin_code(cubin, "cubin 7", listing, sink), 2U);
    EXPECT_EQ(offered, "cubin 7");
    EXPECT_EQ(functions, taken ? 0U : 2U);
  }
}

FunctionResources resources_in(const std::string& cubin, std::string_view kernel) {
  const Code code =
      read_input(cubin_file(), Input::open(PROOFLINE_SOURCE_DIR "/tests/fixtures/cubin/" + cubin));
  EXPECT_EQ(code.error, "");
  return code[kernel].resources;
}

TEST(CubinCode, TellsWhoAllocatesMemory) {
  const std::string cubin = "allocation.sm_90a.cubin.gz";
  EXPECT_EQ(resources_in(cubin, "allocates").allocates, true);
  EXPECT_EQ(resources_in(cubin, "allocates_in_a_call").allocates, true);
  // It might do so through a pointer, since something in this cubin does.
  EXPECT_EQ(resources_in(cubin, "sums").allocates, std::nullopt);
  EXPECT_EQ(resources_in("kernels.sm_90a.cubin.gz", "shares").allocates, false);
  // Without a call graph nobody tells.
  const std::string bare = CubinBuilder().sm(90).function("k", 16).build();
  EXPECT_EQ(read_bytes(bare)["k"].resources.allocates, std::nullopt);
}

TEST(CubinCode, TellsWhetherTheCompilerOptimised) {
  EXPECT_EQ(resources_in("unoptimised.sm_90a.cubin.gz", "arrives").optimised, false);
  EXPECT_EQ(resources_in("mbarrier_pairs.sm_90a.cubin.gz", "arrives").optimised, true);
  EXPECT_EQ(resources_in("kernels.sm_90a.cubin.gz", "shares").optimised, true);
  const std::string bare = CubinBuilder().sm(90).function("k", 16).build();
  EXPECT_EQ(read_bytes(bare)["k"].resources.optimised, std::nullopt);
}

TEST(CubinCode, ReadsOnlyFunctionsThatAreWanted) {
  const std::string cubin = CubinBuilder().sm(90).function("k", 16).function("l", 16).build();
  std::vector<std::string> asked;
  std::vector<std::string> read;
  FunctionSink sink([&](CodeFunction&& function) { read.push_back(function.name); });
  sink.wants = [&](const std::string& name) {
    asked.push_back(name);
    return name == "l";
  };
  Listing listing;
  EXPECT_EQ(read_cubin_code(cubin, "", listing, sink), 2U);
  EXPECT_EQ(asked, (std::vector<std::string>{"k", "l"}));
  EXPECT_EQ(read, std::vector<std::string>{"l"});
}

TEST(CubinCode, TellsKernelsFromFunctionsThatTheyCall) {
  const Code code = read_bytes(
      CubinBuilder().sm(90).function("k", 16).callee("helper", std::string(16, '\0')).build());
  EXPECT_TRUE(code["k"].entry);
  EXPECT_FALSE(code["helper"].entry);
}

TEST(CubinCode, ListsInnerFunctionsByAddressAlsoWhereTheCodeWasLoaded) {
  const Code code = read_bytes(CubinBuilder()
                                   .sm(90)
                                   .kernel("k", std::string(96, '\0'), 0x7f0000)
                                   .inner("second", 0x7f0040)
                                   .inner("first", 0x7f0010)
                                   .inner("alias", 0x7f0010)
                                   .inner("outside", 0x7f0060)
                                   .build());
  const auto& inner = code["k"].inner;
  ASSERT_EQ(inner.size(), 2U);
  EXPECT_EQ(inner[0].name, "first");
  EXPECT_EQ(inner[0].address, 0x10U);
  EXPECT_EQ(inner[1].name, "second");
  EXPECT_TRUE(code["k"].entry);
}

// Behind each word of control bits stand three instructions.
TEST(CubinCode, GivesTheWordsOfOldArchitectures) {
  const Code code = read_bytes(CubinBuilder().before_cuda_13(0x3d053d).function("k", 64).build());
  EXPECT_EQ(code.error, "");
  EXPECT_EQ(code["k"].arch, "sm_61");
  EXPECT_TRUE(code["k"].complete);
  ASSERT_EQ(code["k"].instructions.size(), 6U);
  EXPECT_EQ(code["k"].encodings.size(), 6U);
  EXPECT_EQ(code["k"].instructions[2].address, 0x18U);
  EXPECT_EQ(code["k"].instructions[3].address, 0x28U);
}

TEST(CubinCode, ReadsNoInstructionsFromBeforeMaxwell) {
  const Code code = read_bytes(CubinBuilder().before_cuda_13(0x230523).function("k", 64).build());
  EXPECT_EQ(code["k"].arch, "sm_35");
  EXPECT_TRUE(code["k"].instructions.empty());
  EXPECT_FALSE(code["k"].complete);
}

TEST(CubinCode, SaysWhereCodeIsNotWhole) {
  const std::string cubin =
      CubinBuilder().sm(90).function("odd", 40).function("empty", 0).function("gone", 32).build();
  const std::size_t header = CubinBuilder::header_of(cubin, ".text.gone");
  const Code code = read_bytes(patched(patched(cubin, header + 4, std::uint32_t{SHT_NOBITS}),
                                       header + 32, std::uint64_t{1} << 60U));
  EXPECT_EQ(code["odd"].instructions.size(), 2U);
  EXPECT_FALSE(code["odd"].complete);
  EXPECT_TRUE(code["empty"].complete);
  EXPECT_TRUE(code["gone"].instructions.empty());
  EXPECT_FALSE(code["gone"].complete);
  ASSERT_EQ(code.listing.notes.size(), 1U);
  EXPECT_EQ(code.listing.notes[0].kind, NoteKind::kLoss);
  EXPECT_EQ(code.listing.notes[0].count, 2U);
}

TEST(CubinCode, ReadsTheFirstOfTwoFunctionsOfOneName) {
  const Code code = read_bytes(CubinBuilder().sm(90).function("k", 16).function("k", 32).build());
  ASSERT_EQ(code.listing.functions.size(), 1U);
  EXPECT_EQ(code["k"].instructions.size(), 1U);
  EXPECT_TRUE(code.has_note("a second function of the same name"));
}

TEST(CubinCode, SurvivesDamagedAttributes) {
  for (const std::string& damaged :
       {std::string("\x04\x05\xff\xff", 4), std::string("\x09\x05\0\0", 4), std::string(1, '\4'),
        std::string(4, '\0')}) {
    const Code code = read_bytes(CubinBuilder()
                                     .sm(90)
                                     .function("k", 16)
                                     .section(".nv.info.k", attribute(3, 0x19, 8) + damaged)
                                     .build());
    EXPECT_EQ(code["k"].resources.parameter_bytes, 8U);
    EXPECT_TRUE(code.has_note("is damaged"));
  }
  // A branch that claims more targets than there are.
  const Code code = read_bytes(
      CubinBuilder()
          .sm(90)
          .function("k", 16)
          .section(".nv.info.k", sized_attribute(0x34, words({0, 0, 1, 16, 32, 0, ~0U, 48})))
          .build());
  ASSERT_EQ(code["k"].branch_targets.size(), 1U);
  EXPECT_EQ(code["k"].branch_targets[0].targets, std::vector<std::uint32_t>{16});
}

TEST(CubinCode, RefusesWhatIsNoCubin) {
  const std::string cubin = CubinBuilder().sm(90).function("k", 16).build();
  EXPECT_TRUE(cubin_file().sniff(cubin));
  EXPECT_FALSE(cubin_file().sniff(patched(cubin, 18, std::uint16_t{EM_X86_64})));
  EXPECT_FALSE(cubin_file().sniff(cubin.substr(0, 19)));
  EXPECT_EQ(read_bytes(patched(cubin, EI_CLASS, std::uint8_t{ELFCLASS32})).error,
            "\"test.cubin\": a damaged cubin: an ELF file, but not of 64 bits");
  EXPECT_EQ(read_bytes(patched(cubin, EI_DATA, std::uint8_t{ELFDATA2MSB})).error,
            "\"test.cubin\": a damaged cubin: an ELF file, but not little-endian");
  EXPECT_EQ(read_bytes(CubinBuilder().sm(90).build()).error,
            "\"test.cubin\": a cubin without functions");
}

TEST(CubinCode, NoticesEveryCut) {
  const std::string cubin = CubinBuilder()
                                .sm(90)
                                .function("k", 64)
                                .inner("inner", 16)
                                .section(".nv.info.k", attribute(3, 0x19, 8))
                                .build();
  for (std::size_t size = 0; size < cubin.size(); ++size) {
    EXPECT_NE(read_bytes(std::string_view(cubin).substr(0, size)).error, "") << size;
  }
}

TEST(CubinCode, LongSharedNamesOfInnerFunctionsCostLittle) {
  CubinBuilder builder;
  builder.sm(90).function("k", 16 * 5000).inner(std::string(100'000, 'n'), 16);
  for (std::uint64_t i = 2; i < 5000; ++i) builder.inner("", 16 * i);
  std::string cubin = builder.build();
  // All symbols but the first two now share the one long name.
  const std::size_t table = CubinBuilder::header_of(cubin, ".symtab");
  std::uint64_t symbols = 0;
  std::memcpy(&symbols, cubin.data() + table + 24, sizeof(symbols));
  for (std::size_t i = 3; i < 5000; ++i) {
    cubin = patched(std::move(cubin), symbols + i * sizeof(Elf64_Sym), std::uint32_t{3});
  }
  const Code code = read_bytes(cubin);
  EXPECT_TRUE(code.has_note("the names of inner functions"));
  std::size_t bytes = 0;
  for (const auto& inner : code["k"].inner) bytes += inner.name.size();
  EXPECT_LT(bytes, 5 * cubin.size());
}

TEST(CubinCode, LongPathsThatManyLinesNameCostLittle) {
  // One folder of 100 kB, and a file in it for every instruction.
  std::vector<std::pair<std::string, int>> files;
  LineProgram program;
  program.at("k");
  for (int i = 0; i < 1000; ++i) {
    files.emplace_back(std::to_string(i), 1);
    program.file(static_cast<std::uint64_t>(i) + 1).line(i + 1).advance(16);
  }
  program.end(0);
  const std::string header = line_header({std::string(100'000, 'f')}, files);
  const std::string cubin =
      CubinBuilder().sm(90).function("k", 16'000).lines(line_unit(header, program)).build();
  const Code code = read_bytes(cubin);
  EXPECT_TRUE(code.has_note("the names of source files"));
  std::size_t bytes = 0;
  for (const std::string& file : code["k"].files) bytes += file.size();
  EXPECT_GT(bytes, 0U);
  EXPECT_LE(bytes, 16 * cubin.size());
}

std::string report_with(const std::vector<std::string>& cubins) {
  ReportBlock block;
  block.strings = {"launch__registers_per_thread"};
  block.kernels = {kernel("k").message(13, integer_metric(0, 8))};
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    block.sources.push_back(Fields().integer(1, i + 1).text(4, cubins[i]));
  }
  return report({block});
}

Code read_report(const std::string& report) {
  return read_input(ncu_rep(), Input::from_memory(report, "test.ncu-rep"));
}

TEST(NcuRepCode, ReadsEachDifferentCubinOnce) {
  const std::string a = CubinBuilder().sm(90).function("a", 16).build();
  const std::string b = CubinBuilder().sm(90).function("b", 32).build();
  const std::string report = report_with({a, a, b, "no cubin", a});
  EXPECT_TRUE(ncu_rep().sniff(report));
  const Code code = read_report(report);
  EXPECT_EQ(code.error, "");
  ASSERT_EQ(code.listing.functions.size(), 2U);
  EXPECT_EQ(code.listing.functions[0].name, "a");
  EXPECT_EQ(code.listing.functions[0].container.substr(0, 9), "module-0.");
  EXPECT_EQ(code.listing.functions[1].name, "b");
  EXPECT_EQ(code.listing.functions[1].container.substr(0, 9), "module-2.");
  EXPECT_TRUE(code.has_note("8 bytes are too few for an ELF file"));
}

TEST(NcuRepCode, SaysHowToRecordAReportWithCode) {
  EXPECT_NE(read_report(report_with({})).error.find("--section SourceCounters"), std::string::npos);
  EXPECT_NE(read_report(report_with({"no cubin"})).error.find("a cubin is damaged"),
            std::string::npos);
}

// The launches of a real report against the functions that it embeds.
TEST(NcuRepCode, AgreesWithWhatNcuReports) {
  const std::string path = PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/h200-memory.ncu-rep.gz";
  const Code code = read_input(ncu_rep(), Input::open(path));
  ASSERT_EQ(code.error, "");
  const auto profile = read_profile(path);
  ASSERT_TRUE(profile);
  std::size_t compared = 0;
  for (const Launch& launch : profile->launches) {
    const auto value = [&](std::string_view name) -> std::optional<double> {
      const auto id = profile->metric_names.find(name);
      const Metric* metric = id ? launch.find(*id) : nullptr;
      return metric != nullptr ? as_number(metric->value) : std::nullopt;
    };
    const CodeFunction& function = code[launch.mangled];
    ASSERT_EQ(function.name, launch.mangled);
    ++compared;
    const FunctionResources& resources = function.resources;
    // The GPU gives no thread fewer than 16.
    EXPECT_EQ(value("launch__registers_per_thread"),
              std::max(resources.registers.value_or(0), 16U));
    EXPECT_EQ(value("launch__shared_mem_per_block_static"), resources.shared_bytes);
    EXPECT_EQ(value("launch__barrier_count"), resources.barriers);
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace proofline::cubin_code_test
