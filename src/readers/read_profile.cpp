// SPDX-License-Identifier: Apache-2.0
//
// Finds the reader that knows an input by its bytes, never by its name, and runs it.
#include <fmt/format.h>

#include <string>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/reader.h"

namespace proofline {
namespace {

// What an unknown file is, where its first bytes tell: "looks like X" helps more than "unknown".
std::string_view likely_kind(std::string_view prefix) {
  struct Signature {
    std::string_view magic;
    std::string_view kind;
  };
  static constexpr Signature kSignatures[] = {
      {"\x7f"
       "ELF",
       "an ELF file (program, library or cubin)"},
      {"SQLite format 3", "an SQLite database (an Nsight Systems export?)"},
      {"{", "JSON"},
      {"[", "JSON"},
      {"PK\x03\x04", "a zip archive"},
      {"%PDF", "a PDF"},
      {"\xfd"
       "7zXZ",
       "xz-compressed data (unpack it first; gzip and zstd are read as they are)"},
  };
  for (const Signature& signature : kSignatures) {
    if (prefix.substr(0, signature.magic.size()) == signature.magic) return signature.kind;
  }
  return {};
}

Error unknown_format(const Input& input, std::string_view prefix) {
  std::string known;
  for (const Reader& reader : readers()) {
    if (!known.empty()) known += ", ";
    known += reader.name;
  }
  const std::string_view kind = likely_kind(prefix);
  return {
      ErrorKind::kInput,
      fmt::format("{}: {}; known formats: {} (see 'proofline list readers')", quote(input.name()),
                  kind.empty() ? "no known format" : fmt::format("looks like {}", kind), known)};
}

}  // namespace

Result<Profile> read_profile(Input& input, const ReadOptions& options) {
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  if (prefix.empty()) {
    return fail(ErrorKind::kInput, fmt::format("{}: too short: 0 bytes", quote(input.name())));
  }
  for (const Reader& reader : readers()) {
    if (!reader.sniff(prefix)) continue;
    Profile profile;
    profile.path = input.name();
    profile.format = reader.name;
    RETURN_IF_ERROR(reader.read(input, options, profile));
    RETURN_IF_ERROR(input.finish());
    return profile;
  }
  return tl::make_unexpected(unknown_format(input, prefix));
}

Result<Profile> read_profile(const std::string& path, const ReadOptions& options,
                             const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto input, Input::open(path, limits));
  return read_profile(input, options);
}

}  // namespace proofline
