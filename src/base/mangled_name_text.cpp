// SPDX-License-Identifier: Apache-2.0
//
// Writes a name as c++filt does. A type surrounds its declarator (`void (*)(int)`), so it is
// written in two halves, before and after.
#include <string>
#include <utility>

#include "base/mangled_name.h"

namespace proofline {
namespace {

class NameWriter {
 public:
  NameWriter(const MangledTree& tree, std::size_t limit) : tree_(tree), limit_(limit) {}

  std::optional<std::string> write() {
    whole(tree_.root);
    if (over_) return std::nullopt;
    if (invalid_) return "";
    return std::move(text_);
  }

 private:
  // Parts that write nothing count too, or a short name could keep us busy for ever.
  bool spend() {
    over_ = over_ || ++visits_ > limit_ || text_.size() > limit_ || depth_ > kMostNested;
    return !over_;
  }
  void put(std::string_view text) { text_.append(text); }

  // The template whose arguments T_, T0_, ... are, and the one around it.
  struct Scope {
    const std::vector<PartIndex>* arguments;
    const Scope* outer;
  };

  // Calls with the part that a template parameter or a pack resolves to here.
  template <class Call>
  void resolve(PartIndex index, const Call& call) {
    const Scope* const scope = scope_;
    const std::optional<std::size_t> pack_argument = pack_argument_;
    const MangledPart* part = &tree_.at(index);
    ++depth_;
    while (spend()) {
      if (part->kind == MangledKind::kParameter && !in_lambda_ && scope_ != nullptr &&
          part->a < scope_->arguments->size()) {
        part = &tree_.at((*scope_->arguments)[part->a]);
        scope_ = scope_->outer;
      } else if (part->kind == MangledKind::kPack && pack_argument_ &&
                 *pack_argument_ < part->list.size()) {
        part = &tree_.at(part->list[*pack_argument_]);
        pack_argument_.reset();
      } else {
        call(*part);
        break;
      }
    }
    --depth_;
    scope_ = scope;
    pack_argument_ = pack_argument;
  }

  void whole(PartIndex index) {
    before(index);
    after(index);
  }

  void list(const std::vector<PartIndex>& items) {
    bool first = true;
    for (const PartIndex item : items) {
      const std::size_t start = text_.size();
      if (!first) put(", ");
      const std::size_t written = text_.size();
      whole(item);
      if (over_) return;
      if (text_.size() == written) {
        text_.resize(start);  // an empty pack
      } else {
        first = false;
      }
    }
  }

  void before(PartIndex index) {
    resolve(index, [this](const MangledPart& part) { before(part); });
  }
  void after(PartIndex index) {
    resolve(index, [this](const MangledPart& part) { after(part); });
  }

  void before(const MangledPart& part) {
    switch (part.kind) {
      case MangledKind::kText: return put(part.text);
      case MangledKind::kNumber:
        put(part.text);
        count(part.a);
        return put("}");
      case MangledKind::kScoped:
        whole(part.a);
        put(part.text.empty() ? "::" : part.text);
        return whole(part.b);
      case MangledKind::kTemplate: return template_name(part);
      case MangledKind::kTagged:
        whole(part.a);
        put("[abi:");
        put(part.text);
        return put("]");
      case MangledKind::kSpecial: put(part.text); return whole(part.a);
      case MangledKind::kConstructor: return last_name(part.a);
      case MangledKind::kDestructor: put("~"); return last_name(part.a);
      case MangledKind::kOperator: return operator_name(part);
      case MangledKind::kConversion: put("operator "); return whole(part.a);
      case MangledKind::kLambda: return lambda(part);
      case MangledKind::kEncoding: return encoding(part);
      case MangledKind::kClone:
        whole(part.a);
        put(" [clone ");
        put(part.text);
        return put("]");
      case MangledKind::kSuffixed: return suffixed_before(part);
      case MangledKind::kMember:
        before(part.b);
        put(is_wrapping(part.b) ? "(" : " ");
        whole(part.a);
        return put("::*");
      case MangledKind::kArray: return before(part.a);
      case MangledKind::kFunction: before(part.a); return put(" ");
      case MangledKind::kVector:
        before(part.a);
        put(" __vector(");
        put(part.text);
        if (part.b != kNoPart) whole(part.b);
        return put(")");
      case MangledKind::kPack: return list(part.list);
      case MangledKind::kExpansion: return expansion(part);
      case MangledKind::kParameter:
        invalid_ = invalid_ || !in_lambda_;
        put("auto:");
        return put(std::to_string(part.a + 1));
      default: return expression(part);
    }
  }

  void after(const MangledPart& part) {
    switch (part.kind) {
      case MangledKind::kSuffixed:
        if (opens_parenthesis(part)) put(")");
        return after(part.a);
      case MangledKind::kMember:
        if (is_wrapping(part.b)) put(")");
        return after(part.b);
      case MangledKind::kArray:
        if (text_.empty() || text_.back() != ']') put(" ");
        put("[");
        put(part.text);
        if (part.b != kNoPart) whole(part.b);
        put("]");
        return after(part.a);
      case MangledKind::kFunction:
        put("(");
        list(part.list);
        put(")");
        put(part.text);
        return after(part.a);
      case MangledKind::kVector: return after(part.a);
      default: return;
    }
  }

  static bool is_pointer(const MangledPart& part) { return !part.text.starts_with(" "); }
  static bool is_reference(const MangledPart& part) {
    return part.kind == MangledKind::kSuffixed && part.text.starts_with("&");
  }

  // Arrays and functions, which a pointer to them puts into parentheses.
  bool is_wrapping(PartIndex index) {
    bool wrapping = false;
    resolve(index, [&](const MangledPart& part) {
      wrapping = part.kind == MangledKind::kArray || part.kind == MangledKind::kFunction ||
                 (part.kind == MangledKind::kSuffixed && !is_pointer(part) && is_wrapping(part.a));
    });
    return wrapping;
  }
  bool is_function(PartIndex index) {
    bool function = false;
    resolve(index,
            [&](const MangledPart& part) { function = part.kind == MangledKind::kFunction; });
    return function;
  }

  bool opens_parenthesis(const MangledPart& part) {
    return part.kind == MangledKind::kSuffixed && is_pointer(part) && is_wrapping(part.a);
  }
  // A template argument may have the qualifier already that its parameter asks for.
  bool is_qualified_by(PartIndex index, std::string_view qualifier) {
    bool qualified = false;
    resolve(index, [&](const MangledPart& part) {
      qualified = part.kind == MangledKind::kSuffixed && !is_pointer(part) &&
                  (part.text == qualifier || is_qualified_by(part.a, qualifier));
    });
    return qualified;
  }

  void suffixed_before(const MangledPart& part) {
    if (!is_pointer(part) && is_qualified_by(part.a, part.text)) return before(part.a);
    if (!is_reference(part)) {
      before(part.a);
      return declarator(part);
    }
    // References collapse: only && to && stays one.
    resolve(part.a, [&](const MangledPart& target) {
      if (!is_reference(target)) {
        before(target);
        declarator(part);
      } else if (target.text == "&&" && part.text == "&") {
        before(target.a);
        declarator({part.kind, part.text, target.a, 0, {}});
      } else {
        before(target);
      }
    });
  }
  void declarator(const MangledPart& part) {
    if (opens_parenthesis(part)) put(is_function(part.a) ? "(" : " (");
    put(part.text);
  }

  void template_name(const MangledPart& part) {
    whole(part.a);
    if (!text_.empty() && text_.back() == '<') put(" ");  // operator<
    put("<");
    list(part.list);
    if (!text_.empty() && text_.back() == '>') put(" ");
    put(">");
  }

  // The ABI counts from "_" on: nothing is the first, 0 the second.
  void count(PartIndex index) {
    const std::string_view digits = tree_.at(index).text;
    std::size_t value = digits.empty() ? 1 : 2;
    std::size_t number = 0;
    for (const char digit : digits)
      number = (10 * number + static_cast<std::size_t>(digit - '0')) % 1'000'000'000;
    put(std::to_string(value + number));
  }

  // The class' own name, without its scope and template arguments.
  void last_name(PartIndex index) {
    resolve(index, [this](const MangledPart& part) {
      if (part.kind == MangledKind::kScoped) return last_name(part.b);
      if (part.kind == MangledKind::kTemplate || part.kind == MangledKind::kTagged)
        return last_name(part.a);
      if (part.kind != MangledKind::kText) return before(part);
      std::string_view name =
          part.text.substr(0, part.text.find('<'));  // a standard name, written out
      if (name.starts_with("std::")) name.remove_prefix(5);
      put(name);
    });
  }

  void operator_name(const MangledPart& part) {
    put("operator");
    if (part.text[0] >= 'a' && part.text[0] <= 'z') put(" ");
    std::string_view text = part.text;
    while (text.ends_with(" ") && part.a == kNoPart) text.remove_suffix(1);
    put(text);
    if (part.a != kNoPart) whole(part.a);
  }

  void lambda(const MangledPart& part) {
    const bool outer = std::exchange(in_lambda_, true);
    put("{lambda(");
    list(part.list);
    put(")#");
    count(part.a);
    put("}");
    in_lambda_ = outer;
  }

  void encoding(const MangledPart& part) {
    const Scope scope{template_arguments(part.a), scope_};
    if (scope.arguments != nullptr) scope_ = &scope;
    if (part.b != kNoPart) {
      bool inside = false;  // the name goes into the parentheses of a pointer to a function
      resolve(part.b, [&](const MangledPart& result) {
        before(result);
        inside = opens_parenthesis(result) || result.kind == MangledKind::kFunction;
      });
      if (!inside) put(" ");
    }
    whole(part.a);
    put("(");
    list(part.list);
    put(")");
    if (part.b != kNoPart) after(part.b);
    put(part.text);
    scope_ = scope.outer;
  }
  // Of the template that a function's name ends with; null where it ends otherwise.
  const std::vector<PartIndex>* template_arguments(PartIndex name) const {
    const MangledPart* part = &tree_.at(name);
    while (part->kind == MangledKind::kTagged) part = &tree_.at(part->a);
    while (part->kind == MangledKind::kScoped) part = &tree_.at(part->b);
    return part->kind == MangledKind::kTemplate ? &part->list : nullptr;
  }

  // The size of the first pack inside.
  std::optional<std::size_t> pack_size(PartIndex index) {
    std::optional<std::size_t> size;
    if (index == kNoPart) return size;
    resolve(index, [&](const MangledPart& part) {
      if (part.kind == MangledKind::kPack) size = part.list.size();
      if (part.kind == MangledKind::kLambda || part.kind == MangledKind::kNumber ||
          part.kind == MangledKind::kParameter || part.kind == MangledKind::kPack)
        return;
      size = pack_size(part.a);
      if (!size) size = pack_size(part.b);
      for (std::size_t i = 0; !size && i < part.list.size(); ++i) size = pack_size(part.list[i]);
    });
    return size;
  }

  void expansion(const MangledPart& part) {
    const std::optional<std::size_t> size = pack_size(part.a);
    if (!size) {
      whole(part.a);
      return put("...");
    }
    const std::optional<std::size_t> outer = pack_argument_;
    for (std::size_t i = 0; i < *size && !over_; ++i) {
      if (i > 0) put(", ");
      pack_argument_ = i;
      whole(part.a);
    }
    pack_argument_ = outer;
  }

  void operand(PartIndex index) {
    resolve(index, [this](const MangledPart& part) {
      const bool simple = part.kind == MangledKind::kText || part.kind == MangledKind::kScoped ||
                          part.kind == MangledKind::kBraces || part.kind == MangledKind::kNumber;
      if (!simple) put("(");
      before(part);
      after(part);
      if (!simple) put(")");
    });
  }

  void expression(const MangledPart& part) {
    switch (part.kind) {
      case MangledKind::kLiteral: return literal(part);
      case MangledKind::kUnary: put(part.text); return operand(part.a);
      case MangledKind::kBinary:
        if (part.text == "-in-") {
          whole(part.a);
          put(part.text);
          return whole(part.b);
        }
        if (part.text == ">") put("(");  // not the end of template arguments
        operand(part.a);
        if (part.text == "[]") {
          put("[");
          whole(part.b);
          return put("]");
        }
        put(part.text);
        operand(part.b);
        if (part.text == ">") put(")");
        return;
      case MangledKind::kConditional:
        operand(part.list[0]);
        put("?");
        operand(part.list[1]);
        put(" : ");
        return operand(part.list[2]);
      case MangledKind::kCall:
        operand(part.a);
        put("(");
        list(part.list);
        return put(")");
      case MangledKind::kCast:
        put("(");
        whole(part.a);
        put(")");
        if (part.text.empty()) return operand(part.list[0]);
        put("(");
        list(part.list);
        return put(")");
      case MangledKind::kNamedCast:
        put(part.text);
        put("<");
        whole(part.a);
        put(">(");
        whole(part.b);
        return put(")");
      case MangledKind::kWrapped:
        put(part.text);
        put("(");
        whole(part.a);
        return put(")");
      case MangledKind::kBraces:
        if (part.a != kNoPart) whole(part.a);
        put("{");
        list(part.list);
        return put("}");
      default: return;
    }
  }

  void literal(const MangledPart& part) {
    constexpr struct {
      std::string_view type;
      std::string_view suffix;
    } kSuffixes[] = {{"int", ""},         {"unsigned int", "u"},
                     {"long", "l"},       {"unsigned long", "ul"},
                     {"long long", "ll"}, {"unsigned long long", "ull"}};
    std::string_view type;
    resolve(part.a,
            [&](const MangledPart& of) { type = of.kind == MangledKind::kText ? of.text : ""; });
    const bool negative = part.text.starts_with("n");
    const std::string_view digits = part.text.substr(negative ? 1 : 0);
    if (type == "bool" && (digits == "0" || digits == "1"))
      return put(digits == "0" ? "false" : "true");
    for (const auto& one : kSuffixes) {
      if (type != one.type) continue;
      if (negative) put("-");
      put(digits);
      return put(one.suffix);
    }
    put("(");
    whole(part.a);
    put(")");
    if (negative) put("-");
    const bool real = type == "float" || type == "double";
    if (real) put("[");
    put(digits);
    if (real) put("]");
  }

  static constexpr int kMostNested = 1024;
  const MangledTree& tree_;
  std::size_t limit_;
  std::string text_;
  std::size_t visits_ = 0;
  const Scope* scope_ = nullptr;
  std::optional<std::size_t> pack_argument_;
  int depth_ = 0;
  bool over_ = false;
  bool in_lambda_ = false;
  bool invalid_ = false;  // a template parameter outside of every template
};

}  // namespace

std::optional<std::string> write_name(const MangledTree& tree, std::size_t limit) {
  return NameWriter(tree, limit).write();
}

}  // namespace proofline
