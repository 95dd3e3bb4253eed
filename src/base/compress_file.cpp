// SPDX-License-Identifier: Apache-2.0
#include "base/compress_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "base/output.h"
#include "base/unique_fd.h"

namespace proofline {
namespace {

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

int compress_all(int from, int to) {
  const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) return ENOMEM;
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string stored(ZSTD_CStreamInSize(), '\0');
  std::string packed(ZSTD_CStreamOutSize(), '\0');
  for (;;) {
    const ssize_t got = ::read(from, stored.data(), stored.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    const ZSTD_EndDirective directive = got == 0 ? ZSTD_e_end : ZSTD_e_continue;
    ZSTD_inBuffer in{stored.data(), static_cast<std::size_t>(got), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out{packed.data(), packed.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) return ENOMEM;
      const int error = write_all(to, std::string_view(packed.data(), out.pos));
      if (error != 0) return error;
      is_done = got == 0 ? left == 0 : in.pos == in.size;
    }
    if (got == 0) return 0;
  }
}

}  // namespace

int compress_file(const std::string& path) {
  const UniqueFd from(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!from.is_open()) return errno;
  const std::string packed = path + ".zst";
  const UniqueFd to(
      ::open(packed.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!to.is_open()) return errno;
  const int error = compress_all(from.get(), to.get());
  ::unlink(error == 0 ? path.c_str() : packed.c_str());
  return error;
}

}  // namespace proofline
