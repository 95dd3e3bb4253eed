// SPDX-License-Identifier: Apache-2.0
//
// Nsight Compute's report file, .ncu-rep (and .nsight-cuprof-report, its name until 2020), without
// any NVIDIA tool. The container is a chain of blocks, read once from front to back:
//
//   "NVR\0", u32 n, FileHeader of n bytes, then until the end:
//   u32 n, BlockHeader of n bytes, payload: a run of (u32 size, message)
//
// Only one message is in memory at a time. A damaged message costs just itself, since its size is
// known; a cut file keeps all results before the cut. Both are told in notes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin_code.h"
#include "readers/code/read_code.h"
#include "readers/format.h"
#include "readers/ncu/ncu_rep_identity.h"
#include "readers/ncu/ncu_rep_result.h"
#include "readers/ncu/ncu_rep_session.h"
#include "readers/ncu/ncu_rep_wire.h"
#include "readers/read_profile.h"

namespace proofline {
namespace {

using ncu_file::Message;

constexpr std::string_view kNcuRepMagic("NVR\0", 4);
// An interrupted ncu leaves the four bytes of the magic unwritten.
constexpr std::string_view kNoMagic("\0\0\0\0", 4);
// u32 size 2, then field 1 = version 7: the same in every release from 2019 to 2026.
constexpr std::string_view kFileHeader("\x02\0\0\0\x08", 5);
constexpr std::uint64_t kKnownVersion = 7;
// A sum of claimed counts must not wrap.
constexpr std::uint64_t kMostPromised = std::uint64_t{1} << 62U;

struct BlockHeader {
  // In the order in which they follow in the payload.
  std::uint64_t sources = 0;
  using Results = std::array<std::pair<LaunchKind, std::uint64_t>, 4>;
  Results results = {std::pair{LaunchKind::kKernel, 0}, std::pair{LaunchKind::kRange, 0},
                     std::pair{LaunchKind::kCommandList, 0}, std::pair{LaunchKind::kGraph, 0}};
  std::uint64_t payload_bytes = 0;
  std::size_t process = 0;
};

std::uint32_t little_endian_u32(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return number;
}

// Takes each cubin where it lies, with the module that it belongs to: a report may hold more of
// them than anybody wants to have in memory at once.
using CubinSink =
    std::function<void(std::size_t position, const Module& module, std::string_view cubin)>;

class FileReader {
 public:
  FileReader(Input& input, const ReadOptions& options, Profile& profile, CubinSink cubin_sink = {})
      : input_(input),
        options_(options),
        profile_(profile),
        cubin_sink_(std::move(cubin_sink)),
        modules_(profile.modules),
        strings_(options) {}

  Result<void> read();

 private:
  // Why the walk over the file ended early; the sentence says what was there.
  struct Stop {
    std::uint64_t offset;
    std::string what;
  };
  using Step = tl::expected<void, Stop>;

  Result<void> read_file_header();
  Step read_block();
  Step read_header(BlockHeader& header);
  Step read_payload(const BlockHeader& header);
  void lose_promised(std::uint64_t sources, const BlockHeader::Results& results);
  tl::expected<std::string_view, Stop> take(std::uint64_t bytes, std::string_view what);
  void decode_header(Message message, BlockHeader& header);
  std::size_t process_of(Message message);
  void decode_payload_message(std::optional<LaunchKind> kind, std::string_view bytes,
                              const BlockHeader& header);
  void lose(std::uint64_t offset, std::string what);
  void add_notes();
  void lose_rest();

  Input& input_;
  const ReadOptions& options_;
  Profile& profile_;
  const CubinSink cubin_sink_;
  std::map<std::pair<std::optional<std::uint32_t>, std::string>, std::size_t> processes_;
  ncu_file::ModuleTable modules_;
  ncu_file::CubinTable cubins_;
  ncu_file::StringTable strings_;
  ncu_file::Tally tally_;
  std::optional<Error> read_error_;
};

Result<void> FileReader::read() {
  if (auto header = read_file_header(); !header) return header;
  Step step;
  while (step) {
    ASSIGN_OR_RETURN(const auto more, input_.peek(1));
    if (more.empty()) break;
    step = read_block();
  }
  if (read_error_) return tl::make_unexpected(*read_error_);
  if (!step) {
    lose_rest();
    lose(step.error().offset,
         fmt::format("{}; {} bytes from there on are lost, {} results were read before",
                     step.error().what, input_.offset() - step.error().offset,
                     profile_.launches.size()));
  }
  if (input_.damage()) lose(input_.offset(), input_.damage()->message);
  profile_.bytes.total = input_.offset();
  // What was stepped over inside messages was counted as used with the message.
  profile_.bytes.used -= tally_.skipped_bytes;
  profile_.bytes.skipped += tally_.skipped_bytes;
  tally_.dangling_modules += modules_.resolve(profile_.launches);
  ncu_file::identify_launches(profile_);
  add_notes();
  if (!profile_.launches.empty()) return {};
  const std::string why =
      profile_.notes.empty()
          ? "the report is whole but holds no result: ncu profiled no kernel (see its own output)"
          : fmt::format("no result could be read: {}: {}", profile_.notes.front().place,
                        profile_.notes.front().what);
  return fail(ErrorKind::kInput, fmt::format("{}: {}", quote(input_.name()), why));
}

Result<void> FileReader::read_file_header() {
  ASSIGN_OR_RETURN(const auto prefix, input_.peek(kNcuRepMagic.size() + kFileHeader.size() + 1));
  if (prefix.size() < kNcuRepMagic.size() + kFileHeader.size() + 1) {
    return fail(
        ErrorKind::kInput,
        fmt::format("{}: too short for an Nsight Compute report: {} bytes, need at least {}",
                    quote(input_.name()), prefix.size(),
                    kNcuRepMagic.size() + kFileHeader.size() + 1));
  }
  const bool bare = prefix.substr(0, kFileHeader.size()) == kFileHeader;
  if (prefix.substr(0, kNcuRepMagic.size()) != kNcuRepMagic) {
    profile_.notes.push_back({NoteKind::kInfo, "offset 0",
                              "no file magic: ncu was interrupted while writing this report"});
  }
  const std::size_t magic_bytes = bare ? 0 : kNcuRepMagic.size();
  const auto size = static_cast<std::uint64_t>(little_endian_u32(prefix.substr(magic_bytes)));
  ASSIGN_OR_RETURN(const auto whole, input_.take(magic_bytes + 4 + size));
  profile_.bytes.used += whole.size();
  std::uint64_t version = 0;
  try {
    if (whole.size() < magic_bytes + 4 + size) throw protozero::end_of_buffer_exception{};
    for (Message header = ncu_file::message_of(whole.substr(magic_bytes + 4)); header.next();) {
      if (header.tag() == 1) {
        version = ncu_file::integer_of(header);
      } else {
        header.skip();
      }
    }
  } catch (const protozero::exception& error) {
    return fail(ErrorKind::kInput, fmt::format("{}: the file header at offset {} is damaged ({})",
                                               quote(input_.name()), magic_bytes, error.what()));
  }
  if (version != kKnownVersion) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: file version {} at offset {}: {} is the one known here, that of "
                            "ncu 2019 to 2026; a newer proofline may know it",
                            quote(input_.name()), version, magic_bytes + 4, kKnownVersion));
  }
  return {};
}

FileReader::Step FileReader::read_block() {
  BlockHeader header;
  if (Step step = read_header(header); !step) return step;
  return read_payload(header);
}

FileReader::Step FileReader::read_header(BlockHeader& header) {
  const std::uint64_t start = input_.offset();
  ASSIGN_OR_RETURN(const auto prefix, take(4, "block header's size"));
  const std::uint32_t size = little_endian_u32(prefix);
  if (size == 0) return tl::make_unexpected(Stop{start, "an empty block header"});
  ASSIGN_OR_RETURN(const auto bytes, take(size, "block header"));
  try {
    decode_header(ncu_file::message_of(bytes), header);
  } catch (const protozero::exception& error) {
    return tl::make_unexpected(Stop{start, fmt::format("damaged block header ({})", error.what())});
  }
  return {};
}

void FileReader::decode_header(Message message, BlockHeader& header) {
  std::optional<Message> session;
  while (message.next()) {
    switch (message.tag()) {
      case 1: header.sources = ncu_file::integer_of(message); break;
      case 2: header.results[0].second = ncu_file::integer_of(message); break;
      case 3: session = ncu_file::submessage_of(message); break;
      case 4: strings_.append(ncu_file::submessage_of(message)); break;
      case 5: header.payload_bytes = ncu_file::integer_of(message); break;
      case 6: header.process = process_of(ncu_file::submessage_of(message)); break;
      case 7: header.results[1].second = ncu_file::integer_of(message); break;
      case 8: header.results[2].second = ncu_file::integer_of(message); break;
      case 9: header.results[3].second = ncu_file::integer_of(message); break;
      default: ++tally_.unknown_fields; tally_.skipped_bytes += ncu_file::skip_field(message);
    }
  }
  if (profile_.processes.empty()) profile_.processes.emplace_back();
  if (session)
    ncu_file::merge_session(*session, profile_.processes[header.process].session, tally_);
}

std::size_t FileReader::process_of(Message message) {
  Process process;
  while (message.next()) {
    switch (message.tag()) {
      case 1: process.pid = ncu_file::integer32_of(message); break;
      case 2: process.host = ncu_file::name_of(message, tally_); break;
      case 3: process.name = ncu_file::name_of(message, tally_); break;
      default: message.skip();
    }
  }
  const auto [entry, is_new] =
      processes_.try_emplace({process.pid, process.host}, profile_.processes.size());
  if (is_new) profile_.processes.push_back(std::move(process));
  return entry->second;
}

FileReader::Step FileReader::read_payload(const BlockHeader& header) {
  std::uint64_t left = header.payload_bytes;
  std::uint64_t sources = header.sources;
  auto results = header.results;
  while (left > 0) {
    std::optional<LaunchKind> kind;
    if (sources > 0) {
      --sources;
    } else {
      auto* next = results.begin();
      while (next != results.end() && next->second == 0) ++next;
      if (next == results.end()) break;
      --next->second;
      kind = next->first;
    }
    const std::uint64_t start = input_.offset();
    if (left < 4) break;
    ASSIGN_OR_RETURN(const auto prefix, take(4, "message size"));
    left -= 4;
    const std::uint32_t size = little_endian_u32(prefix);
    if (size > left) {
      lose(start, fmt::format("a message of {} bytes where its block has {} left", size, left));
      break;
    }
    ASSIGN_OR_RETURN(const auto bytes, take(size, "message"));
    left -= size;
    decode_payload_message(kind, bytes, header);
  }
  lose_promised(sources, results);
  if (left == 0) return {};
  const std::uint64_t start = input_.offset();
  const auto skipped = input_.skip(left);
  if (!skipped) {
    read_error_ = skipped.error();
    return tl::make_unexpected(Stop{start, "read error"});
  }
  profile_.bytes.skipped += *skipped;
  if (*skipped < left) return tl::make_unexpected(Stop{start, "the file ends inside a block"});
  lose(start, fmt::format("{} bytes of a block belong to none of its messages", left));
  return {};
}

// What the block's header counts and its payload does not hold.
void FileReader::lose_promised(std::uint64_t sources, const BlockHeader::Results& results) {
  std::uint64_t missing = 0;
  for (const auto& [kind, count] : results) missing += std::min(count, kMostPromised - missing);
  const auto lose_them = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    lose(input_.offset(), fmt::format("a block promises {} more {} than it holds", count, what));
  };
  lose_them(sources, "modules");
  lose_them(missing, "results");
}

void FileReader::decode_payload_message(std::optional<LaunchKind> kind, std::string_view bytes,
                                        const BlockHeader& header) {
  const std::uint64_t start = input_.offset() - bytes.size();
  const ncu_file::Tally before = tally_;
  try {
    const Message message = ncu_file::message_of(bytes);
    if (!kind) {
      const auto merged =
          ncu_file::merge_module(message, header.process, options_, modules_, cubins_, tally_);
      if (cubin_sink_ && !merged.cubin.empty()) {
        cubin_sink_(merged.position, modules_[merged.position], merged.cubin);
      }
      return;
    }
    Launch launch =
        ncu_file::decode_result(*kind, message, options_, strings_, profile_.metric_names, tally_);
    launch.process = header.process;
    profile_.launches.push_back(std::move(launch));
  } catch (const protozero::exception& error) {
    tally_ = before;
    profile_.bytes.used -= bytes.size();
    profile_.bytes.skipped += bytes.size();
    lose(start, fmt::format("damaged {} of {} bytes ({})",
                            kind ? to_string(*kind) : std::string_view("source"), bytes.size(),
                            error.what()));
  }
}

tl::expected<std::string_view, FileReader::Stop> FileReader::take(std::uint64_t bytes,
                                                                  std::string_view what) {
  const std::uint64_t start = input_.offset();
  const auto taken = input_.take(bytes);
  if (!taken) {
    read_error_ = taken.error();
    return tl::make_unexpected(Stop{start, "read error"});
  }
  if (taken->size() == bytes) {
    profile_.bytes.used += bytes;
    return *taken;
  }
  profile_.bytes.skipped += taken->size();
  return tl::make_unexpected(
      Stop{start, fmt::format("the file ends inside a {} of {} bytes, {} of them missing", what,
                              bytes, bytes - taken->size())});
}

// Consumes what is left after a stop.
void FileReader::lose_rest() {
  const auto rest = input_.skip(~std::uint64_t{0});
  if (rest) profile_.bytes.skipped += *rest;
}

void FileReader::lose(std::uint64_t offset, std::string what) {
  // Thousands of damaged messages are one note each up to here; then they are only counted.
  constexpr std::size_t kMostNotes = 20;
  auto& notes = profile_.notes;
  if (notes.size() < kMostNotes) {
    notes.push_back({NoteKind::kLoss, fmt::format("offset {}", offset), std::move(what)});
  } else if (notes.size() == kMostNotes) {
    notes.push_back({NoteKind::kLoss, "", "further damaged messages", 1});
  } else {
    ++notes.back().count;
  }
}

void FileReader::add_notes() {
  const auto add = [&](NoteKind kind, std::uint64_t count, std::string_view what) {
    if (count > 0) profile_.notes.push_back({kind, "", std::string(what), count});
  };
  add(NoteKind::kInfo, tally_.unknown_fields,
      "fields that this version does not know: written by a newer Nsight Compute");
  add(NoteKind::kLoss, tally_.bad_name_ids,
      "metrics dropped: their name is not in the report's string table");
  add(NoteKind::kInfo, tally_.invalid_values, "a value is NaN or infinite: taken as absent");
  add(NoteKind::kInfo, tally_.duplicate_values,
      "metrics come twice with different values: the first one counts");
  add(NoteKind::kLoss, tally_.damaged_lines,
      "damaged line tables in embedded cubins: source lines are missing");
  add(NoteKind::kLoss, tally_.unreadable_cubins,
      "embedded cubins are damaged: their functions and source lines are missing");
  add(NoteKind::kLoss, tally_.dangling_modules,
      "launches refer to code that the report does not hold");
  add(NoteKind::kInfo, tally_.cut_names,
      "names of processes, hosts or devices are longer than 4,096 bytes: cut");
}

bool sniff_ncu_rep(std::string_view prefix) {
  if (prefix.substr(0, kNcuRepMagic.size()) == kNcuRepMagic) return true;
  if (prefix.substr(0, kNoMagic.size()) == kNoMagic) prefix.remove_prefix(kNoMagic.size());
  return prefix.substr(0, kFileHeader.size()) == kFileHeader;
}

Result<void> read_ncu_rep(Input& input, const ReadOptions& options, Profile& profile) {
  return FileReader(input, options, profile).read();
}

// ncu embeds the code of each profiled kernel where the capture includes the section
// SourceCounters.
Result<void> read_ncu_rep_code(Input& input, Listing& listing, const FunctionSink& sink) {
  std::size_t functions = 0;
  std::string why = "record it with ncu --set full or --section SourceCounters";
  std::set<std::pair<std::size_t, std::size_t>> cubins;  // size and hash
  const auto read_cubin = [&](std::size_t position, const Module& module, std::string_view cubin) {
    if (!cubins.emplace(cubin.size(), std::hash<std::string_view>()(cubin)).second) return;
    // The name that `show --extract cubin` gives it.
    const std::string container =
        fmt::format("module-{}.sm_{}{}", position, module.sm_major, module.sm_minor);
    if (const auto count = read_cubin_code(cubin, container, listing, sink)) {
      functions += *count;
    } else {
      why = "a cubin is damaged: " + count.error().message;
      listing.notes.push_back({NoteKind::kLoss, container, why});
    }
  };
  Profile profile;
  const ReadOptions options;
  RETURN_IF_ERROR(FileReader(input, options, profile, read_cubin).read());
  RETURN_IF_ERROR(input.finish());
  // What else it remarks is about metrics.
  std::copy_if(profile.notes.begin(), profile.notes.end(), std::back_inserter(listing.notes),
               [](const Note& note) { return note.kind == NoteKind::kLoss; });
  if (functions > 0) return {};
  return fail(ErrorKind::kInput,
              fmt::format("{}: the report holds no GPU code: {}", quote(input.name()), why));
}

}  // namespace

Format ncu_rep() {
  return {.name = "ncu-rep",
          .what = "an Nsight Compute report",
          .summary = "Nsight Compute report, ncu 2019 to 2026 (.ncu-rep, .nsight-cuprof-report)",
          .sniff = sniff_ncu_rep,
          .read_profile = read_ncu_rep,
          .read_code = read_ncu_rep_code};
}

}  // namespace proofline
