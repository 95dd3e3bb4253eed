// SPDX-License-Identifier: Apache-2.0
//
// Every row of the requirements has an item of a shipped playbook, or a command.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "playbook/file/read_playbook.h"
#include "playbook/shipped.h"

namespace proofline {
namespace playbook_coverage_test {

constexpr std::uint32_t kRows = 374;

template <class Items>
void add_rows(const Items& items, std::set<std::uint32_t>& rows) {
  for (const auto& item : items) rows.insert(item.rows.begin(), item.rows.end());
}

TEST(PlaybookCoverage, EveryRowHasAnItemOrACommand) {
  std::set<std::uint32_t> rows;
  std::vector<std::string_view> texts = {shipped_commands()};
  for (const ShippedPlaybook& shipped : shipped_playbooks()) texts.push_back(shipped.text);
  for (const std::string_view text : texts) {
    const ReadPlaybook read = read_playbook(text, "shipped");
    EXPECT_TRUE(read.problems.empty());
    const Playbook& playbook = read.playbook;
    add_rows(playbook.cases, rows);
    add_rows(playbook.kernels, rows);
    add_rows(playbook.phases, rows);
    add_rows(playbook.checks, rows);
    add_rows(playbook.tasks, rows);
    add_rows(playbook.tree, rows);
    add_rows(playbook.known, rows);
    add_rows(playbook.deliverables, rows);
    add_rows(playbook.commands, rows);
  }
  std::string missing;
  for (std::uint32_t row = 1; row <= kRows; ++row) {
    if (!rows.contains(row)) missing += std::to_string(row) + " ";
  }
  EXPECT_EQ(missing, "");
  EXPECT_EQ(shipped_playbooks().size(), 5U);
}

}  // namespace playbook_coverage_test
}  // namespace proofline
