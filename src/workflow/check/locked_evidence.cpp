// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/locked_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include "analysis/sass/code_diff.h"
#include "analysis/sass/expectations.h"
#include "analysis/sass/pattern.h"
#include "base/option.h"
#include "readers/code/cubin_code.h"
#include "vocabulary/ncu_sections.h"

namespace proofline {
namespace {

constexpr std::string_view kProfileCommand = "proofline profile -- CMD";

// A kernel's machine code that a report carries.
struct KernelCode {
  AnalysedFunction function;
  OpcodeNames opcodes;
};

class LockedEvidence final : public FactSource {
 public:
  LockedEvidence(const Playbook& playbook, Sides<LockedSide> sides)
      : playbook_(playbook), sides_(std::move(sides)) {}

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override {
    if (name.starts_with("workload.")) return told(side, name.substr(9));
    const LockedSide* locked = sides_.find(side);
    if (locked == nullptr) return {std::nullopt, "", no_side(side, name)};
    if (name == "change.code") return changed_code(name);
    const Facts* tables[] = {&locked->facts,
                             locked->kernel != nullptr ? &locked->kernel->facts : nullptr,
                             &locked->evidence->facts};
    for (const Facts* facts : tables) {
      if (facts == nullptr) continue;
      if (const auto found = facts->find(name)) {
        FactAnswer answer;
        answer.unit = found->unit;
        std::visit([&](const auto& value) { answer.value = value; }, found->value);
        return answer;
      }
    }
    return {std::nullopt, "", why_missing(*locked, name)};
  }

  LogicAnswer pattern(const EvidenceSide& side, const std::string& text,
                      bool forbid) const override {
    LogicAnswer answer;
    const std::string what = fmt::format("{}(\"{}\")", forbid ? "forbid" : "expect", text);
    const auto code = code_of(side, what, answer.missing);
    const auto pattern = parse_pattern(text);
    if (!code || !pattern) return answer;
    const Expectation result =
        evaluate(*pattern, forbid, code->function->code, code->function->flow, *code->opcodes,
                 code->function->scope);
    switch (result.verdict) {
      case ExpectationVerdict::kPass: answer.answer = Answer::kTrue; break;
      case ExpectationVerdict::kFail: answer.answer = Answer::kFalse; break;
      case ExpectationVerdict::kUnknown: answer.missing = {what, result.text, ""}; break;
    }
    answer.text = seen(*pattern, forbid, result, *code);
    return answer;
  }

  FactAnswer code(const EvidenceSide& side, const std::string& term) const override {
    FactAnswer answer;
    const std::string what = fmt::format("code(\"{}\")", term);
    const auto code = code_of(side, what, answer.missing);
    const auto pattern = parse_code_value(term);
    if (!code || !pattern) return answer;
    const CodeNumber number = measure_pattern(*pattern, code->function->code, code->function->flow,
                                              *code->opcodes, code->function->scope);
    if (number.value) {
      answer.value = *number.value;
    } else {
      answer.missing = {what, number.text, ""};
    }
    return answer;
  }

  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override {
    LogicAnswer answer;
    const std::string what = fmt::format("found(\"{}\")", rule);
    const LockedSide* locked = sides_.find(side);
    if (locked == nullptr) {
      answer.missing = no_side(side, what);
      return answer;
    }
    const KernelDiagnosis* kernel = locked->kernel;
    if (kernel == nullptr) {
      answer.missing = {what, "no profile holds this kernel", std::string(kProfileCommand)};
      return answer;
    }
    if (const Finding* finding = find_finding(kernel->findings, rule)) {
      answer.answer = Answer::kTrue;
      answer.text = finding->statement;
      return answer;
    }
    const auto& clean = kernel->clean;
    if (std::find(clean.begin(), clean.end(), rule) != clean.end()) {
      answer.answer = Answer::kFalse;
      answer.text = "no " + rule;
      return answer;
    }
    for (const NotEvaluated& open : kernel->not_evaluated) {
      if (open.id != rule) continue;
      answer.missing = {what, open.reason,
                        open.capture.empty() ? "" : "ncu " + open.capture + " CMD"};
      return answer;
    }
    answer.missing = {what, "the rule was not evaluated", ""};
    return answer;
  }

  LogicAnswer check(const std::string& id) const override {
    return {Answer::kUnknown, "", {id, "no playbook is being checked", ""}};
  }
  FactAnswer journal(JournalQuestion question, const std::string& task) const override {
    return {std::nullopt,
            "",
            {fmt::format("journal.{}(\"{}\")", to_string(question), task),
             "the journal has no attempt of it", ""}};
  }
  const SmLimits* limits(const EvidenceSide& side) const override {
    const LockedSide* locked = sides_.find(side);
    return find_sm_limits((locked != nullptr ? *locked : sides_.after()).evidence->cc);
  }

 private:
  struct CodeOfSide {
    const AnalysedFunction* function = nullptr;
    const OpcodeNames* opcodes = nullptr;
  };

  static MissingFact no_side(const EvidenceSide& side, const std::string& name) {
    if (side.kind == EvidenceSide::Kind::kBefore) {
      return {"before." + name, "there is no evidence of before",
              fmt::format("{} FILE", option("before"))};
    }
    return {fmt::format("case[{}].{}", side.id, name),
            fmt::format("there is no evidence of case {}", side.id),
            fmt::format("{} {}=FILE", option("case"), side.id)};
  }

  // What the playbook or the user says of the workload, with what a case changes.
  FactAnswer told(const EvidenceSide& side, const std::string& key) const {
    const ToldValue* value = nullptr;
    if (const auto found = playbook_.workload.find(key); found != playbook_.workload.end()) {
      value = &found->second;
    }
    for (const PlaybookCase& one : playbook_.cases) {
      if (side.kind != EvidenceSide::Kind::kCase || one.id != side.id) continue;
      if (const auto set = one.set.find(key); set != one.set.end()) value = &set->second;
    }
    if (value == nullptr || value->asked) {
      return {std::nullopt,
              "",
              {"workload." + key, "it was not given",
               fmt::format("{} {}=VALUE", option("workload"), key)}};
    }
    return {value->value, value->unit, {}};
  }

  static const Finding* find_finding(const std::vector<Finding>& findings, std::string_view rule) {
    for (const Finding& finding : findings) {
      if (finding.id == rule) return &finding;
      if (const Finding* symptom = find_finding(finding.symptoms, rule)) return symptom;
    }
    return nullptr;
  }

  // Whether anything of that source is known: then what is asked for is not in it.
  static bool is_source_given(const Facts& facts, std::string_view source) {
    return std::any_of(facts.published().begin(), facts.published().end(), [&](const Fact& one) {
      const CatalogueFact* known = find_catalogue_fact(one.name);
      return known != nullptr && known->source == source;
    });
  }

  static MissingFact why_missing(const LockedSide& locked, const std::string& name) {
    const Facts& side_facts = locked.evidence->facts;
    const CatalogueFact* fact = find_catalogue_fact(name);
    const auto said = [&](const Facts& facts) -> std::optional<std::string> {
      const auto absent = facts.find_absent(name);
      return absent ? std::optional(absent->reason) : std::nullopt;
    };
    if (name.starts_with("sanitizer[")) {
      const std::string tool = name.substr(10, name.find(']') - 10);
      return {name, "no log of " + tool, fmt::format("proofline sanitize --only {} -- CMD", tool)};
    }
    if (fact != nullptr && !fact->command.empty()) {
      auto reason = said(locked.facts);
      if (!reason) reason = said(side_facts);
      if (!reason && is_source_given(side_facts, fact->source)) {
        return {name, fmt::format("the {} does not tell it", fact->source), ""};
      }
      return {name, reason ? *reason : fmt::format("no {} was given", fact->source),
              std::string(fact->command)};
    }
    if (locked.kernel == nullptr) {
      return {name, "no profile holds this kernel", std::string(kProfileCommand)};
    }
    if (const auto reason = said(locked.facts)) return {name, *reason, ""};
    const AbsentFact absent = locked.kernel->facts.absence(name);
    if (fact != nullptr && absent.metrics == std::vector<std::string>{name}) {
      return {name, "nothing of the kind was captured", std::string(kProfileCommand)};
    }
    const std::string flags = capture_flags(absent.metrics);
    return {name, absent.reason, flags.empty() ? "" : "ncu " + flags + " CMD"};
  }

  FactAnswer changed_code(const std::string& name) const {
    MissingFact missing;
    const auto before = code_of({EvidenceSide::Kind::kBefore, ""}, name, missing);
    const auto after = before ? code_of({}, name, missing) : std::nullopt;
    if (!before || !after) return {std::nullopt, "", missing};
    const CodeDiff diff =
        diff_code({before->function->code, before->function->flow, *before->opcodes},
                  {after->function->code, after->function->flow, *after->opcodes});
    return {std::string(to_string(diff.sameness)), "", {}};
  }

  std::optional<CodeOfSide> code_of(const EvidenceSide& side, const std::string& what,
                                    MissingFact& missing) const {
    const LockedSide* locked = sides_.find(side);
    if (locked == nullptr) {
      missing = no_side(side, what);
      return std::nullopt;
    }
    if (locked->listed) return CodeOfSide{locked->listed->function, locked->listed->opcodes};
    const auto [code, added] = decoded_.try_emplace(locked);
    if (added) code->second = decode(*locked);
    if (!code->second) {
      missing = {what, "no file holds the kernel's code", "give the program or its cubin too"};
      return std::nullopt;
    }
    return CodeOfSide{&code->second->function, &code->second->opcodes};
  }

  // The code that a report carries; nothing where there is none.
  static std::optional<KernelCode> decode(const LockedSide& locked) {
    if (locked.kernel == nullptr) return std::nullopt;
    const Profile& profile = locked.evidence->profiles[locked.kernel->source];
    const Launch& launch = *locked.launch();
    for (const std::uint64_t index : launch.modules) {
      const Module& module = profile.modules[index];
      if (module.cubin.empty()) continue;
      Listing listing;
      std::optional<CodeFunction> kernel;
      const FunctionSink sink([&](CodeFunction&& function) {
        if (!kernel && function.name == launch.mangled) kernel = std::move(function);
      });
      const auto read = read_cubin_code(module.cubin, "module", listing, sink);
      if (!read || !kernel) continue;
      KernelCode code;
      CodeAnalyst analyst(listing.opcodes, {});
      analyst.analyse(std::move(*kernel), &profile, code.function, &launch);
      code.opcodes = std::move(listing.opcodes);
      return code;
    }
    return std::nullopt;
  }

  // "LDG 0x0210, STS 0x0240": where an order was found; otherwise what the assertion says.
  static std::string seen(const Pattern& pattern, bool forbid, const Expectation& result,
                          const CodeOfSide& code) {
    const auto* order = std::get_if<OrderClaim>(&pattern.claim);
    const bool each = order != nullptr && !forbid && order->steps.size() > 1 &&
                      result.verdict == ExpectationVerdict::kPass &&
                      result.instructions.size() == order->steps.size();
    if (!each) {
      const std::string_view whole = " in the function";
      const bool ends = std::string_view(result.text).ends_with(whole);
      return ends ? result.text.substr(0, result.text.size() - whole.size()) : result.text;
    }
    std::string text;
    for (std::size_t i = 0; i < order->steps.size(); ++i) {
      const std::uint32_t at = code.function->code.instructions[result.instructions[i]].address;
      text += fmt::format("{}{} 0x{:04x}", i == 0 ? "" : ", ", order->steps[i].of.text, at);
    }
    return text;
  }

  const Playbook& playbook_;
  Sides<LockedSide> sides_;
  mutable std::map<const LockedSide*, std::optional<KernelCode>> decoded_;  // as it was asked for
};

}  // namespace

std::unique_ptr<FactSource> locked_evidence(const Playbook& playbook, Sides<LockedSide> sides) {
  return std::make_unique<LockedEvidence>(playbook, std::move(sides));
}

}  // namespace proofline
