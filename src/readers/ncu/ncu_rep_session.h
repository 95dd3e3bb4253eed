// SPDX-License-Identifier: Apache-2.0
//
// Session details and embedded code of an .ncu-rep file. Both come in pieces, spread over blocks,
// so they are merged into what is already there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "model/profile/profile.h"
#include "readers/ncu/ncu_rep_wire.h"
#include "readers/read_profile.h"

namespace proofline::ncu_file {

// Modules by process and reference: each process counts its references from the start, one module
// comes in several messages, and a report may hold many.
class ModuleTable {
 public:
  explicit ModuleTable(std::vector<Module>& modules) : modules_(modules) {}
  // The module's position; a new one's is the next.
  std::size_t at(std::size_t process, std::uint64_t reference);
  Module& operator[](std::size_t position) { return modules_[position]; }
  // After the whole file: what launches refer to becomes the modules' positions. How many of them
  // refer to code that is not there; captures without any code refer to it all the same.
  std::uint64_t resolve(std::vector<Launch>& launches) const;

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

void merge_session(Message message, Session& session, Tally& tally);

// What one message adds to a module.
struct MergedModule {
  std::size_t position = 0;  // in the table
  std::string_view cubin;    // in the message's bytes; empty: it has none
};
MergedModule merge_module(Message message, std::size_t process, const ReadOptions& options,
                          ModuleTable& modules, CubinTable& cubins, Tally& tally);

}  // namespace proofline::ncu_file
