// SPDX-License-Identifier: Apache-2.0
//
// See noise.h.
#include "support/noise.h"

#include <cmath>
#include <numbers>

namespace proofline {
namespace {

constexpr double kTypicalNs = 100'000;
constexpr double kSlowClock = 1.12;  // 1980 MHz over 1770 MHz

// The time of one sample after another, as a multiple of the undisturbed time.
class Disturbance {
 public:
  Disturbance(Noise noise, std::size_t samples, double scale, NoiseSource& source)
      : noise_(noise), samples_(samples), scale_(scale), source_(&source) {
    slow_ = source_->chance(0.5);
  }

  double next() {
    const double progress = static_cast<double>(taken_++) / static_cast<double>(samples_);
    switch (noise_) {
      case Noise::kNormal: return jitter(0.01);
      case Noise::kHeavyTailed: {
        const double student = source_->normal() / std::sqrt(-std::log(source_->uniform()));
        return std::exp(0.01 * scale_ * std::abs(student));
      }
      case Noise::kDrift: return jitter(0.01) * (1 + 0.1 * progress);
      case Noise::kTwoClocks:
        if (source_->chance(0.1)) slow_ = !slow_;
        return jitter(0.005) * (slow_ ? kSlowClock : 1);
      case Noise::kFlicker: return jitter(0.005) * (source_->chance(0.3) ? kSlowClock : 1);
      case Noise::kOutliers:
        return jitter(0.01) * (source_->chance(0.05) ? 1.5 + 1.5 * source_->uniform() : 1);
      case Noise::kSlowStart: return jitter(0.01) * (taken_ == 1 ? 3 : taken_ == 2 ? 1.5 : 1);
      case Noise::kQuantised: return jitter(0.005);
    }
    return 1;
  }

 private:
  double jitter(double size) { return std::exp(size * scale_ * source_->normal()); }

  Noise noise_;
  std::size_t samples_;
  double scale_;
  NoiseSource* source_;
  std::size_t taken_ = 0;
  bool slow_ = false;
};

double read_timer(Noise noise, double ns) {
  const double step = noise == Noise::kQuantised ? kTypicalNs / 100 : 1e-3;
  return std::round(ns / step) * step;
}

}  // namespace

// SplitMix64: a counter through a mixing function.
std::uint64_t NoiseSource::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double NoiseSource::uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53; }

double NoiseSource::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::string_view to_string(Noise noise) {
  switch (noise) {
    case Noise::kNormal: return "normal";
    case Noise::kHeavyTailed: return "heavy-tailed";
    case Noise::kDrift: return "drift";
    case Noise::kTwoClocks: return "two-clocks";
    case Noise::kFlicker: return "flicker";
    case Noise::kOutliers: return "outliers";
    case Noise::kSlowStart: return "slow-start";
    case Noise::kQuantised: return "quantised";
  }
  return "";
}

const std::vector<Noise>& all_noises() {
  static const std::vector<Noise> kAll = {Noise::kNormal,    Noise::kHeavyTailed, Noise::kDrift,
                                          Noise::kTwoClocks, Noise::kFlicker,     Noise::kOutliers,
                                          Noise::kSlowStart, Noise::kQuantised};
  return kAll;
}

SimulatedPairs simulate_pairs(Noise noise, std::size_t pairs, double ratio, NoiseSource& source,
                              double scale) {
  Disturbance disturbance(noise, 2 * pairs, scale, source);
  SimulatedPairs times;
  for (std::size_t i = 0; i < pairs; ++i) {
    const double first = disturbance.next();
    const double second = disturbance.next();
    const bool a_first = i % 2 == 0;
    times.a.push_back(read_timer(noise, kTypicalNs * (a_first ? first : second)));
    times.b.push_back(read_timer(noise, kTypicalNs * ratio * (a_first ? second : first)));
  }
  return times;
}

}  // namespace proofline
