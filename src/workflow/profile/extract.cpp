// SPDX-License-Identifier: Apache-2.0
//
// Extraction: all files are named and the folder is opened before the first byte is written; each
// file appears whole or not at all.
#include "workflow/profile/extract.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/characters.h"
#include "base/option.h"
#include "base/output.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

struct Piece {
  std::string name;
  std::string stored_name;
  std::string_view content;
};

std::vector<Piece> pieces_of(const Profile& profile, ExtractKind kind) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < profile.modules.size(); ++i) {
    const Module& module = profile.modules[i];
    const std::string stem = fmt::format("module-{}.sm_{}{}", i, module.sm_major, module.sm_minor);
    if (kind == ExtractKind::kCubin && !module.cubin.empty()) {
      pieces.push_back({stem + ".cubin", "", module.cubin});
    } else if (kind == ExtractKind::kPtx && !module.ptx.empty()) {
      pieces.push_back({stem + ".ptx", "", module.ptx});
    } else if (kind == ExtractKind::kSource) {
      for (std::size_t file = 0; file < module.files.size(); ++file) {
        const SourceFile& source = module.files[file];
        if (source.content.empty()) continue;
        // The numbers keep files of one name from different folders apart.
        pieces.push_back({fmt::format("module-{}.{}.{}", i, file, safe_file_name(source.name)),
                          source.name, source.content});
      }
    }
  }
  return pieces;
}

tl::unexpected<Error> cannot_write(std::string_view path, int error) {
  const char* hint =
      error == EEXIST ? "; extraction never overwrites, so give an empty folder" : "";
  return fail(ErrorKind::kStorage,
              fmt::format("cannot write {}: {}{}", quote(path), std::strerror(error), hint));
}

Result<void> write_new_file(int folder, const std::string& path, std::string_view content) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  const UniqueFd file(
      openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.get() < 0) return cannot_write(path, errno);
  const int error = write_stored(file.get(), content);
  if (error == 0) return {};
  unlinkat(folder, name.c_str(), 0);
  return cannot_write(path, error);
}

}  // namespace

std::string safe_file_name(std::string_view stored_name) {
  constexpr std::size_t kLongest = 120;
  const auto slash = stored_name.find_last_of("/\\");
  if (slash != std::string_view::npos) stored_name.remove_prefix(slash + 1);
  std::string name;
  for (const char c : stored_name.substr(0, kLongest)) {
    const bool plain = is_alphanumeric(c) || c == '_' || c == '-' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name.empty() ? "unnamed" : name;
}

Result<std::vector<ExtractedFile>> extract(const Profile& profile, ExtractKind kind,
                                           const std::string& folder) {
  const std::vector<Piece> pieces = pieces_of(profile, kind);
  if (pieces.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: nothing of that kind is embedded; see what is with {} (sources "
                            "are embedded by 'ncu --import-source on')",
                            quote(profile.path), option("source")));
  }
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return cannot_write(folder, errno);
  const UniqueFd directory(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) return cannot_write(folder, errno);
  std::vector<ExtractedFile> written;
  for (const Piece& piece : pieces) {
    const std::string path = folder + "/" + piece.name;
    RETURN_IF_ERROR(write_new_file(directory.get(), path, piece.content));
    written.push_back({path, piece.stored_name, piece.content.size()});
  }
  return written;
}

}  // namespace proofline
