// SPDX-License-Identifier: Apache-2.0
#include "proofline/measure.h"

#include <utility>

#include "base/propagate.h"
#include "proofline/decide.h"
#include "workflow/announcer.h"
#include "workflow/bench/bench_session.h"

namespace proofline {
namespace {

class CallingAnnouncer final : public Announcer {
 public:
  explicit CallingAnnouncer(const std::function<void(std::string_view)>& say) : say_(say) {}

  void say(std::string_view sentence) override {
    if (say_) say_(sentence);
  }
  void progress(std::string_view) override {}
  void clear() override {}

 private:
  const std::function<void(std::string_view)>& say_;
};

Result<RunSide> side_of(std::string_view label, const std::vector<std::string>& command) {
  if (command.empty()) return fail(ErrorKind::kUsage, "there is no program to measure");
  return command_side(label, command);
}

}  // namespace

Result<Measured> measure(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const MeasureOptions& options) {
  ASSIGN_OR_RETURN(auto side_a, side_of("a", a));
  ASSIGN_OR_RETURN(auto side_b, side_of("b", b));
  BenchPlan plan;
  plan.run.runs = options.runs;
  plan.run.time_limit = options.time_limit;
  plan.starts = options.starts;
  plan.max_starts = options.max_starts;
  plan.effect = options.effect;
  plan.decide = options.decide;
  CallingAnnouncer announcer(options.say);
  ASSIGN_OR_RETURN(auto run,
                   measure_sides(plan, {std::move(side_a), std::move(side_b)}, announcer));
  ASSIGN_OR_RETURN(auto decision, decide(run.series, options.decide));
  return Measured{std::move(run.series), std::move(decision), std::move(run.folder)};
}

}  // namespace proofline
