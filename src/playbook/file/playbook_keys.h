// SPDX-License-Identifier: Apache-2.0
//
// The keys of a playbook file, declared once. describe_playbook() tells each key, with where its
// value goes, to a PlaybookKeys: that of read_playbook.cpp reads a file, that of
// playbook_record.cpp writes the JSON schema.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "playbook/playbook.h"

namespace proofline {

// The keys of one table.
class PlaybookKeys {
 public:
  enum class Need : std::uint8_t { kOptional, kRequired };
  using Words = std::initializer_list<std::string_view>;
  using Describe = std::function<void(PlaybookKeys& keys)>;

  virtual ~PlaybookKeys() = default;

  virtual void text(std::string_view key, std::string& to, Need need = Need::kOptional) = 0;
  // Letters, digits, - and _, so that expressions can name it. Always required.
  virtual void id(std::string_view key, std::string& to) = 0;
  virtual void choice(std::string_view key, std::string& to, Words words,
                      Need need = Need::kOptional) = 0;
  // A text or a list of texts.
  virtual void texts(std::string_view key, std::vector<std::string>& to) = 0;
  virtual void choices(std::string_view key, std::vector<std::string>& to, Words words,
                       Need need) = 0;
  virtual void number(std::string_view key, std::optional<double>& to) = 0;
  // A whole number from `least` to `most`.
  virtual void count(std::string_view key, std::uint32_t& to, std::uint32_t least,
                     std::uint32_t most) = 0;
  virtual void logic(std::string_view key, bool& to) = 0;
  // A plain name of a file, without a folder.
  virtual void file_name(std::string_view key, std::string& to) = 0;
  // The version of the format; a later one than `known` is refused.
  virtual void format(std::string_view key, std::uint32_t known) = 0;
  virtual void expression(std::string_view key, std::optional<PlaybookExpression>& to,
                          Need need = Need::kOptional) = 0;
  // An expression, or 'otherwise' for none.
  virtual void condition(std::string_view key, std::optional<PlaybookExpression>& to) = 0;
  virtual void expressions(std::string_view key, std::vector<PlaybookExpression>& to) = 0;

  // "15, 28-31"
  virtual void rows(std::string_view key, std::vector<std::uint32_t>& to) = 0;
  // A table whose keys are the user's.
  virtual void values(std::string_view key, Workload& to, Need need) = 0;
  virtual void sweep(std::string_view key, PlaybookTask& task) = 0;
  virtual void fields(std::string_view key, std::vector<DeliverablePart::Field>& to) = 0;
  virtual void lets(std::string_view key, Playbook& playbook) = 0;
  virtual void workload(std::string_view key, Playbook& playbook) = 0;
  // The kind of a phase and the keys that only this kind takes.
  virtual void kind(std::string_view key, PlaybookPhase& phase) = 0;

  // A table of its own, and a list of tables.
  virtual void table(std::string_view key, Need need, const Describe& describe) = 0;
  virtual void tables(std::string_view key, Need need, const Describe& describe) = 0;
  // Begins an item: where it is in the file.
  virtual void begin(PlaybookItem& item) = 0;

  template <class Item, class DescribeItem>
  void list(std::string_view key, std::vector<Item>& to, Need need, const DescribeItem& describe) {
    tables(key, need, [&](PlaybookKeys& keys) {
      Item item;
      describe(keys, item);
      to.push_back(std::move(item));
    });
  }
};

void describe_playbook(PlaybookKeys& keys, Playbook& playbook);

}  // namespace proofline
