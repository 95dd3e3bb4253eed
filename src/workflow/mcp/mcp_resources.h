// SPDX-License-Identifier: Apache-2.0
//
// What a client can read beside calling tools: kept runs, reports, and the pages of `explain`.
//
//   proofline://explain/uncoalesced-global     Markdown
//   proofline://report/build%2Fa.ncu-rep       the brief diagnosis, as JSON
//   proofline://run/20261117-151500-gemm       run.json
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace proofline {

struct Resource {
  std::string uri;
  std::string name;
  std::string description;
  std::string media_type;
};

// Runs and reports in this folder, the reports among `named`, and a page for each rule.
std::vector<Resource> mcp_resources(const std::set<std::string>& named);

// The members of the results of resources/list and resources/templates/list.
void write_resources(const std::vector<Resource>& resources, JsonWriter& json);
void write_resource_templates(JsonWriter& json);

// How a resource is read: a command of this program whose output it is, or a text that is at hand.
struct ResourceRead {
  std::string media_type;
  std::vector<std::string> command;  // empty: `text` is it
  std::string text;
};
// Nothing where the URI is none of ours.
std::optional<ResourceRead> resource_read(std::string_view uri);

}  // namespace proofline
