// SPDX-License-Identifier: Apache-2.0
//
// A file's name begins with its number, so that names sort in the order of writing. Its first line
// is a JSON object with all but the body, whose bytes follow as they are: a file that was cut off
// shows.
#include "workflow/journal/journal_spool.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_piece.h"
#include "base/find_above.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/list_folder.h"
#include "base/make_folders.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/sync_folder.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "store/entries/entry_identity.h"
#include "workflow/journal/journal_place.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".entry";
// More than any entry that a journal takes.
constexpr std::size_t kMostFileBytes = std::size_t{17} << 20;

struct SpoolFile {
  std::string journal;
  NewEntry entry;
};

Result<std::string> spool_folder() {
  ASSIGN_OR_RETURN(
      const auto project,
      find_above(kProjectFolder, fmt::format("a journal in a file ({})", option("journal"))));
  return (project.empty() ? std::string(kProjectFolder) : project) + "/unsent";
}

// For its owner alone: entries tell what is worked on.
Result<void> make_spool(const std::string& path) {
  std::error_code error;
  make_folders(path.substr(0, path.rfind('/')), error);
  if (::mkdir(path.c_str(), 0700) == 0) {
    sync_folder(fs::path(path).parent_path());
    return {};
  }
  if (errno == EEXIST) return {};
  return fail(ErrorKind::kStorage, fmt::format("cannot create the folder {}: {}", quote(path),
                                               std::generic_category().message(errno)));
}

// The names of the files in it, in the order in which they were written; none without a folder.
Result<std::vector<std::string>> spool_files(const std::string& folder) {
  if (::access(folder.c_str(), F_OK) != 0 && errno == ENOENT) return std::vector<std::string>{};
  ASSIGN_OR_RETURN(auto names, list_folder(folder));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(kSuffix); });
  return names;
}

std::uint64_t number_of(const std::string& name) {
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string to_file_text(const SpoolFile& file) {
  const NewEntry& entry = file.entry;
  std::string text = json_text([&](JsonWriter& json) {
    json.begin_object();
    json.member("journal", file.journal);
    json.member("id", entry.id);
    json.member("attempt", entry.attempt);
    json.member("kind", entry.kind);
    json.member("written", entry.written);
    json.member("body_bytes", std::uint64_t{entry.body.size()});
    json.end_object();
  });
  return text + '\n' + entry.body;
}

std::optional<SpoolFile> read_spool_file(const std::string& path) {
  const std::string text = read_piece(path, 0, kMostFileBytes);
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return std::nullopt;
  const rapidjson::Document header = parse_json_object(std::string_view(text).substr(0, line));
  if (header.IsNull()) return std::nullopt;
  const auto member = [&](std::string_view name) {
    const rapidjson::Value* value = json_member(header, name);
    return value != nullptr && value->IsString()
               ? std::string(value->GetString(), value->GetStringLength())
               : std::string();
  };
  SpoolFile file{
      member("journal"),
      {member("id"), member("attempt"), member("kind"), text.substr(line + 1), member("written")}};
  const rapidjson::Value* bytes = json_member(header, "body_bytes");
  const bool is_whole =
      bytes != nullptr && bytes->IsUint64() && bytes->GetUint64() == file.entry.body.size();
  if (!is_whole || !check_new_entry(file.entry)) return std::nullopt;
  return file;
}

JournalEntry without_place(NewEntry entry) {
  return {"",
          0,
          std::move(entry.id),
          std::move(entry.attempt),
          std::move(entry.kind),
          std::move(entry.written),
          std::move(entry.body),
          "",
          ""};
}

// Whether its attempt is in the journal, which nobody could ask when the entry was written; true of
// one that begins its attempt, or belongs to none.
Result<bool> has_attempt_of(const NewEntry& entry, JournalStore& journal) {
  bool found = entry.attempt.empty() || entry.attempt == entry.id;
  if (found) return true;
  EntryFilter filter;
  filter.attempt = entry.attempt;
  RETURN_IF_ERROR(journal.read(filter, [&](const JournalEntry&) {
    found = true;
    return false;
  }));
  return found;
}

}  // namespace

Result<KeptEntry> keep_for_server(const std::string& journal, const NewEntry& entry) {
  RETURN_IF_ERROR(check_new_entry(entry));
  ASSIGN_OR_RETURN(const auto place, journal_to_write(journal));
  ASSIGN_OR_RETURN(const auto where, journal_server(place));
  ASSIGN_OR_RETURN(const auto folder, spool_folder());
  RETURN_IF_ERROR(make_spool(folder));
  ASSIGN_OR_RETURN(const auto names, spool_files(folder));
  const std::uint64_t number = names.empty() ? 1 : number_of(names.back()) + 1;
  SpoolFile file{where, entry};
  if (file.entry.written.empty()) file.entry.written = utc_now_ms();
  RETURN_IF_ERROR(write_whole_file(fmt::format("{}/{:08}-{}{}", folder, number, entry.id, kSuffix),
                                   to_file_text(file)));
  return KeptEntry{where, folder, without_place(std::move(file.entry))};
}

Result<Delivery> deliver_kept_entries(JournalStore& to) {
  ASSIGN_OR_RETURN(const auto folder, spool_folder());
  ASSIGN_OR_RETURN(const auto names, spool_files(folder));
  Delivery delivery{{folder, to.where(), 0, 0}, {}};
  std::uint64_t unreadable = 0;
  std::uint64_t others = 0;
  std::uint64_t orphans = 0;
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}/{}", folder, name);
    const auto file = read_spool_file(path);
    if (!file) ++unreadable;
    if (file && file->journal != to.where()) ++others;
    if (!file || file->journal != to.where()) continue;
    ++delivery.sync.entries;
    ASSIGN_OR_RETURN(const bool has_attempt, has_attempt_of(file->entry, to));
    if (!has_attempt) {
      ++orphans;
      continue;
    }
    RETURN_IF_ERROR(to.append(file->entry));
    ++delivery.sync.adopted;
    ::unlink(path.c_str());
  }
  if (unreadable > 0) {
    delivery.notes.push_back({NoteKind::kLoss, folder,
                              "files are no whole entries, and stay where they are", unreadable});
  }
  if (orphans > 0) {
    delivery.notes.push_back(
        {NoteKind::kLoss, folder,
         "entries belong to an attempt that this journal does not have, and stay where they are",
         orphans});
  }
  if (others > 0) {
    delivery.notes.push_back(
        {NoteKind::kInfo, folder,
         fmt::format("entries wait for another journal; {} names it", option("journal")), others});
  }
  return delivery;
}

Result<std::vector<std::string>> kept_entry_texts() {
  ASSIGN_OR_RETURN(const auto folder, spool_folder());
  ASSIGN_OR_RETURN(const auto names, spool_files(folder));
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const std::string& name : names) {
    texts.push_back(read_piece(fmt::format("{}/{}", folder, name), 0, kMostFileBytes));
  }
  return texts;
}

Result<std::vector<JournalEntry>> kept_entries(const std::string& where) {
  ASSIGN_OR_RETURN(const auto folder, spool_folder());
  ASSIGN_OR_RETURN(const auto names, spool_files(folder));
  std::vector<JournalEntry> entries;
  for (const std::string& name : names) {
    auto file = read_spool_file(fmt::format("{}/{}", folder, name));
    if (file && file->journal == where) entries.push_back(without_place(std::move(file->entry)));
  }
  return entries;
}

}  // namespace proofline
