// SPDX-License-Identifier: Apache-2.0

#include "tools/ncu/ncu_log.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/regex_text.h"

namespace proofline {
namespace {

constexpr std::string_view kProf = "==PROF== ";
constexpr std::string_view kError = "==ERROR== ";
constexpr std::string_view kWarning = "==WARNING== ";

constexpr std::size_t kMostMessages = 64;
constexpr std::size_t kMostKernels = 1000;
// Longer than any line of ncu's; of one that is longer still, the end is dropped.
constexpr std::size_t kMostLine = 64U << 10U;
// Room for "0%....50%....100% - 38 passes".
constexpr std::size_t kMostSteps = 100;

void keep(std::vector<std::string>& list, std::size_t most, std::string_view text) {
  if (list.size() < most) list.emplace_back(text);
}

std::size_t find_mark(std::string_view text) {
  return std::min({text.find(kProf), text.find(kError), text.find(kWarning)});
}

// Takes the beginning of a kernel's line off the text and returns its name.
std::optional<std::string> take_kernel(std::string_view& text) {
  static const re2::RE2 kBegin(R"re(==PROF== Profiling "(.*?)"(?: - \d+)?(?: \(\d+/\d+\))?: ?)re");
  // With --kernel-id, ncu prints a kernel with context, stream and invocation.
  static const re2::RE2 kById(R"(\d+:\d+:(.*):\d+)");
  re2::StringPiece rest = regex_text(text);
  std::string printed;
  if (!re2::RE2::Consume(&rest, kBegin, &printed)) return std::nullopt;
  text.remove_prefix(text.size() - rest.size());
  std::string name;
  return re2::RE2::FullMatch(printed, kById, &name) ? name : printed;
}

// "0%....50%..": the dots and the percentages but the first are a tenth each.
double fraction_of(std::string_view steps) {
  auto tenths = std::count(steps.begin(), steps.end(), '.');
  if (steps.find("50%") != steps.npos) ++tenths;
  if (steps.find("100%") != steps.npos) ++tenths;
  return std::min(1.0, static_cast<double>(tenths) / 10);
}

bool are_steps(std::string_view text) {
  static const re2::RE2 kStepsPattern(R"([.%0-9]*(?: - \d+ pass(?:es)?)?\s*)");
  return re2::RE2::FullMatch(regex_text(text), kStepsPattern);
}

}  // namespace

void NcuLog::take(std::string_view piece) {
  while (true) {
    const std::size_t end = piece.find('\n');
    const std::size_t room = kMostLine - std::min(kMostLine, rest_.size());
    rest_.append(piece.substr(0, std::min(end, room)));
    if (end == piece.npos) break;
    read_line(std::exchange(rest_, {}));
    piece.remove_prefix(end + 1);
  }
  preview();
}

void NcuLog::finish() { take("\n"); }

// Progress of the current kernel, whose line is not complete.
void NcuLog::preview() {
  std::string_view text = rest_;
  if (const auto name = take_kernel(text)) {
    progress_.kernel = *name;
    progress_.fraction = fraction_of(text.substr(0, find_mark(text)));
  } else if (open_ && are_steps(text)) {
    progress_.fraction = fraction_of(steps_ + rest_);
  }
}

void NcuLog::read_line(std::string_view line) {
  std::string_view text = line;
  // A message may interrupt a kernel's row of dots, which continues after it.
  while (auto name = take_kernel(text)) {
    begin_kernel(std::move(*name));
    const std::size_t mark = find_mark(text);
    add_steps(text.substr(0, mark));
    if (mark == text.npos) return;
    text.remove_prefix(mark);
  }
  if (find_mark(text) == 0) {
    in_list_ = false;
    read_message(text);
  } else if (open_ && are_steps(text)) {
    add_steps(text);
  } else if (text == "Available Kernels:") {
    in_list_ = true;
  } else if (in_list_) {
    static const re2::RE2 kListed(R"(\d+\. (.+))");
    std::string name;
    if (re2::RE2::FullMatch(regex_text(text), kListed, &name)) keep(available_, kMostKernels, name);
  }
}

void NcuLog::begin_kernel(std::string name) {
  progress_.kernel = std::move(name);
  progress_.fraction = 0;
  progress_.slow = false;
  steps_.clear();
  open_ = true;
}

void NcuLog::add_steps(std::string_view text) {
  static const re2::RE2 kPasses(R"( - (\d+) pass)");
  steps_.append(text.substr(0, kMostSteps - std::min(kMostSteps, steps_.size())));
  progress_.fraction = fraction_of(steps_);
  int passes = 0;
  if (!re2::RE2::PartialMatch(steps_, kPasses, &passes)) return;
  open_ = false;
  if (progress_.fraction < 1) return;  // it was ended before its last pass
  ++progress_.finished;
  progress_.passes = static_cast<std::size_t>(passes);
}

void NcuLog::read_message(std::string_view message) {
  static const re2::RE2 kCode(R"(The application returned an error code \((\d+)\))");
  const std::string_view text = message.substr(message.find(' ') + 1);
  if (message.starts_with(kError)) {
    int code = 0;
    if (re2::RE2::PartialMatch(regex_text(text), kCode, &code)) {
      program_code_ = code;
    } else {
      keep(errors_, kMostMessages, text);
    }
  } else if (message.starts_with(kWarning)) {
    if (text.starts_with("Launching the workload is taking more time")) progress_.slow = true;
    keep(warnings_, kMostMessages, text);
  } else if (text.starts_with("Connected to process ")) {
    progress_.connected = true;
    disconnected_ = false;
  } else if (text.starts_with("Disconnected from process ")) {
    disconnected_ = true;
  } else if (text.starts_with("Trying to shutdown target application")) {
    ended_program_ = true;
  }
}

}  // namespace proofline
