// SPDX-License-Identifier: Apache-2.0
//
// The messages inside an .ncu-rep file, decoded into the model. The container around them (blocks,
// sizes, damage) is ncu_rep.cpp's business. Everything here throws protozero::exception on bytes
// that are not valid wire format. Field numbers are facts read off NVIDIA's published definitions
// (extras/FileFormat of Nsight Compute 2025.3.1) and checked on reports from 2019 to 2026.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "readers/ncu_rep_wire.h"
#include "readers/reader.h"

namespace proofline::ncu_file {

// What decoding met besides the data itself, summed over the file and told in notes at its end.
struct Tally {
  std::uint64_t skipped_bytes = 0;     // fields of no interest or not asked for
  std::uint64_t unknown_fields = 0;    // from a newer ncu than any we know
  std::uint64_t bad_name_ids = 0;      // metrics whose name is not in the string table
  std::uint64_t invalid_values = 0;    // NaN or infinite
  std::uint64_t duplicate_values = 0;  // a second metric of one name with another value
};

// The string table grows from block to block; each string is interned as a metric name when a
// metric first uses it.
class StringTable {
 public:
  void append(Message table);
  // The metric's id in the profile, or nullptr for an index outside the table.
  const MetricId* metric_id(std::uint64_t index, MetricNames& names);

 private:
  static constexpr MetricId kNotInterned = ~MetricId{0};
  std::vector<std::string> strings_;
  std::vector<MetricId> ids_;
};

// Modules by process and reference: each process counts its references from the start, one module
// comes in several messages, and a report may hold many.
class ModuleTable {
 public:
  explicit ModuleTable(std::vector<Module>& modules) : modules_(modules) {}
  Module& at(std::size_t process, std::uint64_t reference);

 private:
  std::vector<Module>& modules_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> positions_;
};

Value decode_value(Message message);

void merge_session(Message message, Session& session);
void merge_module(Message message, std::size_t process, bool with_code, ModuleTable& modules,
                  Tally& tally);

// One result of any kind.
Launch decode_result(LaunchKind kind, Message message, const ReadOptions& options,
                     StringTable& strings, MetricNames& names, Tally& tally);

std::vector<NvtxRange> decode_nvtx(Message state);
std::vector<StackFrame> decode_stack(Message stack);
NvidiaRule decode_rule(Message rule);

// After the whole file: names, devices and grids of all launches, and the producer.
void identify_launches(Profile& profile);

}  // namespace proofline::ncu_file
