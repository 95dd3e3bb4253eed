// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "suite_state.h"

namespace proofline::bench {
namespace {

template <class Number>
Number parsed(const std::string& axis, const std::string& text, const char* kind) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  throw std::invalid_argument(fmt::format("axis {}: {} is no {}", quote(axis), quote(text), kind));
}

bool is_wanted(const Options& options, const std::string& implementation) {
  const auto& chosen = options.implementations;
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), implementation) != chosen.end();
}

// Why it cannot be done; "" it can.
std::string obstacle(const detail::ConfigurationState& state) {
  if (!state.skip_reason.empty()) return state.skip_reason;
  if (state.suite.options.cache == CacheState::kRotating && !state.sets) {
    return "--cache rotating needs several sets of buffers: the benchmark does not call rotate()";
  }
  return "";
}

void measure_by(TimerChoice way, const std::function<void(Launch)>& execute,
                detail::ConfigurationState& state, Measurement measurement) {
  detail::SuiteState& suite = state.suite;
  try {
    suite.meter->measure(
        execute, {state.checks, state.inspections, state.sets.value_or(1), state.flop_roof, way},
        measurement);
  } catch (const std::exception& error) {
    measurement.state = MeasurementState::kFailed;
    measurement.reason = error.what();
    measurement.samples.clear();
    suite.is_broken = !is_usable_after_error();
  }
  suite.benchmark.measurements.push_back(std::move(measurement));
  if (suite.is_broken) throw detail::ContextBroken{};
}

}  // namespace

Measurement detail::describe(const ConfigurationState& state, const std::string& implementation) {
  Measurement measurement;
  measurement.benchmark = state.suite.name;
  measurement.implementation = implementation;
  measurement.axes = state.axes;
  measurement.bytes = state.bytes;
  measurement.flops = state.flops;
  measurement.flop_kind = state.flop_kind;
  return measurement;
}

const std::string& Configuration::text(const std::string& axis) const {
  for (const Axis& candidate : state_.axes) {
    if (candidate.name == axis) return candidate.value;
  }
  throw std::invalid_argument(fmt::format("the suite has no axis {}", quote(axis)));
}

std::int64_t Configuration::integer(const std::string& axis) const {
  return parsed<std::int64_t>(axis, text(axis), "whole number");
}

double Configuration::number(const std::string& axis) const {
  return parsed<double>(axis, text(axis), "number");
}

void Configuration::bytes(double moved) { state_.bytes = moved; }

void Configuration::flops(double done, const std::string& kind, double roof) {
  state_.flops = done;
  state_.flop_kind = kind;
  if (roof > 0) state_.flop_roof = roof;
}

std::size_t Configuration::rotate(std::size_t sets) {
  const bool rotating = state_.suite.options.cache == CacheState::kRotating;
  state_.sets = rotating ? std::max<std::size_t>(sets, 1) : 1;
  return *state_.sets;
}

void Configuration::skip(const std::string& reason) { state_.skip_reason = reason; }

void Configuration::add(detail::CheckRequest request) {
  state_.checks.push_back(std::move(request));
}

void Configuration::add(detail::Inspection inspection) {
  state_.inspections.push_back(std::move(inspection));
}

void Configuration::measure(const std::string& implementation,
                            const std::function<void(Launch)>& execute) {
  detail::SuiteState& suite = state_.suite;
  suite.implementations.insert(implementation);
  if (!is_wanted(suite.options, implementation)) return;
  Measurement measurement = detail::describe(state_, implementation);
  if (std::string reason = obstacle(state_); !reason.empty()) {
    measurement.state = MeasurementState::kSkipped;
    measurement.reason = std::move(reason);
    suite.benchmark.measurements.push_back(std::move(measurement));
    return;
  }
  const bool is_one_of_several = suite.options.time_by.size() > 1;
  for (const TimerChoice way : suite.options.time_by) {
    if (is_one_of_several) {
      measurement =
          detail::describe(state_, fmt::format("{} by {}", implementation, to_string(way)));
    }
    measure_by(way, execute, state_, std::move(measurement));
  }
}

}  // namespace proofline::bench
