// SPDX-License-Identifier: Apache-2.0
//
// Shapes of control flow: loops in loops, ways out of them, a jump table, calls.
//
// sass: arch sm_80 sm_90a sm_100a sm_120

// sass: straight_line one block but for the padding at the end; no loop
extern "C" __global__ void straight_line(const float* values, float* results) {
  results[threadIdx.x] = fmaf(values[threadIdx.x], 2.0f, 1.0f);
}

// sass: nested_loops three loops, each in the one before: depths 1, 2, 3
extern "C" __global__ void nested_loops(const float* __restrict__ values,
                                        float* __restrict__ results, unsigned planes, unsigned rows,
                                        unsigned columns) {
  float total = 0.0f;
#pragma unroll 1
  for (unsigned plane = 0; plane < planes; ++plane) {
    float plane_sum = 0.0f;
#pragma unroll 1
    for (unsigned row = 0; row < rows; ++row) {
      float row_product = 1.0f;
#pragma unroll 1
      for (unsigned column = 0; column < columns; ++column) {
        row_product *= values[((plane * rows + row) * columns + column) * blockDim.x + threadIdx.x];
      }
      plane_sum += row_product;
      results[row * blockDim.x + threadIdx.x] = plane_sum;
    }
    total = fmaf(total, 0.5f, plane_sum);
  }
  results[threadIdx.x] = total;
}

// sass: early_break one loop with two ways out
extern "C" __global__ void early_break(const float* __restrict__ values, unsigned* results,
                                       unsigned count, float limit) {
  unsigned i = 0;
#pragma unroll 1
  for (; i < count; ++i) {
    if (values[i * blockDim.x + threadIdx.x] > limit) break;
  }
  results[threadIdx.x] = i;
}

// sass: counted_loop one loop of 100 rounds, known when compiled; its counter ends at 100 or
//   comes down from it
extern "C" __global__ void counted_loop(float* values) {
  float value = values[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < 100; ++i) value = fmaf(value, value, 0.25f);
  values[threadIdx.x] = value;
}

// sass: two_loops two loops at depth 1, one after the other
extern "C" __global__ void two_loops(float* values, unsigned count) {
  float value = values[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) value = fmaf(value, value, 0.25f);
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) value = rsqrtf(value);
  values[threadIdx.x] = value;
}

// sass: diverging a loop in a loop; the inner one is in a branch that lanes take apart (BSSY)
//   and join again after (BSYNC)
extern "C" __global__ void diverging(float* values, unsigned count) {
  float value = values[threadIdx.x];
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    if (value > 1.0f) {
#pragma unroll 1
      while (value > 1.0f) value = value * 0.5f - 0.125f;
      values[i * blockDim.x + threadIdx.x] = value;
    } else {
      value = __expf(value) + __logf(value + 2.0f);
    }
  }
  values[threadIdx.x] = value;
}

// sass: many_cases indirect branches (BRX) through tables of addresses in constant memory; no
//   loop
extern "C" __global__ void many_cases(const unsigned* __restrict__ kinds, float* values) {
  float x = values[threadIdx.x];
  switch (kinds[threadIdx.x]) {
    case 0: x = fmaf(x, 2.0f, 1.0f); break;
    case 1: x = __expf(x); break;
    case 2: x = __logf(x); break;
    case 3: x = __sinf(x) + values[threadIdx.x + 1]; break;
    case 4: x = __cosf(x) * values[threadIdx.x + 2]; break;
    case 5: x = rsqrtf(x); break;
    case 6: x = fminf(x, values[threadIdx.x + 3]); break;
    case 7: x = fmaxf(x, values[threadIdx.x + 4]); break;
    case 8: x = x * x * x; break;
    case 9: x = atomicAdd(values + 99, x); break;
    case 10: x = __int_as_float(__float_as_int(x) ^ 77); break;
    case 11: x = static_cast<float>(__float2int_rn(x)); break;
    case 12: x = __shfl_xor_sync(__activemask(), x, 1); break;
    case 13: x = x - values[threadIdx.x + 5]; break;
    case 14: x = static_cast<float>(__popc(__float_as_uint(x))); break;
    case 15: x = __int_as_float(__clz(__float_as_int(x))); break;
    default: x = 0.0f; break;
  }
  values[threadIdx.x] = x;
}

__device__ __noinline__ float polynomial(float x, const float* __restrict__ terms) {
  float sum = terms[0];
#pragma unroll 1
  for (unsigned i = 1; i < 8; ++i) sum = fmaf(sum, x, terms[i]);
  return sum;
}

// sass: calls two calls of one function, which is a function of its own and has the only loop
extern "C" __global__ void calls(const float* __restrict__ terms, float* values) {
  const float x = values[threadIdx.x];
  values[threadIdx.x] = polynomial(x, terms) + polynomial(-x, terms + 8);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// sass: recursion calls a function that calls itself. Its local memory is the stack of calls,
//   which saves the registers of the caller: ptxas counts them as spills of that function
extern "C" __global__ void recursion(unsigned* values) {
  values[threadIdx.x] = ackermann(2, values[threadIdx.x]);
}
