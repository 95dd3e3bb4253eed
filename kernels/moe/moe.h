// SPDX-License-Identifier: Apache-2.0
//
// A layer of experts with MXFP4 or bf16 weights for programs that are not written in CUDA: all
// pointers are device memory. Functions return 0 or a cudaError_t, and never synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct moe_layer {
  unsigned experts;  // at most 64
  unsigned n;        // rows of an expert's weights; even
  unsigned k;        // a multiple of 64
};

// The same weights as different variants read them; a variant refuses to run without its own.
struct moe_weights {
  const void* packed;  // stream and wide: see moe_pack
  const void* codes;   // staged: (experts, n, k / 2) e2m1, the even k in the low nibble
  const void* scales;  // staged: (experts, n, k / 32) ue8m0
  const void* bf16;    // bf16: (experts, n, k)
};

// Weights in the order in which products need them (packing.h), made once of codes and scales. Adds
// to *refused how many scales are too large (above 128: weights from 12 on).
unsigned long long moe_packed_bytes(const struct moe_layer* layer);
int moe_pack(const struct moe_layer* layer, const void* codes, const void* scales, void* packed,
             void* refused, void* stream);

// Variants; names end with a null.
const char* const* moe_variants(void);

// x: (rows, k) bf16, sorted by expert; ends: (experts) int32, inclusive sums of their rows; y:
// (rows, n) bf16, or with `gated` (rows, n / 2). The variant "auto" chooses among those of packed
// weights by the rows of an expert.
int moe_launch(const char* variant, const struct moe_layer* layer,
               const struct moe_weights* weights, const void* x, const void* ends, void* y,
               unsigned rows, int gated, void* stream);

#ifdef __cplusplus
}
#endif
