// SPDX-License-Identifier: Apache-2.0
//
// What nvbench writes with --json and --jsonbin:
//
//   {"meta": {"argv": [...], "version": {"nvbench": {"string": "0.1.0"}}},
//    "devices": [{"id": 0, "name": "...", "sm_version": 900, ...}],
//    "benchmarks": [{"name": "copy", "states": [{"device": 0,
//        "axis_values": [{"name": "T", "type": "string", "value": "F32"}],
//        "summaries": [{"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", ...}]}],
//        "is_skipped": false}]}]}
//
// Numbers in axes and summaries are texts since version 1.0.0 of its JSON. Files of samples are
// named by the summary "nv/json/bin:nv/cold/sample_times".
//
// In 2021 there were no versions and no tags. States, axes and summaries were then objects whose
// members have the names, later lists of objects with a "name", and a value was next to its type:
//
//   "states": {"Device=0 T=F32": {"device": 0, "axis_values": {"T": {"type": "string", ...}},
//       "summaries": {"Average GPU Time (Cold)": {"value": {"type": "float64", "value": "0.1"}}}}}
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/redact.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/benchmark/benchmark_sample_file.h"
#include "readers/format.h"

namespace proofline {
namespace {

// What is measured with one method; a state may have the results of several.
struct Method {
  std::string_view tag;    // of its summaries
  std::string_view times;  // between that and "mean"
  TimedBy timed_by;
  CacheState cache;
};
constexpr Method kCold{"nv/cold/", "time/gpu/", TimedBy::kCudaEvents, CacheState::kCold};
constexpr Method kBatch{"nv/batch/", "time/gpu/", TimedBy::kCudaEvents, CacheState::kHot};
constexpr Method kHost{"nv/cpu_only/", "time/cpu/", TimedBy::kWallClock, CacheState::kUnknown};

std::optional<double> number_of(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (value->IsNumber()) return value->GetDouble();
  const std::string_view text = text_of(*value);
  double number = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<double> positive_number_of(const JsonValue* value) {
  const auto number = number_of(value);
  return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

std::string value_text(const JsonValue* value) {
  if (value == nullptr) return "";
  if (value->IsInt64()) return std::to_string(value->GetInt64());
  if (value->IsNumber()) return fmt::format("{}", value->GetDouble());
  return std::string(text_of(*value));
}

// A member of an object, or of a list that gives each a name.
struct NamedEntry {
  std::string_view name;
  const JsonValue* value;
};

std::vector<NamedEntry> named_entries(const JsonFields& fields, std::string_view list) {
  std::vector<NamedEntry> entries;
  const JsonValue* found = fields.find(list);
  if (found != nullptr && found->IsObject()) {
    for (auto member = found->MemberBegin(); member != found->MemberEnd(); ++member) {
      entries.push_back({text_of(member->name), &member->value});
    }
    return entries;
  }
  for (const JsonValue& value : fields.list(list)) {
    const JsonValue* name = JsonFields(value, fields.notes()).find("name");
    entries.push_back({name != nullptr ? text_of(*name) : std::string_view(), &value});
  }
  return entries;
}

// The tags of what had only a name in 2021.
std::string_view tag_of_name(std::string_view name) {
  struct Tagged {
    std::string_view name;
    std::string_view tag;
  };
  static constexpr Tagged kTags[] = {
      {"Number of Samples (Cold)", "nv/cold/sample_size"},
      {"Average GPU Time (Cold)", "nv/cold/time/gpu/mean"},
      {"Average Global Memory Throughput", "nv/cold/bw/global/bytes_per_second"},
      {"Number of Samples (Batch)", "nv/batch/sample_size"},
      {"Average GPU Time (Batch)", "nv/batch/time/gpu/mean"},
  };
  for (const Tagged& one : kTags) {
    if (one.name == name) return one.tag;
  }
  return "";
}

// The results of one state, by tag.
class Summaries {
 public:
  explicit Summaries(const JsonFields& state)
      : entries_(named_entries(state, "summaries")), notes_(state.notes()) {}

  const JsonValue* find(std::string_view tag, std::string_view name = "value") const {
    for (const NamedEntry& entry : entries_) {
      const JsonFields summary(entry.value, notes_);
      const JsonValue* own = summary.find("tag");
      if ((own != nullptr ? text_of(*own) : tag_of_name(entry.name)) != tag) continue;
      if (const JsonValue* found = datum_of(summary, name)) return found;
    }
    return nullptr;
  }

  std::optional<double> positive(std::string_view tag) const {
    return positive_number_of(find(tag));
  }

 private:
  const JsonValue* datum_of(const JsonFields& summary, std::string_view name) const {
    for (const JsonValue& datum : summary.list("data")) {
      const JsonFields fields(datum, notes_);
      const JsonValue* datum_name = fields.find("name");
      if (datum_name != nullptr && text_of(*datum_name) == name) return fields.find("value");
    }
    const JsonValue* direct = summary.find(name);
    if (direct == nullptr || !direct->IsObject()) return direct;
    return JsonFields(direct, notes_).find("value");
  }

  std::vector<NamedEntry> entries_;
  BenchmarkNotes& notes_;
};

class NvbenchReader {
 public:
  NvbenchReader(const JsonFields& root, const BenchmarkPlace& place)
      : root_(root), notes_(root.notes()), files_(place.folder, place.limits, root.notes()) {}

  BenchmarkSeries read() {
    benchmark_.format = "nvbench";
    const JsonFields meta = root_.object("meta");
    const std::string version = meta.object("version").object("nvbench").text("string");
    benchmark_.producer = version.empty() ? "nvbench" : "nvbench " + version;
    benchmark_.command = command_of(meta);
    for (const NamedEntry& one : named_entries(root_, "benchmarks")) {
      const JsonFields bench(one.value, notes_);
      for (const NamedEntry& state : named_entries(bench, "states")) {
        add(std::string(one.name), JsonFields(state.value, notes_));
      }
    }
    name_devices();
    BenchmarkSeries series;
    series.sides.push_back({"", std::move(benchmark_)});
    return series;
  }

 private:
  static std::string command_of(const JsonFields& meta) {
    std::string command;
    for (const JsonValue& word : meta.list("argv")) {
      if (!command.empty()) command += ' ';
      command += text_of(word);
    }
    return redact_command(command);
  }

  void add(const std::string& name, const JsonFields& state) {
    Measurement measurement;
    measurement.benchmark = name;
    for (const NamedEntry& axis : named_entries(state, "axis_values")) {
      const JsonValue* value = JsonFields(axis.value, notes_).find("value");
      measurement.axes.push_back({std::string(axis.name), value_text(value)});
    }
    if (state.flag("is_skipped").value_or(false)) {
      measurement.state = MeasurementState::kSkipped;
      measurement.reason = state.text("skip_reason");
    } else {
      read_times(Summaries(state), measurement);
    }
    settle(measurement, notes_);
    benchmark_.measurements.push_back(std::move(measurement));
    devices_.push_back(state.whole("device"));
  }

  void read_times(const Summaries& summaries, Measurement& measurement) {
    if (read_method(kCold, summaries, measurement)) {
      if (summaries.positive("nv/batch/time/gpu/mean")) {
        notes_.mention("times of batches are left out where each launch was timed by itself");
      }
    } else if (!read_method(kBatch, summaries, measurement)) {
      read_method(kHost, summaries, measurement);
    }
  }

  bool read_method(const Method& method, const Summaries& summaries, Measurement& measurement) {
    const auto tag = [&](std::string_view rest) { return std::string(method.tag).append(rest); };
    const auto time = [&](std::string_view kind) {
      return summaries.positive(tag(method.times).append(kind));
    };
    const auto mean = time("mean");
    const auto median = time("median");
    if (!mean && !median) return false;
    measurement.timed_by = method.timed_by;
    measurement.cache = method.cache;
    const auto rate = summaries.positive(tag("bw/global/bytes_per_second"));
    measurement.bytes = bytes_moved(rate, known_product(mean, 1e9));
    read_samples(tag("sample_times"), tag("sample_freqs"), summaries, measurement);
    if (!measurement.samples.empty()) return true;
    measurement.summary_ns = known_product(median ? median : mean, 1e9);
    measurement.summary_kind = median ? "median" : "mean";
    const auto size = summaries.positive(tag("sample_size"));
    if (size && *size < 1e15) measurement.summary_of = static_cast<std::uint64_t>(*size);
    return true;
  }

  std::optional<std::vector<double>> file_of(const std::string& tag, const Summaries& summaries) {
    const JsonValue* name = summaries.find(tag, "filename");
    if (name == nullptr) return std::nullopt;
    return files_.read(text_of(*name), number_of(summaries.find(tag, "size")));
  }

  void read_samples(const std::string& times_tag, const std::string& clocks_tag,
                    const Summaries& summaries, Measurement& measurement) {
    const auto seconds = file_of("nv/json/bin:" + times_tag, summaries);
    if (!seconds) return;
    auto hertz = file_of("nv/json/freqs-bin:" + clocks_tag, summaries);
    if (hertz && hertz->size() != seconds->size()) {
      notes_.lose("there are not as many clock rates as samples");
      hertz.reset();
    }
    measurement.samples.reserve(seconds->size());
    for (std::size_t i = 0; i < seconds->size(); ++i) {
      if (!std::isfinite((*seconds)[i]) || (*seconds)[i] <= 0) {
        notes_.lose("samples whose time is not a number above zero");
        continue;
      }
      Sample& sample = measurement.samples.emplace_back();
      sample.ns = 1e9 * (*seconds)[i];
      if (hertz) sample.sm_mhz = clock_of((*hertz)[i]);
    }
  }

  // Some versions wrote kilohertz.
  std::optional<double> clock_of(double hertz) {
    constexpr double kLeast = 1e8;
    constexpr double kMost = 1e10;
    if (hertz >= kLeast && hertz <= kMost) return hertz / 1e6;
    notes_.lose("clock rates that no GPU has");
    return std::nullopt;
  }

  // One machine where all states ran on one device; else the device is an axis.
  void name_devices() {
    const std::set<std::optional<std::uint64_t>> used(devices_.begin(), devices_.end());
    if (used.size() == 1) return read_machine(*used.begin());
    if (used.empty()) return;
    notes_.mention("several GPUs were used; the axis Device tells them apart");
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      std::vector<Axis>& axes = benchmark_.measurements[i].axes;
      axes.insert(axes.begin(), {"Device", devices_[i] ? std::to_string(*devices_[i]) : "?"});
    }
  }

  void read_machine(std::optional<std::uint64_t> id) {
    for (const JsonValue& value : root_.list("devices")) {
      const JsonFields device(value, notes_);
      if (device.whole("id") != id) continue;
      BenchmarkMachine& machine = benchmark_.machine;
      machine.gpu = device.text("name");
      if (const auto version = device.whole("sm_version")) {
        machine.compute_capability =
            fmt::format("{}.{}", *version / 100, *version % 100 / 10);  // 900 is 9.0
      }
      if (const auto hertz = device.positive("sm_default_clock_rate")) {
        machine.max_sm_mhz = *hertz / 1e6;
      }
      machine.ecc = device.flag("ecc_state");
      return;
    }
  }

  const JsonFields& root_;
  BenchmarkNotes& notes_;
  SampleFiles files_;
  Benchmark benchmark_;
  std::vector<std::optional<std::uint64_t>> devices_;  // of each measurement
};

bool sniff_nvbench(std::string_view prefix) {
  const JsonOutline outline = json_outline(prefix);
  return outline.benchmarks && outline.devices && !outline.context;
}

Result<BenchmarkSeries> read_nvbench(Input& input, const BenchmarkPlace& place) {
  return read_benchmark_json(input, place,
                             [](const JsonFields& root, const BenchmarkPlace& beside) {
                               return Result<BenchmarkSeries>(NvbenchReader(root, beside).read());
                             });
}

}  // namespace

Format nvbench() {
  return {.name = "nvbench",
          .what = "a benchmark result of nvbench",
          .summary = "what nvbench writes with --json and --jsonbin, since 2021",
          .sniff = sniff_nvbench,
          .read_benchmark = read_nvbench};
}

}  // namespace proofline
