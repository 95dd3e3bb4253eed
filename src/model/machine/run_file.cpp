// SPDX-License-Identifier: Apache-2.0
#include "model/machine/run_file.h"

#include "base/record.h"

namespace proofline {

Record describe(const RunFileStep* /*type*/) {
  return {
      about("step"),
      member<&RunFileStep::label>("label"),
      member<&RunFileStep::command>("command"),
      member<&RunFileStep::tool>("tool"),
      member<&RunFileStep::version>("version"),
      member<&RunFileStep::started>("started"),
      member<&RunFileStep::seconds>("seconds"),
      member<&RunFileStep::ending>("ending"),
      member<&RunFileStep::exit_code>("exit_code"),
      member<&RunFileStep::signal>("signal"),
      member<&RunFileStep::stdout_bytes>("stdout_bytes"),
      member<&RunFileStep::stderr_bytes>("stderr_bytes"),
      member<&RunFileStep::output_truncated>("output_truncated"),
  };
}

Record describe(const RunFile* /*type*/) {
  return {
      about("run"),
      schema_version(),
      tool(),
      member<&RunFile::name>("name"),
      member<&RunFile::started>("started"),
      member<&RunFile::folder>("folder"),
      member<&RunFile::invocation>("invocation"),
      member<&RunFile::outcome>("outcome"),
      member<&RunFile::environment>("environment"),
      member<&RunFile::steps>("steps"),
  };
}

}  // namespace proofline
