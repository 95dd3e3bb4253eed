// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"
#include "base/record_schema.h"
#include "model/measurement/selftest.h"

namespace proofline {

Record describe(const DetectableChange* /*type*/) {
  return {
      about("detectable"),
      member<&DetectableChange::starts>("starts").at_least(1),
      member<&DetectableChange::change>("change",
                                        "the smallest relative change that so many starts show; "
                                        "null where they show none")
          .or_null(),
  };
}

Record describe(const SelftestConfiguration* /*type*/) {
  using One = SelftestConfiguration;
  return {
      about("configuration"),
      derived("benchmark", [](const One& one) { return one.compared.benchmark; }),
      derived("implementation", [](const One& one) { return one.compared.implementation_b; }),
      derived("axes", [](const One& one) { return one.compared.axes; }),
      derived("median_ns", [](const One& one) { return one.compared.a_ns; }).at_least(0),
      derived("pairs", [](const One& one) { return one.compared.pairs; }).at_least(3),
      member<&One::spread>("spread", "of the logarithms of the ratios of neighbouring starts")
          .at_least(0),
      member<&One::drift>(
          "drift", "the last third of the starts against the first third, 0.01 = 1 % slower"),
      derived("change", "the program against itself, as it was measured",
              [](const One& one) { return one.compared.change; })
          .one_of({"faster", "slower", "same", "unclear"}),
      derived("ratio", [](const One& one) { return one.compared.time.ratio; }).at_least(0),
      derived("ratio_low", [](const One& one) { return one.compared.time.low; }).or_null(),
      derived("ratio_high", "null where there are too few pairs for an interval",
              [](const One& one) { return one.compared.time.high; })
          .or_null(),
      derived("flags", "what is odd about the samples",
              [](const One& one) { return one.compared.flags; }),
      member<&One::smallest_visible>("smallest_visible",
                                     "the relative change that as many starts as there were show "
                                     "95 times in 100; null where they show none")
          .or_null(),
      member<&One::detectable>("detectable"),
  };
}

Record describe(const FalseAlarms* /*type*/) {
  return {
      about("false_alarms",
            "Comparisons of equal things that called any configuration changed: all starts "
            "together, and disjoint windows of them in the order in which they ran."),
      member<&FalseAlarms::promised>("promised").share(),
      derived("kept",
              "nothing was observed, and the rate is not above the promise by more than chance; "
              "exit code 0, else 1",
              [](const FalseAlarms& alarms) { return alarms.kept(); }),
      member<&FalseAlarms::observed>("observed",
                                     "configurations in which all starts together report a change"),
      member<&FalseAlarms::window>(
          "window", "starts of each side in a window: the fewest that can report a change")
          .at_least(1),
      member<&FalseAlarms::comparisons>("comparisons", "windows"),
      member<&FalseAlarms::alarms>("alarms"),
      member<&FalseAlarms::rate>("rate").share(),
      member<&FalseAlarms::low>("low").share(),
      member<&FalseAlarms::high>("high").share(),
  };
}

Record describe(const Selftest* /*type*/) {
  return {
      about("selftest"),
      schema_version(),
      tool(),
      constant("result", "selftest"),
      member<&Selftest::command>("command", "without secrets"),
      member<&Selftest::timed_by>("timed_by").one_of({"program", "cupti", "wall"}),
      member<&Selftest::folder>("folder", "of the run; benchmark.json in it has the samples"),
      member<&Selftest::starts>("starts", "of each of the two equal sides"),
      member<&Selftest::machine>("machine").only({"gpu", "uuid", "driver", "clocks_locked"}),
      member<&Selftest::false_alarms>("false_alarms"),
      member<&Selftest::configurations>("configurations"),
      member<&Selftest::notes>("notes"),
  };
}

ResultSchema selftest_record() {
  return {"selftest", "What `proofline selftest --format json` prints", {record_of<Selftest>}};
}

}  // namespace proofline
