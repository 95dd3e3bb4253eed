// SPDX-License-Identifier: Apache-2.0
//
// `proofline list readers|views|commands`: what is built in.
#include <algorithm>

#include "cli/command.h"
#include "readers/reader.h"
#include "views/json_writer.h"

namespace proofline {
namespace {

struct Entry {
  std::string_view name;
  std::string_view summary;
};

template <class Item>
std::vector<Entry> entries(std::span<const Item> items) {
  std::vector<Entry> list;
  for (const Item& item : items) list.push_back({item.name, item.summary});
  return list;
}

std::vector<Entry> entries_of(const std::string& what) {
  if (what == "readers") return entries(readers());
  if (what == "views") return entries(views());
  return entries(commands());
}

Document as_document(const std::vector<Entry>& list) {
  Table table{{{"Name"}, {"What it is"}}, {}};
  for (const Entry& entry : list) {
    table.rows.push_back({{std::string(entry.name)}, {std::string(entry.summary)}});
  }
  return Document{{std::move(table)}};
}

void write_json(const std::string& what, const std::vector<Entry>& list, JsonWriter& json) {
  json.begin_object();
  json.member("schema_version", "1.0");
  json.key(what);
  json.begin_array();
  for (const Entry& entry : list) {
    json.begin_object();
    json.member("name", entry.name);
    json.member("summary", entry.summary);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

Run configure(CLI::App& app) {
  auto what = std::make_shared<std::string>();
  app.add_option("WHAT", *what, "readers, views or commands")
      ->required()
      ->check(CLI::IsMember({"readers", "views", "commands"}))
      ->type_name("readers|views|commands");
  auto flags = add_output_flags(app);
  return [what, flags](Context& context) -> Result<ExitCode> {
    const std::vector<Entry> list = entries_of(*what);
    present({[&] { return as_document(list); },
             [&](JsonWriter& json) { write_json(*what, list, json); }},
            *flags, context);
    return ExitCode::kDone;
  };
}

}  // namespace

Command list_command() {
  return {"list", "List what is built in: file formats, output formats, commands",
          "  proofline list readers                  file formats that can be read\n"
          "  proofline list views --format json      output formats, for a script\n",
          configure};
}

}  // namespace proofline
