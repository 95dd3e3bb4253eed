// SPDX-License-Identifier: Apache-2.0
//
// `proofline schema NAME`: the JSON schema of a result, made from the description that the result
// is written by.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/json_file.h"
#include "base/make_folders.h"
#include "base/propagate.h"
#include "base/record_schema.h"
#include "base/text.h"
#include "cli/command.h"

namespace proofline {
namespace {

Result<void> write_all(const std::string& folder) {
  std::error_code error;
  make_folders(folder, error);
  if (error) {
    return fail(ErrorKind::kStorage,
                fmt::format("cannot make the folder {}: {}", quote(folder), error.message()));
  }
  for (const ResultSchema& schema : result_schemas()) {
    RETURN_IF_ERROR(write_json_file(fmt::format("{}/{}.schema.json", folder, schema.name),
                                    [&](JsonWriter& json) { write_schema(schema, json); }));
  }
  return {};
}

void print(const std::string& name, Context& context) {
  const auto all = result_schemas();
  const auto schema = std::find_if(all.begin(), all.end(),
                                   [&](const ResultSchema& one) { return one.name == name; });
  context.out.write(json_text([&](JsonWriter& json) { write_schema(*schema, json); }) + '\n');
}

Run configure_schema(Flags line) {
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const ResultSchema& schema : result_schemas()) names.emplace_back(schema.name);
  std::sort(names.begin(), names.end());
  line.add("NAME", *name, "As `proofline list schemas` has it").one_of(names).shown_as("NAME");
  line.add("--all", *folder, "Write every schema to this folder, as NAME.schema.json")
      .shown_as("FOLDER");
  return [name, folder](Context& context) -> Result<ExitCode> {
    if (name->empty() == folder->empty()) {
      return fail(ErrorKind::kUsage,
                  "schema: a NAME or --all FOLDER; `proofline list schemas` has the names");
    }
    if (!folder->empty()) RETURN_IF_ERROR(write_all(*folder));
    if (!name->empty()) print(*name, context);
    return ExitCode::kDone;
  };
}

}  // namespace

Command schema_command() {
  return {"schema", CommandGroup::kBuildIn, "Print the JSON schema of a result",
          "  proofline schema doctor                 of what doctor --format json prints\n"
          "  proofline schema --all schemas          all of them, as files\n",
          configure_schema};
}

}  // namespace proofline
