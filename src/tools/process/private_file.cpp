// SPDX-License-Identifier: Apache-2.0
#include "tools/process/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX, not in <cstdlib>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/output.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

tl::unexpected<Error> cannot_store(const std::string& path) {
  return fail(ErrorKind::kStorage,
              fmt::format("cannot write {}: {}; TMPDIR chooses another folder", quote(path),
                          std::generic_category().message(errno)));
}

}  // namespace

PrivateFile::~PrivateFile() {
  if (folder_.empty()) return;
  ::unlink(path().c_str());
  ::rmdir(folder_.c_str());
}

Result<void> PrivateFile::write(std::string_view bytes) {
  const char* parent = ::getenv("TMPDIR");
  std::string pattern = parent != nullptr && *parent == '/' ? parent : "/tmp";
  pattern += "/proofline-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return cannot_store(pattern);
  folder_ = pattern;
  const UniqueFd file(
      ::open(path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return cannot_store(path());
  errno = write_all(file.get(), bytes);
  if (errno != 0) return cannot_store(path());
  return {};
}

}  // namespace proofline
