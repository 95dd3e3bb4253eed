// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/timeline/program_savings.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/record.h"
#include "diagnosis/timeline/ran_names.h"

namespace proofline {
namespace {

// A kernel of the report, with an entry for each shape that it was profiled with.
struct ReportedKernels {
  ReportedName name;
  std::vector<const KernelDiagnosis*> shapes;
};

std::vector<ReportedKernels> by_name(const Profile& profile, const Diagnosis& diagnosis) {
  std::vector<ReportedKernels> all;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> positions;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    if (kernel.kind != LaunchKind::kKernel || kernel.launch >= profile.launches.size()) continue;
    const ReportedName name{kernel.name, kernel.function, profile.launches[kernel.launch].mangled};
    const auto [known, is_new] = positions.try_emplace({name.name, name.mangled}, all.size());
    if (is_new) all.push_back({name, {}});
    std::vector<const KernelDiagnosis*>& shapes = all[known->second].shapes;
    // The same on another device is no other kernel.
    const bool is_known =
        std::any_of(shapes.begin(), shapes.end(), [&](const KernelDiagnosis* one) {
          return one->grid == kernel.grid && one->block == kernel.block;
        });
    if (!is_known) shapes.push_back(&kernel);
  }
  return all;
}

bool is_shape_of(const RanShape& ran, const KernelDiagnosis& kernel) {
  return ran.grid && ran.block && ran.grid == kernel.grid && ran.block == kernel.block;
}

class SavingsOfProgram {
 public:
  SavingsOfProgram(const ProgramTime& time, const Profile& profile, const Diagnosis& diagnosis)
      : time_(time), reported_(by_name(profile, diagnosis)) {}

  ProgramSavings find() && {
    std::vector<ReportedName> reported;
    for (const ReportedKernels& kernel : reported_) reported.push_back(kernel.name);
    std::vector<std::string> ran;
    for (const RanKernel& kernel : time_.kernels) ran.push_back(kernel.name);
    const auto positions = match_ran_names(reported, ran);
    std::vector<bool> is_profiled(ran.size());
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      if (positions[i]) {
        is_profiled[*positions[i]] = true;
        join(reported_[i], time_.kernels[*positions[i]]);
      } else {
        for (const KernelDiagnosis* shape : reported_[i].shapes) add_not_run(*shape);
      }
    }
    for (std::size_t i = 0; i < ran.size(); ++i) {
      if (!is_profiled[i]) savings_.unprofiled.push_back(time_.kernels[i]);
    }
    add_up();
    return std::move(savings_);
  }

 private:
  void join(const ReportedKernels& reported, const RanKernel& ran) {
    const bool is_one_of_several = reported.shapes.size() > 1;
    std::vector<KernelSaving> rows;
    for (const KernelDiagnosis* shape : reported.shapes) rows.push_back(row_of(*shape));
    RanKernel left{ran.name, ran.communication, 0, 0, {}};
    for (const RanShape& shape : ran.shapes) {
      const auto same =
          std::find_if(reported.shapes.begin(), reported.shapes.end(),
                       [&](const KernelDiagnosis* one) { return is_shape_of(shape, *one); });
      if (same == reported.shapes.end()) {
        left.count += shape.count;
        left.total_ns += shape.total_ns;
        left.shapes.push_back(shape);
        continue;
      }
      KernelSaving& row = rows[static_cast<std::size_t>(same - reported.shapes.begin())];
      row.launches += shape.count;
      row.total_ns += shape.total_ns;
      row.median_ns = shape.median_ns;
    }
    // One profiled launch means all launches of its kernel; one of several only for its own,
    // unless there are none.
    if (!is_one_of_several || left.count == ran.count) {
      rows.front().launches += left.count;
      rows.front().total_ns += left.total_ns;
      rows.front().other_launches = left.count;
    } else if (left.count > 0) {
      savings_.unprofiled.push_back(std::move(left));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].launches == 0) {
        add_not_run(*reported.shapes[i]);
        continue;
      }
      rows[i].is_one_of_several = is_one_of_several;
      savings_.kernels.push_back(std::move(rows[i]));
    }
  }

  static KernelSaving row_of(const KernelDiagnosis& kernel) {
    KernelSaving row;
    row.name = kernel.name;
    row.display_name = kernel.display_name;
    row.grid = kernel.grid;
    row.block = kernel.block;
    row.profiled_ns = kernel.duration_ns;
    if (!kernel.findings.empty()) {
      row.cause = kernel.findings.front().id;
      row.gain = kernel.findings.front().gain;
    }
    return row;
  }

  void add_not_run(const KernelDiagnosis& kernel) {
    savings_.not_run.push_back({kernel.name, kernel.display_name, kernel.grid, kernel.block});
  }

  void add_up() {
    std::int64_t kernels_ns = 0;
    for (const RanKernel& kernel : time_.kernels) {
      if (!kernel.communication) kernels_ns += kernel.total_ns;
    }
    // A kernel that runs beside others takes less of the span than its own time.
    const double kernels = time_.share(time_.parts.compute_ns);
    const double side_by_side = std::min(
        1.0, static_cast<double>(time_.parts.compute_ns) /
                 static_cast<double>(std::max<std::int64_t>(kernels_ns + time_.graphs_ns, 1)));
    for (KernelSaving& row : savings_.kernels) {
      const double own = time_.share(row.total_ns);
      row.share = std::min(own, kernels);
      row.low = row.share * row.gain.low;
      row.high = row.share * row.gain.high;
      savings_.low += side_by_side * own * row.gain.low;
      savings_.high += side_by_side * own * row.gain.high;
      if (kernels_ns > 0) {
        savings_.covered += static_cast<double>(row.total_ns) / static_cast<double>(kernels_ns);
      }
    }
    // Communication is no part of what kernels take.
    savings_.low = std::min(savings_.low, kernels);
    savings_.high = std::min(savings_.high, kernels);
    savings_.covered = std::min(savings_.covered, 1.0);
    std::stable_sort(savings_.kernels.begin(), savings_.kernels.end(),
                     [](const KernelSaving& a, const KernelSaving& b) {
                       return std::pair(a.high, a.total_ns) > std::pair(b.high, b.total_ns);
                     });
    std::stable_sort(
        savings_.unprofiled.begin(), savings_.unprofiled.end(),
        [](const RanKernel& a, const RanKernel& b) { return a.total_ns > b.total_ns; });
  }

  const ProgramTime& time_;
  std::vector<ReportedKernels> reported_;
  ProgramSavings savings_;
};

}  // namespace

ProgramSavings program_savings(const ProgramTime& time, const Profile& profile,
                               const Diagnosis& diagnosis) {
  return SavingsOfProgram(time, profile, diagnosis).find();
}

Record describe(const KernelSaving* /*type*/) {
  using Saving = KernelSaving;
  return {
      about("saving"),
      member<&Saving::name>("name"),
      member<&Saving::grid>("grid", "that was profiled"),
      member<&Saving::block>("block"),
      member<&Saving::launches>("launches", "in the program").at_least(1),
      member<&Saving::other_launches>(
          "other_launches",
          "of these, with a grid or block that was not profiled or is not known: taken as alike"),
      member<&Saving::total_ns>("total_ns", "of these launches").at_least(0),
      member<&Saving::median_ns>("median_ns", "of launches with the profiled grid and block")
          .at_least(0),
      member<&Saving::profiled_ns>("profiled_ns", "under the profiler").at_least(0),
      member<&Saving::share>("share", "of the program's time").share(),
      member<&Saving::cause>("cause", "a rule's id; \"\" none was found"),
      group("gain",
            {
                derived("low", [](const Saving& saving) { return saving.gain.low; }),
                derived("high", [](const Saving& saving) { return saving.gain.high; }),
            },
            "of the kernel's own time"),
      member<&Saving::low>("low", "share times gain"),
      member<&Saving::high>("high"),
  };
}

Record describe(const ProgramSavings* /*type*/) {
  using Savings = ProgramSavings;
  return {
      about("savings", "What the program would save, as a share of run.time.span_ns."),
      member<&Savings::low>("low").share(),
      member<&Savings::high>("high", "never more than kernels take").share(),
      member<&Savings::covered>("covered",
                                "of the time of all kernels, what the profiled ones take")
          .share(),
      member<&Savings::kernels>("kernels"),
  };
}

}  // namespace proofline
