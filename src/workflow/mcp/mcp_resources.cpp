// SPDX-License-Identifier: Apache-2.0
#include "workflow/mcp/mcp_resources.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>

#include "base/characters.h"
#include "base/file_piece.h"
#include "base/list_folder.h"
#include "readers/format.h"
#include "rules/rule.h"
#include "tools/process/run_folder.h"

namespace proofline {
namespace {

constexpr std::string_view kExplain = "proofline://explain/";
constexpr std::string_view kReport = "proofline://report/";
constexpr std::string_view kRun = "proofline://run/";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMarkdown = "text/markdown";

// A folder may hold anything, so the search is limited.
constexpr std::size_t kMostResources = 500;
constexpr std::size_t kMostRunBytes = std::size_t{4} << 20;

bool is_plain(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_plain(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// Nothing where a % is not followed by two digits, or hides a NUL.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]);
    const auto low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  if (decoded.empty() || decoded.find('\0') != std::string::npos) return std::nullopt;
  return decoded;
}

// What it is, where that is something to diagnose.
const Format* report_format(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return nullptr;
  auto input = Input::open(path, {});
  if (!input) return nullptr;
  const auto format = identify(*input, {InputKind::kProfile});
  return format ? *format : nullptr;
}

void add_reports(const std::set<std::string>& named, std::vector<Resource>& resources) {
  std::set<std::string> paths = named;
  const auto here = list_folder(".").value_or(std::vector<std::string>());
  paths.insert(here.begin(),
               here.begin() + static_cast<std::ptrdiff_t>(std::min(here.size(), kMostResources)));
  for (const std::string& path : paths) {
    const Format* format = report_format(path);
    if (format == nullptr) continue;
    resources.push_back({std::string(kReport) + percent_encoded(path), path,
                         fmt::format("The brief diagnosis of {}", format->what),
                         std::string(kJson)});
  }
}

void add_runs(std::vector<Resource>& resources) {
  auto names = list_folder(kUsualRuns).value_or(std::vector<std::string>());
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  // The last ones: names begin with the time.
  if (names.size() > kMostResources) {
    names.erase(names.begin(), names.end() - static_cast<std::ptrdiff_t>(kMostResources));
  }
  for (const std::string& name : names) {
    resources.push_back({std::string(kRun) + percent_encoded(name), name,
                         "A kept run: what was started, how it ended, and its files",
                         std::string(kJson)});
  }
}

void write_resource(JsonWriter& json, std::string_view key, const Resource& resource) {
  json.begin_object();
  json.member(key, resource.uri);
  json.member("name", resource.name);
  json.member("description", resource.description);
  json.member("mimeType", resource.media_type);
  json.end_object();
}

}  // namespace

std::vector<Resource> mcp_resources(const std::set<std::string>& named) {
  std::vector<Resource> resources;
  add_reports(named, resources);
  add_runs(resources);
  for (const Rule& rule : rules()) {
    resources.push_back({std::string(kExplain) + std::string(rule.id), std::string(rule.id),
                         std::string(rule.what), std::string(kMarkdown)});
  }
  return resources;
}

void write_resources(const std::vector<Resource>& resources, JsonWriter& json) {
  json.array("resources", resources,
             [&](const Resource& resource) { write_resource(json, "uri", resource); });
}

void write_resource_templates(JsonWriter& json) {
  const std::vector<Resource> templates = {
      {std::string(kExplain) + "{name}", "explain",
       "What a rule, fact, metric, stall reason, section, playbook or old name means",
       std::string(kMarkdown)},
      {std::string(kReport) + "{path}", "report",
       "The brief diagnosis of a report, by its path, percent-encoded", std::string(kJson)},
      {std::string(kRun) + "{name}", "run", "A kept run, by its name", std::string(kJson)}};
  json.array("resourceTemplates", templates,
             [&](const Resource& resource) { write_resource(json, "uriTemplate", resource); });
}

std::optional<ResourceRead> resource_read(std::string_view uri) {
  const auto name_after = [&](std::string_view start) -> std::optional<std::string> {
    if (!uri.starts_with(start)) return std::nullopt;
    return percent_decoded(uri.substr(start.size()));
  };
  if (const auto name = name_after(kExplain)) {
    return ResourceRead{std::string(kMarkdown), {"explain", "--format=markdown", "--", *name}, ""};
  }
  if (const auto path = name_after(kReport)) {
    return ResourceRead{
        std::string(kJson), {"diagnose", "--brief", "--format=json", "--", *path}, ""};
  }
  if (const auto name = name_after(kRun)) {
    if (name->starts_with('.') || name->find('/') != std::string::npos) return std::nullopt;
    std::string text =
        read_piece(fmt::format("{}/{}/run.json", kUsualRuns, *name), 0, kMostRunBytes);
    if (text.empty()) return std::nullopt;
    return ResourceRead{std::string(kJson), {}, std::move(text)};
  }
  return std::nullopt;
}

}  // namespace proofline
