// SPDX-License-Identifier: Apache-2.0
//
// Compares the decoder with NVIDIA's text: decode_pairs sm_90 < pairs, where pairs are lines of
// "low high address text" from scripts/sass/collect-pairs, or what cuobjdump -sass prints. Prints
// how far they agree, for all and for every opcode that makes up one in 10,000, and what differs
// with an example. Exits with 1 where the decoder says something else than NVIDIA does; what it
// does not know is counted apart.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/sass_decoder.h"

namespace proofline {
namespace {

struct Sample {
  Encoding encoding;
  std::uint64_t address = 0;
  std::string_view guard;
  std::string_view opcode;
  std::string_view operands;
};

std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  return word;
}

std::optional<std::uint64_t> hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<Sample> parse(std::string_view line) {
  const auto low = hex(next_word(line));
  const auto high = hex(next_word(line));
  const auto address = hex(next_word(line));
  if (!low || !high || !address || line.empty()) return {};
  Sample sample{{*low, *high}, *address, "", "", ""};
  if (line.front() == '@') sample.guard = next_word(line);
  sample.opcode = next_word(line);
  sample.operands = line;
  return sample;
}

// An instruction of cuobjdump's listing, which has its encoding on two lines:
//   /*0040*/  LDG.E R0, [R2] ;  /* 0x0000000402007981 */
//                               /* 0x000ea8000c1e1900 */
class ListedPair {
 public:
  // Whether that line is the second of one.
  bool complete(std::string_view text) {
    const std::size_t begin = text.find("/*");
    const std::size_t code = text.rfind("/* 0x");
    if (begin == std::string_view::npos || code == std::string_view::npos) return false;
    const std::string_view digits = text.substr(code + 5, 16);
    if (begin == code) {
      line_ = low_ + " " + std::string(digits) + " " + rest_;
      return !low_.empty();
    }
    const std::size_t end = text.find("*/", begin);
    std::string_view words = text.substr(end + 2, text.rfind(';', code) - end - 2);
    words.remove_prefix(std::min(words.find_first_not_of(" \t"), words.size()));
    words = words.substr(0, words.find_last_not_of(' ') + 1);
    low_ = digits;
    rest_ = std::string(text.substr(begin + 2, end - begin - 2)) + " " + std::string(words);
    return false;
  }
  const std::string& line() const { return line_; }

 private:
  std::string low_;
  std::string rest_;
  std::string line_;
};

std::string_view mnemonic(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

// The modifiers that say how much a memory instruction moves.
std::string width_parts(std::string_view opcode) {
  static constexpr std::string_view kWidths[] = {"U8",  "S8", "U16", "S16", "32",  "64",  "128",
                                                 "256", "1",  "2",   "4",   "M88", "MT88"};
  std::string parts;
  opcode.remove_prefix(mnemonic(opcode).size());
  while (!opcode.empty()) {
    opcode.remove_prefix(1);
    const std::string_view part = mnemonic(opcode);
    if (std::find(std::begin(kWidths), std::end(kWidths), part) != std::end(kWidths)) {
      parts.append(".").append(part);
    }
    opcode.remove_prefix(part.size());
  }
  return parts;
}

bool moves_data(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "LD",  "LDG",  "LDS",    "LDL", "LDC",  "LDCU", "ULDC",  "LDSM",  "ST",   "STG",   "STS",
      "STL", "STSM", "LDGSTS", "RED", "REDG", "ATOM", "ATOMG", "ATOMS", "STAS", "LDGMC", "REDAS"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Of a branch whose target the text gives as a number.
std::optional<std::uint64_t> target(const Sample& sample) {
  const std::string_view name = mnemonic(sample.opcode);
  const bool relative =
      name == "BRA" || name == "BSSY" || name == "JMP" ||
      (sample.opcode.starts_with("CALL.REL") && sample.operands.starts_with("0x"));
  const std::size_t last = sample.operands.rfind(' ');
  std::string_view text = sample.operands.substr(last == std::string_view::npos ? 0 : last + 1);
  if (!relative || !text.starts_with("0x")) return {};
  return hex(text.substr(2));
}

// cuobjdump and nvdisasm may tell after an indirect branch where it goes.
std::string_view without_remark(std::string_view operands) {
  operands = operands.substr(0, operands.find("(*"));
  return operands.substr(0, operands.find_last_not_of(' ') + 1);
}

std::string guard_text(const Guard& guard) {
  if (guard.always()) return "";
  std::string text = guard.negated ? "@!" : "@";
  text += guard.uniform ? "UP" : "P";
  return text + (guard.index == Operand::kTrue ? "T" : std::to_string(guard.index));
}

bool is_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The registers and predicates that a text names, but for RZ, PT and the like, which texts leave
// out at times; in order.
std::vector<std::string> registers_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::size_t digits = word.find_first_of("0123456789");
    const std::string_view file = word.substr(0, digits);
    if (digits != std::string_view::npos &&
        (file == "R" || file == "UR" || file == "P" || file == "UP")) {
      names.emplace_back(word);
    }
    at = std::max(end, at + 1);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> registers_in(const std::vector<Operand>& operands) {
  std::vector<std::string> names;
  for (const Operand& operand : operands) {
    const auto add = [&](const char* file, std::uint16_t rest) {
      if (operand.index != rest) names.push_back(file + std::to_string(operand.index));
    };
    if (operand.kind == OperandKind::kRegister) add("R", Operand::kZero);
    if (operand.kind == OperandKind::kUniformRegister) add("UR", Operand::kZero);
    if (operand.kind == OperandKind::kPredicate) add("P", Operand::kTrue);
    if (operand.kind == OperandKind::kUniformPredicate) add("UP", Operand::kTrue);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Count {
  std::uint64_t right = 0;
  std::uint64_t unknown = 0;
  std::uint64_t wrong = 0;

  std::uint64_t total() const { return right + unknown + wrong; }
  void add(bool known, bool agrees) { ++(!known ? unknown : agrees ? right : wrong); }
};

enum Aspect { kOpcode, kModifiers, kWidth, kTarget, kGuard, kRegisters, kOperands, kAspects };
constexpr std::string_view kAspectNames[] = {"opcode", "modifiers", "width",   "target",
                                             "guard",  "registers", "operands"};

struct Counts {
  Count of[kAspects];
};

struct Difference {
  std::uint64_t count = 0;
  std::string example;
};

class Comparison {
 public:
  explicit Comparison(SassDecoder decoder) : decoder_(decoder) {}

  void compare(const Sample& sample, std::string_view line);
  void print() const;
  bool wrong() const;

 private:
  void add(Aspect aspect, bool known, bool agrees, Counts& by_name, const Sample& sample,
           std::string_view line);

  SassDecoder decoder_;
  DecodedInstruction decoded_;
  std::string operands_;
  Counts all_;
  std::map<std::string, Counts, std::less<>> by_name_;
  std::map<std::string, Difference> differences_;
};

void Comparison::add(Aspect aspect, bool known, bool agrees, Counts& by_name, const Sample& sample,
                     std::string_view line) {
  all_.of[aspect].add(known, agrees);
  by_name.of[aspect].add(known, agrees);
  if (known && agrees) return;
  std::string key(kAspectNames[aspect]);
  key.append(known ? " wrong: " : " unknown: ").append(sample.opcode);
  Difference& difference = differences_[key];
  if (difference.count++ == 0) {
    difference.example.append(line).append(" | ").append(decoded_.opcode);
    if (aspect == kOperands) difference.example.append(" ").append(operands_);
  }
}

void Comparison::compare(const Sample& sample, std::string_view line) {
  decoder_.decode(sample.encoding, sample.address, decoded_);
  const std::string_view name = mnemonic(sample.opcode);
  auto found = by_name_.find(name);
  if (found == by_name_.end()) found = by_name_.emplace(name, Counts{}).first;
  const bool named = !decoded_.opcode.empty();
  const auto check = [&](Aspect aspect, bool known, bool agrees) {
    add(aspect, known, agrees, found->second, sample, line);
  };
  check(kOpcode, named, mnemonic(decoded_.opcode) == name);
  check(kModifiers, decoded_.all_modifiers, decoded_.opcode == sample.opcode);
  if (moves_data(name)) {
    check(kWidth, decoded_.all_modifiers,
          width_parts(decoded_.opcode) == width_parts(sample.opcode));
  }
  if (const auto expected = target(sample)) {
    check(kTarget, decoded_.target.has_value(), decoded_.target == expected);
  }
  check(kGuard, named, guard_text(decoded_.guard) == sample.guard);
  // Unknown where the decoder names only some of them; wrong where it names another.
  const auto expected = registers_in(sample.operands);
  const auto got = registers_in(decoded_.operands);
  const bool some = std::includes(expected.begin(), expected.end(), got.begin(), got.end());
  check(kRegisters, decoded_.all_operands && (!some || got == expected), some);
  operands_.clear();
  const bool written = decoder_.write_operands(sample.encoding, sample.address, operands_);
  check(kOperands, written && decoded_.all_operands, operands_ == without_remark(sample.operands));
}

void print_share(const char* name, const Count& count) {
  if (count.total() == 0) return;
  std::printf("  %s %.4f%%", name,
              100.0 * static_cast<double>(count.right) / static_cast<double>(count.total()));
  if (count.unknown != 0) std::printf(" (%llu unknown)", (unsigned long long)count.unknown);
  if (count.wrong != 0) std::printf(" (%llu WRONG)", (unsigned long long)count.wrong);
}

void Comparison::print() const {
  const std::uint64_t total = all_.of[kOpcode].total();
  std::printf("%llu instructions\n", (unsigned long long)total);
  for (int i = 0; i < kAspects; ++i) {
    const Count& count = all_.of[i];
    std::printf("%-10s %llu compared, %llu agree, %llu unknown, %llu wrong;",
                kAspectNames[i].data(), (unsigned long long)count.total(),
                (unsigned long long)count.right, (unsigned long long)count.unknown,
                (unsigned long long)count.wrong);
    print_share("agreement", count);
    std::printf("\n");
  }
  std::uint64_t common = 0;
  std::uint64_t poor = 0;
  std::printf("\n");
  for (const auto& [name, counts] : by_name_) {
    if (counts.of[kOpcode].total() * 10000 < total) continue;
    ++common;
    const bool fine = std::all_of(std::begin(counts.of), std::end(counts.of),
                                  [](const Count& c) { return c.right * 1000 >= c.total() * 999; });
    if (fine) continue;
    ++poor;
    std::printf("%-10s %llu", name.c_str(), (unsigned long long)counts.of[kOpcode].total());
    for (int i = 0; i < kAspects; ++i) print_share(kAspectNames[i].data(), counts.of[i]);
    std::printf("\n");
  }
  std::printf(
      "of %llu opcodes that are one in 10,000 or more, these %llu have an agreement below "
      "99.9%%\n",
      (unsigned long long)common, (unsigned long long)poor);
  std::printf("\ndifferences:\n");
  std::vector<std::pair<std::string, Difference>> ordered(differences_.begin(), differences_.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [key, difference] : ordered) {
    std::printf("%8llu %s | %s\n", (unsigned long long)difference.count, key.c_str(),
                difference.example.c_str());
  }
}

bool Comparison::wrong() const {
  return std::any_of(std::begin(all_.of), std::end(all_.of),
                     [](const Count& count) { return count.wrong != 0; });
}

}  // namespace
}  // namespace proofline

int main(int count, char** arguments) {
  const auto decoder = proofline::SassDecoder::for_arch(count == 2 ? arguments[1] : "");
  if (!decoder) {
    std::fprintf(stderr, "usage: decode_pairs sm_80|sm_90|sm_100|sm_120 < PAIRS\n");
    return 2;
  }
  proofline::Comparison comparison(*decoder);
  std::string line;
  proofline::ListedPair listed;
  while (std::getline(std::cin, line)) {
    const std::string& pair = listed.complete(line) ? listed.line() : line;
    if (const auto sample = proofline::parse(pair)) comparison.compare(*sample, pair);
  }
  comparison.print();
  return comparison.wrong() ? 1 : 0;
}
