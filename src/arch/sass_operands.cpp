// SPDX-License-Identifier: Apache-2.0
#include "arch/sass_operands.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "arch/sass_operand_text.h"

namespace proofline {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;
constexpr std::uint32_t kBankPlace = 54;
constexpr std::uint32_t kBankBits = 5;

bool is_float(char letter) {
  return std::string_view("FEHG").find(letter) != std::string_view::npos;
}

OperandKind kind_of(char letter) {
  switch (letter) {
    case 'R': return OperandKind::kRegister;
    case 'U':
    case 'O': return OperandKind::kUniformRegister;
    case 'P':
    case 'K': return OperandKind::kPredicate;
    case 'Q':
    case 'N': return OperandKind::kUniformPredicate;
    case 'C':
    case 'c': return OperandKind::kConstant;
    case 'T':
    case 'A': return OperandKind::kTarget;
    case 'B': return OperandKind::kBarrier;
    case 'S':
    case 'M':
    case 'X': return OperandKind::kSpecial;
    default: return OperandKind::kImmediate;
  }
}

std::uint64_t target_of(const Encoding& encoding, std::uint32_t width, std::uint64_t address) {
  const std::uint64_t words = width == kSplitTarget
                                  ? bits_of(encoding, kTargetPlace, kSplitTarget - kLowTarget)
                                            << kLowTarget |
                                        bits_of(encoding, kLowTargetPlace, kLowTarget)
                                  : bits_of(encoding, kTargetPlace, width);
  return address + kInstructionBytes + 4 * static_cast<std::uint64_t>(sign_extended(words, width));
}

std::uint64_t bits_of(const SassWord& word, const Encoding& encoding) {
  const std::uint64_t bits = bits_of(encoding, word.place, word.width);
  if (word.above_width == 0) return bits;
  return bits | bits_of(encoding, word.above_place, word.above_width) << word.width;
}

std::int64_t displacement_of(const SassWord& word, const Encoding& encoding, bool is_signed) {
  const std::uint64_t bits = bits_of(word, encoding);
  return (is_signed ? sign_extended(bits, word.width + word.above_width)
                    : static_cast<std::int64_t>(bits)) *
         word.scale;
}

// All but a displacement, which belongs to another operand.
Operand operand_at(const SassWord& word, const Encoding& encoding, std::uint64_t address,
                   bool is_signed) {
  Operand operand;
  operand.kind = kind_of(word.kind);
  const std::uint64_t value = bits_of(word, encoding);
  switch (word.kind) {
    case 'R':
    case 'U':
      operand.index =
          value == low_bits(word.width) ? Operand::kZero : static_cast<std::uint16_t>(value);
      break;
    case 'C':
    case 'c':
      operand.index = static_cast<std::uint16_t>(bits_of(encoding, kBankPlace, kBankBits));
      operand.value = displacement_of(word, encoding, word.is_signed);
      break;
    case 'T':
    case 'A':
      operand.value = static_cast<std::int64_t>(
          word.place == kTargetPlace
              ? target_of(encoding, word.width, address)
              : address + kInstructionBytes +
                    static_cast<std::uint64_t>(sign_extended(value, word.width)));
      break;
    case 'J':
      operand.value = static_cast<std::int64_t>(target_of(encoding, word.width, 0)) -
                      static_cast<std::int64_t>(kInstructionBytes);
      break;
    case 'O':  // the register after URZ is URZ as well
      operand.index = value + 1 >= low_bits(word.width) ? Operand::kZero
                                                        : static_cast<std::uint16_t>(value + 1);
      break;
    case 'K':
    case 'N': operand.index = static_cast<std::uint16_t>(Operand::kTrue - value); break;
    case 'F':  // its bits
    case 'E':
    case 'H':
    case 'G':
    case 'I':
      operand.value =
          is_signed ? sign_extended(value, word.width) : static_cast<std::int64_t>(value);
      break;
    default: operand.index = static_cast<std::uint16_t>(value);
  }
  return operand;
}

// Goes through the words of one instruction's operands.
class OperandWalk {
 public:
  OperandWalk(const SassTables& tables, const Encoding& encoding, std::uint64_t address)
      : tables_(tables), encoding_(encoding), address_(address) {}

  // `text` may be null.
  void run(std::span<const SassWord> words, std::vector<Operand>& operands, std::string* text) {
    operands_ = &operands;
    text_ = text;
    for (const SassWord& word : words) {
      if (word.starts) start_operand();
      if (skipping_ && word.kind != '[') {
        skipping_ = word.kind != ']';
        shown_ = false;
        continue;
      }
      const bool shown = holds(word.condition, encoding_);
      if (!is_suffix(word)) shown_ = shown;      // a suffix belongs to the operand before it
      if (word.kind == '[') skipping_ = !shown;  // and all in brackets with them
      if (shown) take_word(word);
    }
    close_bar();
  }

  bool known() const { return known_; }
  std::optional<std::uint64_t> target() const { return target_; }

 private:
  void start_operand() {
    close_bar();
    comma_ = true;
    signed_ = false;
    signs_.clear();
  }

  void take_word(const SassWord& word) {
    switch (word.kind) {
      case '-':
      case '~':
      case '!':
      case '|': signs_ += word.kind; return;
      case '_': space_ = true; return;
      case 's': signed_ = true; return;
      case '.': return take_suffix(word.text);
      case 'r': return take_suffix(".reuse");
      case '[': return open(word.text);
      case ']': return close();
      case '\'': return add(word.literal, word.text);
      case 'D': return displace(word);
      case '#': known_ = false; return;
      default: return take_value(word);
    }
  }

  // A comma before an operand, a plus between the terms of an address.
  void begin() {
    if (inside_) {
      if (terms_++ > 0) write("+");
    } else if (comma_) {
      if (any_) write(space_ ? " " : trailing_blank_ ? " , " : ", ");
      comma_ = space_ = trailing_blank_ = false;
    }
    any_ = true;
    write(signs_);
    bar_ = signs_.ends_with('|');
    negated_ = signs_.size() > (bar_ ? 1 : 0);
    signs_.clear();
  }

  std::uint64_t rest_value(const SassWord& word) const {
    if (word.kind != 'J') return bits_of(word, encoding_);
    return static_cast<std::uint64_t>(operand_at(word, encoding_, address_, true).value);
  }

  void take_value(const SassWord& word) {
    const bool resting =
        word.rest && rest_value(word) == *word.rest && holds(word.rest_condition, encoding_);
    if (resting && (word.rests_signed || signs_.empty())) {
      if (inside_ && left_out_ == nullptr) left_out_ = &word;
      shown_ = false;
      return;
    }
    add(operand_at(word, encoding_, address_, signed_ || word.is_signed), text_of(word));
    if (word.kind == 'T') target_ = static_cast<std::uint64_t>(operands_->back().value);
    if (is_float(word.kind) && text_ != nullptr) {  // and a space after a word or -0.0
      trailing_blank_ = text_->back() >= 'A' || text_->ends_with("-0.0");
    }
  }

  void add(Operand operand, std::string_view text) {
    begin();
    operand.use = inside_ ? OperandUse::kAddress : OperandUse::kRead;
    operand.negated = negated_;
    signed_ = false;
    write(text);
    operands_->push_back(operand);
    if (bar_ && operand.kind == OperandKind::kRegister) close_bar();
  }

  std::string text_of(const SassWord& word) {
    if (text_ == nullptr) return {};
    const Operand operand = operand_at(word, encoding_, address_, signed_ || word.is_signed);
    const std::uint64_t bits = bits_of(word, encoding_);
    switch (word.kind) {
      case 'R':
      case 'U':
      case 'O':
      case 'P':
      case 'Q':
      case 'K':
      case 'N': return register_text(operand);
      case 'C': return fmt::format("c[{:#x}][{}]", operand.index, hex_text(operand.value));
      case 'c': return fmt::format("c[{:#x}] [{}]", operand.index, hex_text(operand.value));
      case 'B': return fmt::format("B{}", bits);
      case 'S': return fmt::format("SB{}", bits);
      case 'M': return set_text(bits);
      case 'X':
        known_ = known_ && !tables_.specials[bits % 256].empty();
        return std::string(tables_.specials[bits % 256]);
      case 'F':
      case 'E':
      case 'H':
      case 'G': return float_text(word.kind, bits);
      case 'I':
        if (operand.value < 0 && !signed_ && !word.is_signed) return fmt::format("{:#x}", bits);
        return hex_text(operand.value);
      default: return hex_text(operand.value);
    }
  }

  void take_suffix(std::string_view text) {
    if (!shown_) return;
    if (text == ".64" && inside_ && operands_->size() > bracket_) operands_->back().count = 2;
    write(text);
  }

  void open(std::string_view text) {
    const bool goes_on = text.front() == ']';
    if (goes_on) {
      end_address();
    } else {
      begin();
    }
    write(text == "]_[" ? "] [" : text);
    inside_ = true;
    terms_ = 0;
    displacement_ = 0;
    left_out_ = nullptr;
    bracket_ = operands_->size();
    if (text != "c[") return;
    Operand constant;
    constant.kind = OperandKind::kConstant;
    constant.index = static_cast<std::uint16_t>(bits_of(encoding_, kBankPlace, kBankBits));
    constant.negated = negated_;
    operands_->push_back(constant);
    write(fmt::format("{:#x}][", constant.index));
  }

  void displace(const SassWord& word) {
    const bool is_signed = word.is_signed && !(word.bare && terms_ == 0);
    const std::int64_t value = displacement_of(word, encoding_, is_signed);
    displacement_ += value;
    if (value == 0 && word.rest && holds(word.rest_condition, encoding_)) {
      if (left_out_ == nullptr) left_out_ = &word;
      return;
    }
    if (terms_++ > 0) write("+");
    write(hex_text(value));
  }

  void close() {
    shown_ = inside_;
    if (!inside_) return;
    end_address();
    write("]");
    inside_ = false;
  }

  // What is left out at rest is written where nothing else is.
  void end_address() {
    if (terms_ == 0 && left_out_ != nullptr) {
      if (left_out_->kind == 'D') {
        write("0x0");
      } else {
        add(operand_at(*left_out_, encoding_, address_, false), text_of(*left_out_));
      }
    }
    if (operands_->size() == bracket_) {
      Operand number;
      number.kind = OperandKind::kImmediate;
      number.use = OperandUse::kAddress;
      operands_->push_back(number);
    }
    (*operands_)[bracket_].value = displacement_;
  }

  void close_bar() {
    if (std::exchange(bar_, false)) write("|");
  }

  void write(std::string_view text) {
    if (text_ != nullptr) *text_ += text;
  }

  const SassTables& tables_;
  const Encoding& encoding_;
  std::uint64_t address_;
  std::vector<Operand>* operands_ = nullptr;
  std::string* text_ = nullptr;
  std::optional<std::uint64_t> target_;
  bool known_ = true;
  bool any_ = false;             // something was written
  bool comma_ = false;           // and an operand begins
  bool space_ = false;           // with a space
  bool trailing_blank_ = false;  // the last operand ends with a space
  bool shown_ = false;           // what the last word says
  std::string signs_;            // before the next
  bool negated_ = false;
  bool signed_ = false;
  bool bar_ = false;       // of an absolute value is open
  bool inside_ = false;    // brackets
  bool skipping_ = false;  // those that are not there
  int terms_ = 0;          // of the address
  std::int64_t displacement_ = 0;
  std::size_t bracket_ = 0;  // the first operand in it
  const SassWord* left_out_ = nullptr;
};

}  // namespace

SassOperandsRead read_operands(const SassTables& tables, std::span<const SassWord> words,
                               const Encoding& encoding, std::uint64_t address,
                               std::vector<Operand>& operands, std::string* text) {
  OperandWalk walk(tables, encoding, address);
  walk.run(words, operands, text);
  return {walk.known(), walk.target()};
}

}  // namespace proofline
