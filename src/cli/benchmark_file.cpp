// SPDX-License-Identifier: Apache-2.0
#include "cli/benchmark_file.h"

#include "base/propagate.h"
#include "cli/exit_codes.h"
#include "cli/notes.h"
#include "readers/benchmark/benchmark.h"
#include "views/measurement/benchmark_document.h"
#include "views/measurement/benchmark_json.h"
#include "views/measurement/benchmark_rows.h"

namespace proofline {
void present_benchmark(const BenchmarkSeries& series, const OutputFlags& output, Context& context) {
  const bool csv = output.format == "csv";
  if (csv) print_notes(notes_of(series));
  present({[&] { return csv ? compose_benchmark_rows(series) : compose_benchmark(series); },
           [&](JsonWriter& json) { write_benchmark_series(series, json); }},
          output, context);
}

Result<ExitCode> show_benchmark(Input input, const std::string& path, const OutputFlags& output,
                                const InputLimits& limits, Context& context) {
  // Standard input cannot be opened again, and has no folder.
  ASSIGN_OR_RETURN(const auto series,
                   path == "-" ? read_benchmark(input) : read_benchmark(path, limits));
  present_benchmark(series, output, context);
  return exit_code_after(notes_of(series));
}

}  // namespace proofline
