// SPDX-License-Identifier: Apache-2.0
//
// Builds .ncu-rep files in memory, so that a test shows its input as text and can break any part of
// it.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace proofline::test_support {

inline std::string u32(std::uint64_t number) {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>((number >> shift) & 0xffU));
  }
  return bytes;
}

inline std::string sized(const std::string& message) { return u32(message.size()) + message; }

// A message from (field, value) calls: Fields().text(5, "name").integer(22, 1).bytes()
class Fields {
 public:
  Fields& text(std::uint32_t field, std::string_view value) {
    protozero::pbf_writer(bytes_).add_string(field, value.data(), value.size());
    return *this;
  }
  Fields& integer(std::uint32_t field, std::uint64_t value) {
    protozero::pbf_writer(bytes_).add_uint64(field, value);
    return *this;
  }
  Fields& real(std::uint32_t field, double value) {
    protozero::pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  Fields& message(std::uint32_t field, const Fields& value) { return text(field, value.bytes()); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline Fields real_metric(std::uint64_t name, double value) {
  return Fields().integer(1, name).message(2, Fields().real(3, value));
}

inline Fields integer_metric(std::uint64_t name, std::uint64_t value) {
  return Fields().integer(1, name).message(2, Fields().integer(5, value));
}

inline Fields dim(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return Fields().integer(1, x).integer(2, y).integer(3, z);
}

inline Fields kernel(std::string_view name) {
  return Fields().text(6, name).text(7, name).message(10, dim(8, 1, 1)).message(11, dim(32, 1, 1));
}

// What is in a block besides its header's counts and sizes.
struct ReportBlock {
  std::vector<std::string> strings;
  std::vector<Fields> sources;
  std::vector<Fields> kernels;
  std::vector<Fields> ranges;
  std::vector<Fields> command_lists;
  std::vector<Fields> graphs;
  Fields extra;  // more header fields: session (3), process (6), ...
};

inline std::string block_bytes(const ReportBlock& block) {
  std::string payload;
  for (const auto* messages :
       {&block.sources, &block.kernels, &block.ranges, &block.command_lists, &block.graphs}) {
    for (const Fields& message : *messages) payload += sized(message.bytes());
  }
  Fields table;
  for (const std::string& string : block.strings) table.text(1, string);
  Fields header = block.extra;
  header.integer(1, block.sources.size())
      .integer(2, block.kernels.size())
      .message(4, table)
      .integer(5, payload.size())
      .integer(7, block.ranges.size())
      .integer(8, block.command_lists.size())
      .integer(9, block.graphs.size());
  return sized(header.bytes()) + payload;
}

inline std::string file_header(std::uint64_t version = 7) {
  return std::string("NVR\0", 4) + sized(Fields().integer(1, version).bytes());
}

inline std::string report(const std::vector<ReportBlock>& blocks) {
  std::string bytes = file_header();
  for (const ReportBlock& block : blocks) bytes += block_bytes(block);
  return bytes;
}

}  // namespace proofline::test_support
