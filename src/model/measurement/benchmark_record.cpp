// SPDX-License-Identifier: Apache-2.0
//
// The file that `proofline bench` and programs with our library write, and
// readers/benchmark/proofline_bench.cpp reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/record.h"
#include "base/record_schema.h"
#include "base/text.h"
#include "model/measurement/benchmark.h"

namespace proofline {
namespace {

// Samples as the file has them: one list for each thing that is known of them.
struct SampleLists {
  std::vector<double> ns;
  std::vector<std::optional<double>> sm_mhz;
  std::vector<std::optional<double>> watts;
  std::vector<std::uint64_t> throttled;
  std::vector<std::uint32_t> run;
};

Record describe(const SampleLists* /*type*/) {
  return {
      about("samples"),
      member<&SampleLists::ns>("ns", "one execution each, in the order in which they were taken")
          .above(0),
      member<&SampleLists::sm_mhz>(
          "sm_mhz", "the SM clock meanwhile, one for each sample; left out where none is known")
          .above(0)
          .if_there(),
      member<&SampleLists::watts>(
          "watts",
          "what the whole GPU drew meanwhile, one for each sample; left out where none is known")
          .above(0)
          .if_there(),
      member<&SampleLists::throttled>(
          "throttled", "positions in ns of samples during which the GPU was held back"),
      member<&SampleLists::run>(
          "run", "which start of the program each sample comes from; left out where all are 0")
          .if_there(),
  };
}

SampleLists lists_of(const Measurement& measurement) {
  SampleLists lists;
  const std::vector<Sample>& samples = measurement.samples;
  const auto any = [&](const auto& holds) {
    return std::any_of(samples.begin(), samples.end(), holds);
  };
  // They would be as long as the list of the times.
  const bool clocks = any([](const Sample& sample) { return sample.sm_mhz.has_value(); });
  const bool powers = any([](const Sample& sample) { return sample.watts.has_value(); });
  const bool runs = any([](const Sample& sample) { return sample.run != 0; });
  for (const Sample& sample : samples) {
    if (sample.throttled) lists.throttled.push_back(lists.ns.size());
    lists.ns.push_back(sample.ns);
    if (clocks) lists.sm_mhz.push_back(sample.sm_mhz);
    if (powers) lists.watts.push_back(sample.watts);
    if (runs) lists.run.push_back(sample.run);
  }
  return lists;
}

template <class Item>
void require_beside(std::string_view name, std::size_t size, std::vector<Item>& list,
                    const Complain& complain) {
  if (list.empty() || list.size() == size) return;
  complain(fmt::format("\"{}\" has not as many entries as \"ns\"", name));
  list.clear();
}

// A time that could not be read is NaN; its sample is left out, and the others keep what is theirs.
void take_samples(Measurement& measurement, SampleLists lists, const Complain& complain) {
  const std::size_t size = lists.ns.size();
  require_beside("sm_mhz", size, lists.sm_mhz, complain);
  require_beside("watts", size, lists.watts, complain);
  require_beside("run", size, lists.run, complain);
  std::vector<bool> throttled(size);
  for (const std::uint64_t position : lists.throttled) {
    if (position < size)
      throttled[position] = true;
    else
      complain("\"throttled\" names a sample that is not there");
  }
  measurement.samples.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (std::isnan(lists.ns[i])) continue;
    Sample& sample = measurement.samples.emplace_back();
    sample.ns = lists.ns[i];
    if (!lists.sm_mhz.empty()) sample.sm_mhz = lists.sm_mhz[i];
    if (!lists.watts.empty()) sample.watts = lists.watts[i];
    if (!lists.run.empty()) sample.run = lists.run[i];
    sample.throttled = throttled[i];
  }
}

// What is in a state that we do not know must not pass for measured.
void take_state(Measurement& measurement, const std::string& word, const Complain& complain) {
  const auto state = shapes::as_name(std::string_view(word), kShapeOf<MeasurementState>.name);
  measurement.state = state ? static_cast<MeasurementState>(*state) : MeasurementState::kFailed;
  if (state) return;
  measurement.reason = fmt::format("state {}", quote(word));
  complain("\"state\" is not a word that this version knows");
}

}  // namespace

Record describe(const Axis* /*type*/) {
  return {
      about("axis"),
      member<&Axis::name>("name"),
      member<&Axis::value>("value"),
  };
}

Record describe(const Correctness* /*type*/) {
  return {
      about("correctness", "Against a reference, before any timing."),
      member<&Correctness::state>("state"),
      member<&Correctness::reference>("reference",
                                      "fp64, the name of an implementation; \"\" unknown"),
      member<&Correctness::max_abs_error>("max_abs_error"),
      member<&Correctness::max_rel_error>("max_rel_error"),
      member<&Correctness::abs_tolerance>("abs_tolerance"),
      member<&Correctness::rel_tolerance>("rel_tolerance"),
      member<&Correctness::nans>("nans"),
      member<&Correctness::infinities>("infinities"),
      member<&Correctness::wrong>("wrong"),
      member<&Correctness::checked>("checked"),
  };
}

Record describe(const Measurement* /*type*/) {
  using One = Measurement;
  return {
      about("measurement", "One implementation in one configuration."),
      member<&One::benchmark>("benchmark", "what is done; \"\" where a file has only one"),
      member<&One::implementation>("implementation", "how; \"\" where there is only one"),
      member<&One::axes>("axes", "the configuration, in the program's order"),
      converted(
          "state",
          "wrong: the result was not right, so it was not timed; invalid: timed, but it "
          "cannot be; failed: it crashed or ran out of memory",
          [](const One& one) { return std::string(to_string(one.state)); },
          [](One& one, std::string&& word, const Complain& complain) {
            take_state(one, word, complain);
          })
          .one_of(names_of(kShapeOf<MeasurementState>)),
      converted(
          "reason", "of a state other than measured", [](const One& one) { return one.reason; },
          [](One& one, std::string&& reason) {
            if (!reason.empty()) one.reason = std::move(reason);
          }),
      member<&One::correctness>("correctness"),
      member<&One::timed_by>("timed_by"),
      member<&One::cache>("cache", "the L2's state before each execution"),
      member<&One::stopped>("stopped",
                            "why no more samples were taken; tight: the interval of the median "
                            "was as narrow as asked"),
      converted(
          "samples", [](const One& one) { return lists_of(one); },
          [](One& one, SampleLists&& lists, const Complain& complain) {
            take_samples(one, std::move(lists), complain);
          }),
      group("summary",
            {
                member<&One::summary_ns>("ns").above(0).never_null(),
                member<&One::summary_kind>("kind", "median or mean"),
                member<&One::summary_of>("of", "samples; 0 unknown"),
            })
          .null_unless([](const One& one) { return one.summary_ns.has_value(); }),
      member<&One::bytes>("bytes", "moved by one execution, as declared").above(0),
      member<&One::flops>("flops", "done by one execution, as declared").above(0),
      member<&One::flop_kind>(
          "flop_kind", "which roof they are under: fp32, fp64, tensor-f16, ...; \"\" unknown"),
      group("roof",
            {
                member<&One::roof>("name", "dram, l2, or a flop_kind"),
                member<&One::roof_share>("share",
                                         "what the declared work reaches of it; more than 1.05 is "
                                         "invalid, unless the GPU can do more than was measured")
                    .above(0)
                    .never_null(),
                member<&One::roof_at_least>("at_least", "the GPU can do more than was measured")
                    .added_later(),
            })
          .null_unless([](const One& one) { return one.roof_share.has_value(); })
          .added_later(),
      member<&One::peak_memory_bytes>("peak_memory_bytes", "of the device"),
  };
}

Record describe(const BenchmarkMachine* /*type*/) {
  return {
      about("machine", "Unknown is \"\" or null."),
      member<&BenchmarkMachine::gpu>("gpu"),
      member<&BenchmarkMachine::uuid>("uuid"),
      member<&BenchmarkMachine::compute_capability>("compute_capability")
          .pattern("^([0-9]+\\.[0-9]+)?$"),
      member<&BenchmarkMachine::driver>("driver"),
      member<&BenchmarkMachine::cuda>("cuda"),
      member<&BenchmarkMachine::max_sm_mhz>("max_sm_mhz").above(0),
      member<&BenchmarkMachine::locked_sm_mhz>("locked_sm_mhz").above(0),
      member<&BenchmarkMachine::clocks_locked>("clocks_locked"),
      member<&BenchmarkMachine::ecc>("ecc"),
      member<&BenchmarkMachine::mig>("mig"),
  };
}

Record describe(const Benchmark* /*type*/) {
  return {
      about("benchmark"),
      member<&Benchmark::format>("format", "proofline-bench, nvbench or google-benchmark"),
      member<&Benchmark::producer>("producer"),
      member<&Benchmark::command>("command", "without secrets; \"\" unknown"),
      member<&Benchmark::machine>("machine"),
      member<&Benchmark::failed_starts>(
          "failed_starts", "starts of the program that failed, whose samples are missing")
          .added_later(),
      member<&Benchmark::until_clear>(
          "until_clear",
          "the program was started until the comparison was clear, so that intervals must hold at "
          "any number of starts")
          .added_later(),
      member<&Benchmark::notes>("notes"),
      member<&Benchmark::measurements>("measurements"),
  };
}

Record describe(const BenchmarkSide* /*type*/) {
  return {
      about("side"),
      member<&BenchmarkSide::label>("label", "\"a\", \"before\"; \"\" for a file by itself"),
      inlined<&BenchmarkSide::benchmark>(),
  };
}

Record describe(const BenchmarkSeries* /*type*/) {
  return {
      about("series"),
      schema_version(),
      tool(),
      constant("result", "benchmark"),
      member<&BenchmarkSeries::interleaved>("interleaved",
                                            "the sides' programs were started in turn: run i of "
                                            "one stands next to run i of another"),
      member<&BenchmarkSeries::order_seed>(
          "order_seed",
          "of the random order in which the sides were started; null: one side, or not known")
          .added_later(),
      member<&BenchmarkSeries::sides>("sides",
                                      "the programs, builds or files that were measured to be "
                                      "compared; a single program has one"),
  };
}

ResultSchema benchmark_record() {
  return {"bench",
          "What `proofline bench` and programs with its measurement library write, and `proofline "
          "show --format json` prints of nvbench's and Google Benchmark's results; readers take "
          "members that are missing for unknown",
          {record_of<BenchmarkSeries>}};
}

}  // namespace proofline
