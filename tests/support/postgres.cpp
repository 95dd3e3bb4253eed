// SPDX-License-Identifier: Apache-2.0
#include "support/postgres.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "store/libpq.h"
#include "store/postgres_session.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

std::string find_programs() {
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path programs = version.path() / "bin";
    if (fs::exists(programs / "initdb", ignored)) return programs.string();
  }
  return fs::exists("/usr/bin/initdb", ignored) ? "/usr/bin" : "";
}

// The server does not run as root.
bool become_ordinary() {
  if (::geteuid() != 0) return true;
  const passwd* nobody = ::getpwnam("nobody");
  return nobody != nullptr && ::setgid(nobody->pw_gid) == 0 && ::setuid(nobody->pw_uid) == 0;
}

void give_to_ordinary(const std::string& folder) {
  const passwd* nobody = ::getpwnam("nobody");
  if (::geteuid() == 0 && nobody != nullptr) {
    static_cast<void>(::chown(folder.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  }
}

pid_t start_program(std::vector<std::string> words, const std::string& folder) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int log = ::open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (log < 0 || !become_ordinary() || ::chdir(folder.c_str()) != 0) ::_exit(127);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // its "immediate shutdown"
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

bool accepts(const std::string& connection_string) {
  const auto pq = load_libpq();
  auto target = parse_postgres_target(**pq, connection_string);
  PostgresSession session(**pq, *target);
  session.set_deadline(PostgresSession::Clock::now() + std::chrono::seconds(10));
  return session.connect(std::chrono::seconds(10)).has_value();
}

}  // namespace

PostgresServer::PostgresServer() : folder_(parent_.path("pg")), programs_(find_programs()) {
  if (programs_.empty()) {
    missing_ = "there is no PostgreSQL server on this machine (Debian: postgresql)";
  } else if (!load_libpq()) {
    missing_ = "libpq is not installed (Debian: libpq5)";
  }
  if (!missing_.empty()) return;
  ::chmod(parent_.path("").c_str(), 0755);
  fs::create_directory(folder_);
  ::chmod(folder_.c_str(), 0700);
  give_to_ordinary(folder_);
  const pid_t initdb =
      start_program({programs_ + "/initdb", "-D", folder_ + "/data", "-U", "tester", "-A", "trust",
                     "-E", "UTF8", "--locale=C", "--no-sync"},
                    folder_);
  int status = 0;
  ::waitpid(initdb, &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed");
  start();
}

PostgresServer::~PostgresServer() {
  if (server_ != 0) stop_at_once();
}

void PostgresServer::start() {
  // Not synced to the disk: only the machine's own crash would need that.
  server_ = start_program({programs_ + "/postgres", "-D", folder_ + "/data", "-k", folder_, "-h",
                           "", "-c", "fsync=off", "-c", "shared_buffers=8MB"},
                          folder_);
  while (!accepts(connection_string())) {
    if (::waitpid(server_, nullptr, WNOHANG) == server_) {
      server_ = 0;
      throw std::runtime_error("the PostgreSQL server does not start");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PostgresServer::stop_at_once() {
  ::kill(server_, SIGQUIT);
  ::waitpid(server_, nullptr, 0);
  server_ = 0;
}

}  // namespace proofline
