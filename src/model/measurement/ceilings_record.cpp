// SPDX-License-Identifier: Apache-2.0
//
// What `proofline calibrate` stores, and readers/benchmark/ceilings_text.cpp reads.
#include "base/record.h"
#include "base/record_schema.h"
#include "model/measurement/ceilings.h"

namespace proofline {
namespace {

constexpr std::string_view kBytesUnit = "B/s";
constexpr std::string_view kFlopUnit = "FLOP/s";

}  // namespace

Record describe(const Interval* /*type*/) {
  return {
      about("interval"),
      member<&Interval::low>("low").above(0).required(),
      member<&Interval::high>("high").above(0).required(),
  };
}

Record describe(const Ceiling* /*type*/) {
  return {
      about("ceiling"),
      member<&Ceiling::name>("name", "dram, l2, or a measurement's flop_kind; no two have the same")
          .not_empty()
          .required(),
      converted(
          "unit",
          [](const Ceiling& one) { return std::string(one.bytes ? kBytesUnit : kFlopUnit); },
          [](Ceiling& one, std::string&& unit) { one.bytes = unit == kBytesUnit; })
          .one_of({kBytesUnit, kFlopUnit})
          .required(),
      member<&Ceiling::per_second>("per_second", "the median of the samples").above(0).required(),
      member<&Ceiling::interval>("interval"),
      member<&Ceiling::samples>("samples"),
      member<&Ceiling::throttled>("throttled", "of these, while the GPU was held back"),
      member<&Ceiling::sm_mhz>("sm_mhz", "the SM clock meanwhile, median").above(0),
      member<&Ceiling::how>("how", "what was run"),
      member<&Ceiling::at_least>("at_least", "the GPU has a faster way that was not measured"),
  };
}

Record describe(const Ceilings* /*type*/) {
  return {
      about("ceilings"),
      schema_version(),
      tool(),
      constant("result", "ceilings"),
      member<&Ceilings::machine>("machine"),
      member<&Ceilings::measured_at>("measured_at",
                                     "2026-01-02T03:04:05Z; a note names what is older"),
      member<&Ceilings::notes>("notes"),
      member<&Ceilings::ceilings>("ceilings").not_empty(),
  };
}

ResultSchema ceilings_record() {
  return {"ceilings",
          "What `proofline calibrate` stores and prints with --format json: the most that one GPU "
          "was measured to do of each kind of work; readers take members that are missing for "
          "unknown",
          {record_of<Ceilings>}};
}

}  // namespace proofline
