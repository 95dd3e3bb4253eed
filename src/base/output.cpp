// SPDX-License-Identifier: Apache-2.0
//
// Interrupted and short writes are invisible to callers; any other error
// ends the writing and is kept until somebody reads it. Where SIGPIPE is ignored, a closed pipe is
// EPIPE here.

#include "base/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace proofline {
namespace {

constexpr std::size_t kBufferBytes = 64U << 10U;

}  // namespace

int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // Another process that shares our standard output can have made it non-blocking.
      pollfd output{fd, POLLOUT, 0};
      if (::poll(&output, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int write_stored(int fd, std::string_view text) {
  const int error = write_all(fd, text);
  return error != 0 || ::fsync(fd) == 0 ? error : errno;
}

Output::Output(int fd) : fd_(fd) { buffer_.reserve(kBufferBytes); }

Output::Output(std::string& text) : text_(&text) {}

Output::~Output() { flush(); }

void Output::write(std::string_view text) {
  if (text_ != nullptr) {
    text_->append(text);
    return;
  }
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() < kBufferBytes)
    buffer_.append(text);
  else if (error_ == 0)
    error_ = write_all(fd_, text);
}

void Output::put(char c) { write({&c, 1}); }

void Output::flush() {
  if (error_ == 0) error_ = write_all(fd_, buffer_);
  buffer_.clear();
}

}  // namespace proofline
