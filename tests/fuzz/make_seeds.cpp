// SPDX-License-Identifier: Apache-2.0
//
// Makes the fuzzers' seeds: every file below the given folders, decompressed, goes to the folder of
// the reader that knows it. A long one is cut, since libFuzzer is slow on long inputs.
//
//   make_seeds OUT_FOLDER FOLDER...
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/input.h"
#include "readers/reader.h"

namespace {

using namespace proofline;
namespace fs = std::filesystem;

constexpr std::size_t kMaxSeedBytes = 32U << 10U;

// The file's name in the readers' folders must not collide with that of another folder's file.
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
  int count = 0;
  for (const Reader& reader : readers()) {
    if (!reader.sniff(*prefix)) continue;
    std::ofstream seed(out / std::string(reader.name) / flat(file), std::ios::binary);
    seed << prefix->substr(0, kMaxSeedBytes);
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const fs::path out = argv[1];
  for (const Reader& reader : readers()) fs::create_directories(out / std::string(reader.name));
  int count = 0;
  for (int i = 2; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) count += add_seed(entry.path(), out);
    }
  }
  std::printf("%d seeds\n", count);
  return count > 0 ? 0 : 1;
}
