// SPDX-License-Identifier: Apache-2.0
//
// Makes the fuzzers' seeds: every file below the given folders, decompressed, goes to the folder of
// its format. A long one is cut, since libFuzzer is slow on long inputs. The cubins in reports,
// which cannot be cut, go to a folder of their own, and a small one with them. A small recording is
// made too.
//
//   make_seeds OUT_FOLDER FOLDER...
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "readers/timeline/recording_format.h"
#include "support/cubin_builder.h"
#include "support/sqlite_builder.h"

namespace {

using namespace proofline;
namespace fs = std::filesystem;

constexpr std::size_t kMaxSeedBytes = 32U << 10U;

// The file's name in its format's folder must not collide with that of another folder's file.
std::string flat(const fs::path& path) {
  std::string name = path.relative_path().string();
  std::replace(name.begin(), name.end(), '/', '-');
  return name.substr(name.size() > 200 ? name.size() - 200 : 0);
}

int add_seed(const fs::path& file, const fs::path& out) {
  auto input = Input::open(file.string());
  if (!input) return 0;  // fixtures of damaged compression
  const auto prefix = input->peek(kSniffBytes);
  if (!prefix) return 0;
  const Format* format = identify(*prefix);
  if (format == nullptr) return 0;
  std::ofstream seed(out / std::string(format->name) / flat(file), std::ios::binary);
  seed << prefix->substr(0, kMaxSeedBytes);
  return 1;
}

void add_cubins(const fs::path& file, const fs::path& out) {
  const auto profile = read_profile(file.string(), {.code = true});
  if (!profile) return;
  for (std::size_t i = 0; i < profile->modules.size(); ++i) {
    const std::string& cubin = profile->modules[i].cubin;
    if (cubin.empty() || cubin.size() > kMaxSeedBytes) continue;
    std::ofstream(out / (flat(file) + '-' + std::to_string(i)), std::ios::binary) << cubin;
  }
}

void add_small_cubin(const fs::path& out) {
  using namespace proofline::test_support;
  const LineProgram program = LineProgram()
                                  .at("f")
                                  .line(10)
                                  .inlined_at_row(1)
                                  .file(2)
                                  .line(20)
                                  .end(16)
                                  .at("g")
                                  .line(30)
                                  .advance(16)
                                  .line(40)
                                  .end(16);
  const std::string header = line_header({"/src"}, {{"a.cu", 1}, {"b.cuh", 1}});
  std::ofstream(out / "small", std::ios::binary) << CubinBuilder()
                                                        .function("f", 16)
                                                        .function("g", 32)
                                                        .lines(line_unit(header, program))
                                                        .build();
}

// No fixture holds one.
void add_small_recording(const fs::path& out) {
  const auto record = [](RecordKind kind, std::string_view payload) {
    return std::string{static_cast<char>(kind), static_cast<char>(payload.size()), '\0'}.append(
        payload);
  };
  std::ofstream(out / "small", std::ios::binary)
      << kRecordingMagic << record(RecordKind::kProcess, "\1\2\3\4/bin/p")
      << record(RecordKind::kShape, std::string(17, '\1') + "_Z1kv")
      << record(RecordKind::kLaunch, std::string_view("\0\1\5\7", 4))
      << record(RecordKind::kClock, "\1\2\3") << record(RecordKind::kName, "cudaMalloc_v3020")
      << record(RecordKind::kCall, std::string_view("\0\1\1\5\7", 5))
      << record(RecordKind::kCopy, std::string(8, '\1') + "\1\5\7")
      << record(RecordKind::kSet, std::string(6, '\1') + "\1\5\7")
      << record(RecordKind::kRangeStart, "\1\1\5step") << record(RecordKind::kRangeEnd, "\1\5")
      << record(RecordKind::kWait, "\3\1\1\1\1\5\7") << record(RecordKind::kEnd, "");
}

void add_small_exports(const fs::path& out) {
  using test_support::NsysAge;
  std::ofstream(out / "old", std::ios::binary) << test_support::nsys_export(NsysAge::k2);
  std::ofstream(out / "new", std::ios::binary) << test_support::nsys_export(NsysAge::k3_25);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const fs::path out = argv[1];
  for (const Format& format : formats()) fs::create_directories(out / std::string(format.name));
  add_small_cubin(out / "cubin");
  add_small_recording(out / "recording");
  add_small_exports(out / "nsys-sqlite");
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      count += add_seed(entry.path(), out);
      add_cubins(entry.path(), out / "cubin");
    }
  }
  std::printf("%d seeds\n", count);
  return count > 0 ? 0 : 1;
}
