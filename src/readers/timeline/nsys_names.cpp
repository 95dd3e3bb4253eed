// SPDX-License-Identifier: Apache-2.0
#include "readers/timeline/nsys_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "vocabulary/api_calls.h"

namespace proofline {
namespace {

// Kinds of copies and of memory have few numbers; others are not known by a name anyway.
constexpr std::int64_t kMemoryKinds = 16;

std::int64_t small(std::int64_t number) {
  return number < 0 || number >= kMemoryKinds - 1 ? kMemoryKinds - 1 : number;
}

// As PyTorch's profiler names them, so that tables of both kinds of files read alike.
std::string_view memory_name(std::int64_t kind) {
  static constexpr std::string_view kNames[] = {"Pageable", "Pinned", "Device", "Array",
                                                "Managed",  "Device", "Managed"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "Unknown";
}

std::string_view copy_kind_name(std::int64_t kind) {
  static constexpr std::string_view kNames[] = {
      "Unknown", "HtoD", "DtoH", "HtoA", "AtoH",         "AtoA",         "AtoD",
      "DtoA",    "DtoD", "HtoH", "PtoP", "unified HtoD", "unified DtoH", "unified DtoD"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "Unknown";
}

std::string copy_name(std::int64_t packed) {
  const std::int64_t to = packed % kMemoryKinds;
  const std::int64_t from = packed / kMemoryKinds % kMemoryKinds;
  const std::string_view kind = copy_kind_name(packed / kMemoryKinds / kMemoryKinds);
  if (from == kMemoryKinds - 1 && to == kMemoryKinds - 1) return fmt::format("Memcpy {}", kind);
  return fmt::format("Memcpy {} ({} -> {})", kind, memory_name(from), memory_name(to));
}

std::string overhead_name(std::int64_t type) {
  static constexpr std::string_view kNames[] = {"Undefined",
                                                "Unknown",
                                                "Driver Compiler",
                                                "CUPTI Buffer flush",
                                                "CUPTI Instrumentation",
                                                "CUPTI Resource Management",
                                                "Runtime Triggered Module Loading",
                                                "Lazy Function Loading",
                                                "Command Buffer Full"};
  const auto index = static_cast<std::size_t>(type);
  return type >= 0 && index < std::size(kNames) ? std::string(kNames[index])
                                                : fmt::format("Overhead {}", type);
}

// PyTorch numbers the ranges of its operators: "aten::mul, seq = 46174, op_id = 993406".
constexpr std::string_view kOperatorNumber = ", op_id =";
constexpr std::string_view kSequenceNumber = ", seq =";

// "aten::mul"; the text itself, which is no operator's then, where it has no such number.
std::string_view without_numbers(std::string_view text) {
  const std::string_view named = text.substr(0, text.find(kOperatorNumber));
  if (named.size() == text.size()) return text;
  return named.substr(0, named.find(kSequenceNumber));
}

}  // namespace

std::uint32_t NsysNames::range(std::string_view text, std::uint32_t domain) {
  const std::string_view named = without_numbers(text);
  const bool is_operator = named.size() != text.size();
  // The mark in front keeps an operator apart from a user's range of the same name.
  marked_.assign(1, is_operator ? '+' : '-');
  marked_ += named;
  return of({Use::kRangeText, range_texts_.position(marked_), domain});
}

std::uint32_t NsysNames::copy(std::int64_t kind, std::int64_t from, std::int64_t to) {
  return of({Use::kCopy, (small(kind) * kMemoryKinds + small(from)) * kMemoryKinds + small(to), 0});
}

std::uint32_t NsysNames::domain(std::uint64_t process, std::int64_t id) {
  return id == 0 ? 0 : domains_.position({process, id}) + 1;
}

void NsysNames::want_strings() {
  for (const Key& key : keys_.keys()) {
    switch (key.use) {
      case Use::kKernel: strings_.try_emplace(key.other); [[fallthrough]];
      case Use::kAsItIs:
      case Use::kCall:
      case Use::kRange: strings_.try_emplace(key.id); break;
      case Use::kRangeText:
      case Use::kGraph:
      case Use::kOverhead:
      case Use::kCopy:
      case Use::kSet: break;
    }
  }
  for (const auto& [domain, string] : domain_strings_) strings_.try_emplace(string);
}

void NsysNames::answer(std::int64_t string, std::string_view text) {
  const auto wanted = strings_.find(string);
  if (wanted != strings_.end() && answered_.insert(string).second) wanted->second = text;
}

const std::string* NsysNames::find(std::int64_t string) const {
  return answered_.contains(string) ? &strings_.at(string) : nullptr;
}

std::string NsysNames::in_domain(std::int64_t domain, std::string_view text) const {
  const std::string* name = nullptr;
  if (const auto named = domain_names_.find(domain); named != domain_names_.end()) {
    name = &named->second;
  } else if (const auto by_string = domain_strings_.find(domain);
             by_string != domain_strings_.end()) {
    name = find(by_string->second);
  }
  return name == nullptr || name->empty() ? std::string(text) : fmt::format("{}:{}", *name, text);
}

NsysNames::Text NsysNames::text_of(const Key& key, std::uint64_t& missing) const {
  switch (key.use) {
    case Use::kGraph: return {fmt::format("CUDA graph {}", key.id)};
    case Use::kOverhead: return {overhead_name(key.id)};
    case Use::kCopy: return {copy_name(key.id)};
    case Use::kSet: return {fmt::format("Memset ({})", memory_name(small(key.id)))};
    case Use::kRangeText: {
      const std::string& kept = range_texts_.keys()[static_cast<std::size_t>(key.id)];
      return {in_domain(key.other, std::string_view(kept).substr(1)), kept.front() == '+'};
    }
    case Use::kAsItIs:
    case Use::kKernel:
    case Use::kCall:
    case Use::kRange: break;
  }
  const std::string* string = find(key.id);
  if (string == nullptr && key.use == Use::kKernel) string = find(key.other);
  if (string == nullptr) {
    ++missing;
    return {fmt::format("[string {}]", key.id)};
  }
  if (key.use == Use::kCall) return {std::string(plain_api_name(*string))};
  if (key.use != Use::kRange) return {*string};
  const std::string_view named = without_numbers(*string);
  return {in_domain(key.other, named), named.size() != string->size()};
}

NsysNames::Resolved NsysNames::resolve(InternedTexts& names) const {
  Resolved resolved;
  for (const Key& key : keys_.keys()) {
    const Text text = text_of(key, resolved.missing);
    resolved.positions.push_back(names.position(text.text));
    resolved.is_operator.push_back(text.is_operator);
  }
  return resolved;
}

}  // namespace proofline
