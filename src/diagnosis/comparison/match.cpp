// SPDX-License-Identifier: Apache-2.0
//
// Pairs kernels in passes, surest first. Each pass makes a key of every kernel; a key that exactly
// one kernel on each side has makes a pair.
#include "diagnosis/comparison/match.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/characters.h"
#include "model/profile/display_name.h"

namespace proofline {
namespace {

constexpr std::size_t kLeastHashDigits = 6;
// Names may be megabytes long; what tells them apart for a person is in the beginning.
constexpr std::size_t kMostCompared = 400;
// A kernel that shares fewer of its words with another is no candidate for it.
constexpr double kLeastSimilarity = 0.5;
// Similarity is by pairs: beyond this many kernels left on one side it is not looked for.
constexpr std::size_t kMostCandidates = 500;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_alphanumeric(c) || c == '_' || c == '$'; }

bool is_hash(std::string_view part) {
  if (part.starts_with("0x")) part.remove_prefix(2);
  return part.size() >= kLeastHashDigits && std::all_of(part.begin(), part.end(), is_hex) &&
         std::any_of(part.begin(), part.end(), is_digit);
}

// "12", and Triton's list of arguments that it specialised on: "0d1d2de3c".
bool is_counter(std::string_view part) {
  return !part.empty() && is_digit(part.front()) &&
         std::all_of(part.begin(), part.end(),
                     [](char c) { return is_digit(c) || c == 'c' || c == 'd' || c == 'e'; });
}

// One identifier; `counted` = a counter at its end goes too.
std::string normalise_word(std::string_view word, bool counted) {
  std::string result;
  for (std::size_t start = 0; start <= word.size();) {
    const std::size_t end = std::min(word.find_first_of("_$", start), word.size());
    const std::string_view part = word.substr(start, end - start);
    const bool counter = counted && start > 0 && end == word.size() && is_counter(part);
    result += counter || is_hash(part) ? std::string_view("#") : part;
    if (end < word.size()) result += word[end];
    start = end + 1;
  }
  return result;
}

// Calls `rewrite` for each identifier or number and keeps all else.
std::string rewrite_words(std::string_view text,
                          const std::function<std::string(std::string_view)>& rewrite) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    result += rewrite(text.substr(at, end - at));
    at = end;
  }
  return result;
}

// Without parameters, and with '#' for whole numbers: "tile<64>(float *)" -> "tile<#>".
std::string without_numbers(std::string_view normalised) {
  return rewrite_words(without_signature(normalised), [](std::string_view word) {
    const bool number = std::all_of(word.begin(), word.end(), is_digit);
    return number ? std::string("#") : std::string(word);
  });
}

std::string shape_text(const MatchSubject& kernel) {
  std::string text;
  for (const std::optional<Dim3>& dim : {kernel.grid, kernel.block}) {
    text += '|';
    if (!dim) continue;
    for (const std::uint64_t size : *dim) text += std::to_string(size) + ",";
  }
  return text;
}

// What the passes compare, made once for each kernel.
struct Names {
  std::string kind;
  std::string name;
  std::string normalised;
  std::string plain;  // normalised, without parameters and numbers
  std::string shape;
  std::string device;
};

std::vector<Names> names_of(const std::vector<MatchSubject>& kernels) {
  std::vector<Names> names;
  for (const MatchSubject& kernel : kernels) {
    Names& entry = names.emplace_back();
    entry.kind = std::string(to_string(kernel.kind)) + "|";
    entry.name = kernel.name;
    entry.normalised = normalise_kernel_name(kernel.name, kernel.function);
    entry.plain = without_numbers(entry.normalised);
    entry.shape = shape_text(kernel);
    if (kernel.device) entry.device = "|" + std::to_string(*kernel.device);
  }
  return names;
}

using KeyOf = std::function<std::string(const Names&)>;

// What is paired so far: for each kernel its partner.
using Partners = std::vector<std::optional<std::size_t>>;

class Matcher {
 public:
  Matcher(const std::vector<MatchSubject>& a, const std::vector<MatchSubject>& b)
      : names_a_(names_of(a)), names_b_(names_of(b)), in_a_(a.size()), in_b_(b.size()) {}

  // Pairs what is still unpaired. `alone`: only where no other kernel, paired or not, has the key.
  void pass(MatchKind kind, bool alone, const KeyOf& key_of) {
    std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> by_key;
    for (std::size_t i = 0; i < names_a_.size(); ++i) {
      if (alone || !in_a_[i]) by_key[key_of(names_a_[i])].first.push_back(i);
    }
    for (std::size_t i = 0; i < names_b_.size(); ++i) {
      if (alone || !in_b_[i]) by_key[key_of(names_b_[i])].second.push_back(i);
    }
    for (const auto& [key, positions] : by_key) {
      const auto& [a, b] = positions;
      if (a.size() != 1 || b.size() != 1 || in_a_[a[0]] || in_b_[b[0]]) continue;
      pair(a[0], b[0], kind);
    }
  }

  void pair(std::size_t a, std::size_t b, MatchKind kind) {
    in_a_[a] = b;
    in_b_[b] = a;
    pairs_.push_back({a, b, kind});
  }

  std::vector<KernelPair> pairs() const {
    std::vector<KernelPair> sorted = pairs_;
    std::sort(sorted.begin(), sorted.end(),
              [](const KernelPair& x, const KernelPair& y) { return x.a < y.a; });
    return sorted;
  }

  const std::vector<Names>& names_a() const { return names_a_; }
  const std::vector<Names>& names_b() const { return names_b_; }
  const Partners& in_a() const { return in_a_; }
  const Partners& in_b() const { return in_b_; }

 private:
  std::vector<Names> names_a_;
  std::vector<Names> names_b_;
  Partners in_a_;
  Partners in_b_;
  std::vector<KernelPair> pairs_;
};

// The words of a name, for telling how much two have in common.
std::set<std::string> words_of(std::string_view normalised) {
  normalised = normalised.substr(0, kMostCompared);
  std::set<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.insert(std::exchange(word, {}));
  };
  for (const char c : normalised) {
    if (is_word(c) && c != '_' && c != '$') {
      word += c;
    } else {
      finish();
    }
  }
  finish();
  return words;
}

double similarity(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::vector<std::string> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  const std::size_t all = a.size() + b.size() - common.size();
  return all == 0 ? 0 : static_cast<double>(common.size()) / static_cast<double>(all);
}

// The kernels of one side that have no partner, each with the nearest of the other side: of the
// same name or function before one that merely shares words, a free one before a paired one.
class CandidateFinder {
 public:
  CandidateFinder(const std::vector<MatchSubject>& others, const std::vector<Names>& other_names,
                  const Partners& other_partners)
      : others_(others), names_(other_names), partners_(other_partners) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      by_normalised_[names_[i].kind + names_[i].normalised].push_back(i);
      if (!others[i].function.empty()) {
        by_function_[names_[i].kind + std::string(others[i].function)].push_back(i);
      }
    }
    for (std::size_t i = 0; i < std::min(others.size(), kMostCandidates); ++i) {
      words_.push_back(words_of(names_[i].normalised));
    }
  }

  Unpaired find(std::size_t position, const MatchSubject& kernel, const Names& names) const {
    if (const auto* same = known(by_normalised_, names.kind + names.normalised)) {
      return {position, best_of(*same), why_not_one_of(*same, names)};
    }
    const std::string function = names.kind + std::string(kernel.function);
    if (const auto* same = known(by_function_, function)) {
      return {position, best_of(*same), "that function has other template arguments there"};
    }
    Unpaired result{position, std::nullopt, "no kernel of that name"};
    const std::set<std::string> words = words_of(names.normalised);
    double best = kLeastSimilarity;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (others_[i].kind != kernel.kind || partners_[i]) continue;
      const double score = similarity(words, words_[i]);
      if (score <= best) continue;
      best = score;
      result.candidate = i;
    }
    return result;
  }

 private:
  using Index = std::map<std::string, std::vector<std::size_t>>;

  static const std::vector<std::size_t>* known(const Index& index, const std::string& key) {
    const auto found = index.find(key);
    return found != index.end() ? &found->second : nullptr;
  }

  std::string why_not_one_of(const std::vector<std::size_t>& same, const Names& names) const {
    bool shape = false;
    bool free = false;
    for (const std::size_t position : same) {
      if (names_[position].shape != names.shape) continue;
      shape = true;
      free = free || !partners_[position];
    }
    if (!shape) return "that kernel has other shapes there";
    return free ? "more than one kernel could be its partner" : "its partner ran on another device";
  }

  std::size_t best_of(const std::vector<std::size_t>& positions) const {
    for (const std::size_t position : positions) {
      if (!partners_[position]) return position;
    }
    return positions.front();
  }

  const std::vector<MatchSubject>& others_;
  const std::vector<Names>& names_;
  const Partners& partners_;
  Index by_normalised_;
  Index by_function_;
  std::vector<std::set<std::string>> words_;
};

std::vector<Unpaired> unpaired(const std::vector<MatchSubject>& kernels,
                               const std::vector<Names>& names, const Partners& partners,
                               const CandidateFinder& finder) {
  std::vector<Unpaired> result;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!partners[i]) result.push_back(finder.find(i, kernels[i], names[i]));
  }
  return result;
}

// The kernel of that function, where it is the only one that is still unpaired.
std::optional<std::size_t> only_of(const std::vector<MatchSubject>& kernels,
                                   std::string_view function, const Partners& partners) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].function != function || partners[i]) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// The kernel without a partner that takes nearly all the time of its side.
std::optional<std::size_t> most_work(const std::vector<MatchSubject>& kernels,
                                     const Partners& partners) {
  constexpr double kNearlyAll = 0.9;
  std::optional<std::size_t> longest;
  double total = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double time = kernels[i].total_ns.value_or(0);
    total += time;
    if (partners[i] || !kernels[i].total_ns) continue;
    if (!longest || time > *kernels[*longest].total_ns) longest = i;
  }
  const bool is_most = longest && total > 0 && *kernels[*longest].total_ns >= kNearlyAll * total;
  return is_most ? longest : std::nullopt;
}

}  // namespace

std::string normalise_kernel_name(std::string_view name, std::string_view function) {
  return rewrite_words(
      name, [&](std::string_view word) { return normalise_word(word, word == function); });
}

Matching match_kernels(const std::vector<MatchSubject>& a, const std::vector<MatchSubject>& b,
                       bool force, const std::vector<std::pair<std::string, std::string>>& chosen) {
  Matcher matcher(a, b);
  for (const auto& [function_a, function_b] : chosen) {
    const auto in_a = only_of(a, function_a, matcher.in_a());
    const auto in_b = only_of(b, function_b, matcher.in_b());
    if (in_a && in_b) matcher.pair(*in_a, *in_b, MatchKind::kChosen);
  }
  const auto shaped = [](std::string Names::*name) {
    return [name](const Names& kernel) { return kernel.kind + kernel.*name + kernel.shape; };
  };
  const auto shapeless = [](std::string Names::*name) {
    return [name](const Names& kernel) { return kernel.kind + kernel.*name; };
  };
  matcher.pass(MatchKind::kExact, false,
               [&](const Names& kernel) { return shaped(&Names::name)(kernel) + kernel.device; });
  matcher.pass(MatchKind::kExact, false, shaped(&Names::name));
  matcher.pass(MatchKind::kName, true, shapeless(&Names::name));
  matcher.pass(MatchKind::kNormalised, false, shaped(&Names::normalised));
  matcher.pass(MatchKind::kNormalised, true, shapeless(&Names::normalised));
  matcher.pass(MatchKind::kFunction, true, shaped(&Names::plain));
  matcher.pass(MatchKind::kFunction, true, shapeless(&Names::plain));
  if (a.size() == 1 && b.size() == 1 && !matcher.in_a()[0]) {
    // There is only one kernel on each side: the user means these two.
    const bool same =
        a[0].kind == b[0].kind && a[0].function == b[0].function && !a[0].function.empty();
    if (same) matcher.pair(0, 0, MatchKind::kFunction);
    if (!same && force) matcher.pair(0, 0, MatchKind::kForced);
  }
  // What was renamed between the two, beside warm-up and set-up that are the same or too short.
  if (a.size() + b.size() > 2) {
    const auto work_a = most_work(a, matcher.in_a());
    const auto work_b = most_work(b, matcher.in_b());
    if (work_a && work_b && a[*work_a].kind == b[*work_b].kind) {
      matcher.pair(*work_a, *work_b, MatchKind::kWork);
    }
  }
  Matching result;
  result.pairs = matcher.pairs();
  const CandidateFinder in_b(b, matcher.names_b(), matcher.in_b());
  const CandidateFinder in_a(a, matcher.names_a(), matcher.in_a());
  result.only_in_a = unpaired(a, matcher.names_a(), matcher.in_a(), in_b);
  result.only_in_b = unpaired(b, matcher.names_b(), matcher.in_b(), in_a);
  return result;
}

}  // namespace proofline
