// SPDX-License-Identifier: Apache-2.0
#include "base/file_piece.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace proofline {

std::string read_piece(const std::string& path, std::size_t from, std::size_t most) {
  // A program may leave a FIFO where a file is expected: opening it must not wait for a writer.
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string piece(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t got =
        ::pread(file.get(), piece.data() + size, most - size, static_cast<off_t>(from + size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  piece.resize(size);
  return piece;
}

}  // namespace proofline
