// SPDX-License-Identifier: Apache-2.0
//
// A configuration that a file holds twice is paired in the order of both files.
#include "diagnosis/decision/decide_match.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace proofline {
namespace {

using Implementations = std::map<std::string, std::set<std::string>>;  // of each benchmark

Implementations implementations_of(const Benchmark& benchmark) {
  Implementations result;
  for (const Measurement& one : benchmark.measurements) {
    result[one.benchmark].insert(one.implementation);
  }
  return result;
}

class ConfigurationKeys {
 public:
  using Key =
      std::tuple<std::string, std::string, std::vector<std::pair<std::string, std::string>>>;

  ConfigurationKeys(const Benchmark& a, const Benchmark& b)
      : in_a_(implementations_of(a)), in_b_(implementations_of(b)) {}

  Key operator()(const Measurement& measurement) const {
    std::vector<std::pair<std::string, std::string>> axes;
    axes.reserve(measurement.axes.size());
    for (const Axis& axis : measurement.axes) axes.emplace_back(axis.name, axis.value);
    std::sort(axes.begin(), axes.end());
    const bool alone = is_alone(in_a_, measurement) && is_alone(in_b_, measurement);
    return {measurement.benchmark, alone ? "" : measurement.implementation, std::move(axes)};
  }

 private:
  static bool is_alone(const Implementations& side, const Measurement& measurement) {
    const auto found = side.find(measurement.benchmark);
    return found != side.end() && found->second.size() == 1;
  }

  Implementations in_a_;
  Implementations in_b_;
};

}  // namespace

MeasurementMatching match_measurements(const Benchmark& a, const Benchmark& b, bool force) {
  const ConfigurationKeys key(a, b);
  std::map<ConfigurationKeys::Key, std::deque<const Measurement*>> waiting;
  for (const Measurement& one : b.measurements) waiting[key(one)].push_back(&one);
  MeasurementMatching result;
  std::set<const Measurement*> paired;
  for (const Measurement& one : a.measurements) {
    const auto found = waiting.find(key(one));
    if (found == waiting.end() || found->second.empty()) {
      result.only_in_a.push_back(&one);
      continue;
    }
    result.pairs.push_back({&one, found->second.front()});
    paired.insert(found->second.front());
    found->second.pop_front();
  }
  for (const Measurement& one : b.measurements) {
    if (!paired.contains(&one)) result.only_in_b.push_back(&one);
  }
  if (force && result.only_in_a.size() == 1 && result.only_in_b.size() == 1) {
    result.pairs.push_back({result.only_in_a.front(), result.only_in_b.front()});
    result.only_in_a.clear();
    result.only_in_b.clear();
  }
  return result;
}

}  // namespace proofline
