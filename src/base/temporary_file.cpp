// SPDX-License-Identifier: Apache-2.0
#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp is no part of <cstdlib>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/text.h"

namespace proofline {
namespace {

std::string temporary_folder() {
  const std::string_view chosen = environment_variable("TMPDIR");
  return chosen.empty() ? "/tmp" : std::string(chosen);
}

tl::unexpected<Error> cannot_keep(int code) {
  return fail(ErrorKind::kStorage,
              fmt::format("cannot keep a temporary file in {}: {}; TMPDIR chooses another folder",
                          quote(temporary_folder()), std::generic_category().message(code)));
}

}  // namespace

TemporaryFile::TemporaryFile(UniqueFd fd) : fd_(std::move(fd)) {}

Result<TemporaryFile> TemporaryFile::create() {
  const std::string folder = temporary_folder();
  UniqueFd fd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.is_open()) {
    // Not every file system has files without a name; there it has one for a moment.
    std::string name = folder + "/proofline-XXXXXX";
    fd = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
    if (!fd.is_open()) return cannot_keep(errno);
    ::unlink(name.c_str());
  }
  return TemporaryFile(std::move(fd));
}

Result<void> TemporaryFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return cannot_keep(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<std::size_t> TemporaryFile::read_at(std::uint64_t offset, char* to, std::size_t n) const {
  std::size_t done = 0;
  while (done < n) {
    const ssize_t got = ::pread(fd_.get(), to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_keep(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace proofline
