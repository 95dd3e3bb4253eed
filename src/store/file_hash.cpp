// SPDX-License-Identifier: Apache-2.0
#include "store/file_hash.h"

#include <fmt/format.h>
#include <sha2.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/text.h"

namespace proofline {

Result<std::string> file_sha256(const std::string& path) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  if (SHA256File(path.c_str(), hex.data()) != nullptr) return hex.data();
  return fail(ErrorKind::kInput, fmt::format("cannot read {}: {}", quote(path),
                                             std::generic_category().message(errno)));
}

}  // namespace proofline
