// SPDX-License-Identifier: Apache-2.0
//
// What CUDA and NVML say of a GPU in bytes and bits, in words.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace proofline {

// "GPU-00112233-4455-...", as NVML writes it.
std::string gpu_uuid_text(const std::array<unsigned char, 16>& uuid);

// 13000 is "13.0".
std::string cuda_version_text(int version);

// By heat or power, going by the bits of ClockReason. Idleness and a clock that somebody chose are
// neither.
bool is_held_back(std::uint64_t clock_reasons);

}  // namespace proofline
