// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"
#include "base/record_schema.h"
#include "model/measurement/decision.h"

namespace proofline {

Record describe(const Gate* /*type*/) {
  return {
      about("gate", "What must hold before any duration counts."),
      member<&Gate::name>("name").one_of({"correctness", "check", "sanitizer", "valid-times",
                                          "same-machine", "same-method", "same-inputs"}),
      member<&Gate::state>("state"),
      member<&Gate::detail>("detail"),
  };
}

Record describe(const RatioEstimate* /*type*/) {
  return {
      about("ratio", "B over A; below 1 is faster."),
      member<&RatioEstimate::ratio>("ratio"),
      member<&RatioEstimate::low>("low", "0: there is no lower end"),
      member<&RatioEstimate::high>("high", "null: there is no upper end").or_null(),
  };
}

Record describe(const DecidedConfiguration* /*type*/) {
  using One = DecidedConfiguration;
  return {
      about("configuration"),
      member<&One::benchmark>("benchmark"),
      member<&One::implementation_a>("implementation_a"),
      member<&One::implementation_b>("implementation_b"),
      member<&One::axes>("axes"),
      member<&One::change>("change").one_of({"faster", "slower", "same", "unclear"}),
      member<&One::a_ns>("a_ns", "median of the samples; null: none").none_is_null(),
      member<&One::b_ns>("b_ns").none_is_null(),
      member<&One::time>("time", "null: not compared, see flags").null_unless([](const One& one) {
        return one.pairs > 0;
      }),
      member<&One::mean_ratio>("mean_ratio", "of the means; null: not known"),
      member<&One::upper_ratio>("upper_ratio",
                                "of the slow ends: what nine starts in ten stay below, of each "
                                "start what nine samples in ten do"),
      member<&One::cycles>("cycles", "the same in clock cycles; null: the clock is not known"),
      member<&One::pairs>("pairs"),
      member<&One::pairs_needed>(
          "pairs_needed",
          "that would settle what is unclear; null: it is clear, or no number would"),
      member<&One::interleaved>("interleaved", "the sides were measured in turn"),
      member<&One::margin>("margin",
                           "by which equal programs may differ, measured like this; the change "
                           "must be beyond it")
          .at_least(0),
      member<&One::weight>("weight", "how often it runs, as far as the user says").above(0),
      member<&One::throttled>(
          "throttled", "samples taken while the GPU was held back; they count like any other"),
      member<&One::a_throttled>("a_throttled", "their share of A's samples").share(),
      member<&One::b_throttled>("b_throttled").share(),
      member<&One::flags>(
          "flags",
          "what is odd about the samples: measured-apart, one-process, few-runs, summary-only, "
          "too-few-samples, throttled-unequally, at-the-power-limit, slower-mean, slower-end, "
          "clock-changed, few-pairs, drift, two-modes, outliers, slow-start, no-spread; there may "
          "be more"),
      group("rate",
            {
                member<&One::a_rate>("a").never_null(),
                member<&One::b_rate>("b").never_null(),
                member<&One::rate_unit>("unit").one_of({"B/s", "FLOP/s"}),
            },
            "of the declared work; null: none was declared")
          .null_unless([](const One& one) { return one.a_rate && one.b_rate; }),
      group("watts",
            {
                member<&One::a_watts>("a").never_null(),
                member<&One::b_watts>("b").never_null(),
            },
            "what the GPU drew, medians of the samples; null: not known of both sides")
          .null_unless([](const One& one) { return one.a_watts && one.b_watts; }),
      group("peak_memory_bytes",
            {
                member<&One::a_peak_bytes>("a").never_null(),
                member<&One::b_peak_bytes>("b").never_null(),
            },
            "what the program allocated at most, as it says; null: not known of both sides")
          .null_unless([](const One& one) { return one.a_peak_bytes && one.b_peak_bytes; }),
  };
}

Record describe(const Decision* /*type*/) {
  return {
      about("decision"),
      schema_version(),
      tool(),
      constant("result", "decision"),
      member<&Decision::verdict>("verdict", "exit codes 0, 1, 10, 3 and 11 (0 with keep_same)"),
      member<&Decision::reason>("reason", "one sentence, with the numbers"),
      member<&Decision::next>("next", "what would settle it, or what to do now"),
      member<&Decision::a_path>("a", "path of the benchmark file"),
      member<&Decision::a_label>("a_label",
                                 "what of that file: a side's label with its command, an "
                                 "implementation or a benchmark; empty: all of it"),
      member<&Decision::b_path>("b"),
      member<&Decision::b_label>("b_label"),
      member<&Decision::confidence>("confidence",
                                    "that no configuration is called changed by chance")
          .above(0)
          .below(1),
      member<&Decision::threshold>("threshold", "relative changes below this do not matter")
          .at_least(0),
      member<&Decision::keep_same>("keep_same", "NO DIFFERENCE is good enough"),
      member<&Decision::until_clear>("until_clear",
                                     "starts were added until the answer was clear; the intervals "
                                     "hold at any number of them"),
      member<&Decision::overall>("overall",
                                 "of the time of all configurations that were compared, each as "
                                 "often as its weight says; null: none, or with different numbers "
                                 "of pairs"),
      member<&Decision::gates>("gates", "what must hold before any duration counts"),
      member<&Decision::differences>("differences",
                                     "between machines, methods and inputs of the two sides"),
      member<&Decision::configurations>("configurations"),
      member<&Decision::unmatched>("unmatched", "configurations of one side alone"),
      member<&Decision::explanation>("explanation",
                                     "counters and machine code, in words; they never decide"),
      member<&Decision::notes>("notes"),
  };
}

ResultSchema decision_record() {
  return {"decide",
          "What `proofline decide --format json` prints; A is before, B after the change",
          {record_of<Decision>}};
}

}  // namespace proofline
