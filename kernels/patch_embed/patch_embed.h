// SPDX-License-Identifier: Apache-2.0
//
// C interface of the patch embedding. All pointers are device memory; functions return 0 or a
// cudaError_t and do not synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Names of the variants from the simplest to the fastest, ended by a null pointer.
const char* const* patch_embed_variants(void);

// The position table that a launch takes, made once of (196, 768) bf16: row-major, or in the order
// of the accumulator fragments, as the variant reads it.
unsigned long long patch_embed_table_bytes(void);
int patch_embed_make_table(const char* variant, const void* positions, void* table, void* stream);

// x: (rows, 768), w: (768, 768), y: (rows, 768) bf16; bias: (768) fp32.
int patch_embed_launch(const char* variant, const void* x, const void* w, const void* bias,
                       const void* table, void* y, unsigned rows, void* stream);

// The same by plain loops, to compare with.
int patch_embed_reference(const void* x, const void* w, const void* bias, const void* positions,
                          void* y, unsigned rows, void* stream);

#ifdef __cplusplus
}
#endif
