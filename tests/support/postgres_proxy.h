// SPDX-License-Identifier: Apache-2.0
//
// Stands between a client and a PostgreSQL server and has an accident when the client commits.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "support/temp_dir.h"

namespace proofline {

class PostgresProxy {
 public:
  enum class Accident {
    kNone,
    kLoseCommit,  // the server never gets it
    kLoseAnswer,  // the server commits, and nobody hears of it
    kFallSilent,  // the connection stays open, and nothing comes any more
  };

  explicit PostgresProxy(const std::string& server_folder);
  ~PostgresProxy();
  PostgresProxy(const PostgresProxy&) = delete;
  PostgresProxy& operator=(const PostgresProxy&) = delete;

  // Its socket's folder, for the connection string.
  std::string folder() const { return folder_.path(""); }
  // At the next commit, once.
  void plan(Accident accident) { planned_ = accident; }

 private:
  void serve();
  void forward(int client);

  TempDir folder_;
  std::string server_folder_;
  UniqueFd listener_;
  std::atomic<Accident> planned_ = Accident::kNone;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace proofline
