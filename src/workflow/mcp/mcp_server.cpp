// SPDX-License-Identifier: Apache-2.0
#include "workflow/mcp/mcp_server.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/interrupt.h"
#include "base/output.h"
#include "workflow/mcp/mcp_session.h"

namespace proofline {
namespace {

// Arguments of a command never come near to it.
constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;
constexpr std::size_t kPiece = std::size_t{64} << 10;
// What is read before a call that runs gets its turn again, however much is sent.
constexpr int kMostPieces = 16;

class Server {
 public:
  Server(const McpStreams& streams, const std::string& program, const Tools& tools)
      : streams_(streams),
        session_(program, tools, [this](std::string_view line) { send(line); }) {}

  void serve() {
    while (!gone_ && interrupts() == 0) {
      if (session_.has_work()) {
        session_.work([this] { return receive(0); });
      } else {
        receive(-1);
      }
    }
  }

 private:
  void send(std::string_view line) {
    if (gone_) return;
    gone_ = write_all(streams_.output, std::string(line) + "\n") != 0;
  }

  // What the client has sent, after waiting for it that long; whether it is still there.
  bool receive(int wait_ms) {
    std::array<pollfd, 2> fds{pollfd{streams_.input, POLLIN, 0}, pollfd{interrupt_fd(), POLLIN, 0}};
    for (int i = 0; i < kMostPieces && !gone_; ++i) {
      if (::poll(fds.data(), fds.size(), wait_ms) <= 0 || fds[0].revents == 0) break;
      const ssize_t got = ::read(streams_.input, piece_.data(), piece_.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) {
        gone_ = true;
        break;
      }
      lines_.feed(
          std::string_view(piece_.data(), static_cast<std::size_t>(got)),
          [this](std::string_view line) { session_.take(line); },
          [this] { session_.take_too_long(); });
      wait_ms = 0;
    }
    return !gone_;
  }

  McpStreams streams_;
  bool gone_ = false;
  LineSplitter lines_{kMostMessageBytes};
  std::array<char, kPiece> piece_{};
  McpSession session_;
};

}  // namespace

Result<void> serve_mcp(const McpStreams& streams, const std::string& program, const Tools& tools) {
  const InterruptWatch watch;
  Server server(streams, program, tools);
  server.serve();
  if (interrupts() > 0) return fail(ErrorKind::kInterrupted, "interrupted");
  return {};
}

}  // namespace proofline
