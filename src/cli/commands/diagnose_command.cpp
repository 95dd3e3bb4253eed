// SPDX-License-Identifier: Apache-2.0
//
// `proofline diagnose FILE...`: one verdict for each kernel, the causes ranked by what removing
// each could gain, the numbers that prove it, and the next step.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/propagate.h"
#include "base/record_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/exit_codes.h"
#include "cli/message.h"
#include "cli/order_flags.h"
#include "cli/output_flags.h"
#include "cli/present_sanitizer.h"
#include "cli/shared_flags.h"
#include "diagnosis/brief.h"
#include "views/diagnosis/comparison_document.h"
#include "views/diagnosis/diagnosis_document.h"
#include "workflow/profile/diagnose_files.h"

namespace proofline {
namespace {

struct DiagnoseFlags {
  DiagnosePlan plan;
  bool verbose = false;
  bool all = false;
  bool brief = false;
  bool facts = false;
};

KernelOrder kernel_order(std::string_view name) {
  if (name == "could-save") return KernelOrder::kCouldSave;
  if (name == "name") return KernelOrder::kName;
  return name == "count" ? KernelOrder::kCount : KernelOrder::kTotal;
}

// JSON and rows have no table of all kernels beside the first ones.
const Diagnosis& first_of(Diagnosis& diagnosis, const OrderFlags& order) {
  diagnosis.kernels.resize(order.shown(diagnosis.kernels.size()));
  return diagnosis;
}

void present_reports(DiagnosedReports& result, const DiagnoseFlags& flags, const OrderFlags& order,
                     const OutputFlags& output, Context& context) {
  Diagnosis& diagnosis = result.diagnosis;
  const auto document = [&] {
    const DiagnosisParts parts{.verbose = flags.verbose,
                               .facts = flags.facts,
                               .nvidia_rules = flags.plan.nvidia_rules,
                               .all = flags.all || flags.plan.launches.is_set(),
                               .top = order.top};
    Document composed = compose_diagnosis(diagnosis, parts);
    add_baseline(result.since, {flags.all}, composed);
    return composed;
  };
  const auto json = [&](JsonWriter& writer) {
    const Diagnosis& some = first_of(diagnosis, order);
    if (flags.brief) return write_record(brief_of(some), writer);
    WriteOptions options;
    if (flags.facts) options.requested = {"facts", "absent"};
    if (flags.plan.nvidia_rules) options.requested.emplace_back("nvidia_rules");
    write_record(result, writer, options);
  };
  present({.document = document,
           .json = json,
           .rows = [&] { return compose_diagnosis_rows(first_of(diagnosis, order)); },
           .notes = diagnosis.notes},
          output, context);
}

void print_gate(const std::vector<GateAnswer>& gate) {
  for (const GateAnswer& answer : gate) {
    const std::string why =
        answer.not_judged.empty() ? "" : " could not be judged: " + answer.not_judged;
    print_message(fmt::format("proofline: --fail-on {}: {}{}\n", answer.rule,
                              escape_terminal(answer.kernel), why));
  }
}

ExitCode exit_code_of(const DiagnosedReports& result) {
  if (!result.gate.empty()) {
    return result.gate.front().not_judged.empty() ? ExitCode::kFailed : ExitCode::kInconclusive;
  }
  for (const ProfileComparison& comparison : result.since) {
    if (exit_code_after(comparison) != ExitCode::kDone) return ExitCode::kPartial;
  }
  return exit_code_after(result.diagnosis.notes);
}

Result<ExitCode> run(DiagnoseFlags flags, const OrderFlags& order, const OutputFlags& output,
                     const InputLimits& limits, Context& context) {
  if (flags.brief && output.format != "json") {
    return fail(ErrorKind::kUsage, "--brief is a form of JSON: add --format json");
  }
  flags.plan.order = kernel_order(order.sort);
  flags.plan.code = flags.facts || flags.verbose;
  ASSIGN_OR_RETURN(auto diagnosed, diagnose_files(flags.plan, limits));
  if (const auto* logs = std::get_if<SanitizerRun>(&diagnosed)) {
    return present_sanitizer_logs(*logs, output, context);
  }
  auto& reports = std::get<DiagnosedReports>(diagnosed);
  print_gate(reports.gate);
  present_reports(reports, flags, order, output, context);
  return exit_code_of(reports);
}

Run configure_diagnose(Flags line) {
  auto flags = std::make_shared<DiagnoseFlags>();
  DiagnosePlan& plan = flags->plan;
  line.add("FILE", plan.files,
           "Reports, folders of them, what ncu printed, or logs of compute-sanitizer; - reads "
           "standard input")
      .required();
  add_launch_flags(line, plan.launches);
  add_rule_flags(line, plan.rules);
  auto order = add_order_flags(line, {"duration", "could-save", "name", "count"});
  line.add_switch("-v,--verbose", flags->verbose,
                  "Every rule's answer with its evidence, the hottest lines, every fact")
      .not_for_agents();
  line.add_switch("--all", flags->all, "A screen for each kernel, however many there are")
      .not_for_agents();
  const Flag facts = line.add_switch("--facts", flags->facts,
                                     "Every fact with its value, unit and source metrics");
  const Flag nvidia_rules = line.add_switch("--nvidia-rules", plan.nvidia_rules,
                                            "What NVIDIA's own rules say, beside it");
  const Flag baseline =
      line.add("--baseline", plan.baseline,
               "An earlier profile: says what got better and worse since, and why")
          .shown_as("A");
  line.add_switch("--brief", flags->brief,
                  "With --format json: what decides, in about 1 KB per kernel, for agents")
      .excludes(facts)
      .excludes(nvidia_rules)
      .excludes(baseline);
  line.add_sizes(
          "--unique-bytes",
          [&plan](std::string kernel, double bytes) {
            plan.unique_bytes[std::move(kernel)] = bytes;
          },
          "Distinct bytes that a kernel touches, which no report tells; suffix K, M, G; may "
          "be repeated")
      .shown_as("KERNEL=BYTES")
      .one_at_a_time();
  add_journal_flag(line, plan.journal);
  auto output = add_output_flags(line);
  auto limits = add_input_flags(line);
  return [flags, order, output, limits](Context& context) -> Result<ExitCode> {
    return run(*flags, *order, *output, context.watched(*limits), context);
  };
}

}  // namespace

Command diagnose_command() {
  return {"diagnose",
          CommandGroup::kReport,
          "Find what bounds each kernel, rank the causes, say what to do",
          "  proofline diagnose report.ncu-rep\n"
          "      a verdict for each kernel, worst first, with the numbers that prove it\n"
          "  proofline diagnose report.ncu-rep --kernel gemm --verbose\n"
          "      all there is to say about some kernels: every rule, fact and hot line\n"
          "  proofline diagnose --format json a.ncu-rep b.csv.gz > diagnosis.json\n"
          "      several files of any format, for a program\n"
          "  proofline diagnose --brief --format json report.ncu-rep\n"
          "      what decides, in about 1 KB per kernel, for a coding agent\n"
          "  proofline diagnose reports/ --fail-on uncoalesced-global,register-spills\n"
          "      a gate for CI over all reports of a folder: exit code 1 where one is found\n"
          "  proofline diagnose --baseline before.ncu-rep after.ncu-rep\n"
          "      the verdicts of one profile, and what changed since another\n"
          "  proofline diagnose report.ncu-rep --unique-bytes transpose=512M\n"
          "      tells how often bytes are moved again, which a report alone cannot\n",
          configure_diagnose,
          AgentTool{.more = "Reads reports of Nsight Compute. The causes are ranked by how much "
                            "time a fix could save, with evidence, throughput, stalls, hot lines, "
                            "launch and the next command. Start here.",
                    .usually = "--brief"}};
}

}  // namespace proofline
