// SPDX-License-Identifier: Apache-2.0
//
// Typed access to protobuf fields on top of protozero, for the parts of the ncu-rep reader. Every
// getter first checks the wire type, which protozero itself only asserts. All of them throw a
// protozero::exception on malformed bytes; ncu_rep.cpp catches it at the border of each message.
// Field numbers are facts read off NVIDIA's published definitions (extras/FileFormat of Nsight
// Compute 2025.3.1) and checked on reports from 2019 to 2026.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

namespace proofline::ncu_file {

using Message = protozero::pbf_reader;

inline Message message_of(std::string_view bytes) { return Message{bytes.data(), bytes.size()}; }

inline void expect(const Message& field, protozero::pbf_wire_type type) {
  if (field.wire_type() != type) throw protozero::unknown_pbf_wire_type_exception{};
}

inline std::string_view bytes_of(Message& field) {
  expect(field, protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = field.get_view();
  return {view.data(), view.size()};
}

// Programs on Windows and wide NVTX strings store their terminating NUL too.
inline std::string_view text_view_of(Message& field) {
  std::string_view text = bytes_of(field);
  if (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

inline std::string text_of(Message& field) { return std::string(text_view_of(field)); }

inline Message submessage_of(Message& field) { return message_of(bytes_of(field)); }

inline std::uint64_t integer_of(Message& field) {
  expect(field, protozero::pbf_wire_type::varint);
  return field.get_uint64();
}

inline std::uint32_t integer32_of(Message& field) {
  return static_cast<std::uint32_t>(integer_of(field));
}

inline bool flag_of(Message& field) { return integer_of(field) != 0; }

inline double double_of(Message& field) {
  expect(field, protozero::pbf_wire_type::fixed64);
  return field.get_double();
}

inline double float_of(Message& field) {
  expect(field, protozero::pbf_wire_type::fixed32);
  return static_cast<double>(field.get_float());
}

// Skips the current field and returns its payload's size.
inline std::uint64_t skip_field(Message& field) {
  const auto before = field.length();
  field.skip();
  return before - field.length();
}

// Losses and oddities met while decoding, summed over the file and reported as notes at its end.
struct Tally {
  std::uint64_t skipped_bytes = 0;     // fields of no interest or not asked for
  std::uint64_t unknown_fields = 0;    // from a newer ncu than any we know
  std::uint64_t bad_name_ids = 0;      // metrics whose name is not in the string table
  std::uint64_t invalid_values = 0;    // NaN or infinite
  std::uint64_t duplicate_values = 0;  // a second metric of one name with another value
  std::uint64_t damaged_lines = 0;     // cubins whose line table is damaged
  std::uint64_t unreadable_cubins = 0;
  std::uint64_t dangling_modules = 0;  // references of launches to code that is not there
  std::uint64_t cut_names = 0;         // of processes, hosts and devices
};

// Names that every launch of a process shares: what prints them for each launch must not be made to
// print half a megabyte a line.
inline std::string name_of(Message& field, Tally& tally) {
  constexpr std::size_t kLongest = 4096;  // as of a path
  const std::string_view text = text_view_of(field);
  if (text.size() > kLongest) ++tally.cut_names;
  return std::string(text.substr(0, kLongest));
}

}  // namespace proofline::ncu_file
