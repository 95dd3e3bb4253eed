// SPDX-License-Identifier: Apache-2.0
#include "workflow/input_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

bool can_be_used(const std::string& path, std::initializer_list<InputKind> wanted,
                 InputLimits limits) {
  limits.watch = nullptr;  // this is a look, not the reading
  auto input = Input::open(path, limits);
  return input && identify(*input, wanted);
}

// Links to folders are not followed: they may lead round in circles. Hidden names are git's and
// ours.
Result<void> add_folder(const std::string& folder, std::initializer_list<InputKind> wanted,
                        const InputLimits& limits, InputFiles& files, std::size_t& passed_over) {
  ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    const std::string path = fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
    std::error_code ignored;
    if (is_folder(path)) {
      if (fs::is_symlink(path, ignored)) continue;
      RETURN_IF_ERROR(add_folder(path, wanted, limits, files, passed_over));
    } else if (can_be_used(path, wanted, limits)) {
      files.paths.push_back(path);
    } else {
      ++passed_over;
    }
  }
  return {};
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

// How much there is to read is known before the first file has been.
void foretell(const std::vector<std::string>& paths, InputWatch& watch) {
  for (const std::string& path : paths) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (!error) watch.on_read(path, 0, size);
  }
}

}  // namespace

Result<InputFiles> find_inputs(const std::vector<std::string>& arguments,
                               std::initializer_list<InputKind> wanted, const InputLimits& limits) {
  InputFiles files;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    if (is_folder(argument)) {
      const std::size_t before = files.paths.size();
      std::size_t passed_over = 0;
      RETURN_IF_ERROR(add_folder(argument, wanted, limits, files, passed_over));
      if (files.paths.size() == before) {
        return fail(ErrorKind::kInput,
                    fmt::format("{} holds nothing that this command reads; 'proofline identify' "
                                "says what files are",
                                quote(argument)));
      }
      if (passed_over > 0) {
        files.notes.push_back(
            {NoteKind::kInfo, "",
             fmt::format("files of {} that this command does not read", quote(argument)),
             passed_over});
      }
      continue;
    }
    const bool is_pattern = argument.find_first_of("*?[") != std::string::npos;
    if (!is_pattern || fs::exists(argument, ignored)) {
      files.paths.push_back(argument);
      continue;
    }
    const std::vector<std::string> found = matches_of(argument);
    if (found.empty()) {
      return fail(ErrorKind::kInput, fmt::format("no file matches {}", quote(argument)));
    }
    files.paths.insert(files.paths.end(), found.begin(), found.end());
  }
  if (limits.watch != nullptr) foretell(files.paths, *limits.watch);
  return files;
}

Result<void> read_each(InputFiles& files,
                       const std::function<Result<void>(const std::string& path)>& read) {
  std::vector<std::string> good;
  std::vector<Note> losses;
  Result<void> first_error;
  for (const std::string& path : files.paths) {
    Result<void> done = read(path);
    if (done) {
      good.push_back(path);
      continue;
    }
    // What is wrong with the call, or with us, is wrong with all of them.
    if (done.error().kind != ErrorKind::kInput) return done;
    losses.push_back({NoteKind::kLoss, "", fmt::format("left out: {}", done.error().message)});
    if (first_error) first_error = std::move(done);
  }
  if (good.empty()) return first_error;
  files.paths = std::move(good);
  files.notes.insert(files.notes.end(), losses.begin(), losses.end());
  return {};
}

}  // namespace proofline
