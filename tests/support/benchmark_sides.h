// SPDX-License-Identifier: Apache-2.0
//
// Two sides of a benchmark made of numbers: times around a value with a known spread, in runs of a
// program; and what a test asks of the decision on them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "diagnosis/decision/decide.h"

namespace proofline {

using Texts = std::vector<std::string>;

inline testing::AssertionResult says(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return testing::AssertionSuccess() << text;
  return testing::AssertionFailure() << "\"" << words << "\" is not in \"" << text << "\"";
}

inline bool holds(const Texts& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

class SideNoise {
 public:
  // Between 1 - spread and 1 + spread.
  double operator()(double spread) {
    return 1 + spread * (2 * (static_cast<double>(random_()) / std::mt19937::max()) - 1);
  }

 private:
  std::mt19937 random_{7};
};

struct RunShape {
  std::size_t runs = 20;
  std::size_t each = 5;  // samples in a run
  double spread = 0.002;
};

inline Measurement measured(SideNoise& noise, const std::string& n, double ns,
                            const RunShape& shape = {}) {
  Measurement result;
  result.benchmark = "transpose";
  result.axes = {{"n", n}};
  result.correctness.state = CheckState::kPassed;
  for (std::size_t run = 0; run < shape.runs; ++run) {
    const double of_run = noise(shape.spread);
    for (std::size_t i = 0; i < shape.each; ++i) {
      Sample sample;
      sample.ns = ns * of_run * noise(shape.spread);
      sample.run = static_cast<std::uint32_t>(run);
      result.samples.push_back(sample);
    }
  }
  return result;
}

inline BenchmarkMachine h200() {
  BenchmarkMachine machine;
  machine.gpu = "NVIDIA H200";
  machine.uuid = "GPU-1";
  machine.compute_capability = "9.0";
  machine.driver = "580.95.05";
  machine.cuda = "13.0";
  machine.clocks_locked = true;
  machine.locked_sm_mhz = 1500;
  machine.ecc = true;
  machine.mig = false;
  return machine;
}

// Two sides that differ by these ratios in so many configurations, measured in turn.
class TwoSides {
 public:
  explicit TwoSides(const std::vector<double>& ratios, const RunShape& shape = {}) {
    std::size_t n = 1024;
    for (const double ratio : ratios) {
      a.measurements.push_back(measured(noise_, std::to_string(n), 1e5, shape));
      b.measurements.push_back(measured(noise_, std::to_string(n), 1e5 * ratio, shape));
      n *= 2;
    }
    a.path = "before.json";
    b.path = "after.json";
    a.machine = b.machine = h200();
  }

  Decision decided() const { return decide(a, b, interleaved, options, evidence); }

  void each_b(const std::function<void(Measurement&)>& change) {
    for (Measurement& one : b.measurements) change(one);
  }

  Benchmark a;
  Benchmark b;
  bool interleaved = true;
  DecideOptions options;
  DecideEvidence evidence;

 private:
  SideNoise noise_;
};

inline GateState gate(const Decision& decision, const std::string& name) {
  const auto found = std::find_if(decision.gates.begin(), decision.gates.end(),
                                  [&](const Gate& one) { return one.name == name; });
  EXPECT_NE(found, decision.gates.end()) << name;
  return found == decision.gates.end() ? GateState::kNotRun : found->state;
}

inline Texts changes(const Decision& decision) {
  Texts result;
  for (const DecidedConfiguration& one : decision.configurations) result.push_back(one.change);
  return result;
}

inline std::string all_notes(const Decision& decision) {
  std::string text;
  for (const Note& note : decision.notes) text += note.place + ": " + note.what + "\n";
  return text;
}

inline std::string all_next(const Decision& decision) {
  std::string text;
  for (const std::string& step : decision.next) text += step + "\n";
  return text;
}

}  // namespace proofline
