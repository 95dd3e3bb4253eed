// SPDX-License-Identifier: Apache-2.0

#include "analysis/program/binary_facts.h"

#include <re2/re2.h>

#include <string_view>
#include <utility>

#include "base/input.h"
#include "base/text.h"
#include "readers/code/cubin.h"
#include "readers/code/read_code.h"

namespace proofline {
namespace {

constexpr std::string_view kScript = "#!";

// The readers leave PTX unread and say so in a note.
void take_ptx(Listing& listing, BinaryFacts& facts) {
  std::string arch;
  for (Note& note : listing.notes) {
    if (re2::RE2::PartialMatch(note.what, "PTX for (compute_[0-9]+[af]?)", &arch)) {
      facts.ptx.insert(arch);
    } else if (note.kind == NoteKind::kLoss) {
      facts.notes.push_back(std::move(note));
    }
  }
}

void take_cubin(std::string_view bytes, BinaryFacts& facts) {
  const auto cubin = Cubin::open(bytes);
  if (!cubin) return;
  ++facts.cubins;
  facts.machine_code.insert(cubin->arch());
  if (cubin->find(".debug_line")) ++facts.with_lines;
  if (cubin->find(".debug_info")) ++facts.for_debugging;
}

void read_gpu_code(Input& input, BinaryFacts& facts) {
  Listing listing;
  FunctionSink sink([](CodeFunction&&) {});
  sink.offer_cubin = [&](std::string_view cubin, const std::string&) {
    take_cubin(cubin, facts);
    return true;
  };
  const auto read = read_code(input, listing, sink);
  take_ptx(listing, facts);
  if (!read && facts.cubins == 0 && facts.ptx.empty()) facts.without_code = read.error().message;
}

}  // namespace

BinaryFacts read_binary_facts(const std::string& path) {
  BinaryFacts facts;
  facts.path = path;
  auto input = Input::open(path);
  const auto prefix =
      input ? input->peek(4096) : Result<std::string_view>(tl::make_unexpected(input.error()));
  if (!prefix) {
    facts.notes.push_back({NoteKind::kLoss, "", prefix.error().message});
    return facts;
  }
  if (prefix->starts_with(kScript)) {
    const std::string_view text = prefix->substr(kScript.size());
    facts.interpreter = trim(text.substr(0, text.find('\n')));
  } else if (ElfFile::knows(*prefix)) {
    facts.elf = true;
    read_gpu_code(*input, facts);
  }
  return facts;
}

}  // namespace proofline
