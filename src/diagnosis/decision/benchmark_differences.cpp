// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/decision/benchmark_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace proofline {
namespace {

void add_text(std::string_view what, std::string_view a, std::string_view b, bool refuses,
              std::vector<Difference>& differences) {
  if (a.empty() || b.empty() || a == b) return;
  differences.push_back({std::string(what), std::string(a), std::string(b), refuses});
}

std::string clock_text(const std::optional<double>& mhz) {
  return mhz ? fmt::format("{:.0f} MHz", *mhz) : std::string();
}

std::string switch_text(const std::optional<bool>& value, std::string_view on,
                        std::string_view off) {
  if (!value) return "";
  return std::string(*value ? on : off);
}

std::string axes_text(const Measurement& measurement) {
  std::string text;
  for (const Axis& axis : measurement.axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.name, axis.value);
  }
  return text.empty() ? "none" : text;
}

std::vector<Axis> sorted(std::vector<Axis> axes) {
  std::sort(axes.begin(), axes.end(), [](const Axis& x, const Axis& y) {
    return std::tie(x.name, x.value) < std::tie(y.name, y.value);
  });
  return axes;
}

template <class Enum>
std::string known_name(Enum value) {
  return value == Enum::kUnknown ? std::string() : std::string(to_string(value));
}

}  // namespace

std::vector<Difference> machine_differences(const BenchmarkMachine& a, const BenchmarkMachine& b) {
  std::vector<Difference> result;
  add_text("gpu", a.gpu, b.gpu, true, result);
  // Two cards of one model differ by a few per cent at most; another model is told above.
  if (result.empty()) add_text("gpu-uuid", a.uuid, b.uuid, false, result);
  add_text("compute-capability", a.compute_capability, b.compute_capability, true, result);
  add_text("driver", a.driver, b.driver, true, result);
  add_text("cuda", a.cuda, b.cuda, true, result);
  add_text("clock-lock", switch_text(a.clocks_locked, "locked", "not locked"),
           switch_text(b.clocks_locked, "locked", "not locked"), true, result);
  add_text("locked-clock", clock_text(a.locked_sm_mhz), clock_text(b.locked_sm_mhz), true, result);
  add_text("max-clock", clock_text(a.max_sm_mhz), clock_text(b.max_sm_mhz), false, result);
  add_text("ecc", switch_text(a.ecc, "on", "off"), switch_text(b.ecc, "on", "off"), true, result);
  add_text("mig", switch_text(a.mig, "on", "off"), switch_text(b.mig, "on", "off"), true, result);
  return result;
}

std::vector<Difference> method_differences(const std::vector<MeasurementPair>& pairs) {
  std::vector<Difference> result;
  std::set<std::pair<TimedBy, TimedBy>> clocks;
  std::set<std::pair<CacheState, CacheState>> caches;
  for (const MeasurementPair& pair : pairs) {
    if (clocks.emplace(pair.a->timed_by, pair.b->timed_by).second) {
      add_text("timed-by", known_name(pair.a->timed_by), known_name(pair.b->timed_by), true,
               result);
    }
    if (caches.emplace(pair.a->cache, pair.b->cache).second) {
      add_text("cache", known_name(pair.a->cache), known_name(pair.b->cache), true, result);
    }
  }
  return result;
}

std::vector<Difference> input_differences(const std::vector<MeasurementPair>& pairs) {
  std::vector<Difference> result;
  for (const MeasurementPair& pair : pairs) {
    if (sorted(pair.a->axes) != sorted(pair.b->axes))
      add_text("axes", axes_text(*pair.a), axes_text(*pair.b), true, result);
    add_text("benchmark", pair.a->benchmark, pair.b->benchmark, true, result);
  }
  return result;
}

}  // namespace proofline
