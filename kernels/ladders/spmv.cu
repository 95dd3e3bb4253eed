// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix in compressed rows times a vector. The first matrix has rows of equal length: a
// thread for a row, then a warp for a row. The second has 32 rows a thousand times as long as the
// others, one below the other: a warp for a row leaves a few multiprocessors with all of them, and
// pieces of bounded length do not. Columns come in runs, so that the vector is read packed.
#include "../zoo/fill.cuh"

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kEvenRows = 132 * 1536;
constexpr unsigned kEvenLength = 128;  // 26 million entries, 208 MB
constexpr unsigned kLongRows = 32;     // the first ones of the second matrix
constexpr unsigned kLongLength = 32768;
constexpr unsigned kShortRows = 132 * 2048;
constexpr unsigned kShortLength = 64;
constexpr unsigned kPiece = 128;  // entries, at most
constexpr double kTolerance = 1e-4;

// The entries of neighbouring rows lie 512 bytes apart: 32 sectors of values and 32 of columns for
// a step of the warp. The lines of 1536 threads are more than L1 holds.
// ladder: spmv step 1: spmv_scalar is held by uncoalesced-global, lifted by spmv_vector
__global__ __launch_bounds__(kThreads) void spmv_scalar(
    const unsigned* __restrict__ begins,   // (rows + 1)
    const unsigned* __restrict__ columns,  // (entries)
    const float* __restrict__ values,      // (entries)
    const float* __restrict__ x,           // (rows)
    float* __restrict__ y,                 // (rows)
    unsigned rows) {
  const unsigned row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned i = begins[row]; i < begins[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

// One warp's sum over a stretch of the entries.
__device__ __forceinline__ float stretch_sum(unsigned begin, unsigned end,
                                             const unsigned* __restrict__ columns,  // (entries)
                                             const float* __restrict__ values,      // (entries)
                                             const float* __restrict__ x) {         // (rows)
  float sum = 0.0f;
  for (unsigned i = begin + threadIdx.x % kWarp; i < end; i += kWarp) {
    sum += values[i] * x[columns[i]];
  }
  return warp_sum(sum);
}

// Every entry is read once, packed. A warp has three loads one after the other, begin, column and
// x, for each kilobyte: near the memory's roof, or just below for their latency.
// ladder: spmv step 2: spmv_vector is held by dram-bandwidth or memory-latency
__global__ __launch_bounds__(kThreads) void spmv_vector(
    const unsigned* __restrict__ begins,   // (rows + 1)
    const unsigned* __restrict__ columns,  // (entries)
    const float* __restrict__ values,      // (entries)
    const float* __restrict__ x,           // (rows)
    float* __restrict__ y,                 // (rows)
    unsigned rows) {
  const unsigned row = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  if (row >= rows) return;
  const float sum = stretch_sum(begins[row], begins[row + 1], columns, values, x);
  if (threadIdx.x % kWarp == 0) y[row] = sum;
}

// The same on the second matrix: the first four blocks have the long rows, 1024 steps a lane, and
// four multiprocessors work on when the others have long finished.
// ladder: spmv step 3: spmv_skewed is held by load-imbalance, lifted by spmv_pieces
__global__ __launch_bounds__(kThreads) void spmv_skewed(
    const unsigned* __restrict__ begins,   // (rows + 1)
    const unsigned* __restrict__ columns,  // (entries)
    const float* __restrict__ values,      // (entries)
    const float* __restrict__ x,           // (rows)
    float* __restrict__ y,                 // (rows)
    unsigned rows) {
  const unsigned row = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  if (row >= rows) return;
  const float sum = stretch_sum(begins[row], begins[row + 1], columns, values, x);
  if (threadIdx.x % kWarp == 0) y[row] = sum;
}

// A warp for a piece of a row, the pieces of a row added up by atomic operations, one in 64 entries
// at most: the entries' bytes are left, or the latency of their loads as in step 2.
// ladder: spmv step 4: spmv_pieces is held by dram-bandwidth or memory-latency
__global__ __launch_bounds__(kThreads) void spmv_pieces(
    const unsigned* __restrict__ begins,      // (pieces + 1)
    const unsigned* __restrict__ piece_rows,  // (pieces)
    const unsigned* __restrict__ columns,     // (entries)
    const float* __restrict__ values,         // (entries)
    const float* __restrict__ x,              // (rows)
    float* __restrict__ y,                    // (rows), zero before the launch
    unsigned pieces) {
  const unsigned piece = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  if (piece >= pieces) return;
  const float sum = stretch_sum(begins[piece], begins[piece + 1], columns, values, x);
  if (threadIdx.x % kWarp == 0) atomicAdd(&y[piece_rows[piece]], sum);
}

namespace {

// Row r has its entries in columns r, r + 1 and so on, round the end.
struct Matrix {
  unsigned rows;
  std::vector<unsigned> begins;        // (rows + 1)
  std::vector<unsigned> columns;       // (entries)
  std::vector<unsigned> piece_begins;  // (pieces + 1)
  std::vector<unsigned> piece_rows;    // (pieces)
  std::vector<float> block;            // (kPeriod), the values, repeated
  std::vector<float> x;                // (rows)
};

template <typename Length>
Matrix matrix_of(unsigned rows, Length length) {
  Matrix matrix{rows, {0}, {}, {}, {}, random_floats(kPeriod, 107), random_floats(rows, 108)};
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned begin = matrix.begins.back();
    const unsigned end = begin + length(row);
    REQUIRE(length(row) <= rows, "a column occurs once in a row");
    for (unsigned i = begin; i < end; i += kPiece) {
      matrix.piece_begins.push_back(i);
      matrix.piece_rows.push_back(row);
    }
    matrix.begins.push_back(end);
  }
  matrix.piece_begins.push_back(matrix.begins.back());
  matrix.columns.reserve(matrix.begins.back());
  for (unsigned row = 0; row < rows; ++row) {
    unsigned column = row;
    for (unsigned i = matrix.begins[row]; i < matrix.begins[row + 1]; ++i) {
      matrix.columns.push_back(column);
      column = column + 1 == rows ? 0 : column + 1;
    }
  }
  return matrix;
}

struct OnDevice {
  explicit OnDevice(const Matrix& matrix)
      : begins(matrix.begins),
        columns(matrix.columns),
        piece_begins(matrix.piece_begins),
        piece_rows(matrix.piece_rows),
        values(matrix.columns.size()),
        x(matrix.x),
        y(matrix.rows) {
    fill_repeating(values, matrix.block);
  }
  DeviceBuffer<unsigned> begins;        // (rows + 1)
  DeviceBuffer<unsigned> columns;       // (entries)
  DeviceBuffer<unsigned> piece_begins;  // (pieces + 1)
  DeviceBuffer<unsigned> piece_rows;    // (pieces)
  DeviceBuffer<float> values;           // (entries)
  DeviceBuffer<float> x;                // (rows)
  DeviceBuffer<float> y;                // (rows)
};

void check(const char* name, const Matrix& matrix, const OnDevice& device) {
  finish_launch();
  const std::vector<float> y = device.y.download();
  for (std::size_t row = 0; row < matrix.rows; row += row < kLongRows ? 1 : 61) {
    double sum = 0.0;
    for (std::size_t i = matrix.begins[row]; i < matrix.begins[row + 1]; ++i) {
      sum += static_cast<double>(matrix.block[i % kPeriod]) * matrix.x[matrix.columns[i]];
    }
    expect_close(name, y[row], sum, kTolerance, row);
  }
  passed(name);
}

template <typename Kernel>
void run(const char* name, Kernel kernel, unsigned threads_a_row, const Matrix& matrix,
         OnDevice& device) {
  device.y.clear();
  kernel<<<blocks_for(std::size_t{matrix.rows} * threads_a_row, kThreads), kThreads>>>(
      device.begins.data(), device.columns.data(), device.values.data(), device.x.data(),
      device.y.data(), matrix.rows);
  check(name, matrix, device);
}

void run_even() {
  const Matrix matrix = matrix_of(kEvenRows, [](unsigned) { return kEvenLength; });
  OnDevice device(matrix);
  run("spmv, thread for a row", spmv_scalar, 1, matrix, device);
  run("spmv, warp for a row", spmv_vector, kWarp, matrix, device);
}

void run_skewed() {
  const Matrix matrix = matrix_of(kLongRows + kShortRows, [](unsigned row) {
    return row < kLongRows ? kLongLength : kShortLength;
  });
  OnDevice device(matrix);
  run("spmv, warp for a row of any length", spmv_skewed, kWarp, matrix, device);
  device.y.clear();
  const std::size_t pieces = matrix.piece_rows.size();
  spmv_pieces<<<blocks_for(pieces * kWarp, kThreads), kThreads>>>(
      device.piece_begins.data(), device.piece_rows.data(), device.columns.data(),
      device.values.data(), device.x.data(), device.y.data(), static_cast<unsigned>(pieces));
  check("spmv, warp for a piece", matrix, device);
}

}  // namespace

int main() {
  run_even();
  run_skewed();
}
