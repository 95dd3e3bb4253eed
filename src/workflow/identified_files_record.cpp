// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "base/record.h"
#include "base/record_schema.h"
#include "readers/format_commands.h"
#include "workflow/identified_files.h"

namespace proofline {

std::vector<InputKind> kinds_of(const IdentifiedFile& file) {
  std::vector<InputKind> kinds;
  for (const InputKind kind : kInputKinds) {
    if (file.format != nullptr && file.format->offers(kind)) kinds.push_back(kind);
  }
  return kinds;
}

Record describe(const IdentifiedFile* /*type*/) {
  using File = IdentifiedFile;
  return {
      about("file"),
      member<&File::path>("path"),
      derived("format", "see `proofline list readers`; null: none that is known",
              [](const File& file) {
                return file.format != nullptr ? file.format->name : std::string_view();
              })
          .none_is_null(),
      derived("kinds", "what it can be read as", [](const File& file) { return kinds_of(file); }),
      derived("commands", "those that take it as their first argument",
              [](const File& file) {
                return file.format != nullptr ? commands_for(*file.format)
                                              : std::vector<std::string_view>();
              }),
      member<&File::problem>("problem", "why the format is null").none_is_null(),
  };
}

Record describe(const IdentifiedFiles* /*type*/) {
  return {
      about("identified_files"),
      schema_version(),
      tool(),
      member<&IdentifiedFiles::files>("files", "in the order of the command line").not_empty(),
  };
}

ResultSchema identified_files_record() {
  return {
      "identify", "What `proofline identify --format json` prints", {record_of<IdentifiedFiles>}};
}

}  // namespace proofline
