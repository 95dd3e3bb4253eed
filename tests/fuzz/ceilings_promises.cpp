// SPDX-License-Identifier: Apache-2.0
//
// Every rate is a number above zero, and what is written of ceilings is read as the same.
#include <cmath>
#include <string>
#include <string_view>

#include "base/record_json.h"
#include "promise.h"
#include "promises.h"
#include "readers/benchmark/ceilings.h"

namespace proofline::fuzz {
namespace {

bool is_rate(double number) { return std::isfinite(number) && number > 0; }

void check(const Ceiling& ceiling) {
  require(!ceiling.name.empty(), "a ceiling has a name");
  require(is_rate(ceiling.per_second), "a ceiling has a rate");
  require(is_rate(ceiling.sm_mhz.value_or(1)), "a clock rate is one");
  const Interval ends = ceiling.interval.value_or(Interval{1, 1});
  require(is_rate(ends.low) && is_rate(ends.high) && ends.low <= ends.high, "an interval is one");
}

std::string written(const Ceilings& ceilings) {
  return json_text([&](JsonWriter& json) { write_record(ceilings, json); });
}

}  // namespace

void check_ceilings(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  const auto ceilings = format.read_ceilings(*input);
  if (!ceilings) return;
  require(!ceilings->ceilings.empty(), "a file of ceilings has some");
  for (const Ceiling& ceiling : ceilings->ceilings) check(ceiling);
  const std::string text = written(*ceilings);
  auto own = Input::from_memory(text, "own");
  const auto again = own ? format.read_ceilings(*own) : tl::make_unexpected(own.error());
  // What is odd in a file is a note in ours: it may have grown beyond the limit.
  if (!again) return;
  require(written(*again) == text, "what is written is read as the same");
}

}  // namespace proofline::fuzz
