// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/find_cupti.h"

#include <elf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/list_folder.h"
#include "base/text.h"
#include "diagnosis/preflight/tool_versions.h"
#include "tools/machine/loaded_driver.h"
#include "tools/process/find_tool.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr unsigned kOurMachine = EM_X86_64;
constexpr const char* kSystemLibraries = "/usr/lib/x86_64-linux-gnu";
#else
constexpr unsigned kOurMachine = EM_AARCH64;
constexpr const char* kSystemLibraries = "/usr/lib/aarch64-linux-gnu";
#endif

constexpr std::string_view kVersionedName = "libcupti.so.";

// What is in a folder and begins so, in the order of the names.
std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  for (const std::string& name :
       list_folder(folder.string()).value_or(std::vector<std::string>{})) {
    if (name.starts_with(prefix)) found.push_back(folder / name);
  }
  return found;
}

class FolderList {
 public:
  void add(const fs::path& folder) {
    std::string name = folder.lexically_normal().string();
    std::error_code error;
    if (folder.is_absolute() && fs::is_directory(folder, error) &&
        std::find(folders_.begin(), folders_.end(), name) == folders_.end()) {
      folders_.push_back(std::move(name));
    }
  }

  // Where a toolkit or a Conda environment keeps libraries.
  void add_toolkit(const fs::path& root) {
    add(root / "extras/CUPTI/lib64");
    for (const fs::path& target : entries(root / "targets", "")) add(target / "lib");
    add(root / "lib64");
    add(root / "lib");
  }

  // Where pip installs NVIDIA's wheels: nvidia/cu13/lib, nvidia/cuda_cupti/lib before CUDA 13.
  void add_python(const fs::path& root) {
    for (const fs::path& python : entries(root / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& wheel : entries(python / packages / "nvidia", "cu")) {
          add(wheel / "lib");
        }
      }
    }
  }

  std::vector<std::string> take() { return std::move(folders_); }

 private:
  std::vector<std::string> folders_;
};

bool is_for_this_machine(const fs::path& library) {
  std::array<unsigned char, 20> header{};
  std::ifstream file(library, std::ios::binary);
  file.read(reinterpret_cast<char*>(header.data()), header.size());
  return file.gcount() == static_cast<std::streamsize>(header.size()) &&
         std::equal(header.begin(), header.begin() + SELFMAG, ELFMAG) &&
         (header[18] | header[19] << 8U) == kOurMachine;
}

// A number of one or two digits at the front of `text`, and takes it from there.
std::optional<unsigned> take_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits > 2) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

// CUDA's version, by which the file is named: libcupti.so.13, libcupti.so.11.8; not libcupti.so,
// which does not say, nor libcupti.so.2025.3.1, the target of the links.
std::optional<std::pair<unsigned, unsigned>> version_of(const fs::path& library) {
  const std::string name = library.filename().string();
  std::string_view rest = name;
  if (!rest.starts_with(kVersionedName)) return std::nullopt;
  rest.remove_prefix(kVersionedName.size());
  const auto major = take_number(rest);
  if (!major) return std::nullopt;
  if (rest.empty()) return std::pair(*major, 0U);
  if (!rest.starts_with('.')) return std::nullopt;
  rest.remove_prefix(1);
  const auto minor = take_number(rest);
  if (!minor || !rest.empty()) return std::nullopt;
  return std::pair(*major, *minor);
}

// The parent folder by name: the siblings of a link are meant, not those of its target.
fs::path above(const fs::path& folder) { return (folder / "..").lexically_normal(); }

}  // namespace

CuptiSearch cupti_search() {
  FolderList list;
  for (const std::string& folder : folder_list(environment_variable("LD_LIBRARY_PATH"))) {
    list.add(folder);
  }
  const std::vector<std::string> tools = tool_folders();
  for (const fs::path tool : tools) list.add_toolkit(above(tool));
  for (const fs::path& root : entries("/usr/local", "cuda")) list.add_toolkit(root);
  list.add(kSystemLibraries);
  for (const fs::path tool : tools) list.add_python(above(tool));
  return {list.take(), driver_branch(loaded_driver())};
}

Result<std::string> find_cupti(const CuptiSearch& search) {
  const std::string chosen(environment_variable("PROOFLINE_CUPTI"));
  if (!chosen.empty()) {
    std::error_code error;
    if (fs::path(chosen).is_absolute() && fs::is_regular_file(chosen, error)) return chosen;
    return fail(ErrorKind::kTool,
                fmt::format("PROOFLINE_CUPTI is {}, which is not the absolute path of a file",
                            quote(chosen)));
  }
  std::pair<unsigned, unsigned> best{};
  std::string found;
  std::string too_new;
  for (const std::string& folder : search.folders) {
    for (const fs::path& library : entries(folder, kVersionedName)) {
      const auto version = version_of(library);
      if (!version || !is_for_this_machine(library)) continue;
      const auto needed = oldest_driver_for({version->first, version->second}).value_or(0);
      if (search.driver != 0 && search.driver < needed) {
        too_new = fmt::format(" ({} needs driver {} or newer, this is {})", quote(library.string()),
                              needed, search.driver);
      } else if (*version > best) {
        best = *version;
        found = library.string();
      }
    }
  }
  if (!found.empty()) return found;
  return fail(
      ErrorKind::kTool,
      fmt::format("no libcupti was found{}; searched: {}; it is part of the CUDA toolkit, "
                  "and PROOFLINE_CUPTI can name one elsewhere",
                  too_new, escape_terminal(fmt::format("{}", fmt::join(search.folders, ", ")))));
}

}  // namespace proofline
