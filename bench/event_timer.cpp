// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "event.h"
#include "timers.h"

namespace proofline::bench {
namespace {

// From here on the microseconds that the host takes for a launch do not matter, and an execution
// that is not timed would only take time.
constexpr double kLongNs = 10e6;

class EventTimer : public Timer {
 public:
  EventTimer(Execution& execution, Gpu& gpu, CacheState cache)
      : execution_(execution), gpu_(gpu), is_cold_(cache == CacheState::kCold) {}

  void take(std::vector<double>& ns) override {
    const bool is_long = last_ns_ >= kLongNs;
    // While this runs, the host puts all the rest into the stream.
    if (is_cold_) {
      gpu_.overwrite_cache();
    } else if (!is_long) {
      execution_();
    }
    const std::size_t executions = is_cold_ || is_long ? 1 : kMostExecutions;
    events_[0].record(gpu_.stream());
    for (std::size_t i = 1; i <= executions; ++i) {
      execution_();
      events_[i].record(gpu_.stream());
    }
    events_[executions].wait();
    for (std::size_t i = 1; i <= executions; ++i) {
      last_ns_ = events_[i].ns_since(events_[i - 1]);
      ns.push_back(last_ns_);
    }
  }

 private:
  static constexpr std::size_t kMostExecutions = 4;

  Execution& execution_;
  Gpu& gpu_;
  bool is_cold_;
  std::array<Event, kMostExecutions + 1> events_;
  double last_ns_ = 0;
};

}  // namespace

std::unique_ptr<Timer> make_event_timer(Execution& execution, Gpu& gpu, CacheState cache) {
  return std::make_unique<EventTimer>(execution, gpu, cache);
}

}  // namespace proofline::bench
