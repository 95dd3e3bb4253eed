// SPDX-License-Identifier: Apache-2.0
//
// Stored ceilings: what is written is read, what is damaged is refused, where they are looked for,
// and what stays of earlier ones.
#include "readers/benchmark/ceilings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "base/record_json.h"
#include "model/measurement/merge_ceilings.h"
#include "readers/format.h"
#include "support/temp_dir.h"
#include "views/measurement/ceilings_document.h"

namespace proofline::ceilings_test {
namespace {

namespace fs = std::filesystem;

const std::string kUuid = "GPU-00000000-0000-0000-0000-000000000000";

std::string fixture_path() {
  return (fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/ceilings/ceilings.json").string();
}

Ceilings fixture() {
  const auto ceilings = read_ceilings(fixture_path());
  if (!ceilings) throw std::runtime_error(ceilings.error().message);
  return *ceilings;
}

Result<Ceilings> read_text(std::string_view text) {
  auto input = Input::from_memory(text, "text.json");
  return read_ceilings(*input);
}

std::string written(const Ceilings& ceilings) {
  return json_text([&](JsonWriter& json) { write_record(ceilings, json); });
}

bool is_ceilings(std::string_view prefix) {
  const Format* format = identify(prefix);
  return format != nullptr && format->offers(InputKind::kCeilings);
}

// A file with these as its ceilings.
std::string with_ceilings(std::string_view ceilings) {
  return R"({"schema_version":"1.0","result":"ceilings","ceilings":[)" + std::string(ceilings) +
         "]}";
}

constexpr std::string_view kDram = R"({"name":"dram","unit":"B/s","per_second":2e12})";

testing::AssertionResult refused(std::string_view text, std::string_view words) {
  const auto ceilings = read_text(text);
  if (ceilings) return testing::AssertionFailure() << "it was read: " << text;
  const Error& error = ceilings.error();
  const bool says = error.kind == ErrorKind::kInput &&
                    error.message.find("text.json") != std::string::npos &&
                    error.message.find(words) != std::string::npos;
  return (says ? testing::AssertionSuccess() : testing::AssertionFailure()) << error.message;
}

std::string notes_text(const Ceilings& ceilings, NoteKind kind) {
  std::string text;
  for (const Note& note : ceilings.notes) {
    if (note.kind == kind) text += note.what + "\n";
  }
  return text;
}

// This folder is the current one, and no variable names ceilings, while it lives.
class Folder {
 public:
  Folder() : before_(fs::current_path()) {
    fs::current_path(dir_.path(""));
    ::unsetenv("PROOFLINE_CEILINGS");
  }
  ~Folder() {
    fs::current_path(before_);
    ::unsetenv("PROOFLINE_CEILINGS");
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string store(const Ceilings& ceilings, const std::string& uuid) const {
    fs::create_directories(dir_.path(".proofline/ceilings"));
    return dir_.write(ceilings_file(".proofline", uuid), written(ceilings));
  }
  void enter(const std::string& name) const {
    fs::create_directories(dir_.path(name));
    fs::current_path(dir_.path(name));
  }
  std::string path(const std::string& name) const { return dir_.path(name); }

 private:
  TempDir dir_;
  fs::path before_;
};

// --- reading

TEST(Ceilings, WhatIsWrittenIsRead) {
  const Ceilings ceilings = fixture();
  EXPECT_TRUE(is_ceilings(written(ceilings)));
  const auto again = read_text(written(ceilings));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(written(*again), written(ceilings));
  EXPECT_EQ(again->machine.gpu, "NVIDIA H200");
  EXPECT_EQ(again->machine.ecc, true);
  EXPECT_EQ(again->measured_at, "2026-01-02T03:04:05Z");
  EXPECT_TRUE(again->notes.empty());
  const Ceiling* dram = find_ceiling(*again, "dram");
  ASSERT_NE(dram, nullptr);
  EXPECT_TRUE(dram->bytes);
  EXPECT_EQ(dram->per_second, 2e12);
  EXPECT_EQ(dram->interval->high, 2.02e12);
  EXPECT_EQ(dram->sm_mhz, 1500);
  EXPECT_EQ(dram->samples, 120U);
  const Ceiling* tensor = find_ceiling(*again, "tensor-f16");
  ASSERT_NE(tensor, nullptr);
  EXPECT_TRUE(tensor->at_least);
  EXPECT_FALSE(tensor->bytes);
  EXPECT_EQ(tensor->throttled, 7U);
  EXPECT_EQ(find_ceiling(*again, "fp64")->interval, std::nullopt);
  EXPECT_EQ(find_ceiling(*again, "tensor-f8"), nullptr);
}

TEST(Ceilings, HostileTextStaysText) {
  Ceilings ceilings = fixture();
  const std::string evil = "\x1b[31m\"\\\u202e</script>";
  ceilings.machine.gpu = evil;
  ceilings.ceilings[0].how = evil;
  ceilings.notes.push_back({NoteKind::kInfo, evil, evil});
  const auto again = read_text(written(ceilings));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->machine.gpu, evil);
  EXPECT_EQ(again->ceilings[0].how, evil);
  EXPECT_EQ(again->notes[0].what, evil);
}

TEST(Ceilings, EveryCutIsRefused) {
  const std::string whole = written(fixture());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_text(std::string_view(whole).substr(0, size))) << size;
  }
}

TEST(Ceilings, WhatIsNotOneIsRefused) {
  EXPECT_TRUE(refused("{]", "at offset 1"));
  EXPECT_TRUE(refused("[]", "is not \"ceilings\""));
  EXPECT_TRUE(refused(R"({"result":"benchmark"})", "is not \"ceilings\""));
  EXPECT_TRUE(refused(R"({"schema_version":"2.0","result":"ceilings"})", "schema \"2.0\""));
  EXPECT_TRUE(refused(with_ceilings(""), "no ceiling in it"));
  EXPECT_TRUE(refused(std::string(1U << 20U, ' '), "more than"));
  EXPECT_FALSE(is_ceilings(R"({"result":"benchmark","ceilings":[]})"));
  EXPECT_FALSE(is_ceilings(""));
}

TEST(Ceilings, ACeilingWithoutARateIsLost) {
  for (const char* bad :
       {"1", "{}", R"({"name":"l2","unit":"B/s","per_second":0})",
        R"({"name":"l2","unit":"B/s","per_second":-1})",
        R"({"name":"l2","unit":"B/s","per_second":Infinity})",
        R"({"name":"l2","unit":"B/s","per_second":NaN})", R"({"name":"l2","unit":"B/s"})",
        R"({"name":"","unit":"B/s","per_second":1})",
        R"({"name":"l2","unit":"GB/s","per_second":1})",
        R"({"name":"dram","unit":"B/s","per_second":1})"}) {
    const auto ceilings = read_text(with_ceilings(std::string(kDram) + "," + bad));
    ASSERT_TRUE(ceilings) << bad << ceilings.error().message;
    ASSERT_EQ(ceilings->ceilings.size(), 1U) << bad;
    EXPECT_EQ(ceilings->ceilings[0].per_second, 2e12) << bad;
    EXPECT_NE(notes_text(*ceilings, NoteKind::kLoss), "") << bad;
  }
}

TEST(Ceilings, AnIntervalThatIsNoneIsLost) {
  for (const char* bad : {R"({"low":2,"high":1})", R"({"low":0,"high":1})", R"({"low":1})", "7"}) {
    const auto ceilings = read_text(with_ceilings(
        R"({"name":"dram","unit":"B/s","per_second":2e12,"interval":)" + std::string(bad) + "}"));
    ASSERT_TRUE(ceilings) << bad << ceilings.error().message;
    EXPECT_EQ(ceilings->ceilings[0].interval, std::nullopt) << bad;
    EXPECT_NE(notes_text(*ceilings, NoteKind::kLoss), "") << bad;
  }
}

// --- finding

TEST(Ceilings, AFileOfItsOwnForEachGpu) {
  EXPECT_EQ(ceilings_file(".proofline", kUuid), ".proofline/ceilings/" + kUuid + ".json");
  // Nothing leads out of the folder.
  EXPECT_EQ(ceilings_file(".proofline", "../../etc/x"), ".proofline/ceilings/______etc_x.json");
  EXPECT_LT(ceilings_file(".proofline", std::string(1000, 'a')).size(), 200U);
}

TEST(Ceilings, NearestFolderAbove) {
  const Folder folder;
  const BenchmarkMachine machine = fixture().machine;
  const auto none = find_ceilings(machine);
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(*none);
  Ceilings stored = fixture();
  stored.notes.push_back({NoteKind::kLoss, "", "of the measuring, not of what it is used for"});
  folder.store(stored, kUuid);
  folder.enter("a/b");
  const auto found = find_ceilings(machine);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_TRUE((*found)->path.ends_with(ceilings_file(".proofline", kUuid)));
  EXPECT_TRUE((*found)->notes.empty());
  EXPECT_FALSE(*find_ceilings({}));
}

TEST(Ceilings, TheVariableNamesAFile) {
  const Folder folder;
  ::setenv("PROOFLINE_CEILINGS", fixture_path().c_str(), 1);
  BenchmarkMachine machine = fixture().machine;
  ASSERT_TRUE(*find_ceilings(machine));
  machine.uuid = "GPU-1";
  const auto same_kind = find_ceilings(machine);
  ASSERT_TRUE(same_kind && *same_kind);
  EXPECT_NE(notes_text(**same_kind, NoteKind::kInfo).find("another GPU of the same name"),
            std::string::npos);
  machine.driver = "1.0";
  EXPECT_NE(notes_text(**find_ceilings(machine), NoteKind::kInfo).find("driver \"580.95.05\""),
            std::string::npos);
  const auto unknown = find_ceilings({});
  ASSERT_TRUE(unknown && *unknown);
  EXPECT_NE(notes_text(**unknown, NoteKind::kInfo).find("nothing says"), std::string::npos);
  machine.gpu = "NVIDIA A100";
  const auto other = find_ceilings(machine);
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("\"NVIDIA A100\""), std::string::npos);
  machine.gpu = "NVIDIA H200";
  machine.mig = true;
  EXPECT_FALSE(find_ceilings(machine));
  ::setenv("PROOFLINE_CEILINGS", folder.path("missing.json").c_str(), 1);
  EXPECT_FALSE(find_ceilings(machine));
}

TEST(Ceilings, UnreadableOnesAreAnError) {
  const Folder folder;
  folder.store(fixture(), kUuid);
  fs::resize_file(ceilings_file(".proofline", kUuid), 100);
  const auto found = find_ceilings(fixture().machine);
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find(kUuid + ".json"), std::string::npos);
}

// --- merging

TEST(Ceilings, NewOnesTakeThePlaceOfTheOld) {
  Ceilings fresh = fixture();
  fresh.ceilings = {*find_ceiling(fresh, "fp32")};
  fresh.ceilings[0].per_second = 7;
  fresh.ceilings.push_back(fresh.ceilings[0]);
  fresh.ceilings[1].name = "tensor-f8";
  const Ceilings merged = merge_ceilings(fresh, fixture());
  ASSERT_EQ(merged.ceilings.size(), 6U);
  EXPECT_EQ(merged.ceilings[2].name, "fp32");
  EXPECT_EQ(merged.ceilings[2].per_second, 7);
  EXPECT_EQ(merged.ceilings[5].name, "tensor-f8");
  EXPECT_EQ(notes_text(merged, NoteKind::kInfo),
            "kept from the file of \"2026-01-02T03:04:05Z\": dram, l2, fp64, tensor-f16\n");
}

TEST(Ceilings, OldOnesOfAnotherGpuOrDriverGo) {
  Ceilings fresh = fixture();
  fresh.ceilings.resize(1);
  for (std::string BenchmarkMachine::*part :
       {&BenchmarkMachine::uuid, &BenchmarkMachine::gpu, &BenchmarkMachine::driver}) {
    Ceilings earlier = fixture();
    earlier.machine.*part = "another";
    const Ceilings merged = merge_ceilings(fresh, earlier);
    EXPECT_EQ(merged.ceilings.size(), 1U);
    EXPECT_NE(notes_text(merged, NoteKind::kInfo).find("\"another\""), std::string::npos);
  }
}

// --- showing

TEST(Ceilings, TableHasRatesInTheirUnits) {
  const Document document = compose_ceilings(fixture());
  const auto* table = std::get_if<Table>(&document.blocks[1]);
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), 5U);
  EXPECT_EQ(table->rows[0][1].text, "2000.0 GB/s");
  EXPECT_EQ(table->rows[0][2].text, "1980.0 to 2020.0 GB/s");
  EXPECT_EQ(table->rows[0][3].text, "1500 MHz");
  EXPECT_EQ(table->rows[3][2].text, "not known");
  EXPECT_EQ(table->rows[3][3].text, "-");
  EXPECT_EQ(table->rows[4][1].text, "at least 500.0 TFLOP/s");
  EXPECT_EQ(table->rows[4][5].text, "7");
}

}  // namespace
}  // namespace proofline::ceilings_test
