// SPDX-License-Identifier: Apache-2.0
//
// Composes what `diagnose` says of all kernels: sources, the table, screens, notes; and the rows
// for programs.
#include "views/diagnosis/diagnosis_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/option.h"
#include "base/text.h"
#include "diagnosis/order_kernels.h"
#include "model/profile/display_name.h"
#include "views/diagnosis/kernel_screen.h"
#include "views/notes.h"
#include "views/quantity.h"
#include "vocabulary/ncu_sections.h"

namespace proofline {
namespace {

// Up to kFewKernels all get a screen of their own; of more only the kMostScreens costliest do.
constexpr std::size_t kFewKernels = 8;
constexpr std::size_t kMostScreens = 5;
// Of several files: where to begin.
constexpr std::size_t kMostSavings = 10;

// "4 rules not evaluated; to evaluate them: ncu --section X"; "" where all were.
std::string not_evaluated_text(const KernelDiagnosis& kernel) {
  std::vector<std::string> metrics;
  std::vector<std::string> others;  // that no capture tells
  for (const NotEvaluated& rule : kernel.not_evaluated) {
    if (rule.capture.empty()) {
      others.push_back(rule.reason.empty() ? rule.id : rule.id + ": " + rule.reason);
      continue;
    }
    for (std::string& metric : kernel.facts.metrics_for(rule.missing)) {
      metrics.push_back(std::move(metric));
    }
  }
  const std::size_t count = kernel.not_evaluated.size();
  const std::size_t can_be = count - others.size();
  if (count == 0) return "";
  std::string text = plural(count, "rule") + " not evaluated";
  if (can_be > 0) {
    const std::string which = can_be < count ? std::to_string(can_be) + " of them"
                              : count == 1   ? "it"
                                             : "them";
    text += fmt::format("; to evaluate {}: ncu {}", which, capture_flags(metrics));
  }
  for (const std::string& other : others) text += "; " + other;
  return text;
}

// One numbering for tables, headings, --kernel and --launch: that of the launches.
std::size_t number_of(const KernelDiagnosis& kernel) {
  return kernel.launches.empty() ? kernel.launch : kernel.launches.front();
}

// {0, 1, 2, 5} -> "0 to 2, 5"
std::string runs_text(const std::vector<std::size_t>& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(sorted[i]);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

// What holds for many kernels is said once, of those that have a screen.
void add_kernel_notes(const Diagnosis& diagnosis, std::size_t screens, Document& document) {
  std::vector<std::pair<Callout, std::vector<std::size_t>>> notes;  // with the kernels' numbers
  const auto note = [&](bool loss, std::string text, std::size_t kernel) {
    const auto same = [&](const auto& known) { return known.first.text == text; };
    auto known = std::find_if(notes.begin(), notes.end(), same);
    if (known == notes.end()) known = notes.insert(known, {Callout{loss, std::move(text)}, {}});
    known->second.push_back(kernel);
  };
  for (std::size_t i = 0; i < screens; ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    if (std::string text = not_evaluated_text(kernel); !text.empty()) {
      note(false, std::move(text), number_of(kernel));
    }
    for (const Note& one : kernel.notes) {
      note(one.kind == NoteKind::kLoss, note_text(one), number_of(kernel));
    }
  }
  for (auto& [callout, kernels] : notes) {
    if (kernels.size() < screens) {
      // In several files numbers come again.
      const bool numbered = diagnosis.sources.size() == 1;
      std::sort(kernels.begin(), kernels.end());
      callout.text = numbered
                         ? fmt::format("kernel{} {}: {}", kernels.size() == 1 ? "" : "s",
                                       runs_text(kernels), callout.text)
                         : fmt::format("{}: {}", plural(kernels.size(), "kernel"), callout.text);
    }
    document.blocks.emplace_back(std::move(callout));
  }
}

// The name of each kernel for tables and headings; shapes tell namesakes apart.
std::vector<std::string> kernel_names(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> uses;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    names.push_back(shown_name(without_signature(kernel.display_name)));
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    if (uses[names[i]] > 1 && (kernel.grid || kernel.block)) {
      names[i] += fmt::format(" [{}, {}]", dim_text(kernel.grid), dim_text(kernel.block));
    }
  }
  return names;
}

// A table's room is too small for folders: only where two files have one name.
std::vector<std::string> file_names(const Diagnosis& diagnosis) {
  std::vector<std::string> names;
  std::set<std::string> different;
  for (const DiagnosisSource& source : diagnosis.sources) {
    names.push_back(source.path.substr(source.path.rfind('/') + 1));
    different.insert(names.back());
  }
  if (different.size() == names.size()) return names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = diagnosis.sources[i].path;
  return names;
}

std::string device_text(const KernelDiagnosis& kernel) {
  if (kernel.compute_capability.empty()) return kernel.device_name;
  return fmt::format("{} (cc {})",
                     kernel.device_name.empty() ? "unnamed device" : kernel.device_name,
                     kernel.compute_capability);
}

void add_sources(const Diagnosis& diagnosis, Document& document) {
  Points points;
  for (std::size_t i = 0; i < diagnosis.sources.size(); ++i) {
    const DiagnosisSource& source = diagnosis.sources[i];
    std::set<std::string> devices;
    std::size_t kernels = 0;
    std::size_t launches = 0;
    for (const KernelDiagnosis& kernel : diagnosis.kernels) {
      if (kernel.source != i) continue;
      devices.insert(device_text(kernel));
      ++kernels;
      launches += kernel.spread.count;
    }
    std::string text = fmt::format("{}", fmt::join(devices, ", "));
    if (!text.empty()) text += "; ";
    // Without the build's number.
    if (!source.producer.empty())
      text += source.producer.substr(0, source.producer.find(" (")) + "; ";
    text +=
        fmt::format("{}, {}", plural(kernels, "kernel"), plural(launches, "launch", "launches"));
    points.points.push_back({"", source.path, std::move(text), {}});
  }
  document.blocks.emplace_back(std::move(points));
}

Table kernel_table(const Diagnosis& diagnosis, const std::vector<std::string>& names,
                   const std::vector<std::size_t>& kernels) {
  double whole = 0;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) {
    whole += kernel.spread.total_ns.value_or(0);
  }
  Table table{{{"#", Align::kRight},
               {"Kernel", Align::kLeft, true},
               {"Total", Align::kRight},
               {"Could save", Align::kRight},
               {"Gain", Align::kRight, false, true},
               {"First cause"},
               {"Bound by", Align::kLeft, false, true},
               {"Share", Align::kRight, false, true},
               {"Count", Align::kRight, false, true}},
              {}};
  const bool many_files = diagnosis.sources.size() > 1;
  const std::vector<std::string> files = file_names(diagnosis);
  if (many_files) table.columns.insert(table.columns.begin() + 1, {"File", Align::kLeft, true});
  for (const std::size_t i : kernels) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    const auto total = kernel.spread.total_ns;
    const Finding* first = kernel.findings.empty() ? nullptr : &kernel.findings.front();
    std::vector<Cell> row{{std::to_string(number_of(kernel)), true},
                          {names[i]},
                          {time_text(total)},
                          {time_text(could_save_ns(kernel))},
                          {first != nullptr ? gain_text(first->gain) : "-"},
                          {first != nullptr ? first->id : "-"},
                          {place_text(kernel.verdict)},
                          {total && whole > 0 ? percent(*total / whole, 1) : "-"},
                          {std::to_string(kernel.spread.count), true}};
    if (many_files) row.insert(row.begin() + 1, {files[kernel.source]});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Of several files the one table that matters: where to begin.
void add_most_savings(const Diagnosis& diagnosis, const std::vector<std::string>& names,
                      Document& document) {
  std::vector<std::size_t> kernels;
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    if (could_save_ns(diagnosis.kernels[i])) kernels.push_back(i);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [&](std::size_t a, std::size_t b) {
    return could_save_ns(diagnosis.kernels[a]) > could_save_ns(diagnosis.kernels[b]);
  });
  if (kernels.size() > kMostSavings) kernels.resize(kMostSavings);
  if (kernels.empty()) return;
  document.blocks.emplace_back(
      Heading{fmt::format("Where to start, over all {} files", diagnosis.sources.size())});
  document.blocks.emplace_back(kernel_table(diagnosis, names, kernels));
}

std::size_t shown_kernels(const Diagnosis& diagnosis, const DiagnosisParts& parts) {
  const std::size_t kernels = diagnosis.kernels.size();
  return parts.top != 0 ? std::min(parts.top, kernels) : kernels;
}

std::size_t screens(const Diagnosis& diagnosis, const DiagnosisParts& parts) {
  const std::size_t kernels = shown_kernels(diagnosis, parts);
  return parts.all || parts.top != 0 || kernels <= kFewKernels ? kernels : kMostScreens;
}

std::string exact(double number) { return fmt::format("{}", number); }

std::string exact(std::optional<double> number) { return number ? exact(*number) : ""; }

}  // namespace

std::string place_text(const Verdict& verdict) {
  const std::string_view bound = to_string(verdict.bound);
  if (verdict.at.empty() || verdict.at == bound) return std::string(bound);
  const bool says_all = verdict.bound == Bound::kMemory || verdict.bound == Bound::kCompute;
  return says_all ? verdict.at : fmt::format("{} ({})", bound, verdict.at);
}

Document compose_diagnosis(const Diagnosis& diagnosis, const DiagnosisParts& parts) {
  Document document;
  add_sources(diagnosis, document);
  const std::vector<std::string> names = kernel_names(diagnosis);
  const std::size_t count = screens(diagnosis, parts);
  const std::size_t shown = shown_kernels(diagnosis, parts);
  if (names.size() > 1) {
    std::vector<std::size_t> kernels(shown);
    std::iota(kernels.begin(), kernels.end(), 0);
    document.blocks.emplace_back(kernel_table(diagnosis, names, kernels));
    std::string words;
    if (shown < names.size()) words = fmt::format("{} of {} kernels. ", shown, names.size());
    words +=
        "Total is the time under ncu's replay, not wall time. Gain: how much of the kernel's time "
        "a "
        "fix of the first cause could save. Could save: total x the middle of the gain.";
    if (count < shown) {
      words += fmt::format(" The first {} follow; {} shows all, {} REGEX or # some.", count,
                           option("all"), option("kernel"));
    }
    document.blocks.emplace_back(Paragraph{std::move(words)});
  }
  std::set<std::string_view> devices;
  for (const KernelDiagnosis& kernel : diagnosis.kernels) devices.insert(kernel.device_name);
  for (std::size_t i = 0; i < count; ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    add_kernel_screen(kernel, parts, {number_of(kernel), names[i], devices.size() > 1}, document);
  }
  if (diagnosis.sources.size() > 1) add_most_savings(diagnosis, names, document);
  add_kernel_notes(diagnosis, count, document);
  add_notes(diagnosis.notes, document);
  return document;
}

Document compose_diagnosis_rows(const Diagnosis& diagnosis) {
  Table table;
  for (const std::string_view title :
       {"Kernel",    "Source",   "Name",      "Grid",      "Block",     "Device", "Launches",
        "Median ns", "Total ns", "Bound",     "At",        "Headline",  "Rank",   "Finding",
        "Severity",  "Gain low", "Gain high", "Gain kind", "Statement", "Next",   "Explained by"}) {
    table.columns.push_back({std::string(title)});
  }
  for (std::size_t i = 0; i < diagnosis.kernels.size(); ++i) {
    const KernelDiagnosis& kernel = diagnosis.kernels[i];
    const std::vector<Cell> about{{std::to_string(i), true},
                                  {diagnosis.sources[kernel.source].path},
                                  {kernel.name},
                                  {dim_text(kernel.grid)},
                                  {dim_text(kernel.block)},
                                  {kernel.device_name},
                                  {std::to_string(kernel.spread.count), true},
                                  {exact(kernel.spread.median_ns), true},
                                  {exact(kernel.spread.total_ns), true},
                                  {std::string(to_string(kernel.verdict.bound))},
                                  {kernel.verdict.at},
                                  {kernel.verdict.headline}};
    const auto add_row = [&](std::size_t rank, const Finding& finding, std::string explained_by) {
      std::vector<Cell> row = about;
      row.insert(row.end(), {{std::to_string(rank), true},
                             {finding.id},
                             {std::string(to_string(finding.severity))},
                             {exact(finding.gain.low), true},
                             {exact(finding.gain.high), true},
                             {std::string(to_string(finding.gain.kind))},
                             {finding.statement},
                             {finding.next},
                             {std::move(explained_by)}});
      table.rows.push_back(std::move(row));
    };
    for (std::size_t rank = 1; rank <= kernel.findings.size(); ++rank) {
      const Finding& finding = kernel.findings[rank - 1];
      add_row(rank, finding, "");
      for (const Finding& symptom : finding.symptoms) add_row(rank, symptom, finding.id);
    }
    if (kernel.findings.empty()) {
      table.rows.push_back(about);
      table.rows.back().resize(table.columns.size());
    }
  }
  return Document{{std::move(table)}};
}

}  // namespace proofline
