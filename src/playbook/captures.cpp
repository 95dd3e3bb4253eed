// SPDX-License-Identifier: Apache-2.0
#include "playbook/captures.h"

#include <optional>
#include <set>

#include "analysis/analysis.h"
#include "model/profile/profile.h"
#include "playbook/expression_types.h"
#include "playbook/fact_catalogue.h"

namespace proofline {
namespace {

class NeededMetrics {
 public:
  explicit NeededMetrics(const Facts& nothing) : nothing_(nothing) {}

  void add(const Expression& expression) {
    for (const std::string& fact : facts_of(expression)) {
      const CatalogueFact* known = find_catalogue_fact(fact);
      if (known == nullptr && fact.find("__") == std::string::npos) continue;
      if (known != nullptr && !known->command.empty()) continue;  // it comes from elsewhere
      for (const std::string& metric : nothing_.absence(fact).metrics) {
        // A fact that no analysis names is taken for a metric of that name.
        if (known == nullptr || metric != fact) metrics_.insert(metric);
      }
    }
  }
  void add(const std::optional<PlaybookExpression>& expression) {
    if (expression) add(expression->expression);
  }
  void add(const std::vector<PlaybookExpression>& expressions) {
    for (const PlaybookExpression& one : expressions) add(one.expression);
  }

  std::vector<std::string> take() const { return {metrics_.begin(), metrics_.end()}; }

 private:
  const Facts& nothing_;
  std::set<std::string> metrics_;
};

}  // namespace

std::vector<std::string> metrics_for(const Playbook& playbook) {
  const Profile profile;
  const Launch launch;
  const Facts nothing = gather_facts(profile, launch, {});
  NeededMetrics needed(nothing);
  for (const auto& [name, let] : playbook.lets) needed.add(let);
  for (const PlaybookCheck& check : playbook.checks) {
    needed.add(check.expr.expression);
    needed.add(check.when);
  }
  for (const PlaybookTask& task : playbook.tasks) {
    needed.add(task.when);
    needed.add(task.accept);
    needed.add(task.legal);
  }
  for (const TreeNode& node : playbook.tree) needed.add(node.when);
  for (const PlaybookDeliverable& deliverable : playbook.deliverables) {
    for (const DeliverablePart& part : deliverable.parts) {
      for (const DeliverablePart::Field& field : part.fields) needed.add(field.expr.expression);
    }
  }
  return needed.take();
}

}  // namespace proofline
