// SPDX-License-Identifier: Apache-2.0
//
// staged.cuh and its failing twins alone, to look at their SASS.
#include "staged.cuh"

namespace moe {

#define MOE_TWIN(fault)                                                                            \
  template __global__ void staged<fault>(const __grid_constant__ CUtensorMap, const std::uint8_t*, \
                                         const std::uint8_t*, const int*, __nv_bfloat16*,          \
                                         const Shape)
MOE_TWIN(Fault::kNone);
MOE_TWIN(Fault::kWarpProducts);
MOE_TWIN(Fault::kTwice);
MOE_TWIN(Fault::kScalar);
MOE_TWIN(Fault::kSpills);
MOE_TWIN(Fault::kUnswizzled);

}  // namespace moe
