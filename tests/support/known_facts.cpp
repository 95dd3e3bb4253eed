// SPDX-License-Identifier: Apache-2.0
//
// An analysis names its facts even where it cannot tell their values, so a launch without a single
// metric has nearly all of them as absent. Only the mix of instructions waits for an opcode.
#include "support/known_facts.h"

#include <memory>
#include <utility>

#include "analysis/analysis.h"

namespace proofline {
namespace {

Metric one_opcode(Profile& profile) {
  Metric metric;
  metric.id = profile.metric_names.intern("sass__inst_executed_per_opcode_with_modifier_all", "");
  metric.has_instances = true;
  metric.instances = std::make_unique<Instances>();
  metric.instances->correlation = std::vector<std::string>{"HMMA.16816.F32"};
  metric.instances->values = std::vector<std::uint64_t>{1};
  return metric;
}

void add_names(const Facts& facts, std::set<std::string, std::less<>>& names) {
  for (const Fact& fact : facts.published()) names.insert(fact.name);
  for (const AbsentFact& fact : facts.absent()) names.insert(fact.name);
}

std::set<std::string, std::less<>> gather_names() {
  std::set<std::string, std::less<>> names;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& info : analysis.facts) {
      if (info.name.find('<') == info.name.npos) names.emplace(info.name);
    }
  }
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  add_names(gather_facts(profile, launch, {}), names);
  launch.metrics.push_back(one_opcode(profile));
  add_names(gather_facts(profile, launch, {}), names);
  return names;
}

}  // namespace

const std::set<std::string, std::less<>>& known_facts() {
  static const std::set<std::string, std::less<>> kNames = gather_names();
  return kNames;
}

}  // namespace proofline
