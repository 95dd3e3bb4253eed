// SPDX-License-Identifier: Apache-2.0
//
// The result of `profile`, member by member: a diagnosis, and the run that it is of.
#include "base/record_schema.h"
#include "workflow/profile/profiled_config.h"

namespace proofline {
namespace {

// One of several configurations.
struct ConfigEntry {
  const ProfiledConfig* config = nullptr;
};

Record describe(const ConfigEntry* /*type*/) {
  using Entry = ConfigEntry;
  return {
      about("config"),
      derived("name",
              [](const Entry& one) -> const std::string& { return one.config->config.name; }),
      derived("arguments",
              [](const Entry& one) -> const std::string& { return one.config->config.arguments; }),
      derived("diagnosis", [](const Entry& one) -> const ProfiledConfig& { return *one.config; }),
  };
}

}  // namespace

Record describe(const KernelTotal* /*type*/) {
  return {
      about("kernel_total"),
      member<&KernelTotal::name>("name", "demangled"),
      member<&KernelTotal::function>("function"),
      member<&KernelTotal::mangled>("mangled"),
      member<&KernelTotal::count>("count"),
      member<&KernelTotal::total_ns>("total_ns"),
      member<&KernelTotal::median_ns>("median_ns"),
      member<&KernelTotal::share>("share", "of the time of all kernels").share(),
  };
}

Record describe(const ListedKernel* /*type*/) {
  return {
      about("listed_kernel"),
      inlined<&ListedKernel::total>(),
      member<&ListedKernel::profiled>("profiled"),
  };
}

Record describe(const ProgramTime* /*type*/) {
  using Time = ProgramTime;
  return {
      about("program_time",
            "Of the GPU with most kernel time, from its first operation to the end of its last; "
            "shares add up to 1."),
      member<&Time::span_ns>("span_ns").at_least(0),
      derived("kernels", [](const Time& time) { return time.share(time.parts.compute_ns); })
          .share(),
      derived("communication", "that no kernel hides",
              [](const Time& time) { return time.share(time.parts.communication_ns); })
          .share(),
      derived("copies", "that nothing hides",
              [](const Time& time) { return time.share(time.parts.copy_ns); })
          .share(),
      derived("idle", [](const Time& time) { return time.share(time.parts.idle_ns); }).share(),
  };
}

Record describe(const ProfileSummary* /*type*/) {
  using Summary = ProfileSummary;
  return {
      about("run"),
      member<&Summary::folder>("folder"),
      member<&Summary::program_code>("program_code",
                                     "the program's own exit code or signal, where it is not 0"),
      derived("counters",
              "false: the user may not read them, so times and shapes are the recorder's",
              [](const Summary& summary) { return summary.permission.empty(); }),
      member<&Summary::launches>("launches"),
      member<&Summary::kernel_ns>("kernel_ns"),
      member<&Summary::listing>("listing", "what the program launched, by time"),
      member<&Summary::time>("time"),
  };
}

Record describe(const ProfiledConfig* /*type*/) {
  using Config = ProfiledConfig;
  return {
      about("profiled_config"),
      inlined<&Config::diagnosis>(),
      derived("run", "the run that the diagnosis is of",
              [](const Config& config) -> const ProfileSummary& { return config.run.summary; }),
      member<&Config::savings>("savings"),
      member<&Config::code>("code", "without permission to read counters: the program's code")
          .if_there(),
  };
}

Record describe(const ProfiledConfigs* /*type*/) {
  return {
      about("profiled_configs"),
      schema_version(),
      tool(),
      derived("configs",
              [](const ProfiledConfigs& all) {
                std::vector<ConfigEntry> configs;
                for (const ProfiledConfig& one : all.configs) configs.push_back({&one});
                return configs;
              }),
  };
}

ResultSchema profile_record() {
  return {"profile",
          "What `proofline profile --format json` prints of one configuration, and of several",
          {record_of<ProfiledConfig>, record_of<ProfiledConfigs>}};
}

}  // namespace proofline
