// SPDX-License-Identifier: Apache-2.0
//
// Hopper's tensor cores are filled by wgmma alone, which four warps issue together and which reads
// its right operand from shared memory. All other chips get mma.sync, with operands in registers;
// on datacenter Blackwell that is not their fastest way.
#include "tools/calibrate/calibration_tensor_kernels.h"

#include <fmt/format.h>

#include "tools/calibrate/calibration_ptx.h"

namespace proofline {
namespace {

struct Element {
  std::string_view name;  // of the ceiling
  std::string_view type;  // in PTX
  ValueBits bits;
  unsigned bytes;
};

constexpr Element kElements[] = {
    {"tensor-f16", "f16", kF16Pair, 2},    {"tensor-bf16", "bf16", kBf16Pair, 2},
    {"tensor-tf32", "tf32", kF32Value, 4}, {"tensor-f8", "e4m3", kE4m3Four, 1},
    {"tensor-s8", "s8", kAnyBits, 1},
};

bool is_integer(const Element& element) { return element.type == "s8"; }
std::string_view accumulator_of(const Element& element) {
  return is_integer(element) ? "s32" : "f32";
}
std::string describe(std::string_view instruction, const Element& element) {
  return fmt::format("{}, {} accumulators, pseudo-random operands", instruction,
                     is_integer(element) ? "32-bit integer" : "FP32");
}

// "%c0, %c1, ..."
std::string list_of(std::string_view prefix, unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = first; i < first + count; ++i) {
    text += fmt::format("{}{}{}", i > first ? ", " : "", prefix, i);
  }
  return text;
}

std::string clear_and_declare(std::string_view prefix, unsigned count) {
  std::string text = fmt::format("  .reg .b32 {}<{}>;\n", prefix, count);
  for (unsigned i = 0; i < count; ++i) text += fmt::format("  mov.b32 {}{}, 0;\n", prefix, i);
  return text;
}

std::string store_all(std::string_view prefix, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += fmt::format("  st.global.b32 [%sink+{}], {}{};\n", 4 * i, prefix, i);
  }
  return text;
}

// --- wgmma

// Two warpgroups in a block, one block on an SM. Both multiply 64 rows of their own by the same 256
// columns. Columns are 128 bytes of shared memory each, swizzled as GEMMs have them, and an
// instruction takes 32 of these bytes for every type. The A operand is in registers: with A in
// shared memory too, shared-memory bandwidth limits an H200 to nine tenths.
constexpr unsigned kWarpgroups = 2;
constexpr unsigned kRows = 64;
constexpr unsigned kColumns = 256;
constexpr unsigned kRowBytes = 128;
constexpr unsigned kStepBytes = 32;
constexpr unsigned kWideThreads = kWarpgroups * 128;
constexpr unsigned kSharedBytes = kColumns * kRowBytes;
constexpr unsigned kSteps = kRowBytes / kStepBytes;
constexpr unsigned kRowRegisters = 4;  // of each thread, for one step
static_assert(kSharedBytes <= 48 * 1024, "more needs to be asked for at the launch");
constexpr unsigned kSweeps = 4;  // over the 128 bytes, in one round
constexpr unsigned kWideAccumulators = kRows * kColumns / 128;

// Descriptor of an operand but for its address: groups of 8 rows are 1024 bytes apart, and the
// swizzle is that of 128 bytes. Sizes count in 16 bytes.
constexpr std::uint64_t kDescriptor =
    std::uint64_t{1} << 62U | std::uint64_t{1024 / 16} << 32U | std::uint64_t{1} << 16U;

std::string fill_shared(const Element& element) {
  std::string text = fmt::format(R"(  .shared .align 1024 .b8 tiles[{}];
  .reg .b32 %thread, %base, %at, %value;
  mov.u32 %thread, %tid.x;
  mov.u32 %base, tiles;
  mad.lo.u32 %at, %thread, 4, %base;
)",
                                 kSharedBytes);
  text += declare_values("%thread");
  for (unsigned offset = 0; offset < kSharedBytes; offset += 4 * kWideThreads) {
    text += draw_value("%value", element.bits);
    text += fmt::format("  st.shared.b32 [%at+{}], %value;\n", offset);
  }
  // wgmma reads by another way than the stores went.
  return text += "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n";
}

std::string prepare_operands(const Element& element) {
  std::string text = fmt::format(R"(  .reg .b32 %rows<{}>;
  .reg .b64 %columns, %columns_at;
  shr.u32 %at, %base, 4;
  cvt.u64.u32 %columns, %at;
  or.b64 %columns, %columns, {:#x};
)",
                                 kSteps * kRowRegisters, kDescriptor);
  for (unsigned i = 0; i < kSteps * kRowRegisters; ++i) {
    text += draw_value(fmt::format("%rows{}", i), element.bits);
  }
  return text;
}

// What follows the operands. Every other sweep is subtracted, so that sums stay small.
std::string_view scales_of(const Element& element, bool subtract) {
  if (is_integer(element)) return "1";
  if (element.bytes == 2) return subtract ? "1, -1, 1, 0" : "1, 1, 1, 0";
  return subtract ? "1, -1, 1" : "1, 1, 1";
}

std::string shape_of_wgmma(const Element& element) {
  return fmt::format("m{}n{}k{}", kRows, kColumns, kStepBytes / element.bytes);
}

std::string sweep(const Element& element, bool subtract) {
  std::string text;
  for (unsigned step = 0; step < kSteps; ++step) {
    text += fmt::format(R"(  add.u64 %columns_at, %columns, {0};
  wgmma.mma_async.sync.aligned.{1}.{2}.{3}.{3} {{{4}}}, {{{5}}}, %columns_at, {6};
)",
                        step * kStepBytes / 16, shape_of_wgmma(element), accumulator_of(element),
                        element.type, list_of("%c", 0, kWideAccumulators),
                        list_of("%rows", step * kRowRegisters, kRowRegisters),
                        scales_of(element, subtract));
  }
  return text;
}

RoundsKernel compose_wgmma(const Element& element) {
  PtxLoop loop{"8.0", "sm_90a", kWideThreads, "", "", "", "", ""};
  loop.before =
      fill_shared(element) + prepare_operands(element) + clear_and_declare("%c", kWideAccumulators);
  loop.round = "  wgmma.fence.sync.aligned;\n";
  for (unsigned i = 0; i < kSweeps; ++i) loop.round += sweep(element, i % 2 == 1);
  // The round before may still be at work: the tensor cores never wait for the loop.
  loop.round += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 1;\n";
  loop.after = "  wgmma.wait_group.sync.aligned 0;\n";
  loop.store = store_all("%c", kWideAccumulators);
  RoundsKernel kernel{compose_loop(loop), kWideThreads, 0, {1}, "", false};
  kernel.per_round = 2.0 * kWarpgroups * kRows * kColumns * kSweeps * kRowBytes / element.bytes;
  kernel.how = describe("wgmma " + shape_of_wgmma(element), element);
  return kernel;
}

// --- mma.sync

struct Shape {
  std::string_view element;  // its type
  int oldest;                // chip: 80 for 8.0
  std::string_view version;  // of PTX
  std::string_view target;
  unsigned rows;
  unsigned columns;
  unsigned depth;
};

// The best of each type first.
constexpr Shape kShapes[] = {
    {"f16", 80, "7.0", "sm_80", 16, 8, 16},  {"f16", 75, "6.5", "sm_75", 16, 8, 8},
    {"bf16", 80, "7.0", "sm_80", 16, 8, 16}, {"tf32", 80, "7.0", "sm_80", 16, 8, 8},
    {"e4m3", 89, "8.4", "sm_89", 16, 8, 32}, {"s8", 80, "7.0", "sm_80", 16, 8, 32},
    {"s8", 75, "6.5", "sm_75", 8, 8, 16},
};

// Products that a warp has under way, each into accumulators of its own, and how often a round goes
// through them.
constexpr unsigned kProducts = 8;
constexpr unsigned kRepeats = 8;
constexpr unsigned kWarp = 32;
constexpr unsigned kWarps = 8;

RoundsKernel compose_mma(const Element& element, const Shape& shape) {
  const unsigned left = shape.rows * shape.depth * element.bytes / kWarp / 4;  // registers
  const unsigned right = shape.columns * shape.depth * element.bytes / kWarp / 4;
  const unsigned sums = shape.rows * shape.columns / kWarp;
  const std::string name = fmt::format("m{}n{}k{}", shape.rows, shape.columns, shape.depth);
  PtxLoop loop{shape.version, shape.target, kWarps * kWarp, "", "", "", "", ""};
  loop.before = fmt::format("  .reg .b32 %a<{}>, %b<{}>, %thread;\n  mov.u32 %thread, %tid.x;\n",
                            left, right * kProducts);
  loop.before += declare_values("%thread");
  for (unsigned i = 0; i < left; ++i) {
    loop.before += draw_value(fmt::format("%a{}", i), element.bits);
  }
  for (unsigned i = 0; i < right * kProducts; ++i) {
    loop.before += draw_value(fmt::format("%b{}", i), element.bits);
  }
  loop.before += clear_and_declare("%c", sums * kProducts);
  for (unsigned i = 0; i < kRepeats * kProducts; ++i) {
    const unsigned product = i % kProducts;
    const std::string sum = list_of("%c", product * sums, sums);
    loop.round += fmt::format(
        "  mma.sync.aligned.{0}.row.col.{1}.{2}.{2}.{1} {{{3}}}, {{{4}}}, {{{5}}}, {{{3}}};\n",
        name, accumulator_of(element), element.type, sum, list_of("%a", 0, left),
        list_of("%b", product * right, right));
  }
  loop.store = store_all("%c", sums * kProducts);
  RoundsKernel kernel{compose_loop(loop), loop.threads, 0, {1, 2, 4}, "", false};
  kernel.per_round = 2.0 * shape.rows * shape.columns * shape.depth * kProducts * kRepeats * kWarps;
  kernel.how = describe("mma " + name, element);
  return kernel;
}

// Chips whose own matrix instructions (tcgen05) are not used here, and those after all that we
// know. Blackwell's small chips, 12.x, have mma.sync alone.
bool has_faster_way(ComputeCapability chip) { return chip.major >= 10 && chip.major != 12; }

}  // namespace

std::optional<RoundsKernel> compose_tensor(std::string_view name, ComputeCapability chip) {
  for (const Element& element : kElements) {
    if (element.name != name) continue;
    if (chip.major == 9) return compose_wgmma(element);
    // There the compiler makes other instructions of it, and not as many as it is asked for.
    if (element.type == "e4m3" && has_faster_way(chip)) return std::nullopt;
    for (const Shape& shape : kShapes) {
      if (shape.element != element.type || 10 * chip.major + chip.minor < shape.oldest) continue;
      RoundsKernel kernel = compose_mma(element, shape);
      kernel.at_least = has_faster_way(chip);
      return kernel;
    }
  }
  return std::nullopt;
}

}  // namespace proofline
