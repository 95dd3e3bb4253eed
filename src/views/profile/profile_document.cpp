// SPDX-License-Identifier: Apache-2.0
#include "views/profile/profile_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "views/quantity.h"

namespace proofline {
namespace {

constexpr std::size_t kMostKernelRows = 8;

Table compose_listing(const std::vector<ListedKernel>& listing) {
  Table table;
  table.columns = {{"Kernel", Align::kLeft, true, false, true},
                   {"Launches", Align::kRight},
                   {"Total", Align::kRight},
                   {"Share", Align::kRight},
                   {"Median", Align::kRight},
                   {"", Align::kLeft}};
  std::size_t left_out = 0;
  for (const ListedKernel& kernel : listing) {
    if (table.rows.size() >= kMostKernelRows && !kernel.profiled) {
      ++left_out;
      continue;
    }
    const KernelTotal& total = kernel.total;
    table.rows.push_back({{table_name(total.name)},
                          {group_digits(total.count), true},
                          {time_text(static_cast<double>(total.total_ns)), true},
                          {share_text(total.share), true},
                          {time_text(static_cast<double>(total.median_ns)), true},
                          {kernel.profiled ? "profiled" : ""}});
  }
  if (left_out > 0)
    table.rows.push_back({{fmt::format("and {} more", left_out)}, {}, {}, {}, {}, {}});
  return table;
}

}  // namespace

void add_program_time(const ProfileSummary& summary, Document& document) {
  if (!summary.time) return;
  const ProgramTime& time = *summary.time;
  const TimeParts& parts = time.parts;
  const std::int64_t largest =
      std::max({parts.compute_ns, parts.communication_ns, parts.copy_ns, parts.idle_ns});
  std::string text = fmt::format(
      "Of the {} between the GPU's first operation and the end of its last, kernels take {}, "
      "copies that nothing hides {}, communication that nothing hides {}, and {} it is idle.",
      time_text(static_cast<double>(time.span_ns)), share_text(time.share(parts.compute_ns)),
      share_text(time.share(parts.copy_ns)), share_text(time.share(parts.communication_ns)),
      share_text(time.share(parts.idle_ns)));
  if (largest == parts.compute_ns) {
    text = "Kernels are what takes the time. " + text;
  } else {
    text = fmt::format(
        "Kernels are not the main problem: faster ones can save {} at most. {} `proofline timeline "
        "{}` says what holds the program back.",
        share_text(time.share(parts.compute_ns)), text, summary.timeline);
  }
  document.blocks.emplace_back(Heading{"The program"});
  document.blocks.emplace_back(Paragraph{std::move(text)});
}

void add_profile_summary(const ProfileSummary& summary, Document& document) {
  if (!summary.listing.empty()) {
    document.blocks.emplace_back(Heading{"What the program ran"});
    document.blocks.emplace_back(Paragraph{
        fmt::format("{} launches of {} kernels, {} of kernel time", group_digits(summary.launches),
                    summary.listing.size(), time_text(static_cast<double>(summary.kernel_ns)))});
    document.blocks.emplace_back(compose_listing(summary.listing));
  }
  if (!summary.permission.empty()) {
    document.blocks.emplace_back(
        Callout{true, summary.permission + ". Times and shapes are from our own recorder; causes "
                                           "that need counters were not evaluated."});
  }
  if (summary.program_code) {
    document.blocks.emplace_back(
        Callout{false, fmt::format("The program itself failed (code {}); what was profiled before "
                                   "is complete.",
                                   *summary.program_code)});
  }
  document.blocks.emplace_back(Properties{{{"kept in", summary.folder}}});
}

}  // namespace proofline
