// SPDX-License-Identifier: Apache-2.0
//
// One result of an .ncu-rep file, decoded into a launch of the model, and the table of names that
// its metrics refer to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile/profile.h"
#include "readers/ncu/ncu_rep_wire.h"
#include "readers/read_profile.h"

namespace proofline::ncu_file {

// The string table grows from block to block; each string is interned as a metric name when a
// metric first uses it.
class StringTable {
 public:
  struct Entry {
    MetricId id = ~MetricId{0};  // in the profile
    bool with_instances = false;
    bool with_zeros = true;  // among the instances
  };

  explicit StringTable(const ReadOptions& options) : options_(options) {}
  void append(Message table);
  // Nullptr for an index outside the table.
  const Entry* metric(std::uint64_t index, MetricNames& names);

 private:
  const ReadOptions& options_;
  std::vector<std::string> strings_;
  std::vector<Entry> entries_;
};

Value decode_value(std::string_view bytes);

// One result of any kind.
Launch decode_result(LaunchKind kind, Message message, const ReadOptions& options,
                     StringTable& strings, MetricNames& names, Tally& tally);

}  // namespace proofline::ncu_file
