// SPDX-License-Identifier: Apache-2.0
//
// Identifies an input by its bytes, never by its name. A command given the wrong kind of file names
// its format and the commands that accept it.
#include "readers/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/format_commands.h"

namespace proofline {
namespace {

// The commands that take a file of this kind as their first argument.
std::span<const std::string_view> commands_for(InputKind kind) {
  static constexpr std::string_view kProfile[] = {"show", "diagnose", "compare"};
  static constexpr std::string_view kCode[] = {"sass", "compare"};
  static constexpr std::string_view kBenchmark[] = {"show", "plot", "decide"};
  static constexpr std::string_view kSanitizerLog[] = {"show", "diagnose"};
  static constexpr std::string_view kCeilings[] = {"show"};
  static constexpr std::string_view kTimeline[] = {"timeline", "compare"};
  switch (kind) {
    case InputKind::kProfile: return kProfile;
    case InputKind::kCode: return kCode;
    case InputKind::kBenchmark: return kBenchmark;
    case InputKind::kSanitizerLog: return kSanitizerLog;
    case InputKind::kCeilings: return kCeilings;
    case InputKind::kRecording: return {};  // what profile and bench read of their own runs
    case InputKind::kTimeline: return kTimeline;
    case InputKind::kPreflight: return {};  // check takes it, beside a playbook
  }
  return {};
}

// "show, plot or decide"
std::string listed(const std::vector<std::string_view>& commands) {
  std::string text;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) text += i + 1 < commands.size() ? ", " : " or ";
    text += commands[i];
  }
  return text;
}

bool offers_one_of(const Format& format, std::initializer_list<InputKind> kinds) {
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](InputKind kind) { return format.offers(kind); });
}

// What an unknown file is, where its first bytes tell: "looks like X" helps more than "unknown".
std::string_view likely_nature(std::string_view prefix) {
  struct Signature {
    std::string_view magic;
    std::string_view nature;
  };
  static constexpr Signature kSignatures[] = {
      {kNsysReportMagic,
       "an Nsight Systems report, which only nsys can read (export it: nsys export -t sqlite -o "
       "OUT.sqlite FILE, and give that)"},
      {"SQLite format 3", "an SQLite database, but not one that nsys exported"},
      {"{", "JSON"},
      {"[", "JSON"},
      {"PK\x03\x04", "a zip archive"},
      {"%PDF", "a PDF"},
      {"\xfd"
       "7zXZ",
       "xz-compressed data (unpack it first; gzip and zstd are read as they are)"},
  };
  const auto has = [&](std::string_view word) { return prefix.find(word) != prefix.npos; };
  if (has("\"schema\"") && has("\"nodes\"") && has("\"op_schema\"")) {
    return "an execution trace of PyTorch, which has no times (record a timeline with "
           "torch.profiler and export_chrome_trace)";
  }
  // SQLite keeps the id of the application here; this one is ours.
  if (prefix.starts_with("SQLite format 3") && prefix.substr(0, 72).ends_with("PrLn")) {
    return "a journal of Proofline (proofline journal list --journal FILE)";
  }
  for (const Signature& signature : kSignatures) {
    if (prefix.starts_with(signature.magic)) return signature.nature;
  }
  // PTX and other compiler inputs; comments may precede the first word.
  if (has("\n.target sm_") || (has(".target sm_") && has(".version"))) {
    return "PTX, which is no machine code yet (compile it: ptxas -arch=sm_90a IN.ptx -o OUT.cubin, "
           "with your GPU's sm, and give the cubin)";
  }
  if (has("nvvm.annotations") || has("nvptx64-nvidia-cuda")) {
    return "LLVM IR, which is no machine code yet (give the cubin that was made of it)";
  }
  if (has("tt.func") || has("ttg.num-warps")) {
    return "Triton's IR, which is no machine code yet (give the cubin, or the folder of Triton's "
           "cache that holds both)";
  }
  return {};
}

std::string unknown_format(std::string_view prefix, std::initializer_list<InputKind> wanted) {
  std::string known;
  for (const Format& format : formats()) {
    if (!offers_one_of(format, wanted)) continue;
    known.append(known.empty() ? "" : ", ").append(format.name);
  }
  const std::string_view nature = likely_nature(prefix);
  return fmt::format("{}; known formats: {} (see 'proofline list readers')",
                     nature.empty() ? "no known format" : fmt::format("looks like {}", nature),
                     known);
}

}  // namespace

bool Format::offers(InputKind kind) const {
  switch (kind) {
    case InputKind::kProfile: return read_profile != nullptr;
    case InputKind::kCode: return read_code != nullptr;
    case InputKind::kBenchmark: return read_benchmark != nullptr;
    case InputKind::kSanitizerLog: return read_sanitizer_log != nullptr;
    case InputKind::kCeilings: return read_ceilings != nullptr;
    case InputKind::kRecording: return read_recording != nullptr;
    case InputKind::kTimeline: return read_timeline != nullptr;
    case InputKind::kPreflight: return read_preflight != nullptr;
  }
  return false;
}

std::vector<std::string_view> commands_for(const Format& format) {
  std::vector<std::string_view> commands;
  for (const InputKind kind : kInputKinds) {
    if (!format.offers(kind)) continue;
    for (const std::string_view command : commands_for(kind)) {
      if (std::find(commands.begin(), commands.end(), command) == commands.end()) {
        commands.push_back(command);
      }
    }
  }
  return commands;
}

const Format* identify(std::string_view prefix) {
  for (const Format& format : formats()) {
    if (format.sniff(prefix)) return &format;
  }
  return nullptr;
}

Result<const Format*> identify(Input& input, std::initializer_list<InputKind> wanted) {
  ASSIGN_OR_RETURN(const auto prefix, input.peek(kSniffBytes));
  const std::string name = quote(input.name());
  if (prefix.empty()) {
    return fail(ErrorKind::kInput,
                fmt::format("{}: the file is empty; was what wrote it ended early?", name));
  }
  const Format* format = identify(prefix);
  if (format == nullptr) {
    return fail(ErrorKind::kInput, fmt::format("{}: {}", name, unknown_format(prefix, wanted)));
  }
  if (offers_one_of(*format, wanted)) return format;
  const std::string commands = listed(commands_for(*format));
  return fail(ErrorKind::kInput,
              fmt::format("{} is {}: {}", name, format->what,
                          commands.empty() ? "no command takes one by itself" : "use " + commands));
}

}  // namespace proofline
