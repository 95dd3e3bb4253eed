// SPDX-License-Identifier: Apache-2.0
//
// What the tool did not say is null.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/record.h"
#include "base/record_schema.h"
#include "views/machine/sanitizer_document.h"

namespace proofline {
namespace {

constexpr std::string_view kHexPattern = "^0x[0-9a-f]+$";

std::string hex(std::uint64_t number) { return fmt::format("{:#x}", number); }

}  // namespace

Record describe(const DevicePlace* /*type*/) {
  return {
      about("place"),
      member<&DevicePlace::function>("function").none_is_null(),
      derived("offset",
              [](const DevicePlace& place) {
                return place.offset ? std::optional(hex(*place.offset)) : std::nullopt;
              })
          .pattern(kHexPattern),
      member<&DevicePlace::file>("file").none_is_null(),
      member<&DevicePlace::line>("line").none_is_null(),
  };
}

Record describe(const IndexRange* /*type*/) {
  return {
      about("range", "Corners; not all between them were necessarily seen."),
      member<&IndexRange::first>("first"),
      member<&IndexRange::last>("last"),
  };
}

Record describe(const AddressRange* /*type*/) {
  return {
      about("addresses"),
      derived("first", [](const AddressRange& range) { return hex(range.first); })
          .pattern(kHexPattern),
      derived("last", [](const AddressRange& range) { return hex(range.last); })
          .pattern(kHexPattern),
  };
}

Record describe(const NearestAllocation* /*type*/) {
  return {
      about("allocation", "The allocation next to an invalid address."),
      member<&NearestAllocation::relation>("relation").one_of({"inside", "before", "after"}),
      member<&NearestAllocation::distance>("distance"),
      derived("address", [](const NearestAllocation& one) { return hex(one.address); })
          .pattern(kHexPattern),
      member<&NearestAllocation::size>("size"),
  };
}

Record describe(const RaceSide* /*type*/) {
  return {
      about("race_side"),
      member<&RaceSide::access>("access"),
      member<&RaceSide::at>("at"),
      member<&RaceSide::hazards>("hazards"),
  };
}

Record describe(const HostStack* /*type*/) {
  return {
      about("host_stack"),
      member<&HostStack::when>("when"),
      member<&HostStack::frames>("frames"),
  };
}

Record describe(const SanitizerFinding* /*type*/) {
  return {
      about("finding"),
      member<&SanitizerFinding::tool>("tool").none_is_null(),
      member<&SanitizerFinding::kind>("kind"),
      member<&SanitizerFinding::level>("level"),
      member<&SanitizerFinding::count>("count").at_least(1),
      member<&SanitizerFinding::words>("words"),
      member<&SanitizerFinding::details>("details"),
      member<&SanitizerFinding::space>("space").none_is_null(),
      member<&SanitizerFinding::access>("access").none_is_null(),
      member<&SanitizerFinding::size>("size"),
      member<&SanitizerFinding::total_size>("total_size"),
      derived("kernel", [](const SanitizerFinding& finding) { return finding.kernel(); })
          .none_is_null(),
      derived("at", [](const SanitizerFinding& finding) { return finding.place(); }),
      member<&SanitizerFinding::device_frames>("device_frames", "innermost first"),
      member<&SanitizerFinding::threads>("threads"),
      member<&SanitizerFinding::blocks>("blocks"),
      member<&SanitizerFinding::address>("address"),
      member<&SanitizerFinding::allocation>("allocation"),
      member<&SanitizerFinding::sides>("sides", "the accesses that race"),
      derived("hazards", [](const SanitizerFinding& finding) { return finding.hazards(); }),
      member<&SanitizerFinding::stacks>("host_stacks"),
      derived("next", [](const SanitizerFinding& finding) { return next_step(finding.kind); }),
  };
}

Record describe(const SanitizerSummary* /*type*/) {
  return {
      about("summary", "The tool's own."),
      member<&SanitizerSummary::errors>("errors"),
      member<&SanitizerSummary::warnings>("warnings"),
      member<&SanitizerSummary::not_printed>("not_printed"),
      member<&SanitizerSummary::leaked_bytes>("leaked_bytes"),
      member<&SanitizerSummary::leaked_allocations>("leaked_allocations"),
  };
}

Record describe(const SanitizerLog* /*type*/) {
  return {
      about("log"),
      group("counts",
            {
                derived("findings", [](const SanitizerLog& log) { return log.findings.size(); }),
                derived("errors", [](const SanitizerLog& log) { return log.counts().errors; }),
                derived("warnings", [](const SanitizerLog& log) { return log.counts().warnings; }),
                derived("infos", [](const SanitizerLog& log) { return log.counts().infos; }),
            },
            "findings after merging; messages by level as they were listed"),
      member<&SanitizerLog::complete>("complete", "every run in the log has its summary"),
      member<&SanitizerLog::summary>("summary"),
      group("application",
            {
                member<&SanitizerLog::application_returned_error>("returned_error"),
                member<&SanitizerLog::application_crashed>("crashed"),
            }),
      member<&SanitizerLog::notes>("notes"),
      member<&SanitizerLog::findings>("findings"),
  };
}

Record describe(const SanitizerToolResult* /*type*/) {
  using Tool = SanitizerToolResult;
  return {
      about("result"),
      member<&Tool::tool>("name", "null where a saved log does not tell").none_is_null(),
      member<&Tool::command>("command").none_is_null(),
      member<&Tool::version>("version").none_is_null(),
      derived("log", [](const Tool& result) { return result.log.path; }).none_is_null(),
      derived("producer", [](const Tool& result) { return result.log.producer; }).none_is_null(),
      member<&Tool::seconds>("seconds"),
      member<&Tool::limit_seconds>("limit_seconds"),
      member<&Tool::exit_code>("exit_code"),
      member<&Tool::signal>("signal"),
      member<&Tool::outcome>("outcome"),
      member<&Tool::explanation>("explanation"),
      inlined<&Tool::log>(),
  };
}

Record describe(const AloneResult* /*type*/) {
  return {
      about("alone", "The program without any tool."),
      member<&AloneResult::seconds>("seconds").at_least(0),
      member<&AloneResult::exit_code>("exit_code"),
      member<&AloneResult::signal>("signal"),
      member<&AloneResult::hang>("hang"),
  };
}

Record describe(const SanitizerRun* /*type*/) {
  return {
      about("sanitizer_run"),
      schema_version(),
      tool(),
      member<&SanitizerRun::command>("command", "the user's; null for saved logs").none_is_null(),
      member<&SanitizerRun::folder>("folder", "where all files of the run are").none_is_null(),
      derived("outcome", [](const SanitizerRun& run) { return run.outcome(); }),
      member<&SanitizerRun::alone>("alone"),
      member<&SanitizerRun::notes>("notes"),
      member<&SanitizerRun::tools>("tools"),
  };
}

ResultSchema sanitizer_record() {
  return {"sanitize",
          "What `proofline sanitize --format json` prints, and `diagnose` and `show` for logs of "
          "compute-sanitizer and cuda-memcheck",
          {record_of<SanitizerRun>}};
}

}  // namespace proofline
