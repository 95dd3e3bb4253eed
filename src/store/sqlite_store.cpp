// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/make_folders.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "store/sql_store.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_session.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> cannot(const char* what, const std::string& path, int error) {
  return fail(ErrorKind::kStorage, fmt::format("cannot {} {}: {}", what, quote(path),
                                               std::generic_category().message(error)));
}

// An empty file that only its owner may read, with its folder: SQLite gives its own files the same
// mode. The file's name is made durable by SQLite's first commit.
Result<void> create_file(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  make_folders(folder.string(), error);
  if (error) return cannot("create the folder", folder.string(), error.value());
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open() && errno != EEXIST) return cannot("create", path, errno);
  return {};
}

// Which file it is; kStorage unless it is a regular one.
Result<std::optional<struct stat>> find_file(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return cannot("open", path, errno);
  }
  if (!S_ISREG(found.st_mode)) {
    return fail(ErrorKind::kStorage, quote(path) + " is not a regular file, so not a journal");
  }
  return found;
}

// SQLite finds the rests of an interrupted write by the file's name, so a file with two names
// would be damaged by using both.
std::string why_not_writable(const std::string& path, const struct stat& file) {
  if (file.st_nlink > 1) return "the file has more than one name (hard links)";
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    return "the file may not be written: " + std::generic_category().message(errno);
  }
  const fs::path folder = fs::path(path).parent_path();
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0) {
    return "its folder may not be written: " + std::generic_category().message(errno);
  }
  return "";
}

class SqliteStore : public SqlStore {
 public:
  SqliteStore(std::string path, const struct stat& file, std::chrono::milliseconds patience)
      : SqlStore(std::move(path)), file_(file), patience_(patience) {
    forbid_writing(why_not_writable(where(), file));
  }

  Result<void> open(bool create) {
    return connect()
        .and_then([&] { return bring_to_schema(*session_, where(), !read_only().empty(), create); })
        .and_then([this] { return find_chain(); });
  }

  Result<std::vector<std::string>> damage() override {
    std::vector<std::string> found;
    const Result<void> done = look([&](SqlSession& session) -> Result<void> {
      ASSIGN_OR_RETURN(const auto rows, session.query("PRAGMA integrity_check(10)"));
      for (const SqlRow& row : rows) {
        if (row[0] != "ok") found.push_back("SQLite finds: " + row[0]);
      }
      return {};
    });
    RETURN_IF_ERROR(done);
    return found;
  }

 protected:
  Result<void> write(const Work& work) override {
    if (Result<void> ready = connect(); !ready) return ready;
    Result<void> done = session_->run("BEGIN IMMEDIATE")
                            .and_then([&] { return work(*session_); })
                            .and_then([&] { return check_same_file(); })
                            .and_then([&] { return session_->run("COMMIT"); });
    if (done) return {};
    // Where the disk failed, the next to open the file finds out what is on it. Trying again here
    // could take for written what the kernel has dropped.
    if (session_->is_unsure()) {
      session_.reset();
    } else {
      static_cast<void>(session_->run("ROLLBACK"));
    }
    return done;
  }

  Result<void> look(const Work& work) override {
    return connect().and_then([&] { return work(*session_); });
  }

 private:
  Result<void> connect() {
    if (session_ != nullptr) return {};
    ASSIGN_OR_RETURN(auto session, SqliteSession::open(where(), !read_only().empty(), patience_));
    session_ = std::move(session);
    return check_same_file();
  }

  // What is written to a file that was deleted or replaced is lost with it.
  Result<void> check_same_file() const {
    struct stat now {};
    if (::stat(where().c_str(), &now) == 0 && now.st_dev == file_.st_dev &&
        now.st_ino == file_.st_ino && (now.st_nlink == 1 || !read_only().empty())) {
      return {};
    }
    return fail(ErrorKind::kStorage,
                fmt::format("{} was moved, replaced or linked a second time while it was open: "
                            "nothing was written; put it back, or start again with the new one",
                            quote(where())));
  }

  struct stat file_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<SqliteSession> session_;
};

}  // namespace

Result<std::unique_ptr<JournalStore>> open_sqlite_journal(const std::string& where,
                                                          const StoreOptions& options) {
  if (where.empty() || where.find('\0') != std::string::npos) {
    return fail(ErrorKind::kUsage, "a journal needs a path, not " + quote(where));
  }
  std::error_code error;
  const std::string path = fs::absolute(where, error).lexically_normal().string();
  auto file = find_file(path);
  if (file && !*file) {
    if (!options.create) {
      return fail(
          ErrorKind::kInput,
          fmt::format("there is no journal at {}: correct the path, or start one there with "
                      "'proofline journal open'",
                      quote(path)));
    }
    file = create_file(path).and_then([&] { return find_file(path); });
  }
  RETURN_IF_ERROR(file);
  if (!*file) return cannot("open", path, ENOENT);
  auto store = std::make_unique<SqliteStore>(path, **file, options.patience);
  RETURN_IF_ERROR(store->open(options.create));
  return std::unique_ptr<JournalStore>(std::move(store));
}

}  // namespace proofline
