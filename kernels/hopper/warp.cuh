// SPDX-License-Identifier: Apache-2.0
//
// What a warp does by itself: electing a lane, giving registers to another warpgroup, writing a
// fragment of sums to shared memory.
#pragma once

#include <cstdint>

namespace hopper {

// The number of the warp, known to the compiler to be the same in all its lanes.
__device__ inline std::uint32_t warp_index() {
  return __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
}

// True in one lane.
__device__ inline bool elect() {
  std::uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred one;\n"
      "elect.sync _|one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, one;\n"
      "}\n"
      : "=r"(elected));
  return elected != 0;
}

// The next kernel of the stream, if it asked for that, may be brought onto the SMs that this one
// leaves; it waits for this one's results by itself.
__device__ inline void let_next_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
// Until all that the kernel before wrote can be seen.
__device__ inline void wait_for_previous() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// Registers of each thread of the warpgroup from here on, a multiple of 8.
template <int kRegisters>
__device__ inline void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// Two FP32 values as BF16 or FP16, the first in the low half.
__device__ inline std::uint32_t to_bf16x2(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ inline std::uint32_t to_f16x2(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// Four 8 x 8 matrices of 16-bit values, as products leave them in registers; lane l gives the
// address of row l % 8 of matrix l / 8.
__device__ inline void store_matrices(std::uint32_t address, std::uint32_t a, std::uint32_t b,
                                      std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

// And from rows of 16 bytes to the fragments that a warp's products read, addressed likewise.
__device__ inline void load_matrices(std::uint32_t (&matrices)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(address));
}

// A product of one warp: sums[16 x 8] += left[16 x 16] * right[8 x 16]^T, BF16.
__device__ inline void multiply_warp(float (&sums)[4], const std::uint32_t (&left)[4],
                                     std::uint32_t right0, std::uint32_t right1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
}

}  // namespace hopper
