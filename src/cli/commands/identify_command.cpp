// SPDX-License-Identifier: Apache-2.0
//
// `proofline identify FILE...`: what files are, told by their bytes, and which commands read them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "readers/format_commands.h"
#include "workflow/identified_files.h"

namespace proofline {
namespace {

std::string kinds_text(const IdentifiedFile& file) {
  std::string text;
  for (const InputKind kind : kinds_of(file)) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_string(kind));
  }
  return text;
}

Table as_table(const std::vector<IdentifiedFile>& files) {
  Table table{{{"File", Align::kLeft, true}, {"Format"}, {"Holds"}, {"Read by"}}, {}};
  for (const IdentifiedFile& file : files) {
    const bool known = file.format != nullptr;
    table.rows.push_back(
        {{file.path},
         {known ? std::string(file.format->name) : "-"},
         {known ? kinds_text(file) : "-"},
         {known ? fmt::format("{}", fmt::join(commands_for(*file.format), ", ")) : "-"}});
  }
  return table;
}

Document as_document(const std::vector<IdentifiedFile>& files) {
  Document document{{as_table(files)}};
  for (const IdentifiedFile& file : files) {
    if (file.format == nullptr) document.blocks.emplace_back(Callout{true, file.problem});
  }
  return document;
}

Document as_rows(const std::vector<IdentifiedFile>& files) {
  Table table = as_table(files);
  table.columns.push_back({"Problem"});
  for (std::size_t i = 0; i < files.size(); ++i) table.rows[i].push_back({files[i].problem});
  return Document{{std::move(table)}};
}

Result<ExitCode> run(const std::vector<std::string>& paths, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto identified, identify_files(paths, limits));
  const std::vector<IdentifiedFile>& files = identified.files;
  present({.document = [&] { return as_document(files); },
           .json = [&](JsonWriter& json) { write_record(identified, json); },
           .rows = [&] { return as_rows(files); }},
          output, context);
  const auto known = std::count_if(files.begin(), files.end(), [](const IdentifiedFile& file) {
    return file.format != nullptr;
  });
  if (known == 0) return ExitCode::kInput;
  return static_cast<std::size_t>(known) < files.size() ? ExitCode::kPartial : ExitCode::kDone;
}

Run configure_identify(Flags line) {
  auto files = std::make_shared<std::vector<std::string>>();
  line.add("FILE", *files, "Any files; - reads standard input").required();
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [files, output, limits](Context& context) -> Result<ExitCode> {
    return run(*files, *output, *limits, context);
  };
}

}  // namespace

Command identify_command() {
  return {"identify",
          CommandGroup::kReport,
          "Say what files are and which commands read them",
          "  proofline identify report.ncu-rep trace.json.gz a.out\n"
          "      the format of each, told by its bytes, and the commands for it\n"
          "  proofline identify --format json *\n"
          "      for a program; exit code 4 where some are of no known format, 3 where all are\n",
          configure_identify,
          AgentTool{}};
}

}  // namespace proofline
