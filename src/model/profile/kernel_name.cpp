// SPDX-License-Identifier: Apache-2.0
//
// One walk over the name. Outside of brackets "::" and a space begin a new component; the last one
// before the parameter list is the name. Each bracketed group is jumped over once, which keeps the
// walk linear; a group that is never closed reaches to the end.
#include "model/profile/kernel_name.h"

#include "base/characters.h"

namespace proofline {
namespace {

// The place after the bracket that closes the one at `open`, counting only this kind of bracket.
std::size_t after_group(std::string_view text, std::size_t open, char opening, char closing) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i + 1;
  }
  return text.size();
}

// Expressions in template arguments are parenthesised, so a '>' inside them closes nothing, nor
// does that of "->".
std::size_t after_template_arguments(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size();) {
    if (text[i] == '(') {
      i = after_group(text, i, '(', ')');
      continue;
    }
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) return i + 1;
    ++i;
  }
  return text.size();
}

struct Component {
  std::size_t start = 0;
  std::size_t end = std::string_view::npos;  // npos: still growing

  std::string_view in(std::string_view text, std::size_t here) const {
    const std::size_t stop = end == std::string_view::npos ? here : end;
    return text.substr(start, stop - start);
  }
};

class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::string_view name() {
    while (here_ < text_.size() && step()) {
    }
    const std::string_view last = component_.in(text_, here_);
    return last.empty() ? previous_ : last;
  }

 private:
  bool step();
  bool at_parenthesis();
  void take_operator_symbol();
  void jump(std::size_t to) {
    if (component_.end == std::string_view::npos && here_ > component_.start)
      component_.end = here_;
    here_ = to;
  }
  void begin_component(std::size_t at) {
    if (const auto done = component_.in(text_, here_); !done.empty()) previous_ = done;
    here_ = at;
    component_ = {at, std::string_view::npos};
  }
  bool is_operator() const {
    return component_.end == std::string_view::npos && component_.in(text_, here_) == "operator";
  }

  std::string_view text_;
  std::size_t here_ = 0;
  Component component_;
  std::string_view previous_;
};

// False where the name ends.
bool Walk::step() {
  const char c = text_[here_];
  if (text_.substr(here_, 2) == "::") {
    begin_component(here_ + 2);
    return true;
  }
  switch (c) {
    case ' ': begin_component(here_ + 1); return true;
    case '(': return at_parenthesis();
    case '<':
      if (is_operator()) {
        take_operator_symbol();
      } else {
        jump(after_template_arguments(text_, here_));
      }
      return true;
    case '[':
      if (is_operator()) {
        here_ += 2;
      } else {
        jump(after_group(text_, here_, '[', ']'));
      }
      return true;
    case '{': here_ = after_group(text_, here_, '{', '}'); return true;
    default: ++here_; return true;
  }
}

// "(anonymous namespace)::", "f(int)::{lambda...}" and "decltype(...)" are part of the way to the
// name; any other parenthesis opens the parameters.
bool Walk::at_parenthesis() {
  if (is_operator() && text_.substr(here_, 2) == "()") {
    here_ += 2;
    return true;
  }
  const std::string_view before = component_.in(text_, here_);
  const std::size_t after = after_group(text_, here_, '(', ')');
  const bool scope = text_.substr(after, 2) == "::" || text_.substr(after, 8) == " const::";
  if (scope || before == "decltype") {
    jump(after);
    return true;
  }
  return false;
}

void Walk::take_operator_symbol() {
  const std::size_t end = text_.find_first_not_of("<>=", here_);
  here_ = end == std::string_view::npos ? text_.size() : end;
}

// The text after the bracket: "abi:", or the version that numba's tags begin with, "v1,".
bool is_abi_tag(std::string_view text) {
  if (text.substr(0, 4) == "abi:") return true;
  if (text.empty() || text.front() != 'v') return false;
  std::size_t end = 1;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > 1 && text.substr(end, 1) == ",";
}

}  // namespace

std::string short_function_name(std::string_view demangled) {
  const bool plain = demangled.find_first_of("(<") == std::string_view::npos;
  if (plain && abi_tags(demangled) == std::string_view::npos) return std::string(demangled);
  const std::string_view name = Walk(demangled).name();
  return std::string(name.empty() ? demangled : name);
}

std::size_t abi_tags(std::string_view demangled) {
  for (std::size_t at = demangled.find('['); at != std::string_view::npos;
       at = demangled.find('[', at + 1)) {
    if (is_abi_tag(demangled.substr(at + 1))) return at;
  }
  return std::string_view::npos;
}

}  // namespace proofline
