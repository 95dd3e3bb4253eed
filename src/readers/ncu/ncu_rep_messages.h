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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/profile/profile.h"
#include "readers/ncu/ncu_rep_wire.h"
#include "readers/reader.h"

namespace proofline::ncu_file {

// What decoding met besides the data itself, summed over the file and told in notes at its end.
struct Tally {
  std::uint64_t skipped_bytes = 0;     // fields of no interest or not asked for
  std::uint64_t unknown_fields = 0;    // from a newer ncu than any we know
  std::uint64_t bad_name_ids = 0;      // metrics whose name is not in the string table
  std::uint64_t invalid_values = 0;    // NaN or infinite
  std::uint64_t duplicate_values = 0;  // a second metric of one name with another value
  std::uint64_t damaged_lines = 0;     // cubins whose line table is damaged
};

// The string table grows from block to block; each string is interned as a metric name when a
// metric first uses it.
class StringTable {
 public:
  struct Entry {
    MetricId id = ~MetricId{0};  // in the profile
    bool with_instances = false;
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

// Modules by process and reference: each process counts its references from the start, one module
// comes in several messages, and a report may hold many.
class ModuleTable {
 public:
  explicit ModuleTable(std::vector<Module>& modules) : modules_(modules) {}
  Module& at(std::size_t process, std::uint64_t reference);
  // After the whole file: what launches refer to becomes the modules' positions.
  void resolve(std::vector<Launch>& launches) const;

 private:
  std::vector<Module>& modules_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> positions_;
};

// What the cubins hold besides code; a report may hold one cubin many times.
class CubinTable {
 public:
  void read(std::string_view cubin, Module& module, Tally& tally);

 private:
  struct Known {
    std::shared_ptr<const LineTable> lines;
    std::vector<Symbol> functions;
  };
  std::map<std::pair<std::size_t, std::size_t>, Known> known_;  // by size and hash
  std::size_t rows_ = 0;
};

Value decode_value(Message message);

void merge_session(Message message, Session& session);
void merge_module(Message message, std::size_t process, const ReadOptions& options,
                  ModuleTable& modules, CubinTable& cubins, Tally& tally);

// One result of any kind.
Launch decode_result(LaunchKind kind, Message message, const ReadOptions& options,
                     StringTable& strings, MetricNames& names, Tally& tally);

std::vector<NvtxRange> decode_nvtx(Message state);
std::vector<StackFrame> decode_stack(Message stack);
NvidiaRule decode_rule(Message rule);

// After the whole file: names, devices and grids of all launches, and the producer.
void identify_launches(Profile& profile);

}  // namespace proofline::ncu_file
