// SPDX-License-Identifier: Apache-2.0
#include "base/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/output.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::kStorage, fmt::format("cannot write {}: {}", quote(path),
                                               std::generic_category().message(error)));
}

}  // namespace

Result<void> write_whole_file(const std::string& path, std::string_view bytes) {
  // With the process in its name, so that neither another one nor what a killed one left is in the
  // way.
  const std::string part = fmt::format("{}.{}.part", path, ::getpid());
  {
    const UniqueFd file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.is_open()) return cannot_write(path, errno);
    if (const int error = write_stored(file.get(), bytes); error != 0) {
      ::unlink(part.c_str());
      return cannot_write(path, error);
    }
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(part.c_str());
    return cannot_write(path, error);
  }
  return {};
}

}  // namespace proofline
