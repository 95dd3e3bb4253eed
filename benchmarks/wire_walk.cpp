// SPDX-License-Identifier: Apache-2.0
//
// The floor for reading a report: a plain walk of the wire format over the same bytes, with
// protozero and nothing else. It visits every message of every block down to each metric's name and
// value and steps over every instance, section and string by its length; it stores and prints no
// value. With
// --scalars it leaves each metric at its first instance, as a reader does that need not list them.
//
//   wire_walk [--scalars] REPORT    prints how many results, metrics and fields it passed
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <protozero/pbf_reader.hpp>

namespace {

using protozero::pbf_reader;

std::uint64_t g_results = 0;
std::uint64_t g_metrics = 0;
std::uint64_t g_fields = 0;
bool g_scalars_only = false;

std::uint32_t u32(const char* at) {
  std::uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

void walk_metric(pbf_reader metric) {
  ++g_metrics;
  while (metric.next()) {
    ++g_fields;
    if (metric.tag() == 3 && g_scalars_only) return;
    if (metric.tag() == 2) {
      for (pbf_reader value = metric.get_message(); value.next(); value.skip()) ++g_fields;
    } else {
      metric.skip();
    }
  }
}

void walk_result(pbf_reader result) {
  ++g_results;
  while (result.next()) {
    ++g_fields;
    if (result.tag() == 13) {
      walk_metric(result.get_message());
    } else {
      result.skip();
    }
  }
}

void walk_file(const char* at, const char* end) {
  at += 4 + 4 + u32(at + 4);
  while (at < end) {
    const std::uint32_t header_bytes = u32(at);
    std::uint64_t sources = 0;
    std::uint64_t payload = 0;
    for (pbf_reader header(at + 4, header_bytes); header.next();) {
      switch (header.tag()) {
        case 1: sources = header.get_uint32(); break;
        case 5: payload = header.get_uint32(); break;
        default: header.skip();
      }
    }
    at += 4 + header_bytes;
    for (const char* block_end = at + payload; at < block_end; at += 4 + u32(at)) {
      const pbf_reader message(at + 4, u32(at));
      if (sources > 0) {
        --sources;
      } else {
        walk_result(message);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  g_scalars_only = argc == 3 && std::strcmp(argv[1], "--scalars") == 0;
  if (argc != (g_scalars_only ? 3 : 2)) return 2;
  const int file = open(argv[argc - 1], O_RDONLY);
  struct stat info {};
  if (file < 0 || fstat(file, &info) != 0) return 3;
  const auto size = static_cast<std::size_t>(info.st_size);
  const auto bytes = std::make_unique_for_overwrite<char[]>(size);
  for (std::size_t have = 0; have < size;) {
    const ssize_t got = read(file, bytes.get() + have, size - have);
    if (got <= 0) return 3;
    have += static_cast<std::size_t>(got);
  }
  walk_file(bytes.get(), bytes.get() + size);
  std::printf(
      "%llu results, %llu metrics, %llu fields\n", static_cast<unsigned long long>(g_results),
      static_cast<unsigned long long>(g_metrics), static_cast<unsigned long long>(g_fields));
  return 0;
}
