// SPDX-License-Identifier: Apache-2.0
//
// The block-scaled product for programs that are not written in CUDA: all pointers are device
// memory. Functions return 0 or a cudaError_t, and never synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Variants from the simplest to the fastest; names end with a null.
const char* const* block_scaled_variants(void);

struct block_scaled_problem {
  const void* a;  // (m, k / 2) bytes of e2m1
  const void* b;  // (n, k / 2)
  const void* a_scales;
  const void* b_scales;
  void* c;           // (m, n)
  void* scratch;     // block_scaled_scratch_bytes()
  unsigned m, n, k;  // k a multiple of 128; n a multiple of 8
  unsigned group;    // values for each scale: 16 or 32
  int ue4m3;         // the scales are ue4m3, else ue8m0
  int half;          // c is fp16, else bf16
};

unsigned long long block_scaled_scratch_bytes(const struct block_scaled_problem* problem);

// cudaErrorInvalidValue where the variant cannot take the problem. A variant of fp8 adds to the
// first 4 bytes of the scratch memory how many values it could not represent.
int block_scaled_launch(const char* variant, const struct block_scaled_problem* problem,
                        void* stream);

#ifdef __cplusplus
}
#endif
