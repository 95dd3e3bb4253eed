// SPDX-License-Identifier: Apache-2.0
//
// Sections by hand, since they are few and each deserves a sentence; which metric is in which comes
// from ncu's section files through scripts/make-section-table.
#include "vocabulary/ncu_sections.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "vocabulary/name_table.h"

namespace proofline {
namespace {

constexpr NcuSection kSections[] = {
    {"SpeedOfLight", "GPU Speed Of Light Throughput", "basic detailed full roofline",
     "Duration, clocks, and how busy SM, L1, L2 and DRAM are, with the breakdown of each."},
    {"LaunchStats", "Launch Statistics", "basic detailed full",
     "Grid, block, cluster, registers, shared memory and waves of the launch."},
    {"Occupancy", "Occupancy", "basic detailed full",
     "Theoretical and achieved occupancy, and what limits the blocks on an SM."},
    {"WarpStateStats", "Warp State Statistics", "full",
     "What resident warps wait for, in cycles per issued instruction."},
    {"SchedulerStats", "Scheduler Statistics", "full",
     "Active, eligible and issued warps of a scheduler, and its empty issue slots."},
    {"ComputeWorkloadAnalysis", "Compute Workload Analysis", "detailed full",
     "Instructions per cycle and how busy each pipe of the SM is."},
    {"MemoryWorkloadAnalysis", "Memory Workload Analysis", "detailed full",
     "DRAM bandwidth, hit rates of L1 and L2, busy memory units, register spills."},
    {"MemoryWorkloadAnalysis_Tables", "Memory Workload Analysis Tables", "full",
     "Requests, sectors, wavefronts, bank conflicts and hit rates by unit and operation."},
    {"MemoryWorkloadAnalysis_Chart", "Memory Workload Analysis Chart", "detailed full",
     "Traffic between the memory units, host and peer memory included."},
    {"InstructionStats", "Instruction Statistics", "full",
     "Instructions executed and issued, by opcode."},
    {"SourceCounters", "Source Counters", "detailed full",
     "Stall samples, instruction counts and memory access by instruction; branch efficiency."},
    {"WorkloadDistribution", "GPU and Memory Workload Distribution", "basic detailed full roofline",
     "How evenly SMs, caches and DRAM channels were busy."},
    {"SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", "detailed full roofline",
     "Roofline over DRAM for FP32 and FP64."},
    {"SpeedOfLight_HierarchicalSingleRooflineChart",
     "GPU Speed Of Light Hierarchical Roofline Chart (Single Precision)", "full roofline",
     "Roofline over L1, L2 and DRAM for FP32."},
    {"SpeedOfLight_HierarchicalDoubleRooflineChart",
     "GPU Speed Of Light Hierarchical Roofline Chart (Double Precision)", "full roofline",
     "Roofline over L1, L2 and DRAM for FP64."},
    {"SpeedOfLight_HierarchicalHalfRooflineChart",
     "GPU Speed Of Light Hierarchical Roofline Chart (Half Precision)", "full roofline",
     "Roofline over L1, L2 and DRAM for FP16."},
    {"SpeedOfLight_HierarchicalTensorRooflineChart",
     "GPU Speed Of Light Hierarchical Roofline Chart (Tensor Core)", "full roofline",
     "Operations of the tensor cores by type of number, and their roofline."},
    {"NumaAffinity", "NUMA Affinity", "full", "The NUMA nodes of the GPUs' processors and memory."},
    {"Nvlink", "NVLink", "nvlink", "Bytes sent and received over NVLink."},
    {"Nvlink_Tables", "NVLink Tables", "full nvlink", "Properties of each NVLink."},
    {"Nvlink_Topology", "NVLink Topology", "full nvlink", "Which GPU is linked with which."},
    {"C2CLink", "C2CLink", "", "Traffic between CPU and GPU over NVLink-C2C."},
    {"PmSampling", "PM Sampling", "full pmsampling",
     "Throughputs and pipes over the time of the launch."},
    {"PmSampling_WarpStates", "PM Sampling: Warp States", "pmsampling",
     "Warp states over the time of the launch."},
};

constexpr NcuSet kSets[] = {
    {"basic", "Speed of light, launch, occupancy, distribution; what ncu takes without --set."},
    {"detailed",
     "Basic with pipes, memory, source counters and a roofline; no warp states, no scheduler or "
     "instruction statistics, no memory tables."},
    {"full", "All but the counters of links and sampled warp states; what the diagnosis wants."},
    {"nvlink", "NVLink traffic, properties and topology."},
    {"pmsampling", "Counters and warp states over time."},
    {"roofline", "Speed of light, distribution and all rooflines."},
};

constexpr std::string_view kSectionTable[] = {
#include "vocabulary/ncu_sections.inc"
};

constexpr char kEveryCapture = '-';

// Maps a letter of the table to its section.
struct Index {
  NameTable table;
  const NcuSection* by_letter[128] = {};
};

const Index& index() {
  static const Index kIndex = [] {
    Index made;
    made.table = read_name_table(kSectionTable);
    for (const std::string_view word : made.table.legend) {  // "A=C2CLink"
      const NcuSection* section = find_ncu_section(word.substr(2));
      CHECK(section != nullptr, "the table names sections that are described");
      made.by_letter[static_cast<unsigned char>(word[0])] = section;
    }
    return made;
  }();
  return kIndex;
}

// "x__y.sum.per_second" -> "x__y.*.per_second", which matches all four rollups; "" where the
// name has none.
std::string any_rollup(std::string_view metric) {
  const std::size_t unit_end = metric.find("__");
  if (unit_end == metric.npos) return "";
  const std::size_t dot = metric.find('.', unit_end);
  if (dot == metric.npos) return "";
  const std::size_t end = std::min(metric.find('.', dot + 1), metric.size());
  const std::string_view rollup = metric.substr(dot + 1, end - dot - 1);
  if (rollup != "sum" && rollup != "avg" && rollup != "min" && rollup != "max") return "";
  return std::string(metric.substr(0, dot + 1)) + "*" + std::string(metric.substr(end));
}

// The letters of all rows that bring the metric.
std::string letters_of(std::string_view metric) {
  const NameTable& table = index().table;
  std::string letters;
  const auto add = [&](const NamedRow* row) {
    if (row != nullptr) letters += row->data;
  };
  add(table.find(metric));
  add(table.find(any_rollup(metric)));
  if (letters.empty()) {
    for (const NamedRow& row : table.with_prefix(std::string(metric) + ".")) add(&row);
  }
  return letters;
}

using Sections = std::vector<const NcuSection*>;

Sections find_sections(std::string_view metric) {
  std::set<const NcuSection*> found;  // in the order of the array
  for (const char letter : letters_of(metric)) {
    const NcuSection* section = index().by_letter[static_cast<unsigned char>(letter)];
    if (section != nullptr) found.insert(section);
  }
  return {found.begin(), found.end()};
}

// Whether --metrics can ask for it: what sections define, and what is no metric at all, it cannot.
bool is_counter_name(std::string_view name) {
  return name.find("__") != name.npos && !name.starts_with("derived__");
}

bool contains(const Sections& sections, const NcuSection* section) {
  return std::find(sections.begin(), sections.end(), section) != sections.end();
}

// A small cover of the choices: each needs one section that is among its own. First those without a
// choice, then whichever serves most of the rest; last, what turned out to be superfluous goes.
Sections cover(const std::vector<Sections>& choices) {
  Sections chosen;
  const auto is_met = [](const Sections& choice, const Sections& by) {
    return std::any_of(choice.begin(), choice.end(),
                       [&](const NcuSection* section) { return contains(by, section); });
  };
  for (const Sections& choice : choices) {
    if (choice.size() == 1 && !contains(chosen, choice[0])) chosen.push_back(choice[0]);
  }
  while (true) {
    const NcuSection* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const NcuSection& section : kSections) {
      const auto served =
          std::count_if(choices.begin(), choices.end(), [&](const Sections& choice) {
            return !is_met(choice, chosen) && contains(choice, &section);
          });
      if (served > most) {
        best = &section;
        most = served;
      }
    }
    if (best == nullptr) break;
    chosen.push_back(best);
  }
  for (std::size_t i = chosen.size(); i-- > 0;) {
    Sections fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const bool enough = std::all_of(choices.begin(), choices.end(),
                                    [&](const Sections& choice) { return is_met(choice, fewer); });
    if (enough) chosen = std::move(fewer);
  }
  std::sort(chosen.begin(), chosen.end());  // as in the table
  return chosen;
}

}  // namespace

std::span<const NcuSection> ncu_sections() { return kSections; }

std::span<const NcuSet> ncu_sets() { return kSets; }

const NcuSection* find_ncu_section(std::string_view id) {
  const auto found = std::find_if(std::begin(kSections), std::end(kSections),
                                  [&](const NcuSection& section) { return section.id == id; });
  return found != std::end(kSections) ? found : nullptr;
}

const NcuSet* find_ncu_set(std::string_view id) {
  const auto found = std::find_if(std::begin(kSets), std::end(kSets),
                                  [&](const NcuSet& set) { return set.id == id; });
  return found != std::end(kSets) ? found : nullptr;
}

bool is_in_set(const NcuSection& section, std::string_view set) {
  std::string_view rest = section.sets;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == set) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::vector<std::string_view> sections_with(std::string_view metric) {
  std::vector<std::string_view> ids;
  for (const NcuSection* section : find_sections(metric)) ids.push_back(section->id);
  return ids;
}

bool is_in_every_capture(std::string_view metric) {
  return letters_of(metric).find(kEveryCapture) != std::string::npos;
}

std::vector<std::string_view> metrics_of(const NcuSection& section) {
  std::vector<std::string_view> names;
  for (const NamedRow& row : index().table.rows) {
    const bool brings = std::any_of(row.data.begin(), row.data.end(), [&](char letter) {
      return index().by_letter[static_cast<unsigned char>(letter)] == &section;
    });
    if (brings) names.push_back(row.name);
  }
  return names;
}

std::string capture_flags(std::span<const std::string> metrics) {
  std::vector<Sections> choices;
  std::vector<std::string_view> single;
  for (const std::string& metric : metrics) {
    if (is_in_every_capture(metric)) continue;
    Sections sections = find_sections(metric);
    if (!sections.empty()) {
      choices.push_back(std::move(sections));
    } else if (is_counter_name(metric) &&
               std::find(single.begin(), single.end(), metric) == single.end()) {
      single.push_back(metric);
    }
  }
  std::string flags;
  for (const NcuSection* section : cover(choices)) {
    flags += (flags.empty() ? "--section " : " --section ") + std::string(section->id);
  }
  std::string_view separator = flags.empty() ? "--metrics " : " --metrics ";
  for (const std::string_view metric : single) {
    flags.append(separator).append(metric);
    separator = ",";
  }
  return flags;
}

}  // namespace proofline
