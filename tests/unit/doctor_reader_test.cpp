// SPDX-License-Identifier: Apache-2.0
//
// What doctor printed, as evidence for playbooks.
#include <gtest/gtest.h>

#include <string>

#include "base/input.h"
#include "model/machine/preflight.h"
#include "readers/format.h"

namespace proofline::doctor_result_test {
namespace {

Result<Preflight> read(const std::string& text) {
  auto input = Input::from_memory(text, "doctor.json");
  const auto format = identify(*input, {InputKind::kPreflight});
  if (!format) return tl::make_unexpected(format.error());
  return (*format)->read_preflight(*input);
}

const std::string kStart = R"({"schema_version":"1.0","result":"preflight","checks":[)";

TEST(DoctorResult, EveryCheckHasItsAnswer) {
  const auto preflight = read(kStart + R"({"id":"gpu","status":"missing","statement":"none"},)" +
                              R"({"id":"nvcc","status":"ok"}]})");
  ASSERT_TRUE(preflight) << preflight.error().message;
  ASSERT_EQ(preflight->checks.size(), 2U);
  EXPECT_EQ(preflight->checks[0].id, "gpu");
  EXPECT_EQ(preflight->checks[0].status, CheckStatus::kMissing);
  EXPECT_EQ(preflight->checks[1].status, CheckStatus::kOk);
  EXPECT_TRUE(preflight->notes.empty());
}

TEST(DoctorResult, WhatIsNotKnownIsLostAndCounted) {
  const auto preflight = read(kStart + R"({"id":"gpu","status":"wonderful"},{"status":"ok"},7]})");
  ASSERT_TRUE(preflight) << preflight.error().message;
  EXPECT_TRUE(preflight->checks.empty());
  ASSERT_EQ(preflight->notes.size(), 1U);
  EXPECT_EQ(preflight->notes[0].kind, NoteKind::kLoss);
  EXPECT_EQ(preflight->notes[0].count, 3U);
}

TEST(DoctorResult, ACutFileIsAnError) {
  EXPECT_FALSE(read(kStart + R"({"id":"gpu")"));
  EXPECT_FALSE(read(R"({"result":"preflight","checks":7})"));
}

}  // namespace
}  // namespace proofline::doctor_result_test
