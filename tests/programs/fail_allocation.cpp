// SPDX-License-Identifier: Apache-2.0
//
// Put before a program by LD_PRELOAD, it lets allocations fail:
//
//   FAIL_ALLOCATION=7     the seventh
//   FAIL_ALLOCATION=7+    the seventh and all after it
//
// Those of the process that starts with it, not of its children. FAIL_ALLOCATION_COUNT=FILE: at its
// end the process writes there how many it has asked for.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> asked = 0;
long fails_at = 0;
bool and_all_after = false;

[[gnu::constructor(101)]] void read_the_wish() {
  const char* wish = std::getenv("FAIL_ALLOCATION");
  if (wish == nullptr) return;
  char* end = nullptr;
  fails_at = std::strtol(wish, &end, 10);
  and_all_after = *end == '+';
  ::unsetenv("FAIL_ALLOCATION");
  asked = 0;
}

[[gnu::destructor]] void tell_the_count() {
  const char* path = std::getenv("FAIL_ALLOCATION_COUNT");
  if (path == nullptr) return;
  long count = asked;
  char text[24];
  char* at = text + sizeof text;
  do {
    *--at = static_cast<char>('0' + count % 10);
    count /= 10;
  } while (count > 0);
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  static_cast<void>(!::write(file, at, static_cast<std::size_t>(text + sizeof text - at)));
  ::close(file);
}

bool fails() {
  const long number = ++asked;
  const bool now = fails_at > 0 && (number == fails_at || (and_all_after && number > fails_at));
  if (now) errno = ENOMEM;
  return now;
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  if (fails()) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}
}
