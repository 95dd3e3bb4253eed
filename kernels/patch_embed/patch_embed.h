// SPDX-License-Identifier: Apache-2.0
//
// The patch embedding for programs that are not written in CUDA: all pointers are device memory.
// Functions return 0 or a cudaError_t, and never synchronise.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Variants from the simplest to the fastest; names end with a null.
const char* const* patch_embed_variants(void);

// The table of positions that launches take, made once of (196, 768) bf16: a variant reads it in
// rows, or in the order of its fragments.
unsigned long long patch_embed_table_bytes(void);
int patch_embed_make_table(const char* variant, const void* positions, void* table, void* stream);

// x: (rows, 768), w: (768, 768), y: (rows, 768) bf16; bias: (768) fp32.
int patch_embed_launch(const char* variant, const void* x, const void* w, const void* bias,
                       const void* table, void* y, unsigned rows, void* stream);

// The same with plain loops, to compare with.
int patch_embed_reference(const void* x, const void* w, const void* bias, const void* positions,
                          void* y, unsigned rows, void* stream);

#ifdef __cplusplus
}
#endif
