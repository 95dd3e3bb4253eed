// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/triton_cache.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/input.h"
#include "base/json_object.h"
#include "base/list_folder.h"
#include "base/text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 1000;
constexpr std::size_t kMostCacheFiles = 100'000;
constexpr std::uint64_t kMostMetadataBytes = 1U << 20U;
constexpr std::uint32_t kWarpThreads = 32;
// A block has no more.
constexpr std::uint32_t kMostWarps = 32;

// The files of one kernel, by what their names end in: "cubin", "json", "ttgir".
using KernelFiles = std::map<std::string, std::string>;

template <class Visit>
void for_each_path(const fs::path& folder, Visit&& visit) {
  std::vector<std::string> names =
      list_folder(folder.string()).value_or(std::vector<std::string>{});
  if (names.size() > kMostCacheFiles) names.resize(kMostCacheFiles);
  for (const std::string& name : names) visit(folder / name);
}

// By the kernel's name. What belongs to the cache itself ("__grp__add.json") is none of them.
std::map<std::string, KernelFiles> kernels_in(const fs::path& folder) {
  std::map<std::string, KernelFiles> kernels;
  for_each_path(folder, [&](const fs::path& path) {
    std::error_code error;
    const std::string name = path.filename().string();
    const std::size_t dot = name.find_last_of('.');
    if (dot == name.npos || dot == 0 || name.starts_with("__grp__")) return;
    if (fs::is_regular_file(path, error)) {
      kernels[name.substr(0, dot)][name.substr(dot + 1)] = path.string();
    }
  });
  // What has neither code nor what code is made from is something else.
  std::erase_if(kernels, [](const auto& kernel) {
    return kernel.second.count("cubin") + kernel.second.count("ptx") == 0;
  });
  return kernels;
}

std::optional<std::uint64_t> count_of(const rapidjson::Value& object, std::string_view name) {
  const rapidjson::Value* value = json_member(object, name);
  return value != nullptr && value->IsUint64() ? std::optional(value->GetUint64()) : std::nullopt;
}

std::optional<std::uint32_t> small_count_of(const rapidjson::Value& object, std::string_view name) {
  const auto count = count_of(object, name);
  if (!count || *count > std::uint64_t{1} << 31U) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

// {"backend": "cuda", "arch": 90, "warp_size": 32}, or, of older versions, ["cuda", 90].
std::string target_of(const rapidjson::Value& metadata) {
  std::string text;
  const auto add = [&](const rapidjson::Value* part) {
    if (part == nullptr || !(part->IsString() || part->IsUint())) return;
    text += text.empty() ? "" : " ";
    text += part->IsString() ? std::string(part->GetString(), part->GetStringLength())
                             : std::to_string(part->GetUint());
  };
  const rapidjson::Value* target = json_member(metadata, "target");
  if (target != nullptr && target->IsObject()) {
    add(json_member(*target, "backend"));
    add(json_member(*target, "arch"));
  } else if (target != nullptr && target->IsArray()) {
    for (rapidjson::SizeType i = 0; i < std::min(2U, target->Size()); ++i) add(&(*target)[i]);
  } else {
    add(target);
  }
  return text;
}

// False where it cannot be read.
bool read_metadata(const std::string& path, TritonKernel& kernel) {
  InputLimits limits;
  limits.max_bytes = kMostMetadataBytes;
  auto input = Input::open(path, limits);
  if (!input) return false;
  const auto text = input->take_rest();
  if (!text) return false;
  const rapidjson::Document metadata = parse_json_object(*text);
  if (!metadata.IsObject()) return false;
  kernel.warps = small_count_of(metadata, "num_warps");
  kernel.stages = small_count_of(metadata, "num_stages");
  kernel.blocks_per_cluster = small_count_of(metadata, "num_ctas");
  kernel.shared_bytes = count_of(metadata, "shared");
  kernel.target = target_of(metadata);
  if (kernel.warps && *kernel.warps > 0 && *kernel.warps <= kMostWarps) {
    kernel.threads = *kernel.warps * kWarpThreads;
  }
  return true;
}

class CacheReader {
 public:
  void read(const fs::path& folder) {
    std::string name = folder.filename().string();
    if (name.empty()) name = folder.parent_path().filename().string();
    for (const auto& [kernel, files] : kernels_in(folder)) add(name, kernel, files);
  }

  Result<TritonCache> finish(const std::string& folder) {
    if (cache_.entries.empty()) return tl::make_unexpected(nothing(folder));
    const auto note = [&](NoteKind kind, std::string what, std::uint64_t count) {
      if (count > 0) cache_.notes.push_back({kind, "", std::move(what), count});
    };
    note(NoteKind::kLoss, "kernels of the cache have PTX but no cubin and are left out", ptx_only_);
    note(NoteKind::kLoss,
         "kernels of the cache have no JSON that can be read: warps, stages and "
         "shared memory are not known",
         no_metadata_);
    note(NoteKind::kLoss,
         fmt::format("kernels of the cache are left out: {} are read", kMostEntries), too_many_);
    return std::move(cache_);
  }

 private:
  void add(const std::string& folder, const std::string& name, const KernelFiles& files) {
    const auto cubin = files.find("cubin");
    if (cubin == files.end()) {
      if (first_ptx_.empty()) first_ptx_ = files.at("ptx");
      ++ptx_only_;
      return;
    }
    if (cache_.entries.size() == kMostEntries) {
      ++too_many_;
      return;
    }
    TritonEntry entry{cubin->second, {}};
    entry.kernel.entry = folder;
    const auto json = files.find("json");
    if (json == files.end() || !read_metadata(json->second, entry.kernel)) ++no_metadata_;
    for (const auto& [ending, path] : files) {
      if (ending != "cubin" && ending != "json") {
        entry.kernel.files.push_back(fmt::format("{}.{}", name, ending));
      }
    }
    cache_.entries.push_back(std::move(entry));
  }

  Error nothing(const std::string& folder) const {
    if (!first_ptx_.empty()) {
      return {ErrorKind::kInput,
              fmt::format("{}: has PTX but no cubin; compile it: ptxas -arch=sm_90a {} -o "
                          "kernel.cubin (with your GPU's sm), then proofline sass kernel.cubin",
                          quote(folder), quote(first_ptx_))};
    }
    return {ErrorKind::kInput,
            fmt::format("{} is a folder, and no cache of Triton: no <kernel>.cubin with its "
                        "<kernel>.json lies in it or one folder below; give a file",
                        quote(folder))};
  }

  TritonCache cache_;
  std::string first_ptx_;
  std::uint64_t ptx_only_ = 0;
  std::uint64_t no_metadata_ = 0;
  std::uint64_t too_many_ = 0;
};

}  // namespace

Result<TritonCache> find_triton_cache(const std::string& folder) {
  CacheReader reader;
  std::error_code error;
  const fs::path top = fs::weakly_canonical(folder, error);
  reader.read(error ? fs::path(folder) : top);
  std::vector<fs::path> folders;
  for_each_path(folder, [&](const fs::path& path) {
    std::error_code unreadable;
    if (fs::is_directory(path, unreadable)) folders.push_back(path);
  });
  std::sort(folders.begin(), folders.end());
  for (const fs::path& one : folders) reader.read(one);
  return reader.finish(folder);
}

}  // namespace proofline
