// SPDX-License-Identifier: Apache-2.0
#include "workflow/check/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "arch/arch.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "workflow/check/kernel_lock.h"
#include "workflow/check/locked_evidence.h"
#include "workflow/check/locked_side.h"
#include "workflow/check/pair_facts.h"
#include "workflow/check/side_facts.h"
#include "workflow/check/side_reader.h"
#include "workflow/check/sides.h"

namespace proofline {

struct GatheredEvidence::State {
  Sides<EvidenceOfSide> sides;
  std::vector<std::unique_ptr<FactSource>> kernels;
  std::vector<KernelEvidence> evidence;
  std::vector<std::string> sources;
  std::vector<Note> notes;
};

namespace {

// A playbook without [[kernel]] is about any kernel.
const KernelLock& any_kernel() {
  static const KernelLock kAny = [] {
    KernelLock any;
    any.id = "kernel";
    any.name = ".";
    return any;
  }();
  return kAny;
}

Result<std::vector<Lock>> make_locks(const Playbook& playbook, const std::string& narrower) {
  std::vector<Lock> locks;
  for (const KernelLock& lock : playbook.kernels) {
    ASSIGN_OR_RETURN(auto made, Lock::make(lock, narrower));
    locks.push_back(std::move(made));
  }
  if (!locks.empty()) return locks;
  ASSIGN_OR_RETURN(auto any, Lock::make(any_kernel(), narrower));
  locks.push_back(std::move(any));
  return locks;
}

std::vector<Lock> unnarrowed(const std::vector<Lock>& locks) {
  std::vector<Lock> wide;
  for (const Lock& lock : locks) wide.push_back(lock.unnarrowed());
  return wide;
}

// `locks` are of what is judged, `wide` of the other sides.
Result<Sides<EvidenceOfSide>> read_sides(const EvidencePlan& plan, const std::vector<Lock>& locks,
                                         const std::vector<Lock>& wide, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto judged, read_side(plan.files, locks, limits));
  Sides<EvidenceOfSide> sides(std::move(judged));
  const auto& pair = sides.after().pair;
  if (!plan.before.empty() || pair) {
    ASSIGN_OR_RETURN(auto before, read_side(plan.before, wide, limits));
    if (pair) publish_benchmark(pair->sides.front().benchmark, before.facts);
    sides.add({EvidenceSide::Kind::kBefore, ""}, std::move(before));
  }
  for (const CaseFiles& one : plan.cases) {
    ASSIGN_OR_RETURN(auto of_case, read_side(one.files, wide, limits));
    sides.add({EvidenceSide::Kind::kCase, one.id}, std::move(of_case));
  }
  publish_decision(sides, plan.decide);
  return sides;
}

// On the other sides a kernel of the same mangled name as the one that is judged comes first.
Result<Sides<LockedSide>> close_sides(const Lock& lock, const Sides<EvidenceOfSide>& sides,
                                      bool take_fullest) {
  ASSIGN_OR_RETURN(auto judged, close_lock(lock, sides.after(), "", take_fullest));
  const std::string same = judged.launch() != nullptr ? judged.launch()->mangled : "";
  Sides<LockedSide> closed(std::move(judged));
  const Lock wide = lock.unnarrowed();
  for (const auto& [side, evidence] : sides) {
    if (&evidence == &sides.after()) continue;
    ASSIGN_OR_RETURN(auto other, close_lock(wide, evidence, same, take_fullest));
    closed.add(side, std::move(other));
  }
  publish_arguments(closed);
  return closed;
}

// The compute capability of each side: as the plan tells, or that of its kernel, or else that of
// what is judged.
void name_gpus(const std::string& told, const std::vector<Sides<LockedSide>>& kernels,
               Sides<EvidenceOfSide>& sides) {
  for (auto& [side, evidence] : sides) {
    for (const Sides<LockedSide>& kernel : kernels) {
      const LockedSide& locked = *kernel.find(side);
      if (evidence.cc.empty() && locked.kernel) evidence.cc = locked.kernel->compute_capability;
    }
    if (!told.empty()) evidence.cc = told;
    if (evidence.cc.empty()) evidence.cc = sides.after().cc;
    if (const SmLimits* sm = find_sm_limits(evidence.cc)) publish_arch(*sm, evidence.facts);
  }
}

// Each once, though one file may be on two sides.
void add_notes_of(const std::vector<Note>& notes, std::vector<Note>& to) {
  for (const Note& note : notes) {
    const bool known = std::any_of(to.begin(), to.end(), [&](const Note& one) {
      return one.what == note.what && one.place == note.place;
    });
    if (!known) to.push_back(note);
  }
}

void add_notes_of(const EvidenceOfSide& side, std::vector<Note>& to) {
  for (const Profile& profile : side.profiles) add_notes_of(profile.notes, to);
  for (const auto& code : side.code) add_notes_of(code->report.notes, to);
  if (side.timeline) add_notes_of(side.timeline->report.notes, to);
  add_notes_of(side.notes, to);
}

std::string names_there_are(const EvidenceOfSide& side) {
  std::string names;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second && seen.size() <= 20) names += "\n  " + quote(name);
  };
  for (const Profile& profile : side.profiles) {
    for (const Launch& launch : profile.launches) add(launch.name);
  }
  for (const auto& code : side.code) {
    for (const FunctionReport& function : code->report.functions) add(function.shown);
  }
  return names;
}

tl::unexpected<Error> no_kernel_fits(const std::vector<Lock>& locks, const std::string& narrower,
                                     const EvidenceOfSide& judged) {
  std::string wanted;
  for (const Lock& lock : locks) {
    wanted += (wanted.empty() ? "" : ", ") + quote(lock.lock().name);
  }
  const std::string and_narrower =
      narrower.empty() ? "" : fmt::format(" and {} {}", option("kernel"), quote(narrower));
  return fail(ErrorKind::kInput,
              fmt::format("no kernel fits {} of the playbook{}; to check others, change the names "
                          "of its [[kernel]] tables ('proofline check --print NAME' prints a "
                          "shipped playbook); there are:{}",
                          wanted, and_narrower, names_there_are(judged)));
}

}  // namespace

GatheredEvidence::GatheredEvidence(std::unique_ptr<State> state) : state_(std::move(state)) {}
GatheredEvidence::GatheredEvidence(GatheredEvidence&&) noexcept = default;
GatheredEvidence& GatheredEvidence::operator=(GatheredEvidence&&) noexcept = default;
GatheredEvidence::~GatheredEvidence() = default;

const std::vector<KernelEvidence>& GatheredEvidence::kernels() const { return state_->evidence; }
bool GatheredEvidence::has_before() const { return state_->sides.before() != nullptr; }
const std::vector<std::string>& GatheredEvidence::sources() const { return state_->sources; }
const std::vector<Note>& GatheredEvidence::notes() const { return state_->notes; }

Result<GatheredEvidence> GatheredEvidence::gather(const Playbook& playbook,
                                                  const EvidencePlan& plan,
                                                  const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto locks, make_locks(playbook, plan.kernel));
  ASSIGN_OR_RETURN(auto sides, read_sides(plan, locks, unnarrowed(locks), limits));
  auto state = std::make_unique<State>(State{std::move(sides), {}, {}, {}, {}});

  std::vector<Sides<LockedSide>> kernels;
  for (const Lock& lock : locks) {
    ASSIGN_OR_RETURN(auto closed, close_sides(lock, state->sides, plan.take_fullest));
    kernels.push_back(std::move(closed));
  }
  name_gpus(plan.cc, kernels, state->sides);

  const EvidenceOfSide& judged = state->sides.after();
  const bool has_kernels = !judged.profiles.empty() || !judged.code.empty();
  const bool any = std::any_of(kernels.begin(), kernels.end(),
                               [](const auto& closed) { return closed.after().found(); });
  if (has_kernels && !any) return no_kernel_fits(locks, plan.kernel, judged);
  // Where no evidence is of a kernel, one lock means all.
  if (!has_kernels) kernels.erase(kernels.begin() + 1, kernels.end());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (has_kernels && !kernels[i].after().found()) {
      const KernelLock& lock = locks[i].lock();
      state->notes.push_back({NoteKind::kInfo, "",
                              fmt::format("no kernel of the evidence fits the lock {}: {}", lock.id,
                                          quote(lock.name))});
      continue;
    }
    LockedKernel locked = describe_locked(locks[i], kernels[i]);
    state->kernels.push_back(locked_evidence(playbook, std::move(kernels[i])));
    state->evidence.push_back({std::move(locked), state->kernels.back().get()});
  }
  for (const auto& [side, evidence] : state->sides) {
    state->sources.insert(state->sources.end(), evidence.sources.begin(), evidence.sources.end());
    add_notes_of(evidence, state->notes);
  }
  return GatheredEvidence(std::move(state));
}

}  // namespace proofline
