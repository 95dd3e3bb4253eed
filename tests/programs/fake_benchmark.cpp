// SPDX-License-Identifier: Apache-2.0
//
// A benchmark for machines without a GPU: it runs nothing, and writes the result that our library
// would write, with times from a noise model, to the file that PROOFLINE_BENCH_OUT names or to
// standard output. The same arguments and the same number of starts before give the same times.
//
//   --factor=F          so many times as slow as 100 us; 1
//   --noise=SHARE       standard deviation from start to start; 0.005
//   --seed=N            of the noise; 1
//   --samples=N         of each configuration; 5
//   --configurations=N  1
//   --count=FILE        a file that each start adds a line to: its --name. The noise of a start
//                       depends on how many lines there were
//   --name=TEXT
//   --print             on standard output, wherever else it was told to write
//   --wrong             the result was not right, so nothing was timed; exits with 1, as our
//   library
//                       does
//   --cut               half of the result is missing
//   --silent            there is no result
//   --fail-at=N         start N, the first is 1, says why on standard error and exits with 3
//   --hang-at=N         start N never ends
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using Options = std::map<std::string, std::string>;

Options parse(int argc, char** argv) {
  Options options{{"factor", "1"},
                  {"noise", "0.005"},
                  {"seed", "1"},
                  {"samples", "5"},
                  {"configurations", "1"}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(2);
    const std::size_t equals = word.find('=');
    options[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return options;
}

// The number of this start; the first is 1.
std::uint64_t count_start(const Options& options) {
  const auto file = options.find("count");
  if (file == options.end()) return 1;
  std::uint64_t before = 0;
  {
    std::ifstream lines(file->second);
    std::string line;
    while (std::getline(lines, line)) ++before;
  }
  const auto name = options.find("name");
  std::ofstream(file->second, std::ios::app) << (name == options.end() ? "" : name->second) << '\n';
  return before + 1;
}

// Nearly normal, and the same with every compiler.
double noise(std::mt19937_64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random() >> 11U) * 0x1p-53;
  return sum;
}

std::string measurement(const Options& options, std::uint64_t number, std::mt19937_64& random) {
  const double deviation = std::stod(options.at("noise"));
  const double start_ns =
      1e5 * std::stod(options.at("factor")) * std::exp(deviation * noise(random));
  const bool wrong = options.contains("wrong");
  std::string samples;
  for (int i = 0; i < std::stoi(options.at("samples")) && !wrong; ++i) {
    samples += (samples.empty() ? "" : ",") +
               std::to_string(start_ns * std::exp(deviation / 10 * noise(random)));
  }
  return R"({"benchmark":"fake","implementation":"","axes":[{"name":"n","value":")" +
         std::to_string(1024U << number) + R"("}],"state":")" + (wrong ? "wrong" : "measured") +
         R"(","reason":")" + (wrong ? "7 elements are wrong" : "") +
         R"(","correctness":{"state":")" + (wrong ? "failed" : "passed") +
         R"(","reference":"fp64"},"timed_by":"cuda-events","cache":"hot","stopped":"tight",)" +
         R"("samples":{"ns":[)" + samples + "]}}";
}

std::string result(const Options& options, std::uint64_t start) {
  std::mt19937_64 random(1000 * std::stoull(options.at("seed")) + start);
  std::string measurements;
  for (std::uint64_t i = 0; i < std::stoull(options.at("configurations")); ++i) {
    measurements += (i == 0 ? "" : ",") + measurement(options, i, random);
  }
  return R"({"schema_version":"1.0","tool":{"name":"proofline","version":"0.1.0"},)"
         R"("result":"benchmark","interleaved":false,"sides":[{"label":"a",)"
         R"("format":"proofline-bench","producer":"fake_benchmark","command":"fake",)"
         R"("machine":{"gpu":"Fake GPU","uuid":"GPU-0","compute_capability":"9.0",)"
         R"("driver":"580.95.05","cuda":"13.0"},"notes":[],"measurements":[)" +
         measurements + "]}]}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const std::uint64_t start = count_start(options);
  const auto is_now = [&](const char* name) {
    const auto at = options.find(name);
    return at != options.end() && std::stoull(at->second) == start;
  };
  if (is_now("fail-at")) {
    std::fprintf(stderr, "starting\nout of memory\n");
    return 3;
  }
  while (is_now("hang-at")) ::pause();
  if (options.contains("silent")) return 0;
  std::string text = result(options, start);
  if (options.contains("cut")) text.resize(text.size() / 2);
  const char* path = std::getenv("PROOFLINE_BENCH_OUT");
  if (path == nullptr || options.contains("print")) {
    std::fputs(text.c_str(), stdout);
  } else {
    std::ofstream(path) << text;
  }
  return options.contains("wrong") ? 1 : 0;
}
