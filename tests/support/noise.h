// SPDX-License-Identifier: Apache-2.0
//
// Times as benchmarks give them, simulated: two programs measured in turn, in the order A B B A,
// under a kind of noise that GPUs show. A seed gives the same times everywhere: the standard's own
// distributions are left alone, since their numbers differ between libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace proofline {

class NoiseSource {
 public:
  explicit NoiseSource(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits();
  double uniform();  // above 0, below 1
  double normal();
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint64_t state_;
};

enum class Noise {
  kNormal,       // one percent
  kHeavyTailed,  // now and then much slower: Student's t with two degrees, slow side only
  kDrift,        // ten percent slower from the first sample to the last
  kTwoClocks,    // the clock stays at one of two frequencies for a while
  kFlicker,      // each sample has one of two clocks, whatever its neighbour has
  kOutliers,     // one sample in twenty takes up to three times as long
  kSlowStart,    // the first pair is far slower, and A, which came first, more so
  kQuantised,    // a timer that counts in steps of one percent
};
std::string_view to_string(Noise noise);
const std::vector<Noise>& all_noises();

struct SimulatedPairs {
  std::vector<double> a;  // nanoseconds
  std::vector<double> b;
};

// B takes `ratio` times as long as A. `scale` makes the noise of single samples larger or smaller.
SimulatedPairs simulate_pairs(Noise noise, std::size_t pairs, double ratio, NoiseSource& source,
                              double scale = 1);

}  // namespace proofline
