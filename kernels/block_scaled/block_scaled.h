// SPDX-License-Identifier: Apache-2.0
//
// C interface of the block-scaled GEMM. All pointers are device memory; functions return 0 or a
// cudaError_t and do not synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Names of the variants from the simplest to the fastest, ended by a null pointer.
const char* const* block_scaled_variants(void);

struct block_scaled_problem {
  const void* a;         // (m, k / 2) bytes of e2m1
  const void* b;         // (n, k / 2)
  const void* a_scales;  // (m, k / group), in the order of scale_index() in codes.h
  const void* b_scales;  // (n, k / group)
  void* c;               // (m, n)
  void* scratch;         // block_scaled_scratch_bytes()
  unsigned m, n, k;      // k a multiple of 128; n a multiple of 8
  unsigned group;        // values for each scale: 16 or 32
  int ue4m3;             // the scales are ue4m3, else ue8m0
  int half;              // c is fp16, else bf16
};

unsigned long long block_scaled_scratch_bytes(const struct block_scaled_problem* problem);

// Returns cudaErrorInvalidValue where the variant does not support the problem. The fp8 variants
// add the number of values that they could not represent to the first 4 bytes of the scratch
// memory.
int block_scaled_launch(const char* variant, const struct block_scaled_problem* problem,
                        void* stream);

#ifdef __cplusplus
}
#endif
