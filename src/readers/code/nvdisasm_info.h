// SPDX-License-Identifier: Apache-2.0
//
// What the .nv.info sections of nvdisasm's plain output say about functions. They precede the code,
// as attributes with their data:
//	//----- nvinfo : EIATTR_REGCOUNT
//        /*0004*/ 	.word	index@(kernel)
//        /*0008*/ 	.word	0x0000000e
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/code/listing.h"

namespace proofline {

class NvdisasmInfo {
 public:
  // ".nv.info" has attributes of all functions, ".nv.info.kernel" those of one; others have none.
  void begin_section(std::string_view name);
  // A line of the section, without blanks at its front.
  void take(std::string_view line);
  // What was said about the function.
  FunctionResources resources(std::string_view function);

 private:
  enum class Attribute : std::uint8_t {
    kOther,
    kRegisters,
    kFrame,
    kParameter,
    kParameterBytes,
    kBarriers,
    kMaxThreads,
    kRequiredThreads,
    kCluster,
  };
  static Attribute attribute_of(std::string_view name);
  FunctionResources* subject();
  void take_value(std::uint32_t value, FunctionResources& resources) const;

  bool open_ = false;
  Attribute attribute_ = Attribute::kOther;
  std::string subject_;  // "" not known
  std::unordered_map<std::string, FunctionResources> functions_;
};

}  // namespace proofline
