// SPDX-License-Identifier: Apache-2.0
//
// A program, shared library or object of the host, or an archive of objects, with fatbins inside.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/code/cubin.h"
#include "readers/code/elf_file.h"
#include "readers/code/fatbin.h"
#include "readers/code/read_code.h"
#include "readers/format.h"

namespace proofline {
namespace {

constexpr std::string_view kArchive = "!<arch>\n";
constexpr std::string_view kLinked = ".nv_fatbin";
// Code of nvcc -rdc=true before device linking; a linked file carries both.
constexpr std::string_view kRelocatable = "__nv_relfatbin";

bool is_archive(std::string_view prefix) { return prefix.starts_with(kArchive); }

bool sniff_host_elf(std::string_view prefix) {
  return is_archive(prefix) || (ElfFile::knows(prefix) && !is_cubin(prefix));
}

Result<void> add_elf(std::string_view bytes, FatbinReader& reader, Listing& listing) {
  const auto file = ElfFile::open(bytes);
  RETURN_IF_ERROR(file);
  const bool is_linked = file->type() != ET_REL && file->find(kLinked);
  std::uint64_t passed_over = 0;
  for (const ElfFile::Section& section : file->sections()) {
    const bool before_link = section.name == kRelocatable;
    if (section.name != kLinked && !before_link) continue;
    if (before_link && is_linked) {
      ++passed_over;
    } else {
      reader.add(section.bytes);
    }
  }
  if (passed_over > 0) {
    listing.notes.push_back({NoteKind::kInfo, "",
                             "relocatable GPU code is passed over, since the file has the same "
                             "code linked",
                             passed_over});
  }
  return {};
}

// An archive is a run of: name in 16 characters, 32 of other things, size in 10, "`\n"; contents;
// a byte where the size is odd.
void add_archive(std::string_view bytes, FatbinReader& reader, Listing& listing) {
  constexpr std::size_t kHeaderBytes = 60;
  constexpr std::size_t kSizeAt = 48;
  constexpr std::size_t kSizeDigits = 10;
  const auto lose = [&](std::size_t at, std::string what) {
    listing.notes.push_back({NoteKind::kLoss, fmt::format("offset {}", at), std::move(what)});
  };
  std::size_t at = kArchive.size();
  while (at < bytes.size()) {
    const std::string_view header = bytes.substr(at, kHeaderBytes);
    std::uint64_t size = 0;
    const std::string_view digits = header.substr(std::min(kSizeAt, header.size()), kSizeDigits);
    const auto number = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    const std::size_t start = at + kHeaderBytes;
    if (!header.ends_with("`\n") || number.ec != std::errc{} || start > bytes.size() ||
        size > bytes.size() - start) {
      lose(at, "the archive is damaged or cut off from here on");
      return;
    }
    const std::string_view member = bytes.substr(start, size);
    if (ElfFile::knows(member)) {
      if (const auto added = add_elf(member, reader, listing); !added) {
        lose(at, "a member of the archive: " + added.error().message);
      }
    }
    at = start + size + size % 2;
  }
}

Result<void> read_bytes(std::string_view bytes, Listing& listing, const FunctionSink& sink) {
  FatbinReader reader(bytes.size(), listing, sink);
  if (is_archive(bytes)) {
    add_archive(bytes, reader, listing);
  } else if (auto added = add_elf(bytes, reader, listing); !added) {
    return added;
  }
  return reader.read();
}

Result<void> read_host_elf(Input& input, Listing& listing, const FunctionSink& sink) {
  ASSIGN_OR_RETURN(const auto bytes, input.take_rest());
  if (input.damage()) listing.notes.push_back({NoteKind::kLoss, "", input.damage()->message});
  if (const auto code = read_bytes(bytes, listing, sink); !code) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: {}", quote(input.name()), code.error().message));
  }
  return {};
}

}  // namespace

Format host_elf() {
  return {.name = "host-elf",
          .what = "a host program, library, object file or archive",
          .summary = "GPU code inside a program, library, object or archive of the host (ELF)",
          .sniff = sniff_host_elf,
          .read_code = read_host_elf};
}

}  // namespace proofline
