// SPDX-License-Identifier: Apache-2.0
//
// Triton's cache of compiled kernels as one input: a folder for each kernel, named by a hash, with
// <kernel>.cubin, <kernel>.json (how it is launched) and what it was made from (.ttir, .ttgir,
// .llir, .ptx). A cache may be given as a whole, or one of its folders.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/code/triton_kernel.h"
#include "model/note.h"

namespace proofline {

struct TritonEntry {
  std::string cubin;  // path
  TritonKernel kernel;
};

struct TritonCache {
  std::vector<TritonEntry> entries;  // by folder, then name; at least one
  std::vector<Note> notes;
};

// An error where the folder has no kernel with its cubin, there or in one of its folders.
Result<TritonCache> find_triton_cache(const std::string& folder);

}  // namespace proofline
