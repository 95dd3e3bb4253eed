// SPDX-License-Identifier: Apache-2.0
//
// An analysis names its facts even where it cannot tell their values, so a launch without a single
// metric has nearly all of them as absent. What they say should be captured is then captured.
#include "support/known_facts.h"

#include <memory>
#include <vector>

#include "analysis/analysis.h"
#include "support/captures.h"

namespace proofline {
namespace {

using Names = std::set<std::string, std::less<>>;

void add_names(const Facts& facts, Names& names) {
  for (const Fact& fact : facts.published()) names.insert(fact.name);
  for (const AbsentFact& fact : facts.absent()) names.insert(fact.name);
}

Names gather_names() {
  Names names;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& info : analysis.facts) {
      // Those of a timeline are published for no launch.
      std::string name(info.name);
      if (const std::size_t place = name.find("[<i>]"); place != name.npos) {
        name.replace(place, 5, "[0]");
      }
      if (name.find('<') == name.npos) names.insert(name);
    }
  }
  Profile profile;
  profile.launches.resize(2);
  const Facts nothing = gather_facts(profile, profile.launches[0], {});
  add_names(nothing, names);
  Launch& full = profile.launches[1];
  for (const AbsentFact& absent : nothing.absent()) {
    for (const std::string& metric : absent.metrics) set_metric(profile, full, metric, 1.0);
  }
  for (Metric& metric : full.metrics) {
    // The mix of instructions comes by opcode.
    metric.has_instances = true;
    metric.instances = std::make_unique<Instances>();
    metric.instances->correlation = std::vector<std::string>{"HMMA.16816.F32"};
    metric.instances->values = std::vector<double>{1};
  }
  add_names(gather_facts(profile, full, {}), names);
  return names;
}

}  // namespace

const std::set<std::string, std::less<>>& known_facts() {
  static const Names kNames = gather_names();
  return kNames;
}

}  // namespace proofline
