// SPDX-License-Identifier: Apache-2.0
//
// A TOML file as a plain tree with the place of every key and value. toml++ parses it, after a
// scan of our own: its parser calls itself for each level and each part of a dotted key, so that a
// small hostile file would end the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proofline {

// Both count from 1; columns count characters.
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

struct TomlNode {
  enum class Type : std::uint8_t { kText, kNumber, kLogic, kOther, kArray, kTable };

  Type type = Type::kOther;
  SourcePlace place;  // of the value; of a table with a header, of that
  std::string text;
  double number = 0;
  bool logic = false;
  std::vector<TomlNode> items;  // of an array; of a table, the values of its keys, in file order
  std::vector<std::string> keys;
  std::vector<SourcePlace> key_places;

  const TomlNode* find(std::string_view key) const;
};

struct ParsedToml {
  static constexpr std::size_t kMostBytes = 1U << 20U;
  static constexpr std::size_t kMostKeyParts = 8;
  static constexpr std::size_t kMostDepth = 16;

  TomlNode root;
  std::string problem;  // why there is no tree; "" there is
  SourcePlace place;    // of the problem
};

ParsedToml parse_toml(std::string_view text);

}  // namespace proofline
