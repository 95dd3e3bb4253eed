// SPDX-License-Identifier: Apache-2.0
//
// A listing's text to control flow and loops, one function after the other.
// sass_listing_ratios.py holds its time against that of `wc -l` over the same file.
//
//   sass_listing FILE    prints instructions, functions, loops and seconds
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "analysis/sass/flow.h"
#include "analysis/sass/operands.h"
#include "readers/code/read_code.h"

namespace {

using namespace proofline;

struct Counts {
  std::uint64_t instructions = 0;
  std::uint64_t functions = 0;
  std::uint64_t loops = 0;
};

Result<Counts> count(const char* path) {
  auto input = Input::open(path);
  if (!input) return tl::make_unexpected(input.error());
  Counts counts;
  Listing listing;
  CodeCompleter completer(listing.opcodes);
  const auto take = [&](CodeFunction&& function) {
    completer.complete(function);
    const Flow flow = build_flow(function, listing.opcodes);
    counts.instructions += function.instructions.size();
    counts.loops += flow.loops.size();
    ++counts.functions;
  };
  if (auto read = read_code(*input, listing, take); !read) {
    return tl::make_unexpected(read.error());
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto start = std::chrono::steady_clock::now();
  const auto counts = count(argv[1]);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!counts) {
    std::fprintf(stderr, "%s\n", counts.error().message.c_str());
    return 3;
  }
  std::printf("%llu instructions, %llu functions, %llu loops, %.6f seconds\n",
              static_cast<unsigned long long>(counts->instructions),
              static_cast<unsigned long long>(counts->functions),
              static_cast<unsigned long long>(counts->loops), seconds.count());
  return 0;
}
