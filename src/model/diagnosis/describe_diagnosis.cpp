// SPDX-License-Identifier: Apache-2.0
//
// A diagnosis, member by member. diagnosis.cpp has what a benchmark's decision shares with it.
#include "base/json_writer.h"
#include "base/record.h"
#include "model/diagnosis/diagnosis.h"

namespace proofline {
namespace {

// A context value has no threshold; a comparison has one, and compares numbers.
void write_evidence_condition(JsonWriter& json) {
  json.key("if");
  json.raw(R"({"properties":{"op":{"const":""}}})");
  json.key("then");
  json.raw(R"({"properties":{"threshold":{"type":"null"}}})");
  json.key("else");
  json.raw(R"({"properties":{"threshold":{"type":"number"},"value":{"type":"number"}}})");
}

std::vector<std::string_view> ids_of(const std::vector<Finding>& findings) {
  std::vector<std::string_view> ids;
  for (const Finding& finding : findings) ids.emplace_back(finding.id);
  return ids;
}

}  // namespace

Record describe(const Evidence* /*type*/) {
  return {
      about("evidence", "A comparison that held, or with an empty op a value for context.")
          .schema(write_evidence_condition),
      member<&Evidence::fact>("fact").not_empty(),
      member<&Evidence::value>("value"),
      member<&Evidence::unit>("unit", "\"share\" is 0 to 1"),
      member<&Evidence::op>("op").one_of({">=", "<=", ""}),
      member<&Evidence::threshold>("threshold").null_unless([](const Evidence& evidence) {
        return !evidence.op.empty();
      }),
  };
}

Record describe(const Finding* /*type*/) {
  return {
      about("finding"),
      member<&Finding::id>("id", "of the rule").pattern(kRuleIdPattern),
      position("rank", 1),
      member<&Finding::severity>("severity"),
      member<&Finding::statement>("statement").not_empty(),
      member<&Finding::evidence>("evidence"),
      member<&Finding::gain>("gain"),
      member<&Finding::next>("next", "what to do now"),
      derived("explains", "ids of the symptoms",
              [](const Finding& finding) { return ids_of(finding.symptoms); })
          .pattern(kRuleIdPattern),
      member<&Finding::symptoms>("symptoms",
                                 "found too, and accounted for by this cause; largest gain first"),
      member<&Finding::tried>("tried",
                              "attempts in the journal to remove it, the last first; left out "
                              "where there are none")
          .if_there(),
  };
}

Record describe(const NotEvaluated* /*type*/) {
  return {
      about("not_evaluated", "A rule that lacks data."),
      member<&NotEvaluated::id>("id").pattern(kRuleIdPattern),
      member<&NotEvaluated::missing>("missing", "facts"),
      member<&NotEvaluated::reason>("reason"),
      member<&NotEvaluated::capture>("capture", "the ncu flags that would tell; \"\" none would"),
  };
}

Record describe(const Fact* /*type*/) {
  return {
      about("fact").closed(),
      member<&Fact::name>("name").not_empty(),
      member<&Fact::value>("value"),
      member<&Fact::unit>("unit"),
      derived("sources", "the metrics it was made of",
              [](const Fact& fact) -> const std::vector<std::string>& {
                return fact.sources.metrics();
              }),
  };
}

Record describe(const AbsentFact* /*type*/) {
  return {
      about("absent_fact").closed(),
      member<&AbsentFact::name>("name").not_empty(),
      member<&AbsentFact::reason>("reason"),
      member<&AbsentFact::metrics>("metrics", "what to capture"),
  };
}

Record describe(const KernelDiagnosis* /*type*/) {
  using Kernel = KernelDiagnosis;
  return {
      about("kernel", "Launches of one kernel with one shape on one device."),
      position("id", 0, "position in kernels"),
      member<&Kernel::source>("source", "position in sources"),
      group("launches",
            {
                inlined<&Kernel::spread>(),
                member<&Kernel::launch>("representative",
                                        "the launch of median duration, whose facts these are; for "
                                        "`proofline show --launch`"),
                member<&Kernel::launches>("ids", "all of them"),
            }),
      member<&Kernel::name>("name", "demangled"),
      member<&Kernel::function>("function",
                                "without namespaces, template arguments and parameters"),
      member<&Kernel::grid>("grid", "x, y, z; null where the result is no kernel"),
      member<&Kernel::block>("block", "x, y, z; null where the result is no kernel"),
      group("device",
            {
                member<&Kernel::device_name>("name", "\"\" unknown"),
                member<&Kernel::compute_capability>("cc", "compute capability; \"\" unknown"),
            }),
      member<&Kernel::duration_ns>("duration_ns", "the median, under ncu's replay; not wall time"),
      member<&Kernel::verdict>("verdict"),
      member<&Kernel::findings>("findings", "by rank"),
      member<&Kernel::not_evaluated>("not_evaluated"),
      member<&Kernel::clean>("clean", "rules that looked and found nothing")
          .pattern(kRuleIdPattern),
      member<&Kernel::notes>("notes", "what to know about the capture"),
      derived(
          "facts", "with `proofline diagnose --facts`",
          [](const Kernel& kernel) -> const std::deque<Fact>& { return kernel.facts.published(); })
          .on_request(),
      derived("absent", "with `proofline diagnose --facts`",
              [](const Kernel& kernel) { return kernel.facts.absent(); })
          .on_request(),
      member<&Kernel::nvidia_rules>("nvidia_rules", "with `proofline diagnose --nvidia-rules`")
          .on_request(),
  };
}

Record describe(const Diagnosis* /*type*/) {
  return {
      about("diagnosis"),
      schema_version(),
      tool(),
      member<&Diagnosis::sources>("sources", "the files, in the order of the command line")
          .not_empty(),
      member<&Diagnosis::notes>("notes", "what to know about reading them"),
      member<&Diagnosis::kernels>("kernels", "worst first, by total time"),
  };
}

}  // namespace proofline
