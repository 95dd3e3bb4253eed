// SPDX-License-Identifier: Apache-2.0
#include "workflow/decide/decide_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "diagnosis/comparison/compare.h"
#include "diagnosis/decision/decide_explain.h"
#include "model/measurement/decision.h"
#include "readers/benchmark/benchmark.h"
#include "workflow/bench/benchmark_sides.h"
#include "workflow/profile/diagnosed_file.h"

namespace proofline {
namespace {

// A benchmark with the position of the side that it is, or is a part of.
struct PickedSide {
  Benchmark benchmark;
  std::size_t side = 0;
  std::string label;
};

std::string names_in(const BenchmarkSeries& series) {
  if (series.sides.size() > 1) return side_names(series);
  NameList names;
  for (const Measurement& one : series.sides.front().benchmark.measurements) {
    names.add(one.implementation);
    names.add(one.benchmark);
  }
  return names.text();
}

Benchmark only_with(const Benchmark& benchmark, std::string Measurement::*member,
                    const std::string& name) {
  Benchmark result = benchmark;
  std::erase_if(result.measurements, [&](const Measurement& one) { return one.*member != name; });
  return result;
}

Result<PickedSide> pick_side(const BenchmarkSeries& series, const std::string& name,
                             std::string_view flag, const std::string& path) {
  for (std::size_t i = 0; i < series.sides.size(); ++i) {
    const BenchmarkSide& side = series.sides[i];
    if (side.label == name) return PickedSide{side.benchmark, i, side_label(side)};
  }
  if (series.sides.size() == 1) {
    const Benchmark& only = series.sides.front().benchmark;
    Benchmark part = only_with(only, &Measurement::implementation, name);
    if (!part.measurements.empty()) return PickedSide{std::move(part), 0, name};
    part = only_with(only, &Measurement::benchmark, name);
    // Two benchmarks that are compared are two ways to do one thing.
    for (Measurement& one : part.measurements) {
      one.implementation = std::exchange(one.benchmark, "");
    }
    if (!part.measurements.empty()) return PickedSide{std::move(part), 0, name};
  }
  return fail(ErrorKind::kInput, fmt::format("{} {}: {} has no such side or implementation; there "
                                             "is {}",
                                             flag, quote(name), quote(path), names_in(series)));
}

Result<PickedSide> pick_from_own_file(const std::string& path, const std::string& name,
                                      std::string_view flag, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto series, read_benchmark(path, limits));
  if (!name.empty()) {
    auto picked = pick_side(series, name, flag, path);
    if (picked && picked->side != 0) add_file_notes(series, picked->benchmark);
    return picked;
  }
  if (series.sides.size() == 1) return PickedSide{std::move(series.sides[0].benchmark), 0, ""};
  return fail(ErrorKind::kUsage,
              fmt::format("{} holds {} sides ({}): choose one with {}", quote(path),
                          series.sides.size(), names_in(series), flag));
}

bool has_several_starts(const Benchmark& benchmark) {
  return std::any_of(
      benchmark.measurements.begin(), benchmark.measurements.end(), [](const Measurement& one) {
        return std::any_of(one.samples.begin(), one.samples.end(), [&](const Sample& sample) {
          return sample.run != one.samples.front().run;
        });
      });
}

Result<DecidedSides> pick_from_one_file(const std::string& path, const std::string& a,
                                        const std::string& b, const InputLimits& limits) {
  ASSIGN_OR_RETURN(auto series, read_benchmark(path, limits));
  auto& sides = series.sides;
  if (a.empty() && b.empty() && sides.size() == 2) {
    std::string label_a = side_label(sides[0]);
    std::string label_b = side_label(sides[1]);
    return DecidedSides{std::move(sides[0].benchmark), std::move(sides[1].benchmark),
                        series.interleaved, std::move(label_a), std::move(label_b)};
  }
  if (a.empty() || b.empty()) {
    return fail(
        ErrorKind::kUsage,
        fmt::format(
            "{} holds {}: choose what to compare with {} and {} ({}), or give a second file",
            quote(path), sides.size() == 1 ? "one side" : "several sides", option("a"), option("b"),
            names_in(series)));
  }
  ASSIGN_OR_RETURN(auto picked_a, pick_side(series, a, option("a"), path));
  ASSIGN_OR_RETURN(auto picked_b, pick_side(series, b, option("b"), path));
  // Parts of one side were measured by the same starts of one program, and their notes are one. In
  // a single start they were not measured in turn.
  const bool one_side = picked_a.side == picked_b.side;
  if (one_side) picked_b.benchmark.notes.clear();
  const bool in_turn = one_side ? has_several_starts(picked_a.benchmark) : series.interleaved;
  if (picked_a.side != 0 && picked_b.side != 0) add_file_notes(series, picked_a.benchmark);
  return DecidedSides{std::move(picked_a.benchmark), std::move(picked_b.benchmark), in_turn,
                      std::move(picked_a.label), std::move(picked_b.label)};
}

}  // namespace

Result<DecidedSides> read_sides(const std::vector<std::string>& files, const std::string& a,
                                const std::string& b, const InputLimits& limits) {
  if (files.size() == 1) return pick_from_one_file(files.front(), a, b, limits);
  ASSIGN_OR_RETURN(auto side_a, pick_from_own_file(files.front(), a, option("a"), limits));
  ASSIGN_OR_RETURN(auto side_b, pick_from_own_file(files.back(), b, option("b"), limits));
  return DecidedSides{std::move(side_a.benchmark), std::move(side_b.benchmark), false,
                      std::move(side_a.label), std::move(side_b.label)};
}

Result<ComparedReports> compare_profile_files(const std::string& a, const std::string& b,
                                              bool force, const InputLimits& limits) {
  ASSIGN_OR_RETURN(const auto side_a, read_diagnosed(a, "", {}, limits));
  ASSIGN_OR_RETURN(const auto side_b, read_diagnosed(b, "", {}, limits));
  CompareOptions options;
  options.force = force;
  options.same_work = true;
  options.listed = explains_a_decision;
  return ComparedReports{compare_profiles(side_a.side, side_b.side, options),
                         kernels_of(side_a.side), kernels_of(side_b.side)};
}

}  // namespace proofline
