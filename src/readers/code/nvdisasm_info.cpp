// SPDX-License-Identifier: Apache-2.0
#include "readers/code/nvdisasm_info.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "readers/code/sass_text.h"

namespace proofline {
namespace {

constexpr std::string_view kSection = ".nv.info";

// More functions than any program has; it keeps a senseless file from filling the memory.
constexpr std::size_t kMaxFunctions = 1U << 18U;

// The value of ".word 0x10", ".short 0x10" or ".byte 0x01".
std::optional<std::uint32_t> parse_value(std::string_view data) {
  const std::size_t at = data.find("\t0x");
  if (!data.starts_with('.') || at == std::string_view::npos) return {};
  data.remove_prefix(at + 3);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(data.data(), data.data() + data.size(), value, 16);
  const bool only_one = end == data.data() + data.size();
  return error == std::errc() && only_one ? std::optional(value) : std::nullopt;
}

// Three dimensions, one after the other; a product that does not fit is none.
void multiply(std::optional<std::uint32_t>& product, std::uint32_t factor) {
  const std::uint64_t wide = std::uint64_t{product.value_or(1)} * factor;
  product = static_cast<std::uint32_t>(wide);
  if (wide != *product) product.reset();
}

}  // namespace

NvdisasmInfo::Attribute NvdisasmInfo::attribute_of(std::string_view name) {
  static constexpr std::pair<std::string_view, Attribute> kKnown[] = {
      {"EIATTR_REGCOUNT", Attribute::kRegisters},
      {"EIATTR_FRAME_SIZE", Attribute::kFrame},
      {"EIATTR_KPARAM_INFO", Attribute::kParameter},
      {"EIATTR_KPARAM_INFO_V2", Attribute::kParameter},
      {"EIATTR_CBANK_PARAM_SIZE", Attribute::kParameterBytes},
      {"EIATTR_NUM_BARRIERS", Attribute::kBarriers},
      {"EIATTR_MAX_THREADS", Attribute::kMaxThreads},
      {"EIATTR_REQNTID", Attribute::kRequiredThreads},
      {"EIATTR_CTA_PER_CLUSTER", Attribute::kCluster},
  };
  for (const auto& [known, attribute] : kKnown) {
    if (name == known) return attribute;
  }
  return Attribute::kOther;
}

void NvdisasmInfo::begin_section(std::string_view name) {
  open_ = name.starts_with(kSection);
  attribute_ = Attribute::kOther;
  subject_.clear();
  if (open_ && name.size() > kSection.size()) subject_ = name.substr(kSection.size() + 1);
}

FunctionResources* NvdisasmInfo::subject() {
  if (subject_.empty()) return nullptr;
  const auto found = functions_.find(subject_);
  if (found != functions_.end()) return &found->second;
  return functions_.size() < kMaxFunctions ? &functions_[subject_] : nullptr;
}

void NvdisasmInfo::take(std::string_view line) {
  constexpr std::string_view kAttribute = "//----- nvinfo : ";
  constexpr std::string_view kIndex = "index@(";
  if (!open_) return;
  if (line.starts_with(kAttribute)) {
    attribute_ = attribute_of(line.substr(kAttribute.size()));
    FunctionResources* resources = attribute_ == Attribute::kParameter ? subject() : nullptr;
    if (resources != nullptr) resources->parameters = resources->parameters.value_or(0) + 1;
    return;
  }
  if (attribute_ == Attribute::kOther || !take_address(line)) return;
  line = without_blanks(line);
  const std::size_t index = line.find(kIndex);
  if (index != std::string_view::npos) {
    line.remove_prefix(index + kIndex.size());
    subject_ = line.substr(0, line.find(')'));
  } else if (const auto value = parse_value(line)) {
    if (FunctionResources* resources = subject()) take_value(*value, *resources);
  }
}

void NvdisasmInfo::take_value(std::uint32_t value, FunctionResources& resources) const {
  switch (attribute_) {
    case Attribute::kRegisters: resources.registers = value; break;
    case Attribute::kFrame: resources.stack_bytes = value; break;
    case Attribute::kParameterBytes: resources.parameter_bytes = value; break;
    case Attribute::kBarriers: resources.barriers = value; break;
    case Attribute::kMaxThreads: multiply(resources.max_threads, value); break;
    case Attribute::kRequiredThreads: multiply(resources.required_threads, value); break;
    case Attribute::kCluster: multiply(resources.cluster_size, value); break;
    case Attribute::kParameter:
    case Attribute::kOther: break;
  }
}

FunctionResources NvdisasmInfo::resources(std::string_view function) {
  const auto found = functions_.find(std::string(function));
  if (found == functions_.end()) return {};
  const FunctionResources resources = found->second;
  functions_.erase(found);
  return resources;
}

}  // namespace proofline
