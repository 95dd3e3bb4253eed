// SPDX-License-Identifier: Apache-2.0
//
// One kernel on one screen: the verdict, the causes by rank, bars for the levels and for what warps
// wait for; on request NVIDIA's advice, every rule's answer, hot lines and every fact.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/diagnosis/diagnosis.h"
#include "views/diagnosis/diagnosis_document.h"

namespace proofline {

struct KernelHeading {
  std::size_t id;
  std::string_view name;
  bool with_device;  // the profile has kernels of several devices
};

void add_kernel_screen(const KernelDiagnosis& kernel, const DiagnosisParts& parts,
                       const KernelHeading& heading, Document& document);

// "40-60 %", "below 1 %"; "-" for none.
std::string gain_text(const Gain& gain);

}  // namespace proofline
