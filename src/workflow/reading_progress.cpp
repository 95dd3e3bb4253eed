// SPDX-License-Identifier: Apache-2.0
#include "workflow/reading_progress.h"

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/clock_text.h"

namespace proofline {
namespace {

// Updates faster than this are not readable.
constexpr auto kBetweenLines = std::chrono::milliseconds(200);

std::string size_of_file(std::uint64_t bytes) {
  const auto megabytes = static_cast<double>(bytes) / 1e6;
  return megabytes < 1000 ? fmt::format("{:.0f} MB", megabytes)
                          : fmt::format("{:.2f} GB", megabytes / 1000);
}

}  // namespace

void ReadingProgress::on_read(const std::string& name, std::uint64_t bytes, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Part& file = files_[name];
  all_.bytes += bytes - file.bytes;
  all_.size += size - file.size;
  file = {bytes, size};
  const Clock::time_point now = Clock::now();
  if (now - start_ < patience_ || (now - shown_ < kBetweenLines && bytes < size)) return;
  shown_ = now;
  const std::string reading =
      fmt::format("reading {}", name == "-" ? "standard input" : quote(name));
  if (all_.size == 0) {
    announcer_.progress(fmt::format("{}: {} so far", reading, size_of_file(all_.bytes)));
  } else if (all_.bytes >= all_.size) {
    announcer_.progress(fmt::format("{} read, working on it", size_of_file(all_.size)));
  } else {
    announcer_.progress(
        fmt::format("{}: {:.0f} % of {}{}", reading,
                    100 * static_cast<double>(all_.bytes) / static_cast<double>(all_.size),
                    size_of_file(all_.size), left_text(start_, all_.bytes, all_.size)));
  }
}

}  // namespace proofline
