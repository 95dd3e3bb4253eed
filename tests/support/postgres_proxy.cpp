// SPDX-License-Identifier: Apache-2.0
#include "support/postgres_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "support/postgres.h"

namespace proofline {
namespace {

sockaddr_un address_in(const std::string& folder) {
  const std::string path = folder + "/" + PostgresServer::kSocketName;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error("path too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// What came, passed on; "" at the end.
std::string receive(int from) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : "";
}

bool send_on(int to, std::string_view bytes) {
  return ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

}  // namespace

PostgresProxy::PostgresProxy(const std::string& server_folder)
    : server_folder_(server_folder), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un address = address_in(folder());
  if (::bind(listener_.get(), plain(address), sizeof address) != 0 ||
      ::listen(listener_.get(), 8) != 0) {
    throw std::runtime_error("cannot listen in " + folder());
  }
  thread_ = std::thread([this] { serve(); });
}

PostgresProxy::~PostgresProxy() {
  done_ = true;
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

// One client after the other.
void PostgresProxy::serve() {
  while (!done_) {
    const UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.is_open()) forward(client.get());
  }
}

void PostgresProxy::forward(int client) {
  const UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(server_folder_);
  if (::connect(server.get(), plain(address), sizeof address) != 0) return;
  for (;;) {
    std::array<pollfd, 2> ends = {{{client, POLLIN, 0}, {server.get(), POLLIN, 0}}};
    ::poll(ends.data(), ends.size(), -1);
    if (ends[1].revents != 0) {
      const std::string answer = receive(server.get());
      if (answer.empty() || !send_on(client, answer)) return;
    }
    if (ends[0].revents == 0) continue;
    const std::string asked = receive(client);
    if (asked.empty()) return;
    const bool commits = asked.find("COMMIT") != std::string::npos;
    const Accident accident = commits ? planned_.exchange(Accident::kNone) : Accident::kNone;
    if (accident == Accident::kLoseCommit) return;
    if (!send_on(server.get(), asked)) return;
    if (accident == Accident::kNone) continue;
    receive(server.get());                                   // it has committed
    if (accident == Accident::kFallSilent) receive(client);  // until the client gives up
    return;
  }
}

}  // namespace proofline
