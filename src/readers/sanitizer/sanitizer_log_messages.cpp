// SPDX-License-Identifier: Apache-2.0
#include "readers/sanitizer/sanitizer_log_messages.h"

#include <re2/re2.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/characters.h"
#include "base/regex_text.h"
#include "base/text.h"
#include "readers/sanitizer/sanitizer_log_lines.h"
#include "readers/sanitizer/sanitizer_log_place.h"

namespace proofline {
namespace {

// A message has about a dozen lines and a stack of any depth; more is noise or an attack.
constexpr std::size_t kMostDetails = 8;
constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kMostStacks = 4;
constexpr std::size_t kMostSides = 32;

bool skip(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

// "(1,0,0)" or "(1, 0, 0)" without the parentheses.
IndexRange parse_index(std::string_view text) {
  Dim3 index{};
  for (std::uint64_t& part : index) {
    const std::size_t comma = std::min(text.find(','), text.size());
    part = parse_counted(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return {index, index};
}

void set_address(std::string_view hex, SanitizerFinding& finding) {
  if (const auto address = parse_hex(hex)) finding.address = AddressRange{*address, *address};
}

// "Warning: (Warp Level Programming) Potential ..." without the text before "Potential".
std::string_view without_level(std::string_view text, std::optional<SanitizerLevel>& level) {
  struct Word {
    std::string_view begin;
    SanitizerLevel level;
  };
  static constexpr Word kWords[] = {
      {"Error:", SanitizerLevel::kError},     {"ERROR:", SanitizerLevel::kError},
      {"Warning:", SanitizerLevel::kWarning}, {"WARNING:", SanitizerLevel::kWarning},
      {"WARN:", SanitizerLevel::kWarning},    {"Info:", SanitizerLevel::kInfo},
      {"INFO:", SanitizerLevel::kInfo}};
  for (const Word& word : kWords) {
    if (!skip(text, word.begin)) continue;
    level = word.level;
    text = trim(text);
    const std::size_t close = text.starts_with("(") ? text.find(')') : std::string_view::npos;
    return close == std::string_view::npos ? text : trim(text.substr(close + 1));
  }
  return text;
}

// Kinds identified by their first words.
SanitizerKind kind_of_words(std::string_view text) {
  struct Known {
    std::string_view begin;  // lower case: versions differ in it
    SanitizerKind kind;
  };
  static constexpr Known kKnown[] = {
      {"program hit ", SanitizerKind::kApiError},
      {"leaked ", SanitizerKind::kLeak},
      {"barrier error detected. divergent", SanitizerKind::kDivergentBarrier},
      {"barrier error", SanitizerKind::kInvalidBarrier},
      {"warpgroup mma", SanitizerKind::kWarpgroupSequence},
      {"tensor memory", SanitizerKind::kTensorMemory},
      {"malloc/free error", SanitizerKind::kInvalidFree},
      {"use-after-free", SanitizerKind::kUseAfterFree},
      {"use-before-alloc", SanitizerKind::kUseBeforeAllocation},
      {"free-before-alloc", SanitizerKind::kUseBeforeAllocation},
      {"host api memory access error", SanitizerKind::kInvalidAccess},
      {"invalid __", SanitizerKind::kInvalidAccess},
      {"internal ", SanitizerKind::kNotChecked},
      {"detected overflow of tracked", SanitizerKind::kNotChecked},
      {"maximum number of hazards", SanitizerKind::kNotChecked},
      {"out-of-range ", SanitizerKind::kDeviceException},
      {"misaligned ", SanitizerKind::kDeviceException},
      {"illegal ", SanitizerKind::kDeviceException},
      {"invalid address space", SanitizerKind::kDeviceException},
      {"invalid pc", SanitizerKind::kDeviceException},
      {"warp ", SanitizerKind::kDeviceException},
      {"lane ", SanitizerKind::kDeviceException},
      {"device illegal", SanitizerKind::kDeviceException},
      {"device hardware", SanitizerKind::kDeviceException},
      {"stack overflow", SanitizerKind::kDeviceException},
      {"fatal uvm", SanitizerKind::kDeviceException},
  };
  const std::string words = lower_case(text.substr(0, 40));
  for (const Known& known : kKnown) {
    if (words.starts_with(known.begin)) return known.kind;
  }
  return SanitizerKind::kUnknown;
}

// `access` is "Read", "Write" or "Atomic".
void add_side(std::string access, std::string_view place, std::uint64_t hazards,
              SanitizerFinding& finding) {
  if (finding.sides.size() >= kMostSides) return;
  access[0] = static_cast<char>(access[0] - 'A' + 'a');
  finding.sides.push_back({std::move(access), parse_device_place(place), hazards});
}

// "Write access at f()+0xc0 in a.cu:8 [512 hazards]", several with " and " between.
bool add_sides(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kSide(
      R"((Read|Write|Atomic) access at (.*?)(?: \[([\d,]+) hazards?\])?(?: and ((?:Read|Write|Atomic) access at .*))?)");
  bool any = false;
  std::string access;
  std::string place;
  std::string hazards;
  re2::StringPiece rest = regex_text(text);
  while (!rest.empty() && RE2::FullMatch(rest, kSide, &access, &place, &hazards, &rest)) {
    any = true;
    add_side(access, place, parse_counted(hazards), finding);
  }
  return any;
}

// The headings that hold more than words. False: none of them.
bool read_heading(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kAccess(R"((Potential i|I)nvalid __(\w+)__ (\w+)(?: \w+)* of size ([\d,]+).*)");
  static const RE2 kUninitialised(R"(Uninitialized __(\w+)__ memory (\w+) of size ([\d,]+).*)");
  static const RE2 kUnused(
      R"(Unused (?:__(\w+)__ )?memory in allocation(?: (0x[0-9a-f]+))?.* of size ([\d,]+).*)");
  static const RE2 kAllocation(R"(.*(?:Leaked|of size) ([\d,]+) bytes at (0x[0-9a-f]+).*)");
  static const RE2 kHazard(
      R"(Potential \w+ hazard detected at __(\w+)__ (0x[0-9a-f]+) in block \(([\d, ]+)\).*)");
  static const RE2 kDeadlock(
      R"(Deadlock detected in .* starting at \(([\d, ]+)\) in block \(([\d, ]+)\).*?(?:barrier address: (0x[0-9a-f]+))? at (.*))");
  const re2::StringPiece line = regex_text(text);
  std::string first;
  std::string second;
  std::string third;
  std::string fourth;
  if (RE2::FullMatch(line, kAccess, &first, &finding.space, &finding.access, &second)) {
    finding.kind = first == "I" ? SanitizerKind::kInvalidAccess : SanitizerKind::kSharedRace;
    finding.size = parse_counted(second);
  } else if (RE2::FullMatch(line, kUninitialised, &finding.space, &finding.access, &first)) {
    finding.kind = SanitizerKind::kUninitialisedRead;
    finding.size = parse_counted(first);
  } else if (RE2::FullMatch(line, kUnused, &finding.space, &first, &second)) {
    finding.kind = SanitizerKind::kUnusedMemory;
    set_address(first, finding);
    finding.size = parse_counted(second);
  } else if (RE2::FullMatch(line, kHazard, &finding.space, &first, &second)) {
    finding.kind = SanitizerKind::kSharedRace;
    set_address(first, finding);
    finding.blocks = parse_index(second);
  } else if (skip(text, "Race reported between ") && add_sides(text, finding)) {
    finding.kind = SanitizerKind::kSharedRace;
    finding.space = "shared";
  } else if (RE2::FullMatch(line, kDeadlock, &first, &second, &third, &fourth)) {
    finding.kind = SanitizerKind::kDeadlock;
    finding.threads = parse_index(first);
    finding.blocks = parse_index(second);
    set_address(third, finding);
    finding.at = parse_device_place(fourth);
  } else if (RE2::FullMatch(line, kAllocation, &first, &second)) {
    finding.kind = kind_of_words(text);
    finding.size = parse_counted(first);
    set_address(second, finding);
  } else {
    return false;
  }
  return true;
}

// What an invalid access is, from the words after its address.
void refine_kind(std::string_view words, SanitizerFinding& finding) {
  if (finding.kind != SanitizerKind::kInvalidAccess) return;
  const auto says = [&](std::string_view word) {
    return words.find(word) != std::string_view::npos;
  };
  if (says("out of bounds")) {
    finding.kind = SanitizerKind::kOutOfBounds;
  } else if (says("misaligned")) {
    finding.kind = SanitizerKind::kMisaligned;
  } else if (says("not readable") || says("not writable")) {
    finding.kind = SanitizerKind::kAccessDenied;
  } else if (says("Uninitialized access")) {
    finding.kind = SanitizerKind::kUninitialisedRead;
  }
}

void add_host_frame(std::string_view text, SanitizerFinding& finding) {
  if (finding.stacks.empty()) finding.stacks.emplace_back();
  std::vector<std::string>& frames = finding.stacks.back().frames;
  if (frames.size() < kMostFrames) frames.emplace_back(trim(text));
}

// Older versions name a frame's module on a line of its own.
bool add_module(std::string_view text, SanitizerFinding& finding) {
  if (finding.stacks.empty() || finding.stacks.back().frames.empty()) return false;
  std::string& frame = finding.stacks.back().frames.back();
  if (frame.find(" in ") == std::string::npos) frame.append(" ").append(text);
  return true;
}

void add_device_frame(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kRepeated(R"((.*) \(.* : 0x[0-9a-f]+\))");  // of cuda-memcheck
  re2::StringPiece place = regex_text(trim(text));
  RE2::FullMatch(place, kRepeated, &place);
  if (finding.device_frames.size() >= kMostFrames) return;
  finding.device_frames.push_back(parse_device_place({place.data(), place.size()}));
}

// "is 93 bytes after the nearest allocation at 0x7f82ba800000 of size 4,000 bytes"
bool read_allocation(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kNearest(
      R"(is (?:([\d,]+) bytes )?(inside|before|after) the nearest allocation at (0x[0-9a-f]+) of size ([\d,]+).*)");
  NearestAllocation nearest;
  std::string distance;
  std::string address;
  std::string size;
  if (!RE2::FullMatch(regex_text(text), kNearest, &distance, &nearest.relation, &address, &size)) {
    return false;
  }
  nearest.distance = parse_counted(distance);
  nearest.address = parse_hex(address).value_or(0);
  nearest.size = parse_counted(size);
  finding.allocation = nearest;
  return true;
}

// "by thread (0,0,0) in block (0,0,0)"
bool read_thread(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kThread(R"(by thread \(([\d, ]+)\) in block \(([\d, ]+)\).*)");
  std::string thread;
  std::string block;
  if (!RE2::FullMatch(regex_text(text), kThread, &thread, &block)) return false;
  finding.threads = parse_index(thread);
  finding.blocks = parse_index(block);
  return true;
}

// "Access to 0x7fedf2800fa0 is out of bounds", "Address 0x7fa938800000"
bool read_address(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kAddress(R"((?:Address|Access to|Access at) (0x[0-9a-f]+)(.*))");
  std::string address;
  std::string words;
  if (!RE2::FullMatch(regex_text(text), kAddress, &address, &words)) return false;
  set_address(address, finding);
  refine_kind(words, finding);
  const bool kind_says_all =
      finding.kind == SanitizerKind::kOutOfBounds || finding.kind == SanitizerKind::kMisaligned;
  return words.empty() || kind_says_all;
}

// "Read Thread (127,0,0) at f()+0xd0 in a.cu:10"
bool read_racing_thread(std::string_view text, SanitizerFinding& finding) {
  static const RE2 kThread(R"((Read|Write|Atomic) Thread \(([\d, ]+)\) at (.*))");
  std::string access;
  std::string thread;
  std::string place;
  if (!RE2::FullMatch(regex_text(text), kThread, &access, &thread, &place)) return false;
  // The hazard is counted once, with the later of its two accesses.
  add_side(access, place, finding.sides.empty() ? 0 : 1, finding);
  const IndexRange index = parse_index(thread);
  if (!finding.threads) finding.threads = index;
  for (std::size_t i = 0; i < index.first.size(); ++i) {
    finding.threads->first[i] = std::min(finding.threads->first[i], index.first[i]);
    finding.threads->last[i] = std::max(finding.threads->last[i], index.last[i]);
  }
  return true;
}

}  // namespace

SanitizerFinding begin_finding(std::string_view heading) {
  SanitizerFinding finding;
  finding.words = heading;
  std::optional<SanitizerLevel> level;
  const std::string_view text = without_level(heading, level);
  if (!read_heading(text, finding)) finding.kind = kind_of_words(text);
  // Words that we do not know, without a level, may be no complaint at all: only the summary tells.
  const bool may_be_nothing = finding.kind == SanitizerKind::kUnknown;
  finding.level =
      level.value_or(may_be_nothing ? SanitizerLevel::kWarning : SanitizerLevel::kError);
  // What --racecheck-trace-sync prints.
  if (may_be_nothing && text.find(" called by threads ") != std::string_view::npos) {
    finding.level = SanitizerLevel::kInfo;
  }
  return finding;
}

bool is_detail(std::string_view text) {
  static const RE2 kDetail(
      R"((?:at |by thread|Address 0x|Access (?:to|at) 0x|and |Saved host backtrace|Host Frame:|Device Frame:|in \S+$|(?:Read|Write|Atomic) Thread|Current Value|Not written |[\d.]+% of allocation|These unused bytes|during \w+ access|Uninitialized access at|Barrier is located|Sync mask of|The application may have|Warning: Detected possible deadlock))");
  return kDetail.Match(regex_text(text), 0, text.size(), RE2::ANCHOR_START, nullptr, 0);
}

void add_detail(std::string_view text, SanitizerFinding& finding) {
  std::string_view rest = text;
  if (skip(rest, "Host Frame:")) return add_host_frame(rest, finding);
  if (skip(rest, "Device Frame:")) return add_device_frame(rest, finding);
  if (skip(rest, "Saved host backtrace up to driver entry point")) {
    if (finding.stacks.size() < kMostStacks)
      finding.stacks.push_back({std::string(trim(rest)), {}});
    return;
  }
  if (rest.starts_with("in ") && add_module(rest, finding)) return;
  if (finding.at.empty() && skip(rest, "at ")) {
    finding.at = parse_device_place(rest);
    return;
  }
  if (skip(rest, "and ") && (read_allocation(rest, finding) || add_sides(rest, finding))) return;
  if (read_thread(text, finding) || read_address(text, finding) ||
      read_racing_thread(text, finding)) {
    return;
  }
  refine_kind(text, finding);
  // Advice, not a finding.
  const bool advice = text.starts_with("Warning: Detected possible deadlock");
  if (!advice && finding.details.size() < kMostDetails) finding.details.emplace_back(text);
}

}  // namespace proofline
