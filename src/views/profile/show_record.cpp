// SPDX-License-Identifier: Apache-2.0
//
// The result of `show` for a profile, member by member.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/record_schema.h"
#include "base/redact.h"
#include "views/profile/show_result.h"

namespace proofline {
namespace {

// Pairs of correlation and value, made as they are written: a metric may have millions.
class InstancePairs {
 public:
  struct Iterator {
    const Instances* instances;
    std::size_t position;

    std::array<Value, 2> operator*() const {
      const Column& correlation = instances->correlation;
      const bool correlated = position < column_size(correlation);
      return {correlated ? column_at(correlation, position) : Value{},
              column_at(instances->values, position)};
    }
    Iterator& operator++() {
      ++position;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return position != other.position; }
  };

  explicit InstancePairs(const Instances& instances) : instances_(&instances) {}
  Iterator begin() const { return {instances_, 0}; }
  Iterator end() const { return {instances_, column_size(instances_->values)}; }

 private:
  const Instances* instances_;
};

struct ShownMetric {
  const Metric* metric = nullptr;
  std::string_view unit;
};

Record describe(const ShownMetric* /*type*/) {
  using Shown = ShownMetric;
  return {
      about("metric"),
      derived("value", "null: the metric was collected but has no value",
              [](const Shown& shown) -> const Value& { return shown.metric->value; }),
      member<&Shown::unit>("unit"),
      derived("instances", "with `proofline show --instances`: [what it belongs to, value]",
              [](const Shown& shown) { return InstancePairs(*shown.metric->instances); })
          .when([](const Shown& shown) { return shown.metric->instances != nullptr; }),
  };
}

std::vector<std::pair<std::string_view, ShownMetric>> metrics_of(const ShownLaunch& shown) {
  std::vector<std::pair<std::string_view, ShownMetric>> metrics;
  for (const Metric* metric : shown.metrics->of(shown.launch())) {
    const MetricName& name = shown.profile->metric_names[metric->id];
    metrics.emplace_back(name.name, ShownMetric{metric, name.unit});
  }
  return metrics;
}

std::vector<std::pair<std::string_view, double>> shares_of(const StallShares& stalls) {
  std::vector<std::pair<std::string_view, double>> shares;
  for (const StallShare& stall : stalls.shares) shares.emplace_back(stall.reason, stall.share);
  return shares;
}

// The file that a profile was read from.
struct ProfileSource {
  const Profile* profile = nullptr;
};

Record describe(const ProfileSource* /*type*/) {
  using Source = ProfileSource;
  return {
      about("source"),
      derived("path", [](const Source& one) -> const std::string& { return one.profile->path; }),
      derived("format", "see `proofline list readers`",
              [](const Source& one) -> const std::string& { return one.profile->format; }),
      derived("producer", "what recorded it; \"\" unknown",
              [](const Source& one) -> const std::string& { return one.profile->producer; }),
      derived("bytes", "of the input, decompressed: total = used + skipped",
              [](const Source& one) -> const ByteCount& { return one.profile->bytes; }),
  };
}

}  // namespace

Record describe(const ByteCount* /*type*/) {
  return {
      about("bytes"),
      member<&ByteCount::total>("total"),
      member<&ByteCount::used>("used"),
      member<&ByteCount::skipped>("skipped"),
  };
}

Record describe(const LaunchSummary* /*type*/) {
  using Summary = LaunchSummary;
  return {
      about("summary"),
      member<&Summary::duration_ns>("duration_ns", "under ncu's replay; not wall time"),
      group("throughput_percent",
            {
                member<&Summary::sm_percent>("sm"),
                member<&Summary::l1_percent>("l1"),
                member<&Summary::l2_percent>("l2"),
                member<&Summary::dram_percent>("dram"),
            },
            "of peak, by ncu's own throughput metrics"),
      group("occupancy_percent",
            {
                member<&Summary::achieved_occupancy_percent>("achieved"),
                member<&Summary::theoretical_occupancy_percent>("theoretical"),
            },
            "of the warps that an SM can hold"),
      member<&Summary::stalls>("stalls"),
  };
}

Record describe(const StallShares* /*type*/) {
  return {
      about("stalls"),
      member<&StallShares::source>("source"),
      derived("shares", "by reason, largest first; they add up to 1",
              [](const StallShares& stalls) { return shares_of(stalls); }),
  };
}

Record describe(const NvtxRange* /*type*/) {
  return {
      about("nvtx_range"),
      member<&NvtxRange::domain>("domain", "\"\" the default domain"),
      member<&NvtxRange::name>("name"),
      derived("kind",
              [](const NvtxRange& range) -> std::string_view {
                return range.push_pop ? "push-pop" : "start-end";
              })
          .one_of({"push-pop", "start-end"}),
  };
}

Record describe(const StackFrame* /*type*/) {
  return {
      about("frame"),
      member<&StackFrame::function>("function"),
      member<&StackFrame::file>("file"),
      member<&StackFrame::line>("line"),
      member<&StackFrame::module>("module"),
  };
}

Record describe(const Launch* /*type*/) {
  return {
      about("profiled_launch"),
      member<&Launch::kind>("kind"),
      member<&Launch::name>("name", "demangled"),
      member<&Launch::function>("function",
                                "without namespaces, template arguments and parameters"),
      member<&Launch::mangled>("mangled"),
      member<&Launch::process>("process", "position in processes"),
      member<&Launch::grid>("grid", "x, y, z; null where the result is no kernel"),
      member<&Launch::block>("block", "x, y, z; null where the result is no kernel"),
      member<&Launch::context>("context"),
      member<&Launch::stream>("stream"),
  };
}

Record describe(const ShownLaunch* /*type*/) {
  using Shown = ShownLaunch;
  return {
      about("launch"),
      member<&Shown::position>("id", "position in the file"),
      inlined([](const Shown& shown) -> const Launch& { return shown.launch(); }),
      group("device",
            {
                derived("id", [](const Shown& shown) { return shown.launch().device; }),
                derived(
                    "name", "\"\" unknown",
                    [](const Shown& shown) { return device_name(*shown.profile, shown.launch()); }),
                derived("cc", "compute capability; \"\" unknown",
                        [](const Shown& shown) -> const std::string& {
                          return shown.launch().compute_capability;
                        }),
            }),
      derived("clocks_locked", "null: the file does not tell",
              [](const Shown& shown) {
                const std::optional<ClockStatus>& clocks = shown.launch().clocks;
                return clocks ? std::optional(clocks->locked) : std::nullopt;
              }),
      inlined<&Shown::summary>(),
      derived(
          "nvtx", "ranges around it, outermost first",
          [](const Shown& shown) -> const std::vector<NvtxRange>& { return shown.launch().nvtx; })
          .if_there(),
      derived("host_stack",
              [](const Shown& shown) -> const std::vector<StackFrame>& {
                return shown.launch().host_stack;
              })
          .if_there(),
      derived("python_stack",
              [](const Shown& shown) -> const std::vector<StackFrame>& {
                return shown.launch().python_stack;
              })
          .if_there(),
      derived("metrics", "by name; empty unless metrics were asked for",
              [](const Shown& shown) { return metrics_of(shown); }),
      derived("nvidia_rules", "with `proofline show --nvidia-rules`",
              [](const Shown& shown) -> const std::vector<NvidiaRule>& {
                return shown.launch().nvidia_rules;
              })
          .on_request(),
  };
}

Record describe(const Device* /*type*/) {
  return {
      about("device"),
      member<&Device::id>("id"),
      member<&Device::name>("name"),
      member<&Device::attributes>("attributes"),
  };
}

Record describe(const Session* /*type*/) {
  return {
      about("session"),
      member<&Session::unix_time>("unix_time"),
      member<&Session::executable>("executable"),
      member<&Session::arguments>("arguments").redacted(),
      member<&Session::profiler_command>("profiler_command").redacted(),
      member<&Session::versions>("versions", "by provider"),
      derived("environment", "values that may be secret are redacted",
              [](const Session& session) { return redact_environment(session.environment); }),
      member<&Session::devices>("devices"),
  };
}

Record describe(const Process* /*type*/) {
  return {
      about("process"),
      member<&Process::pid>("pid"),
      member<&Process::name>("name"),
      member<&Process::host>("host"),
      inlined<&Process::session>(),
  };
}

Record describe(const Symbol* /*type*/) {
  return {
      about("symbol"),
      member<&Symbol::name>("name"),
      member<&Symbol::address>("address", "load address"),
  };
}

Record describe(const SourceFile* /*type*/) {
  return {
      about("file"),
      member<&SourceFile::name>("name"),
      member<&SourceFile::bytes>("bytes", "0: only the name is in the report"),
  };
}

Record describe(const Module* /*type*/) {
  return {
      about("module", "Code embedded in a report."),
      derived("sm",
              [](const Module& module) {
                return fmt::format("{}.{}", module.sm_major, module.sm_minor);
              }),
      member<&Module::cubin_bytes>("cubin_bytes"),
      member<&Module::ptx_bytes>("ptx_bytes"),
      member<&Module::functions>("functions"),
      member<&Module::files>("files"),
  };
}

Record describe(const ShowResult* /*type*/) {
  using Result = ShowResult;
  return {
      about("show"),
      schema_version(),
      tool(),
      derived("sources",
              [](const Result& result) { return std::array{ProfileSource{&result.profile}}; }),
      derived(
          "notes",
          [](const Result& result) -> const std::vector<Note>& { return result.profile.notes; }),
      member<&Result::launches>("launches"),
      derived("processes", "with `proofline show --session`",
              [](const Result& result) -> const std::vector<Process>& {
                return result.profile.processes;
              })
          .on_request(),
      derived(
          "modules", "with `proofline show --source`",
          [](const Result& result) -> const std::vector<Module>& { return result.profile.modules; })
          .on_request(),
  };
}

ShowResult::ShowResult(const Profile& shown, const Selection& selection)
    : profile(shown), metrics(selection) {
  launches.reserve(selection.launches.size());
  for (const std::size_t position : selection.launches) {
    launches.push_back(
        {&profile, &metrics, position, summarise(profile, profile.launches[position])});
  }
}

ResultSchema show_record() {
  return {
      "show", "What `proofline show --format json` prints of a profile", {record_of<ShowResult>}};
}

}  // namespace proofline
