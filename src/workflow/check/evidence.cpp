// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/launch/code_facts.h"
#include "analysis/launch/machine_code_facts.h"
#include "analysis/timeline/timeline_report.h"
#include "arch/arch.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "model/profile/display_name.h"
#include "views/quantity.h"
#include "workflow/check/kernel_lock.h"
#include "workflow/check/locked_evidence.h"
#include "workflow/check/pair_facts.h"
#include "workflow/check/side_facts.h"
#include "workflow/check/side_reader.h"

namespace proofline {

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

  bool has_before() const { return !plan.before.empty() || sides[0].pair; }

  std::optional<std::size_t> side_of(const EvidenceSide& side) const {
    switch (side.kind) {
      case EvidenceSide::Kind::kAfter: return 0;
      case EvidenceSide::Kind::kBefore:
        return has_before() ? std::optional<std::size_t>(1) : std::nullopt;
      case EvidenceSide::Kind::kCase: break;
    }
    for (std::size_t i = 0; i < plan.cases.size(); ++i) {
      if (plan.cases[i].id == side.id) return i + 2;
    }
    return std::nullopt;
  }
};

namespace {

std::string shown_kernel(const KernelDiagnosis& kernel) {
  return std::string(without_signature(kernel.display_name));
}

double cost_of(const KernelDiagnosis& kernel) {
  return kernel.spread.total_ns.value_or(kernel.duration_ns.value_or(0));
}

// What the timeline says of the lock's kernel; of several that fit, of all together.
void publish_timeline_kernel(const Lock& lock, const TimelineReport& timeline, Facts& facts) {
  std::int64_t all_ns = 0;
  std::int64_t sum_ns = 0;
  std::uint64_t launches = 0;
  const NameRow* longest = nullptr;
  for (const NameRow& row : timeline.kernels) {
    all_ns += row.sum_ns;
    if (!lock.matches_function(row.name)) continue;
    sum_ns += row.sum_ns;
    launches += row.count;
    if (longest == nullptr || row.sum_ns > longest->sum_ns) longest = &row;
  }
  if (longest == nullptr || all_ns == 0) {
    for (const char* name :
         {"timeline.kernel.share", "timeline.kernel.median", "timeline.kernel.launches"}) {
      facts.add_absent({name,
                        longest == nullptr ? "no kernel of the timeline fits the lock"
                                           : "the timeline's kernels have no length",
                        {}});
    }
    return;
  }
  facts.add({"timeline.kernel.share",
             std::string(kShare),
             static_cast<double>(sum_ns) / static_cast<double>(all_ns),
             {}});
  facts.add({"timeline.kernel.median", "ns", static_cast<double>(longest->median_ns), {}});
  facts.add({"timeline.kernel.launches", "", static_cast<double>(launches), {}});
}

// Finds the lock's kernel on one side. No kernel at all is no error: there may be no profile.
// `same` is the mangled name that it has on the side that is judged: another side's kernel of that
// name comes first; "" none.
Result<LockedSide> close_lock(const Lock& lock, const EvidenceOfSide& side, const std::string& same,
                              bool take_fullest, LockedKernel& locked) {
  LockedSide closed;
  const auto fits = [&](const KernelDiagnosis& kernel) {
    return lock.matches(side.profiles[kernel.source].launches[kernel.launch]);
  };
  const auto& kernels = side.diagnosis.kernels;
  const bool named =
      !same.empty() && std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) {
        return fits(one) && side.profiles[one.source].launches[one.launch].mangled == same;
      });
  const auto launch_of = [&](const KernelDiagnosis& kernel) -> const Launch& {
    return side.profiles[kernel.source].launches[kernel.launch];
  };
  std::map<std::string, std::vector<const KernelDiagnosis*>> matching;  // by name and grid
  for (const KernelDiagnosis& kernel : side.diagnosis.kernels) {
    const Launch& launch = launch_of(kernel);
    if (!lock.matches(launch) || (named && launch.mangled != same)) continue;
    auto& alike =
        matching[fmt::format("{} {} {}", launch.mangled, kernel.name, dim_text(kernel.grid))];
    if (alike.empty() || alike.front()->source == kernel.source) {
      alike.push_back(&kernel);
      continue;
    }
    const KernelDiagnosis& other = *alike.front();
    if (!take_fullest) {
      return fail(
          ErrorKind::kUsage,
          fmt::format(
              "{} is in {} and in {}: a side has one capture of a kernel ({} takes the other)",
              quote(shown_kernel(kernel)), quote(side.profiles[other.source].path),
              quote(side.profiles[kernel.source].path), option("before")));
    }
    if (launch.metrics.size() > launch_of(other).metrics.size()) alike = {&kernel};
  }
  std::size_t count = 0;
  for (const auto& [name, alike] : matching) {
    count += alike.size();
    for (const KernelDiagnosis* kernel : alike) {
      if (closed.kernel == nullptr || cost_of(*kernel) > cost_of(*closed.kernel)) {
        closed.kernel = kernel;
      }
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
      // A report tells more of the code that it holds: which of its warps wait.
      if (alone || !closed.kernel->facts.find(facts::kSassInstructions)) {
        publish_code_facts({&code->report.functions[i], closed.listed, closed.opcodes},
                           closed.facts);
      }
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
  if (side.timeline) publish_timeline_kernel(lock, side.timeline->report, closed.facts);
  if (closed.kernel == nullptr) return closed;
  publish_diagnosis(*closed.kernel, closed.facts);
  if (locked.name.empty()) {
    locked.name = shown_kernel(*closed.kernel);
    locked.device = closed.kernel->device_name;
    locked.cc = closed.kernel->compute_capability;
    if (count > 1) locked.remark = fmt::format("the costliest of {} that match", count);
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
bool GatheredEvidence::has_before() const { return state_->has_before(); }
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
    return read_side(files, side == 0 ? state->locks : wide, limits, state->sides[side],
                     state->sources);
  };
  RETURN_IF_ERROR(read(0, plan.files));
  RETURN_IF_ERROR(read(1, plan.before));
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    RETURN_IF_ERROR(read(i + 2, plan.cases[i].files));
  }
  EvidenceOfSide& after = state->sides[0];
  EvidenceOfSide& before = state->sides[1];
  if (after.pair) publish_benchmark(after.pair->sides.front().benchmark, before.facts);
  publish_decision(before, after, plan.decide, after.facts);
  const bool kernels = !after.profiles.empty() || !after.code.empty();
  bool any = false;
  for (std::size_t i = 0; i < state->locks.size(); ++i) {
    const Lock& lock = state->locks[i];
    LockedKernel locked;
    locked.lock = lock.lock().id;
    std::vector<LockedSide> closed;
    std::string name;
    for (EvidenceOfSide& side : state->sides) {
      ASSIGN_OR_RETURN(auto one, close_lock(closed.empty() ? lock : wide[i], side, name,
                                            plan.take_fullest, locked));
      if (closed.empty() && one.kernel != nullptr) {
        name = side.profiles[one.kernel->source].launches[one.kernel->launch].mangled;
      }
      if (one.kernel != nullptr && side.cc.empty()) side.cc = one.kernel->compute_capability;
      closed.push_back(std::move(one));
    }
    publish_arguments(before, closed[1], after, closed[0], closed[0].facts);
    const bool found = closed[0].kernel != nullptr || closed[0].listed != nullptr;
    if (kernels && !found) {
      state->notes.push_back({NoteKind::kInfo, "",
                              fmt::format("no kernel of the evidence fits the lock {}: {}",
                                          lock.lock().id, quote(lock.lock().name))});
      continue;
    }
    any = any || found;
    const State* raw = state.get();
    state->kernels.push_back(
        locked_evidence(playbook, state->sides, std::move(closed),
                        [raw](const EvidenceSide& side) { return raw->side_of(side); }));
    state->evidence.push_back({std::move(locked), state->kernels.back().get()});
    if (!kernels) break;  // one stands for all where nothing is of a kernel
  }
  if (kernels && !any) {
    std::string wanted;
    for (const Lock& lock : state->locks) {
      wanted += (wanted.empty() ? "" : ", ") + quote(lock.lock().name);
    }
    return fail(
        ErrorKind::kInput,
        fmt::format("no kernel fits {} of the playbook{}; to check others, change the names of its "
                    "[[kernel]] tables ('proofline check --print NAME' prints a shipped playbook); "
                    "there are:{}",
                    wanted,
                    plan.kernel.empty()
                        ? ""
                        : fmt::format(" and {} {}", option("kernel"), quote(plan.kernel)),
                    names_there_are(after)));
  }
  for (EvidenceOfSide& side : state->sides) {
    if (!plan.cc.empty()) side.cc = plan.cc;
    if (side.cc.empty()) side.cc = state->sides[0].cc;
    if (const SmLimits* sm = find_sm_limits(side.cc)) publish_arch(*sm, side.facts);
    for (const Profile& profile : side.profiles) add_notes_of(profile.notes, state->notes);
    for (const auto& code : side.code) add_notes_of(code->report.notes, state->notes);
    if (side.timeline) add_notes_of(side.timeline->report.notes, state->notes);
    add_notes_of(side.notes, state->notes);
  }
  return GatheredEvidence(std::move(state));
}

}  // namespace proofline
