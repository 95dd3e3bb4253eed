// SPDX-License-Identifier: Apache-2.0
//
// C interface of the mixture-of-experts layer with MXFP4 or bf16 weights. All pointers are device
// memory; functions return 0 or a cudaError_t and do not synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct moe_layer {
  unsigned experts;  // at most 64
  unsigned n;        // rows of an expert's weights; even
  unsigned k;        // a multiple of 64
};

// The same weights in the formats of the variants; a variant fails without its own.
struct moe_weights {
  const void* packed;  // stream and wide: see moe_pack
  const void* codes;   // staged: (experts, n, k / 2) e2m1, the even k in the low nibble
  const void* scales;  // staged: (experts, n, k / 32) ue8m0
  const void* bf16;    // bf16: (experts, n, k)
};

// Packs codes and scales in the order of the A fragments (packing.h), once per model. Adds the
// number of scales that are too large (above 128: weights of 12 and more) to *refused.
unsigned long long moe_packed_bytes(const struct moe_layer* layer);
int moe_pack(const struct moe_layer* layer, const void* codes, const void* scales, void* packed,
             void* refused, void* stream);

// Names of the variants, ended by a null pointer.
const char* const* moe_variants(void);

// x: (rows, k) bf16, sorted by expert; ends: (experts) int32, the inclusive prefix sum of their row
// counts; y: (rows, n) bf16, or with `gated` (rows, n / 2). The variant "auto" chooses among those
// of packed weights by the average rows per expert.
int moe_launch(const char* variant, const struct moe_layer* layer,
               const struct moe_weights* weights, const void* x, const void* ends, void* y,
               unsigned rows, int gated, void* stream);

#ifdef __cplusplus
}
#endif
