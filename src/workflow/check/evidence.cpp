// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/evidence.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/sass/code_diff.h"
#include "analysis/sass/code_report.h"
#include "analysis/sass/expectations.h"
#include "analysis/sass/pattern.h"
#include "base/demangle.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/regex_text.h"
#include "base/text.h"
#include "diagnosis/diagnose.h"
#include "model/profile/display_name.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/ceilings.h"
#include "readers/code/cubin_code.h"
#include "readers/format.h"
#include "readers/read_profile.h"
#include "readers/sanitizer/sanitizer_log.h"
#include "views/quantity.h"
#include "vocabulary/ncu_sections.h"
#include "workflow/check/side_facts.h"
#include "workflow/code/analysed_code.h"

namespace proofline {
namespace {

constexpr std::string_view kProfileCommand = "proofline profile -- CMD";

// A kernel's machine code, decoded when somebody asks for it.
struct KernelCode {
  AnalysedFunction function;
  OpcodeNames opcodes;
};

// The kernel that a lock was closed on, on one side.
struct LockedSide {
  std::size_t side = 0;
  const KernelDiagnosis* kernel = nullptr;   // null: no profile has it
  const AnalysedFunction* listed = nullptr;  // from a file of code; null: none
  const OpcodeNames* opcodes = nullptr;
  Facts facts;  // of the lock and the diagnosis
  mutable std::optional<KernelCode> decoded;
  mutable std::string no_code;
  mutable bool looked = false;
};

// All that was read for one side.
struct EvidenceOfSide {
  std::vector<Profile> profiles;
  Diagnosis diagnosis;
  std::vector<std::unique_ptr<CodeSide>> code;
  Facts facts;  // that are no kernel's
  std::string cc;
};

class Lock {
 public:
  static Result<Lock> make(const KernelLock& lock, const std::string& narrower) {
    Lock made;
    made.lock_ = &lock;
    made.regex_ = std::make_shared<re2::RE2>(lock.name, re2::RE2::Quiet);
    made.narrower_ = std::make_shared<re2::RE2>(narrower, re2::RE2::Quiet);
    if (!made.narrower_->ok()) {
      return fail(ErrorKind::kUsage,
                  fmt::format("--kernel {}: {}", quote(narrower), made.narrower_->error()));
    }
    return made;
  }

  const KernelLock& lock() const { return *lock_; }

  // --kernel tells which of several is judged; before the change it may have had another name.
  Lock unnarrowed() const {
    Lock wide = *this;
    wide.narrower_ = std::make_shared<re2::RE2>("", re2::RE2::Quiet);
    return wide;
  }

  bool matches(const Launch& launch) const {
    if (!lock_->cc.empty() && lock_->cc != launch.compute_capability) return false;
    if (!lock_->grid.empty() && lock_->grid != dim_text(launch.grid)) return false;
    if (!lock_->block.empty() && lock_->block != dim_text(launch.block)) return false;
    return matches_name({launch.name, launch.mangled, launch.function});
  }
  bool matches_function(const std::string& mangled) const {
    return matches_name({mangled, demangle(mangled).text});
  }

 private:
  bool matches_name(const std::vector<std::string_view>& names) const {
    const auto any = [&](const re2::RE2& regex) {
      return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
        return re2::RE2::PartialMatch(regex_text(name), regex);
      });
    };
    return any(*regex_) && any(*narrower_);
  }

  const KernelLock* lock_ = nullptr;
  std::shared_ptr<const re2::RE2> regex_;
  std::shared_ptr<const re2::RE2> narrower_;
};

std::string shown_kernel(const KernelDiagnosis& kernel) {
  return std::string(without_signature(kernel.display_name));
}

}  // namespace

struct GatheredEvidence::State {
  const Playbook* playbook = nullptr;
  EvidencePlan plan;
  KernelLock any_kernel;  // where the playbook has no lock
  std::vector<Lock> locks;
  std::vector<EvidenceOfSide> sides;  // after, before, then cases in their order
  std::vector<std::unique_ptr<FactSource>> kernels;
  std::vector<KernelEvidence> evidence;
  std::vector<std::string> sources;
  std::vector<Note> notes;

  std::optional<std::size_t> side_of(const EvidenceSide& side) const {
    switch (side.kind) {
      case EvidenceSide::Kind::kAfter: return 0;
      case EvidenceSide::Kind::kBefore:
        return plan.before.empty() ? std::nullopt : std::optional<std::size_t>(1);
      case EvidenceSide::Kind::kCase: break;
    }
    for (std::size_t i = 0; i < plan.cases.size(); ++i) {
      if (plan.cases[i].first == side.id) return i + 2;
    }
    return std::nullopt;
  }
};

namespace {

// Facts, code and rules of one lock on every side.
class LockedEvidence final : public FactSource {
 public:
  using SideIndex = std::function<std::optional<std::size_t>(const EvidenceSide&)>;

  LockedEvidence(const Playbook& playbook, const std::vector<EvidenceOfSide>& sides,
                 std::vector<LockedSide> locked, SideIndex index)
      : playbook_(playbook), sides_(sides), locked_(std::move(locked)), index_(std::move(index)) {}

  FactAnswer fact(const EvidenceSide& side, const std::string& name) const override {
    if (name.starts_with("workload.")) return told(side, name.substr(9));
    const auto at = index_(side);
    if (!at) return {std::nullopt, "", no_side(side, name)};
    if (name == "change.code") return changed_code(name);
    if (name.starts_with("change.")) return change(name);
    const LockedSide& locked = locked_[*at];
    const Facts* tables[] = {&locked.facts,
                             locked.kernel != nullptr ? &locked.kernel->facts : nullptr,
                             &sides_[*at].facts};
    for (const Facts* facts : tables) {
      if (facts == nullptr) continue;
      if (const auto found = facts->find(name)) {
        FactAnswer answer;
        answer.unit = found->unit;
        std::visit([&](const auto& value) { answer.value = value; }, found->value);
        return answer;
      }
    }
    return {std::nullopt, "", why_missing(locked, sides_[*at], name)};
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
    if (code_of(side, what, answer.missing)) {
      answer.missing = {what, "the term's value is not known", ""};
    }
    return answer;
  }

  LogicAnswer found(const EvidenceSide& side, const std::string& rule) const override {
    LogicAnswer answer;
    const std::string what = fmt::format("found(\"{}\")", rule);
    const auto at = index_(side);
    if (!at) {
      answer.missing = no_side(side, what);
      return answer;
    }
    const KernelDiagnosis* kernel = locked_[*at].kernel;
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
  FactAnswer journal(std::string_view what, const std::string& id) const override {
    return {std::nullopt,
            "",
            {fmt::format("journal.{}(\"{}\")", what, id), "the journal has no attempt of it", ""}};
  }
  const SmLimits* limits(const EvidenceSide& side) const override {
    const auto at = index_(side);
    return find_sm_limits(at ? sides_[*at].cc : sides_[0].cc);
  }

 private:
  struct CodeOfSide {
    const AnalysedFunction* function = nullptr;
    const OpcodeNames* opcodes = nullptr;
  };

  static MissingFact no_side(const EvidenceSide& side, const std::string& name) {
    if (side.kind == EvidenceSide::Kind::kBefore) {
      return {"before." + name, "there is no evidence of before", "--before FILE"};
    }
    return {fmt::format("case[{}].{}", side.id, name),
            fmt::format("there is no evidence of case {}", side.id),
            fmt::format("--case {}=FILE", side.id)};
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
              {"workload." + key, "nobody told it", fmt::format("--workload {}=VALUE", key)}};
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

  static MissingFact why_missing(const LockedSide& locked, const EvidenceOfSide& side,
                                 const std::string& name) {
    const CatalogueFact* fact = find_catalogue_fact(name);
    const auto said = [&](const Facts& facts) -> std::optional<std::string> {
      for (const AbsentFact& absent : facts.absent()) {
        if (absent.name == name) return absent.reason;
      }
      return std::nullopt;
    };
    if (name.starts_with("sanitizer[")) {
      const std::string tool = name.substr(10, name.find(']') - 10);
      return {name, "no log of " + tool, fmt::format("proofline sanitize --only {} -- CMD", tool)};
    }
    if (fact != nullptr && !fact->command.empty()) {
      auto reason = said(locked.facts);
      if (!reason) reason = said(side.facts);
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

  // Times of benchmarks before and after; ncu's own time is not wall time.
  FactAnswer change(const std::string& name) const {
    constexpr std::string_view kNeeds[][3] = {{"change.gain", "bench.median", "bench.median"},
                                              {"change.gain.low", "bench.low", "bench.high"},
                                              {"change.gain.high", "bench.high", "bench.low"}};
    for (const auto& [fact, before, after] : kNeeds) {
      if (fact != name) continue;
      const auto a = sides_.size() > 1 ? sides_[1].facts.number(before) : std::nullopt;
      const auto b = sides_[0].facts.number(after);
      if (a && b && *a > 0) return {1 - *b / *a, "share", {}};
    }
    return {std::nullopt,
            "",
            {name, "there are no benchmarks of both sides", "--before with a benchmark"}};
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
    const auto at = index_(side);
    if (!at) {
      missing = no_side(side, what);
      return std::nullopt;
    }
    const LockedSide& locked = locked_[*at];
    if (locked.listed != nullptr) return CodeOfSide{locked.listed, locked.opcodes};
    if (!locked.looked) decode(locked, sides_[*at]);
    if (!locked.decoded) {
      missing = {what, locked.no_code, "give the program or its cubin too"};
      return std::nullopt;
    }
    return CodeOfSide{&locked.decoded->function, &locked.decoded->opcodes};
  }

  static void decode(const LockedSide& locked, const EvidenceOfSide& side) {
    locked.looked = true;
    locked.no_code = "no file holds the kernel's code";
    if (locked.kernel == nullptr) return;
    const Profile& profile = side.profiles[locked.kernel->source];
    const Launch& launch = profile.launches[locked.kernel->launch];
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
      locked.decoded = std::move(code);
      return;
    }
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
  const std::vector<EvidenceOfSide>& sides_;
  std::vector<LockedSide> locked_;  // by side
  SideIndex index_;
};

// Reads the files of one side.
class SideReader {
 public:
  SideReader(const std::vector<Lock>& locks, const InputLimits& limits, EvidenceOfSide& side,
             std::vector<std::string>& sources)
      : locks_(locks), limits_(limits), side_(side), sources_(sources) {}

  Result<void> read(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (is_folder(path)) {
        RETURN_IF_ERROR(read_folder(path));
      } else {
        RETURN_IF_ERROR(read_file(path));
      }
    }
    RETURN_IF_ERROR(diagnose_profiles());
    return {};
  }

 private:
  // The files of a run that are known; a folder of Triton's cache is code.
  Result<void> read_folder(const std::string& folder) {
    ASSIGN_OR_RETURN(const auto names, list_folder(folder));
    std::size_t known = 0;
    for (const std::string& name : names) {
      const std::string path = folder + "/" + name;
      auto input = Input::open(path, limits_);
      if (!input) continue;
      const auto prefix = input->peek(kSniffBytes);
      if (!prefix || identify(*prefix) == nullptr) continue;
      RETURN_IF_ERROR(read_file(path));
      ++known;
    }
    if (known > 0) return {};
    return read_code_file(folder);
  }

  Result<void> read_file(const std::string& path) {
    ASSIGN_OR_RETURN(auto input, Input::open(path, limits_));
    ASSIGN_OR_RETURN(const Format* format,
                     identify(input, {InputKind::kProfile, InputKind::kCode, InputKind::kBenchmark,
                                      InputKind::kSanitizerLog, InputKind::kCeilings}));
    sources_.push_back(path);
    if (format->offers(InputKind::kProfile)) {
      ASSIGN_OR_RETURN(auto profile, read_profile(input, diagnosis_read_options(true)));
      profile.path = path;
      side_.profiles.push_back(std::move(profile));
    } else if (format->offers(InputKind::kCode)) {
      RETURN_IF_ERROR(read_code_file(path));
    } else if (format->offers(InputKind::kBenchmark)) {
      ASSIGN_OR_RETURN(const auto series, read_benchmark(path, limits_));
      for (const BenchmarkSide& one : series.sides) publish_benchmark(one.benchmark, side_.facts);
    } else if (format->offers(InputKind::kSanitizerLog)) {
      ASSIGN_OR_RETURN(auto log, read_sanitizer_log(input));
      SanitizerToolResult result;
      result.log = std::move(log);
      result.tool = result.log.tool;
      judge_log(result);
      publish_sanitizer(result, side_.facts);
    } else {
      ASSIGN_OR_RETURN(const auto ceilings, format->read_ceilings(input));
      publish_ceilings(ceilings, side_.facts);
    }
    return {};
  }

  Result<void> read_code_file(const std::string& path) {
    CodeOptions options;
    options.disassembler = "native";  // no other program is run for a check
    ASSIGN_OR_RETURN(auto code, analyse_code(path, options, {.functions = true}, limits_));
    side_.code.push_back(std::make_unique<CodeSide>(std::move(code)));
    return {};
  }

  // Only kernels that a lock may be closed on.
  Result<void> diagnose_profiles() {
    if (side_.profiles.empty()) return {};
    DiagnoseOptions options;
    for (const Profile& profile : side_.profiles) {
      auto& chosen = options.launches.emplace_back();
      for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const bool wanted = std::any_of(locks_.begin(), locks_.end(), [&](const Lock& lock) {
          return lock.matches(profile.launches[i]);
        });
        if (wanted) chosen.push_back(i);
      }
    }
    const bool any = std::any_of(options.launches.begin(), options.launches.end(),
                                 [](const auto& chosen) { return !chosen.empty(); });
    if (any) side_.diagnosis = diagnose(side_.profiles, options);
    return {};
  }

  const std::vector<Lock>& locks_;
  const InputLimits& limits_;
  EvidenceOfSide& side_;
  std::vector<std::string>& sources_;
};

double cost_of(const KernelDiagnosis& kernel) {
  return kernel.spread.total_ns.value_or(kernel.duration_ns.value_or(0));
}

// Finds the lock's kernel on one side. No kernel at all is no error: there may be no profile.
// `same` is the mangled name that it has on the side that is judged: another side's kernel of that
// name comes first; "" none.
Result<LockedSide> close_lock(const Lock& lock, const EvidenceOfSide& side, const std::string& same,
                              LockedKernel& locked) {
  LockedSide closed;
  const auto fits = [&](const KernelDiagnosis& kernel) {
    return lock.matches(side.profiles[kernel.source].launches[kernel.launch]);
  };
  const auto& kernels = side.diagnosis.kernels;
  const bool named =
      !same.empty() && std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) {
        return fits(one) && side.profiles[one.source].launches[one.launch].mangled == same;
      });
  std::size_t matching = 0;
  std::map<std::string, std::size_t> seen;  // name and grid, in which source
  for (const KernelDiagnosis& kernel : side.diagnosis.kernels) {
    const Launch& launch = side.profiles[kernel.source].launches[kernel.launch];
    if (!lock.matches(launch) || (named && launch.mangled != same)) continue;
    const std::string key =
        fmt::format("{} {} {}", launch.mangled, kernel.name, dim_text(kernel.grid));
    const auto [at, fresh] = seen.try_emplace(key, kernel.source);
    if (!fresh && at->second != kernel.source) {
      return fail(ErrorKind::kUsage,
                  fmt::format("{} is in {} and in {}: a side has one capture of a kernel (--before "
                              "takes the other)",
                              quote(shown_kernel(kernel)), quote(side.profiles[at->second].path),
                              quote(side.profiles[kernel.source].path)));
    }
    ++matching;
    if (closed.kernel == nullptr || cost_of(kernel) > cost_of(*closed.kernel)) {
      closed.kernel = &kernel;
    }
  }
  for (const auto& code : side.code) {
    for (std::size_t i = 0; i < code->functions.size(); ++i) {
      const std::string& name = code->report.functions[i].name;
      const bool profiled =
          closed.kernel != nullptr &&
          name == side.profiles[closed.kernel->source].launches[closed.kernel->launch].mangled;
      const bool alone = closed.kernel == nullptr && lock.matches_function(name);
      if (!profiled && !alone) continue;
      closed.listed = &code->functions[i];
      closed.opcodes = &code->report.opcodes;
      if (alone && locked.name.empty()) {
        locked.name = std::string(without_signature(code->report.functions[i].shown));
      }
      break;
    }
  }
  const KernelLock& told = lock.lock();
  if (told.unique_bytes) {
    closed.facts.add({"kernel.unique_bytes", "byte", *told.unique_bytes, {}});
  }
  if (told.flops) closed.facts.add({"kernel.flops", "", *told.flops, {}});
  if (closed.kernel == nullptr) return closed;
  publish_diagnosis(*closed.kernel, closed.facts);
  if (locked.name.empty()) {
    locked.name = shown_kernel(*closed.kernel);
    locked.device = closed.kernel->device_name;
    locked.cc = closed.kernel->compute_capability;
    if (matching > 1) locked.remark = fmt::format("the costliest of {} that match", matching);
  }
  return closed;
}

// One file may stand on two sides.
void add_notes_of(const std::vector<Note>& notes, std::vector<Note>& to) {
  for (const Note& note : notes) {
    const bool known = std::any_of(to.begin(), to.end(), [&](const Note& one) {
      return one.what == note.what && one.place == note.place;
    });
    if (!known) to.push_back(note);
  }
}

std::string names_there_are(const EvidenceOfSide& side) {
  std::string names;
  std::set<std::string> seen;
  for (const Profile& profile : side.profiles) {
    for (const Launch& launch : profile.launches) {
      if (seen.insert(launch.name).second && seen.size() <= 20) {
        names += "\n  " + quote(launch.name);
      }
    }
  }
  for (const auto& code : side.code) {
    for (const FunctionReport& function : code->report.functions) {
      if (seen.insert(function.shown).second && seen.size() <= 20) {
        names += "\n  " + quote(function.shown);
      }
    }
  }
  return names;
}

}  // namespace

GatheredEvidence::GatheredEvidence(std::unique_ptr<State> state) : state_(std::move(state)) {}
GatheredEvidence::GatheredEvidence(GatheredEvidence&&) noexcept = default;
GatheredEvidence& GatheredEvidence::operator=(GatheredEvidence&&) noexcept = default;
GatheredEvidence::~GatheredEvidence() = default;

const std::vector<KernelEvidence>& GatheredEvidence::kernels() const { return state_->evidence; }
const std::vector<std::string>& GatheredEvidence::sources() const { return state_->sources; }
const std::vector<Note>& GatheredEvidence::notes() const { return state_->notes; }

Result<GatheredEvidence> GatheredEvidence::gather(const Playbook& playbook,
                                                  const EvidencePlan& plan,
                                                  const InputLimits& limits) {
  auto state = std::make_unique<State>();
  state->playbook = &playbook;
  state->plan = plan;
  state->any_kernel.id = "kernel";
  state->any_kernel.name = ".";
  std::vector<const KernelLock*> locks;
  for (const KernelLock& lock : playbook.kernels) locks.push_back(&lock);
  if (locks.empty()) locks.push_back(&state->any_kernel);
  for (const KernelLock* lock : locks) {
    ASSIGN_OR_RETURN(auto made, Lock::make(*lock, plan.kernel));
    state->locks.push_back(std::move(made));
  }
  state->sides.resize(2 + plan.cases.size());
  std::vector<Lock> wide;
  for (const Lock& lock : state->locks) wide.push_back(lock.unnarrowed());
  const auto read = [&](std::size_t side, const std::vector<std::string>& files) {
    return SideReader(side == 0 ? state->locks : wide, limits, state->sides[side], state->sources)
        .read(files);
  };
  RETURN_IF_ERROR(read(0, plan.files));
  RETURN_IF_ERROR(read(1, plan.before));
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    RETURN_IF_ERROR(read(i + 2, {plan.cases[i].second}));
  }
  const bool kernels = !state->sides[0].profiles.empty() || !state->sides[0].code.empty();
  bool any = false;
  for (const Lock& lock : state->locks) {
    LockedKernel locked;
    locked.lock = lock.lock().id;
    std::vector<LockedSide> closed;
    std::string name;
    for (EvidenceOfSide& side : state->sides) {
      ASSIGN_OR_RETURN(auto one,
                       close_lock(closed.empty() ? lock : lock.unnarrowed(), side, name, locked));
      if (closed.empty() && one.kernel != nullptr) {
        name = side.profiles[one.kernel->source].launches[one.kernel->launch].mangled;
      }
      if (one.kernel != nullptr && side.cc.empty()) side.cc = one.kernel->compute_capability;
      closed.push_back(std::move(one));
    }
    const bool found = closed[0].kernel != nullptr || closed[0].listed != nullptr;
    if (kernels && !found) {
      state->notes.push_back({NoteKind::kInfo, "",
                              fmt::format("no kernel of the evidence fits the lock {}: {}",
                                          lock.lock().id, quote(lock.lock().name))});
      continue;
    }
    any = any || found;
    const State* raw = state.get();
    state->kernels.push_back(std::make_unique<LockedEvidence>(
        playbook, state->sides, std::move(closed),
        [raw](const EvidenceSide& side) { return raw->side_of(side); }));
    state->evidence.push_back({std::move(locked), state->kernels.back().get()});
    if (!kernels) break;  // one stands for all where nothing is of a kernel
  }
  if (kernels && !any) {
    std::string wanted;
    for (const Lock& lock : state->locks) {
      wanted += (wanted.empty() ? "" : ", ") + quote(lock.lock().name);
    }
    return fail(ErrorKind::kInput,
                fmt::format("no kernel fits {} of the playbook{}; there are:{}", wanted,
                            plan.kernel.empty() ? "" : " and --kernel " + quote(plan.kernel),
                            names_there_are(state->sides[0])));
  }
  for (EvidenceOfSide& side : state->sides) {
    if (!plan.cc.empty()) side.cc = plan.cc;
    if (side.cc.empty()) side.cc = state->sides[0].cc;
    if (const SmLimits* sm = find_sm_limits(side.cc)) publish_arch(*sm, side.facts);
    for (const Profile& profile : side.profiles) add_notes_of(profile.notes, state->notes);
    for (const auto& code : side.code) add_notes_of(code->report.notes, state->notes);
  }
  return GatheredEvidence(std::move(state));
}

}  // namespace proofline
