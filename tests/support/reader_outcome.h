// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the text readers ask: the outcome of a read, with every byte accounted for, and
// single values, units and losses of a profile.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "readers/format.h"
#include "readers/read_profile.h"

namespace proofline::test_support {

struct Outcome {
  Profile profile;
  std::optional<Error> error;
};

inline Outcome read_with(const Format& format, const std::string& name, std::string_view text,
                         const ReadOptions& options) {
  Outcome outcome;
  auto input = Input::from_memory(text, name);
  EXPECT_TRUE(input.has_value());
  const auto result = format.read_profile(*input, options, outcome.profile);
  if (!result) outcome.error = result.error();
  const ByteCount& bytes = outcome.profile.bytes;
  EXPECT_EQ(bytes.total, text.size());
  EXPECT_EQ(bytes.total, bytes.used + bytes.skipped);
  return outcome;
}

inline Value value(const Profile& profile, std::size_t launch_index, std::string_view name) {
  const auto id = profile.metric_names.find(name);
  if (!id) return "no such metric: " + std::string(name);
  const Metric* metric = profile.launches.at(launch_index).find(*id);
  if (metric == nullptr) return "not in this launch: " + std::string(name);
  return metric->value;
}

inline std::string unit(const Profile& profile, std::string_view name) {
  const auto id = profile.metric_names.find(name);
  return id ? profile.metric_names[*id].unit : "no such metric";
}

inline std::uint64_t losses(const Profile& profile) {
  std::uint64_t count = 0;
  for (const Note& note : profile.notes) count += note.kind == NoteKind::kLoss ? note.count : 0;
  return count;
}

}  // namespace proofline::test_support
