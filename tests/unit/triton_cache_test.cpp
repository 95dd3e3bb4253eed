// SPDX-License-Identifier: Apache-2.0
//
// Triton's cache: which files make a kernel, and what its JSON says.
#include "workflow/code/triton_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temp_dir.h"

namespace proofline::triton_cache_test {
namespace {

constexpr const char* kMetadata =
    R"({"hash": "ab", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "num_warps": 8,
        "num_ctas": 1, "num_stages": 3, "shared": 49152, "name": "add_kernel"})";

TEST(TritonCache, FindsTheKernelOfOneEntry) {
  const TempDir folder;
  folder.write("add_kernel.cubin", "ELF");
  folder.write("add_kernel.json", kMetadata);
  folder.write("add_kernel.ptx", ".version 8.7");
  folder.write("add_kernel.ttgir", "module");
  folder.write("__grp__add_kernel.json", "{}");
  const auto cache = find_triton_cache(folder.path(""));
  ASSERT_TRUE(cache) << cache.error().message;
  ASSERT_EQ(cache->entries.size(), 1U);
  const TritonEntry& entry = cache->entries[0];
  EXPECT_EQ(std::filesystem::path(entry.cubin).filename(), "add_kernel.cubin");
  EXPECT_EQ(entry.kernel.warps, 8U);
  EXPECT_EQ(entry.kernel.threads, 256U);
  EXPECT_EQ(entry.kernel.stages, 3U);
  EXPECT_EQ(entry.kernel.shared_bytes, 49152U);
  EXPECT_EQ(entry.kernel.target, "cuda 90");
  EXPECT_EQ(entry.kernel.files, (std::vector<std::string>{"add_kernel.ptx", "add_kernel.ttgir"}));
  EXPECT_TRUE(cache->notes.empty());
}

TEST(TritonCache, TakesAllEntriesOfAWholeCache) {
  const TempDir folder;
  for (const char* hash : {"B7Q", "A3F"}) {
    std::filesystem::create_directory(folder.path(hash));
    folder.write(std::string(hash) + "/add_kernel.cubin", "ELF");
    folder.write(std::string(hash) + "/add_kernel.json", kMetadata);
  }
  std::filesystem::create_directory(folder.path("launcher"));
  folder.write("launcher/cuda_utils.so", "ELF");
  const auto cache = find_triton_cache(folder.path(""));
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->entries.size(), 2U);
  EXPECT_EQ(cache->entries[0].kernel.entry, "A3F");
  EXPECT_EQ(cache->entries[1].kernel.entry, "B7Q");
}

TEST(TritonCache, CountsWhatItCannotUse) {
  const TempDir folder;
  folder.write("a.cubin", "ELF");
  folder.write("a.json", "[1, 2");
  folder.write("b.ptx", ".version 8.7");
  const auto cache = find_triton_cache(folder.path(""));
  ASSERT_TRUE(cache);
  ASSERT_EQ(cache->notes.size(), 2U);
  for (const Note& note : cache->notes) EXPECT_EQ(note.kind, NoteKind::kLoss);
  EXPECT_FALSE(cache->entries[0].kernel.threads);
}

TEST(TritonCache, BelievesNoImpossibleNumber) {
  const TempDir folder;
  folder.write("a.cubin", "ELF");
  folder.write("a.json", R"({"num_warps": 4000000000, "shared": -1, "num_stages": "3",
                             "target": ["cuda", 80, 32]})");
  const auto cache = find_triton_cache(folder.path(""));
  ASSERT_TRUE(cache);
  const TritonKernel& kernel = cache->entries[0].kernel;
  EXPECT_FALSE(kernel.threads);
  EXPECT_FALSE(kernel.shared_bytes);
  EXPECT_FALSE(kernel.stages);
  EXPECT_EQ(kernel.target, "cuda 80");
}

TEST(TritonCache, SaysWhatToDoWithOtherFolders) {
  const TempDir folder;
  const auto none = find_triton_cache(folder.path(""));
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no cache of Triton"), std::string::npos);
  folder.write("a.ptx", ".version 8.7");
  const auto ptx = find_triton_cache(folder.path(""));
  ASSERT_FALSE(ptx);
  EXPECT_NE(ptx.error().message.find("ptxas -arch"), std::string::npos);
}

}  // namespace
}  // namespace proofline::triton_cache_test
