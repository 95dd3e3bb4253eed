// SPDX-License-Identifier: Apache-2.0
#include "base/record.h"
#include "base/record_schema.h"
#include "workflow/bench/bench_session.h"

namespace proofline {

Record describe(const BenchResult* /*type*/) {
  using Bench = BenchResult;
  return {
      about("bench"),
      schema_version(),
      tool(),
      constant("result", "bench"),
      derived("folder", "of the run; its benchmark.json is `benchmark`",
              [](const Bench& bench) { return bench.run->folder; }),
      derived("timed_by", [](const Bench& bench) { return to_string(bench.run->time_by); })
          .one_of({"program", "cupti", "wall"}),
      derived("starts", "of each side", [](const Bench& bench) { return bench.run->starts; })
          .at_least(1),
      derived("benchmark", [](const Bench& bench) { return &bench.run->series; }).never_null(),
      derived("decision", "null unless there are two sides",
              [](const Bench& bench) {
                return bench.decisions.size() == 1 ? &bench.decisions.front() : nullptr;
              }),
      member<&Bench::decisions>("decisions",
                                "the first side against each other one, at a confidence that holds "
                                "for all of them together"),
  };
}

ResultSchema bench_result_record() {
  return {"bench-run", "What `proofline bench --format json` prints", {record_of<BenchResult>}};
}

}  // namespace proofline
