// SPDX-License-Identifier: Apache-2.0
//
// `proofline explain NAME`: what a rule, fact, metric, stall reason, section, set or old name
// means.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/output_flags.h"
#include "workflow/explanations.h"

namespace proofline {
namespace {

using Property = NameExplanation::Property;

// A longer list is for programs; people get its length.
constexpr std::size_t kLongestList = 30;

std::string label(std::string_view key) {
  std::string text(key);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string joined(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string for_people(const Property& property) {
  if (property.values.size() <= kLongestList) return joined(property.values);
  return fmt::format("{}, which --format csv and json list", property.values.size());
}

Table parts_table(const std::vector<NamePart>& parts) {
  Table table{{{"Part"}, {"Means"}}, {}};
  for (const NamePart& part : parts) {
    table.rows.push_back({{std::string(part.text)}, {std::string(part.meaning)}});
  }
  return table;
}

Document as_document(const std::vector<NameExplanation>& explanations) {
  Document document;
  for (const NameExplanation& explanation : explanations) {
    Point point{"", explanation.name, std::string(explanation.kind), {}};
    for (const Property& property : explanation.properties) {
      point.lines.push_back({label(property.key), for_people(property)});
    }
    document.blocks.emplace_back(Points{{std::move(point)}});
    if (!explanation.parts.empty()) document.blocks.emplace_back(parts_table(explanation.parts));
  }
  return document;
}

// One table, so that a program finds every property in the same columns.
Document as_rows(const std::vector<NameExplanation>& explanations) {
  Table table{{{"Kind"}, {"Name"}, {"Property"}, {"Value"}}, {}};
  for (const NameExplanation& explanation : explanations) {
    const auto add = [&](std::string property, std::string value) {
      table.rows.push_back({{std::string(explanation.kind)},
                            {explanation.name},
                            {std::move(property)},
                            {std::move(value)}});
    };
    for (const Property& property : explanation.properties) {
      for (const std::string& value : property.values) add(label(property.key), value);
    }
    for (const NamePart& part : explanation.parts) {
      add(fmt::format("part {}", part.text), std::string(part.meaning));
    }
  }
  return Document{{std::move(table)}};
}

void write_json(const std::string& name, const std::vector<NameExplanation>& explanations,
                JsonWriter& json) {
  json.begin_object();
  write_schema_version(json);
  json.member("name", name);
  json.key("explanations");
  json.begin_array();
  for (const NameExplanation& explanation : explanations) {
    json.begin_object();
    json.member("kind", explanation.kind);
    json.member("name", explanation.name);
    for (const Property& property : explanation.properties) {
      if (!property.is_list) {
        json.member(property.key, property.values.front());
        continue;
      }
      json.array(property.key, property.values,
                 [&](const std::string& value) { json.text(value); });
    }
    if (!explanation.parts.empty()) {
      json.key("parts");
      json.begin_array();
      for (const NamePart& part : explanation.parts) {
        json.begin_object();
        json.member("text", part.text);
        json.member("meaning", part.meaning);
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void present_kinds(const OutputFlags& flags, Context& context) {
  const std::vector<NameKind> kinds = name_kinds();
  const auto document = [&] {
    Table table{{{"Kind"}, {"Known", Align::kRight}, {"Listed by"}}, {}};
    for (const NameKind& kind : kinds) {
      table.rows.push_back({{std::string(kind.kind)},
                            {group_digits(kind.count), true},
                            {std::string(kind.listed_by)}});
    }
    return Document{{std::move(table)}};
  };
  const auto json = [&](JsonWriter& writer) {
    writer.begin_object();
    write_schema_version(writer);
    writer.objects("kinds", kinds, [&](const NameKind& kind) {
      writer.member("kind", kind.kind);
      writer.member("count", kind.count);
    });
    writer.end_object();
  };
  present({document, json}, flags, context);
}

// Our own flags, one for each meaning.
std::vector<NameExplanation> explain_flag(const std::string& name, const CommandLine& program) {
  std::vector<NameExplanation> found;
  for (const CommandDescription& command : program.describe().commands) {
    for (const FlagDescription& flag : command.flags) {
      const auto& names = flag.spellings;
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      const auto known = std::find_if(found.begin(), found.end(), [&](const NameExplanation& one) {
        return one.properties.front().values.front() == flag.help;
      });
      if (known != found.end()) {
        known->properties.back().values.push_back(command.name);
        continue;
      }
      found.push_back({"flag",
                       flag.takes_value ? flag.name + " " + flag.value : flag.name,
                       {{"meaning", {flag.help}}, {"commands", {command.name}, true}},
                       {}});
    }
  }
  return found;
}

Result<ExitCode> run(const std::vector<std::string>& words, const OutputFlags& flags,
                     Context& context) {
  if (words.empty()) {
    present_kinds(flags, context);
    return ExitCode::kDone;
  }
  const std::string name = fmt::format("{}", fmt::join(words, " "));
  std::vector<NameExplanation> explanations = explain(name);
  if (explanations.empty()) explanations = explain_flag(name, context.program);
  if (explanations.empty()) {
    const std::vector<std::string> near = names_near(name);
    const std::string hint =
        near.empty() ? "'proofline explain' lists the kinds of names" : "nearest: " + joined(near);
    return fail(ErrorKind::kUsage,
                fmt::format("nothing that is known here is called {}; {}", quote(name), hint));
  }
  present({.document = [&] { return as_document(explanations); },
           .json = [&](JsonWriter& json) { write_json(name, explanations, json); },
           .rows = [&] { return as_rows(explanations); }},
          flags, context);
  return ExitCode::kDone;
}

Run configure_explain(Flags line) {
  auto words = std::make_shared<std::vector<std::string>>();
  line.add("NAME", *words, "Any name; without one, the kinds of names that are known").one_text();
  line.take_unknown();  // "--set full" is a name too
  auto flags = add_output_flags(line);
  return [words, flags, line](Context& context) -> Result<ExitCode> {
    std::vector<std::string> all = line.unknown();
    all.insert(all.end(), words->begin(), words->end());
    return run(all, *flags, context);
  };
}

}  // namespace

Command explain_command() {
  return {"explain",
          CommandGroup::kReport,
          "Explain a rule, fact, metric, stall reason, verdict or old name",
          "  proofline explain long_scoreboard\n"
          "      a stall reason: what the warp waits for, and what helps\n"
          "  proofline explain lts__t_sectors_srcunit_tex_lookup_miss.sum\n"
          "      a metric: its name part by part, its unit, and the flags that bring it\n"
          "  proofline explain SharedMemory\n"
          "      a name that an old guide has, and the right one today\n"
          "  proofline explain moe-evidence/A\n"
          "      an item of a shipped playbook: what it asks, why, and where it comes from\n",
          configure_explain,
          AgentTool{}};
}

}  // namespace proofline
