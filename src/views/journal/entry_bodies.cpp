// SPDX-License-Identifier: Apache-2.0
#include "views/journal/entry_bodies.h"

#include <cstdint>
#include <functional>
#include <optional>

#include "analysis/measurement/measured_time.h"
#include "base/json_writer.h"
#include "base/redact.h"
#include "views/json_parts.h"
#include "views/measurement/decision_json.h"

namespace proofline {
namespace {

std::string object(const std::function<void(JsonWriter&)>& members) {
  return json_text([&](JsonWriter& json) {
    json.begin_object();
    members(json);
    json.end_object();
  });
}

template <class Items, class Write>
void list_member(JsonWriter& json, std::string_view name, const Items& items, Write write) {
  json.key(name);
  json.begin_array();
  for (const auto& item : items) {
    json.begin_object();
    write(item);
    json.end_object();
  }
  json.end_array();
}

void write_time(const MeasuredTime& time, JsonWriter& json) {
  const auto bound = [&](double Interval::*end) {
    return time.interval ? std::optional((*time.interval).*end) : std::nullopt;
  };
  json.member("median_ns", time.median_ns);
  json.member("low_ns", bound(&Interval::low));
  json.member("high_ns", bound(&Interval::high));
  json.member("samples", time.samples);
  json.member("throttled", time.throttled);
  json.member("throttled_only", time.throttled_only);
}

void write_measurement(const Measurement& measurement, JsonWriter& json) {
  json.member("configuration", configuration_name(measurement));
  json.member("state", to_string(measurement.state));
  json.member("reason", measurement.reason);
  json.member("correctness", to_string(measurement.correctness.state));
  json.member("max_abs_error", measurement.correctness.max_abs_error);
  json.member("max_rel_error", measurement.correctness.max_rel_error);
  write_time(measured_time(measurement), json);
}

void write_sides(const BenchmarkSeries& series, JsonWriter& json) {
  json.member("interleaved", series.interleaved);
  list_member(json, "sides", series.sides, [&](const BenchmarkSide& side) {
    const BenchmarkMachine& machine = side.benchmark.machine;
    json.member("label", side.label);
    json.member("command", redact_command(side.benchmark.command));
    json.member("gpu", machine.gpu);
    json.member("driver", machine.driver);
    json.member("locked_sm_mhz", machine.locked_sm_mhz);
    list_member(json, "measurements", side.benchmark.measurements,
                [&](const Measurement& measurement) { write_measurement(measurement, json); });
  });
}

void write_gates(const std::vector<Gate>& gates, JsonWriter& json) {
  list_member(json, "gates", gates, [&](const Gate& gate) {
    json.member("name", gate.name);
    json.member("state", to_string(gate.state));
    json.member("detail", gate.detail);
  });
}

// "transpose naive -> tiled n=8192"
std::string name_of(const DecidedConfiguration& decided) {
  Measurement measurement;
  measurement.benchmark = decided.benchmark;
  measurement.implementation = decided.implementation_a;
  if (decided.implementation_b != decided.implementation_a) {
    measurement.implementation += " -> " + decided.implementation_b;
  }
  measurement.axes = decided.axes;
  return configuration_name(measurement);
}

void write_decided(const DecidedConfiguration& decided, JsonWriter& json) {
  json.member("configuration", name_of(decided));
  json.member("change", decided.change);
  json.member("a_ns", decided.a_ns);
  json.member("b_ns", decided.b_ns);
  write_ratio("time", decided.time, json);
  write_ratio("cycles", decided.cycles, json);
  json.member("pairs", std::uint64_t{decided.pairs});
  json.member("throttled", std::uint64_t{decided.throttled});
  texts_member(json, "flags", decided.flags);
}

}  // namespace

std::string open_body(const Attempt& attempt) {
  return object([&](JsonWriter& json) {
    json.member("hypothesis", attempt.hypothesis);
    json.member("kind", attempt.kind);
    json.key("expected");
    if (attempt.expected) {
      json.begin_object();
      json.member("low", attempt.expected->low);
      json.member("high", attempt.expected->high);
      json.end_object();
    } else {
      json.null();
    }
    json.member("risk", attempt.risk);
    json.member("commit", attempt.commit);
    json.member("diff_stat", attempt.diff_stat);
    std::vector<std::string> commands;
    commands.reserve(attempt.commands.size());
    for (const std::string& command : attempt.commands) commands.push_back(redact_command(command));
    texts_member(json, "commands", commands);
  });
}

std::string correctness_body(const std::vector<Gate>& gates, std::string_view run) {
  return object([&](JsonWriter& json) {
    write_gates(gates, json);
    json.member("run", run);
  });
}

std::string benchmark_body(const BenchmarkSeries& series, std::string_view run) {
  return object([&](JsonWriter& json) {
    write_sides(series, json);
    json.member("run", run);
  });
}

std::string profile_body(const std::vector<std::string>& explanation, std::string_view run) {
  return object([&](JsonWriter& json) {
    texts_member(json, "explanation", explanation);
    json.member("run", run);
  });
}

std::string decision_body(const Decision& decision, std::string_view run) {
  return object([&](JsonWriter& json) {
    json.member("verdict", to_string(decision.verdict));
    json.member("reason", decision.reason);
    json.member("a", decision.a_path);
    json.member("a_label", redact_command(decision.a_label));
    json.member("b", decision.b_path);
    json.member("b_label", redact_command(decision.b_label));
    json.member("confidence", decision.confidence);
    json.member("threshold", decision.threshold);
    write_ratio("overall", decision.overall, json);
    write_gates(decision.gates, json);
    list_member(json, "configurations", decision.configurations,
                [&](const DecidedConfiguration& decided) { write_decided(decided, json); });
    texts_member(json, "unmatched", decision.unmatched);
    texts_member(json, "explanation", decision.explanation);
    texts_member(json, "next", decision.next);
    json.member("run", run);
  });
}

std::string close_body(AttemptState state, std::string_view reason) {
  return object([&](JsonWriter& json) {
    json.member("state", to_string(state));
    json.member("reason", reason);
  });
}

std::string baseline_body(const Baseline& baseline, const BenchmarkSeries& series) {
  return object([&](JsonWriter& json) {
    json.member("name", baseline.name);
    json.member("path", baseline.path);
    json.member("side", baseline.side);
    json.member("sha256", baseline.sha256);
    write_sides(series, json);
  });
}

std::string note_body(std::string_view text) {
  return object([&](JsonWriter& json) { json.member("text", text); });
}

}  // namespace proofline
