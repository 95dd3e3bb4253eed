// SPDX-License-Identifier: Apache-2.0
//
// A PostgreSQL server of a test's own: its files and its socket are in one folder, and nothing
// listens on the network. Gone with the test, also when that is killed.
#pragma once

#include <sys/types.h>

#include <string>

#include "support/temp_dir.h"

namespace proofline {

class PostgresServer {
 public:
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Why there is none, "" where it runs.
  const std::string& missing() const { return missing_; }

  // Its socket's folder.
  const std::string& folder() const { return folder_; }
  std::string connection_string() const { return connection_string(folder_); }
  // Through another socket, of a proxy.
  static std::string connection_string(const std::string& folder) {
    return "host=" + folder + " user=tester dbname=postgres";
  }
  // The same as for the server; for proxies.
  static constexpr const char* kSocketName = ".s.PGSQL.5432";

  void start();
  // As by a crash of the machine: nothing is finished or written first.
  void stop_at_once();

 private:
  TempDir parent_;
  std::string folder_;
  std::string programs_;
  std::string missing_;
  pid_t server_ = 0;
};

}  // namespace proofline
