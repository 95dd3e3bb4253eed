// SPDX-License-Identifier: Apache-2.0
//
// `proofline identify FILE...`: what files are, told by their bytes, and which commands read them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/propagate.h"
#include "cli/command.h"
#include "cli/output_flags.h"
#include "readers/format_commands.h"
#include "workflow/identified_files.h"

namespace proofline {
namespace {

std::vector<std::string_view> kinds_of(const Format& format) {
  std::vector<std::string_view> kinds;
  for (const InputKind kind : kInputKinds) {
    if (format.offers(kind)) kinds.push_back(to_string(kind));
  }
  return kinds;
}

Table as_table(const std::vector<IdentifiedFile>& files) {
  Table table{{{"File", Align::kLeft, true}, {"Format"}, {"Holds"}, {"Read by"}}, {}};
  for (const IdentifiedFile& file : files) {
    const bool known = file.format != nullptr;
    table.rows.push_back(
        {{file.path},
         {known ? std::string(file.format->name) : "-"},
         {known ? fmt::format("{}", fmt::join(kinds_of(*file.format), ", ")) : "-"},
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

void write_json(const std::vector<IdentifiedFile>& files, JsonWriter& json) {
  const auto texts = [&](std::string_view name, const std::vector<std::string_view>& values) {
    json.array(name, values, [&](std::string_view value) { json.text(value); });
  };
  json.begin_object();
  write_tool(json);
  json.objects("files", files, [&](const IdentifiedFile& file) {
    const bool known = file.format != nullptr;
    json.member("path", file.path);
    json.key("format");
    known ? json.text(file.format->name) : json.null();
    texts("kinds", known ? kinds_of(*file.format) : std::vector<std::string_view>());
    texts("commands", known ? commands_for(*file.format) : std::vector<std::string_view>());
    json.key("problem");
    known ? json.null() : json.text(file.problem);
  });
  json.end_object();
}

Result<ExitCode> run(const std::vector<std::string>& paths, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  ASSIGN_OR_RETURN(const auto files, identify_files(paths, limits));
  present({.document = [&] { return as_document(files); },
           .json = [&](JsonWriter& json) { write_json(files, json); },
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
