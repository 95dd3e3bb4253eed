// SPDX-License-Identifier: Apache-2.0
//
// The brief diagnosis, member by member. Members are always there, so that a reader need not ask;
// only lists that say nothing when empty are left out: "explains", "tried", "also".
#include "base/record_schema.h"
#include "diagnosis/brief.h"

namespace proofline {

Record describe(const BriefCause* /*type*/) {
  using Cause = BriefCause;
  return {
      about("cause"),
      member<&Cause::id>("id").pattern(kRuleIdPattern),
      group("gain",
            {
                member<&Cause::gain_low>("low").share(),
                member<&Cause::gain_high>("high").share(),
            },
            "how much of the kernel's time a fix could save, 0 to 1; causes overlap, so gains do "
            "not add up"),
      member<&Cause::evidence>("evidence",
                               "fact to value, in the unit that `proofline explain FACT` tells; "
                               "*.share is 0 to 1")
          .items(0, kBriefEvidence),
      member<&Cause::explains>("explains", "its symptoms; left out where there are none")
          .pattern(kRuleIdPattern)
          .if_there(),
      member<&Cause::next>("next", "what to change"),
      member<&Cause::tried>("tried",
                            "attempts in the journal against it, the last first; left out where "
                            "there are none")
          .if_there(),
  };
}

Record describe(const BriefLine* /*type*/) {
  return {
      about("hot_line"),
      member<&BriefLine::place>("place", "file:line"),
      member<&BriefLine::share>("share", "of all samples"),
      member<&BriefLine::stall>("stall", "the most frequent reason there").none_is_null(),
  };
}

Record describe(const BriefLaunch* /*type*/) {
  using Shape = BriefLaunch;
  return {
      about("launch", "The launch of median duration, which the numbers are of."),
      member<&Shape::id>("id", "for `proofline show --launch`"),
      member<&Shape::grid>("grid", "x, y, z; null where the result is no kernel"),
      member<&Shape::block>("block", "x, y, z; null where the result is no kernel"),
      member<&Shape::waves>("waves"),
      member<&Shape::registers>("registers", "per thread"),
      member<&Shape::shared_bytes>("shared_bytes", "per block"),
      member<&Shape::occupancy>("occupancy", "achieved, 0 to 1"),
      member<&Shape::occupancy_limit>("occupancy_limit", "possible with this launch, 0 to 1"),
      member<&Shape::limiter>("limiter", "what limits it; \"none\" nothing does").none_is_null(),
  };
}

Record describe(const BriefKernel* /*type*/) {
  using Kernel = BriefKernel;
  return {
      about("kernel", "Launches of one kernel with one shape on one device."),
      position("id", 0, "position in kernels"),
      member<&Kernel::name>("name", "demangled"),
      member<&Kernel::source>("source", "position in sources"),
      member<&Kernel::device>("device", "position in devices"),
      member<&Kernel::launches>("launches", "how many").at_least(1),
      member<&Kernel::duration_ns>("duration_ns", "the median, under ncu's replay; not wall time"),
      member<&Kernel::time_share>("time_share", "of the time of all kernels here").share(),
      member<&Kernel::verdict>("verdict"),
      member<&Kernel::causes>("causes", "largest gain first; empty: none was found")
          .items(0, kBriefCauses),
      member<&Kernel::also>("also", "further causes; left out where there are none")
          .pattern(kRuleIdPattern)
          .if_there(),
      member<&Kernel::levels>("levels",
                              "share of peak over the elapsed time. sm and memory are ncu's "
                              "aggregates; dram, l2, l1 where captured; of the pipes the two "
                              "busiest from 0.05")
          .at_least(0),
      member<&Kernel::stalls>("stalls",
                              "what warps wait for: the three largest shares of warp cycles from "
                              "0.05; `selected` is issuing")
          .at_least(0),
      member<&Kernel::hot_lines>("hot_lines",
                                 "source lines with the most PC samples of stalled warps")
          .items(0, kBriefLines),
      member<&Kernel::launch>("launch"),
      member<&Kernel::not_evaluated>("not_evaluated",
                                     "how many rules lacked data; the full diagnosis names them"),
      member<&Kernel::command>("command",
                               "what to run next, as an argument list; COMMAND stands for the "
                               "profiled program and its arguments; null where nothing was found")
          .items(1)
          .none_is_null(),
  };
}

Record describe(const BriefDevice* /*type*/) {
  return {
      about("device"),
      member<&BriefDevice::name>("name").none_is_null(),
      member<&BriefDevice::compute_capability>("cc", "compute capability").none_is_null(),
  };
}

Record describe(const Brief* /*type*/) {
  return {
      about("brief"),
      schema_version(),
      tool(),
      member<&Brief::sources>("sources", "the files, in the order of the command line").not_empty(),
      member<&Brief::devices>("devices"),
      member<&Brief::notes>("notes",
                            "on the files and, with place \"kernels\", on the captures of `count` "
                            "kernels"),
      member<&Brief::kernels>("kernels", "worst first, by total time; as in the full diagnosis"),
  };
}

ResultSchema brief_record() {
  return {"brief",
          "What `proofline diagnose --brief --format json` prints: what decides, in about 1 KB per "
          "kernel. Numbers have three digits; null: the capture does not tell",
          {record_of<Brief>}};
}

}  // namespace proofline
