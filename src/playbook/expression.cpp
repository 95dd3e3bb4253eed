// SPDX-License-Identifier: Apache-2.0
//
// Recursive descent, one function for each rule of the grammar.
#include "playbook/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace proofline {
namespace {

using Kind = ExpressionNode::Kind;

struct Operator {
  std::string_view text;
  Kind kind;
};
// Longer ones first.
constexpr Operator kComparisons[] = {{"<=", Kind::kAtMost}, {">=", Kind::kAtLeast},
                                     {"==", Kind::kEqual},  {"!=", Kind::kUnequal},
                                     {"<", Kind::kLess},    {">", Kind::kMore}};

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) { parsed_.expression.text = text; }

  ParsedExpression run() {
    Expression& expression = parsed_.expression;
    if (text().size() > Expression::kMostBytes) {
      fail(0, fmt::format("an expression has at most {} bytes", Expression::kMostBytes));
      return std::move(parsed_);
    }
    skip();
    if (at_end()) {
      fail(0, "the expression is empty");
      return std::move(parsed_);
    }
    const auto root = parse_or();
    if (root && !at_end()) expected("an operator or the end");
    if (root) expression.root = *root;
    return std::move(parsed_);
  }

 private:
  using Node = std::optional<NodeIndex>;

  std::string_view text() const { return parsed_.expression.text; }
  bool at_end() const { return at_ >= text().size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text().size() ? text()[at_ + ahead] : '\0';
  }
  void skip() {
    while (!at_end() && (peek() == ' ' || peek() == '\t')) ++at_;
  }

  void fail(std::size_t at, std::string message) {
    if (!parsed_.problems.empty()) return;
    parsed_.problems.push_back({static_cast<std::uint32_t>(at), std::move(message)});
  }
  Node expected(std::string_view what) {
    const std::string found = at_end() ? "the end" : quote(text().substr(at_, 12));
    fail(at_, fmt::format("expected {}, found {}{}", what, found, other_spelling()));
    return std::nullopt;
  }
  // Of operators that other languages spell another way.
  std::string other_spelling() const {
    constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
        {"&&", "and"}, {"||", "or"}, {"!", "not"}};
    for (const auto& [other, ours] : kSpellings) {
      if (text().substr(at_).starts_with(other)) return fmt::format("; did you mean {}?", ours);
    }
    return "";
  }

  Node add(ExpressionNode node) {
    auto& nodes = parsed_.expression.nodes;
    if (nodes.size() >= Expression::kMostNodes) {
      fail(node.begin, fmt::format("an expression has at most {} parts", Expression::kMostNodes));
      return std::nullopt;
    }
    nodes.push_back(std::move(node));
    return static_cast<NodeIndex>(nodes.size() - 1);
  }
  ExpressionNode& at(NodeIndex index) { return parsed_.expression.nodes[index]; }

  Node combine(Kind kind, std::vector<NodeIndex> operands, std::size_t begin) {
    ExpressionNode node;
    node.kind = kind;
    node.begin = static_cast<std::uint32_t>(begin);
    node.end = static_cast<std::uint32_t>(end_);
    node.operands = std::move(operands);
    return add(std::move(node));
  }

  bool take(std::string_view symbol) {
    if (!text().substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    end_ = at_;
    skip();
    return true;
  }
  // A word that no longer name begins with.
  bool take_word(std::string_view word) {
    if (!text().substr(at_).starts_with(word)) return false;
    const char next = peek(word.size());
    if (is_alphanumeric(next) || next == '_' || next == '.' || next == '[' || next == '(') {
      // "not(" and "in{" are words, "not.a" is a name
      if (next != '(') return false;
    }
    if (next == '-' && is_letter(peek(word.size() + 1))) return false;
    return take(word);
  }

  class Deeper {
   public:
    explicit Deeper(ExpressionParser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    ExpressionParser& parser_;
  };

  Node parse_or() {
    const Deeper deeper(*this);
    if (depth_ > Expression::kMostDepth) {
      fail(at_, fmt::format("an expression nests at most {} deep", Expression::kMostDepth));
      return std::nullopt;
    }
    return parse_list("or", Kind::kOr, [this] {
      return parse_list("and", Kind::kAnd, [this] { return parse_not(); });
    });
  }

  template <class Part>
  Node parse_list(std::string_view word, Kind kind, Part part) {
    const std::size_t begin = at_;
    Node first = part();
    if (!first) return first;
    std::vector<NodeIndex> operands = {*first};
    while (take_word(word)) {
      const Node next = part();
      if (!next) return next;
      operands.push_back(*next);
    }
    return operands.size() == 1 ? first : combine(kind, std::move(operands), begin);
  }

  Node parse_not() {
    const std::size_t begin = at_;
    if (!take_word("not")) return parse_test();
    const Node operand = parse_test();
    return operand ? combine(Kind::kNot, {*operand}, begin) : operand;
  }

  Node parse_test() {
    const std::size_t begin = at_;
    const Node value = parse_sum();
    if (!value) return value;
    for (const Operator& one : kComparisons) {
      if (!take(one.text)) continue;
      const Node other = parse_sum();
      return other ? combine(one.kind, {*value, *other}, begin) : other;
    }
    if (take("~")) {
      if (peek() != '"') return expected("a regular expression in double quotes");
      const Node pattern = parse_string();
      return pattern ? combine(Kind::kMatches, {*value, *pattern}, begin) : pattern;
    }
    if (peek() == '=') {
      fail(at_, "two values are compared with ==");
      return std::nullopt;
    }
    if (!take_word("in")) return value;
    return take("{") ? parse_choices(*value, begin) : parse_range(*value, begin);
  }

  Node parse_choices(NodeIndex value, std::size_t begin) {
    std::vector<NodeIndex> operands = {value};
    do {
      const Node literal = peek() == '"' ? parse_string() : parse_number();
      if (!literal) return literal;
      operands.push_back(*literal);
    } while (take(","));
    if (!take("}")) return expected("a comma or }");
    return combine(Kind::kOneOf, std::move(operands), begin);
  }

  Node parse_range(NodeIndex value, std::size_t begin) {
    const Node low = parse_sum();
    if (!low) return low;
    if (!take("..")) return expected("..");
    const Node high = parse_sum();
    return high ? combine(Kind::kBetween, {value, *low, *high}, begin) : high;
  }

  Node parse_sum() {
    const std::size_t begin = at_;
    Node left = parse_product();
    while (left) {
      const bool plus = peek() == '+';
      if (!plus && peek() != '-') break;
      take(plus ? "+" : "-");
      const Node right = parse_product();
      if (!right) return right;
      left = combine(plus ? Kind::kAdd : Kind::kSubtract, {*left, *right}, begin);
    }
    return left;
  }

  Node parse_product() {
    const std::size_t begin = at_;
    Node left = parse_unary();
    while (left) {
      const bool times = peek() == '*';
      if (!times && peek() != '/') break;
      take(times ? "*" : "/");
      const Node right = parse_unary();
      if (!right) return right;
      left = combine(times ? Kind::kMultiply : Kind::kDivide, {*left, *right}, begin);
    }
    return left;
  }

  Node parse_unary() {
    const std::size_t begin = at_;
    if (!take("-")) return parse_atom();
    const Node operand = parse_atom();
    return operand ? combine(Kind::kNegate, {*operand}, begin) : operand;
  }

  Node parse_atom() {
    if (is_digit(peek())) return parse_number();
    if (peek() == '"') return parse_string();
    if (is_letter(peek())) return parse_path();
    const std::size_t begin = at_;
    if (!take("(")) return expected("a fact, a number, a text in double quotes or (");
    const Node inner = parse_or();
    if (!inner) return inner;
    if (!take(")")) return expected(")");
    at(*inner).begin = static_cast<std::uint32_t>(begin);
    at(*inner).end = static_cast<std::uint32_t>(end_);
    return inner;
  }

  void take_digits() {
    while (is_digit(peek())) ++at_;
  }

  Node parse_number() {
    const std::size_t begin = at_;
    if (!is_digit(peek())) return expected("a number");
    take_digits();
    if (peek() == '.' && is_digit(peek(1))) {  // 1..2 is a range
      ++at_;
      take_digits();
    }
    if ((peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && is_digit(peek(2))))) {
      at_ += 2;
      take_digits();
    }
    ExpressionNode node;
    node.kind = Kind::kNumber;
    node.begin = static_cast<std::uint32_t>(begin);
    const char* last = text().data() + at_;
    const auto read = std::from_chars(text().data() + begin, last, node.number);
    if (read.ec != std::errc() || read.ptr != last || !std::isfinite(node.number)) {
      fail(begin, "this number is too large");
      return std::nullopt;
    }
    end_ = at_;
    skip();
    if (const auto unit = unit_at(text().substr(at_))) {
      node.unit = unit->scale;
      take(unit->text);
    } else if (end_ == at_ && (is_letter(peek()) || peek() == '_')) {
      fail(at_,
           "this is no unit; known are %, ns, us, ms, s, B, KB, KiB, MB, GB, GB/s, TB/s, GHz, "
           "TFLOP/s and the like");
      return std::nullopt;
    }
    node.end = static_cast<std::uint32_t>(end_);
    return add(std::move(node));
  }

  Node parse_string() {
    const std::size_t begin = at_;
    const std::size_t close = text().find('"', at_ + 1);
    if (close == std::string_view::npos) {
      fail(begin, "this text has no closing double quote");
      return std::nullopt;
    }
    ExpressionNode node;
    node.kind = Kind::kText;
    node.begin = static_cast<std::uint32_t>(begin);
    node.end = static_cast<std::uint32_t>(close + 1);
    node.text = text().substr(begin + 1, close - begin - 1);
    at_ = end_ = close + 1;
    skip();
    return add(std::move(node));
  }

  bool take_name() {
    if (!is_letter(peek())) return false;
    while (is_alphanumeric(peek()) || peek() == '_' || (peek() == '-' && is_letter(peek(1)))) {
      ++at_;
    }
    return true;
  }

  // "[index]"; the end of the text where it is not closed.
  bool take_index() {
    const std::size_t close = text().find(']', at_);
    if (close == std::string_view::npos) {
      fail(at_, "this [ is not closed");
      return false;
    }
    at_ = close + 1;
    return true;
  }

  // Takes "before.", "after." or "case[ID]."; what begins so and goes on otherwise is a path.
  bool take_side(ExpressionNode& node) {
    const std::string_view rest = text().substr(at_);
    using Side = EvidenceSide::Kind;
    if (rest.starts_with("before.")) {
      node.side.kind = Side::kBefore;
      at_ += std::string_view("before.").size();
      return true;
    }
    if (rest.starts_with("after.")) {
      at_ += std::string_view("after.").size();
      return true;
    }
    if (!rest.starts_with("case[")) return false;
    const std::size_t close = rest.find("].");
    if (close == std::string_view::npos) return false;
    const std::size_t open = std::string_view("case[").size();
    node.side = {Side::kCase, std::string(rest.substr(open, close - open))};
    at_ += close + 2;
    return true;
  }

  Node parse_path() {
    ExpressionNode node;
    node.kind = Kind::kFact;
    node.begin = static_cast<std::uint32_t>(at_);
    node.has_side = take_side(node);
    const std::size_t begin = at_;
    if (!take_name()) return expected("a name");
    while (true) {
      if (peek() == '[') {
        if (!take_index()) return std::nullopt;
      } else if (peek() == '.' && is_letter(peek(1))) {
        ++at_;
        take_name();
      } else {
        break;
      }
    }
    node.text = text().substr(begin, at_ - begin);
    node.end = static_cast<std::uint32_t>(at_);
    end_ = at_;
    const bool call = peek() == '(';
    skip();
    if (call) return parse_call(std::move(node));
    if (is_one_of(node.text, {"and", "or", "not", "in"})) {
      fail(begin, fmt::format("{} stands where a value is expected", node.text));
      return std::nullopt;
    }
    return add(std::move(node));
  }

  Node parse_call(ExpressionNode node) {
    node.kind = Kind::kCall;
    take("(");
    if (!take(")")) {
      do {
        const Node operand = parse_or();
        if (!operand) return operand;
        node.operands.push_back(*operand);
      } while (take(","));
      if (!take(")")) return expected("a comma or )");
    }
    node.end = static_cast<std::uint32_t>(end_);
    return add(std::move(node));
  }

  ParsedExpression parsed_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  // of what was taken last, without the blanks after it
  std::size_t depth_ = 0;
};

}  // namespace

ParsedExpression parse_expression(std::string_view text) { return ExpressionParser(text).run(); }

bool is_expression_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hyphen = text[i] == '-' && i + 1 < text.size();
    if (!is_alphanumeric(text[i]) && text[i] != '_' && !hyphen) return false;
  }
  return true;
}

}  // namespace proofline
