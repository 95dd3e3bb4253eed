// SPDX-License-Identifier: Apache-2.0
//
// What holds a whole program back: the host, copies, communication or kernels. Reads what
// `proofline trace` records, traces of PyTorch's profiler and exports of Nsight Systems.
//
//   const auto timeline = proofline::load_timeline({"trace.json.gz"});
//   if (!timeline) return complain(timeline.error().message);
//   std::cout << timeline->headline() << '\n';
//   std::cout << timeline->facts().number("timeline.gpu_idle.share").value_or(0) << '\n';
//
// Tables of kernels, gaps and steps are what render() (proofline/render.h) makes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/diagnosis/diagnosis.h"
#include "model/diagnosis/facts.h"
#include "model/note.h"

namespace proofline {

struct TimelineDiagnosis;

// A judged timeline. Copies share it; nothing changes it any more.
class JudgedTimeline {
 public:
  const std::string& headline() const;
  const std::vector<Finding>& findings() const;  // by what they can gain, the most first
  const Facts& facts() const;                    // timeline.*
  const std::vector<Note>& notes() const;

 private:
  friend struct ApiAccess;
  explicit JudgedTimeline(std::shared_ptr<const TimelineDiagnosis> diagnosis)
      : diagnosis_(std::move(diagnosis)) {}

  std::shared_ptr<const TimelineDiagnosis> diagnosis_;
};

// Several files, or a folder of them, are the ranks of one job: the rank is judged that was asked
// for, or else the one that the others wait for.
Result<JudgedTimeline> load_timeline(const std::vector<std::string>& paths,
                                     std::optional<std::uint64_t> rank = std::nullopt);

}  // namespace proofline
