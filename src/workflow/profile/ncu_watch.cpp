// SPDX-License-Identifier: Apache-2.0
#include "workflow/profile/ncu_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file_piece.h"
#include "base/text.h"
#include "workflow/clock_text.h"

namespace proofline {
namespace {

using std::chrono::seconds;

constexpr std::size_t kPieceBytes = 64U << 10U;
// ncu says itself when a launch takes too long; then this much patience is left.
constexpr seconds kPatience{60};

seconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - start);
}

// Launches that are done, the one under way in part.
double done(const NcuProgress& progress) {
  const bool between = progress.fraction >= 1;
  return static_cast<double>(progress.finished) + (between ? 0 : progress.fraction);
}

}  // namespace

bool NcuWatch::look() {
  const std::string piece = read_piece(path_, read_, kPieceBytes);
  if (!piece.empty()) {
    read_ += piece.size();
    log_.take(piece);
    grown_ = Clock::now();
    if (first_ == Clock::time_point() && !log_.progress().kernel.empty()) first_ = grown_;
  }
  progress_.show(line());
  return !log_.progress().slow || Clock::now() - grown_ < kPatience;
}

std::string NcuWatch::line() {
  const NcuProgress& now = log_.progress();
  const std::string elapsed = elapsed_text(start_);
  if (!now.connected) return fmt::format("ncu: starting the program, {}", elapsed);
  if (now.kernel.empty()) return fmt::format("ncu: waiting for the kernel, {}", elapsed);
  const std::size_t number = now.finished + (now.fraction >= 1 ? 0 : 1);
  return fmt::format("ncu: {} ({}{}), {} of its passes, {}{}", now.kernel, number,
                     kernels_ > 0 ? fmt::format(" of {}", kernels_) : "", percent(now.fraction),
                     elapsed, time_left());
}

std::string NcuWatch::time_left() const {
  const double part = done(log_.progress());
  if (part <= 0 || kernels_ == 0) return "";
  const double rest = std::max(static_cast<double>(kernels_) / part - 1, 0.0);
  const double left = static_cast<double>(since(first_).count()) * rest;
  return fmt::format(", about {} left", clock_text(seconds(std::llround(left))));
}

}  // namespace proofline
