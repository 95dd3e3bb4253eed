// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/text_skeleton.h"

#include <algorithm>
#include <string_view>

#include "base/characters.h"

namespace proofline {
namespace {

constexpr std::string_view kLabel = "L_x_";  // after a dot, with a number that says nothing
constexpr std::string_view kReuse = "reuse";

bool in_word(char c) { return is_alphanumeric(c) || c == '_' || c == '$'; }

// "R" of "R12", "UP" of "UP0"; "" of whatever else is a word, RZ and PT among it.
std::string_view register_file(std::string_view word) {
  constexpr std::string_view kFiles[] = {"R", "UR", "P", "UP", "B"};
  const std::size_t digits = std::min(word.find_first_of("0123456789"), word.size());
  const std::string_view file = word.substr(0, digits);
  const std::string_view number = word.substr(digits);
  const bool numbered = !number.empty() && std::all_of(number.begin(), number.end(), is_digit);
  const bool known = std::find(std::begin(kFiles), std::end(kFiles), file) != std::end(kFiles);
  return numbered && known ? file : std::string_view{};
}

class SkeletonWriter {
 public:
  SkeletonWriter(const CodeFunction& function, const Instruction& instruction,
                 std::string& skeleton)
      : name_(function.name), rest_(function.text_of(instruction)), skeleton_(skeleton) {
    const auto operands = function.operands_of(instruction);
    goes_inside_ = rest_.starts_with("RET") ||
                   std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
                     return operand.kind == OperandKind::kTarget;
                   });
  }

  void write() {
    // Disassemblers for sm_100 and later print schedules there: "&req={1} ?trans2".
    while (!rest_.empty() && rest_[0] != '&' && rest_[0] != '?') {
      if (in_word(rest_[0])) {
        write_word();
      } else if (rest_.starts_with("(*")) {
        drop_past("*)");
      } else if (rest_[0] == '`' && goes_inside_) {
        drop_past(")");
      } else {
        if (!is_blank(rest_[0]) && rest_[0] != ';') skeleton_ += rest_[0];
        rest_.remove_prefix(1);
      }
    }
  }

 private:
  void write_word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), in_word);
    const auto word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(word.size());
    if (const std::string_view file = register_file(word); !file.empty()) {
      skeleton_ += file;
      skeleton_ += '#';
    } else if (word == kReuse && skeleton_.ends_with('.')) {
      skeleton_.pop_back();
    } else if (word.starts_with(kLabel)) {
      skeleton_ += kLabel;
    } else if (!(goes_inside_ && word.starts_with("0x")) && word != name_) {
      skeleton_ += word;
    }
  }

  void drop_past(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + mark.size());
  }

  std::string_view name_;
  std::string_view rest_;
  std::string& skeleton_;
  bool goes_inside_ = false;
};

}  // namespace

void write_skeleton(const CodeFunction& function, const Instruction& instruction,
                    std::string& skeleton) {
  skeleton.clear();
  SkeletonWriter(function, instruction, skeleton).write();
}

}  // namespace proofline
