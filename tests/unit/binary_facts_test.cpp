// SPDX-License-Identifier: Apache-2.0
//
// What a program's file tells before it runs.
#include "analysis/program/binary_facts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/input.h"
#include "readers/code/read_code.h"
#include "support/temp_dir.h"

namespace proofline::binary_facts_test {
namespace {

std::string fixture(const std::string& name) {
  return std::string(PROOFLINE_SOURCE_DIR) + "/tests/fixtures/cubin/" + name;
}

TEST(BinaryFacts, ObjectsOfTheHostCarryCubins) {
  const BinaryFacts facts = read_binary_facts(fixture("kernels.o"));
  EXPECT_TRUE(facts.elf);
  EXPECT_EQ(facts.machine_code, (std::set<std::string>{"sm_90a"}));
  EXPECT_EQ(facts.cubins, 1U);
  EXPECT_EQ(facts.for_debugging, 0U);
  EXPECT_EQ(facts.without_code, "");
}

TEST(BinaryFacts, ProgramsWithoutGpuCodeSayWhy) {
  const BinaryFacts facts = read_binary_facts("/proc/self/exe");
  EXPECT_TRUE(facts.elf);
  EXPECT_EQ(facts.cubins, 0U);
  EXPECT_NE(facts.without_code.find("no GPU code"), std::string::npos) << facts.without_code;
}

TEST(BinaryFacts, ScriptsNameTheirInterpreter) {
  const TempDir dir;
  const auto interpreter = [&](std::string_view text) {
    return read_binary_facts(dir.write("script", text)).interpreter;
  };
  EXPECT_EQ(interpreter("#!/usr/bin/env python3\nprint(1)\n"), "/usr/bin/env python3");
  EXPECT_EQ(interpreter("#!"), "");
  EXPECT_EQ(interpreter("#! /bin/sh"), "/bin/sh");
}

TEST(BinaryFacts, WhatIsNoProgramHasNone) {
  const TempDir dir;
  EXPECT_FALSE(read_binary_facts(dir.write("text", "hello")).elf);
  EXPECT_FALSE(read_binary_facts(dir.write("empty", "")).elf);
  EXPECT_TRUE(read_binary_facts(dir.write("cut",
                                          "\x7f"
                                          "ELF"))
                  .elf);
  EXPECT_EQ(read_binary_facts(dir.path("none")).notes.size(), 1U);
}

// The facts take PTX from what the readers note; this holds them to their words.
TEST(BinaryFacts, ReadersNoteThePtxThatTheyLeave) {
  auto input = Input::open(fixture("kernels.zstd.fatbin"));
  ASSERT_TRUE(input);
  const auto listing = read_code(*input);
  ASSERT_TRUE(listing);
  bool noted = false;
  for (const Note& note : listing->notes) {
    noted = noted || note.what.find("PTX for compute_") != std::string::npos;
  }
  EXPECT_TRUE(noted);
}

}  // namespace
}  // namespace proofline::binary_facts_test
