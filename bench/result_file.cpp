// SPDX-License-Identifier: Apache-2.0
#include "result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/output.h"
#include "base/text.h"
#include "base/whole_file.h"

namespace proofline::bench {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::kStorage, fmt::format("cannot write {}: {}", quote(path),
                                               std::generic_category().message(error)));
}

// Who may not write a file is not to replace it either.
bool is_replaceable(const std::string& path) {
  if (::access(path.c_str(), W_OK) != 0 && errno != ENOENT) return false;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

Result<ResultFile> ResultFile::prepare(const std::string& path) {
  ResultFile file(path);
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || S_ISREG(found.st_mode)) {
    if (!is_replaceable(path)) return cannot_write(path, errno);
    return file;
  }
  file.in_place_ = UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file.in_place_.is_open()) return cannot_write(path, errno);
  return file;
}

Result<void> ResultFile::write(std::string_view bytes) const {
  if (!in_place_.is_open()) return write_whole_file(path_, bytes);
  // What a link leads to may be longer; a pipe cannot be cut.
  if (::ftruncate(in_place_.get(), 0) != 0 && errno != EINVAL) return cannot_write(path_, errno);
  if (const int error = write_all(in_place_.get(), bytes); error != 0) {
    return cannot_write(path_, error);
  }
  return {};
}

}  // namespace proofline::bench
