// SPDX-License-Identifier: Apache-2.0
//
// Measurements as a document: for each configuration the median with its interval, the spread, the
// rate, and what is to be known about how it was measured.
//
//   program   ./transpose --n 8192
//   GPU       NVIDIA H200, cc 9.0, driver 580.95.05, CUDA 13.0
//
//   Benchmark  Implementation     n     Median   95 % interval  Spread    GB/s    Of roof  State
//   ---------  --------------  ----  ---------  --------------  ------  ------  ---------  --------
//   transpose  tiled           8192  131.22 us  too few starts  0.06 %  4091.2  95 % dram  measured
//   transpose  vector          8192          -               -       -       -          -  wrong
//
//   transpose vector n=8192  wrong: 17 of 67,108,864 elements are beyond the tolerance
//
// An axis is a column (n). The interval is the median's, the spread the robust standard deviation
// as a share of the median. "Of roof" is the share of the
// nearest measured ceiling; it, "Ran at" (1980 MHz, 412 W) and others are there where any of it
// is known.
#pragma once

#include "model/measurement/benchmark.h"
#include "views/document.h"

namespace proofline {

Document compose_benchmark(const BenchmarkSeries& series);

}  // namespace proofline
