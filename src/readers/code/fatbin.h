// SPDX-License-Identifier: Apache-2.0
//
// Fat binaries: the container in which nvcc packs the cubins and the PTX of one source file, for
// several architectures. They are files of their own or, concatenated, sections of host
// programs, libraries and objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "readers/code/read_code.h"

namespace proofline {

// Whether bytes begin as those of a fatbin do.
bool is_fatbin(std::string_view prefix);

// The functions of all fatbins of one file. Equal cubins are read once.
class FatbinReader {
 public:
  // The file's size limits what its compressed parts may expand to.
  FatbinReader(std::uint64_t file_bytes, Listing& listing, const FunctionSink& sink);

  // Lists the fatbins in bytes that outlive the reader.
  void add(std::string_view bytes);
  // Reads the functions of all that was added; an error where there are none, which says what is
  // there instead.
  Result<void> read();

 private:
  struct Entry {
    bool is_compressed() const;

    std::uint16_t kind = 0;
    std::uint32_t arch = 0;  // 90
    std::uint64_t flags = 0;
    std::string_view name;             // of the source file; often empty
    std::string_view stored;           // perhaps compressed
    std::uint64_t expanded_bytes = 0;  // where compressed: declared, not known
  };

  std::size_t add_fatbin(std::string_view bytes);
  bool add_entry(std::string_view& rest);
  std::size_t read_cubin(const Entry& entry, std::size_t index);
  Result<std::string> expand(const Entry& entry);
  // Damage of one kind is one note, however often it is met.
  void lose(std::string place, std::string what);

  Listing& listing_;
  const FunctionSink& sink_;
  std::uint64_t expansion_left_;
  std::vector<Entry> cubins_;
  std::map<std::string, std::uint64_t> not_read_;  // "PTX for compute_90", and how many
  std::map<std::string, std::size_t> losses_;      // what, and the note's position
};

}  // namespace proofline
