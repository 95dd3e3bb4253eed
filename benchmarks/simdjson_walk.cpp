// SPDX-License-Identifier: Apache-2.0
//
// The floor of benchmarks/timeline: simdjson over a Chrome trace, looking at five members of each
// event and making nothing of them. Prints how many events there are and what their lengths sum to,
// so that nothing can be left out.
#include <simdjson.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: simdjson_walk TRACE.json\n");
    return 2;
  }
  try {
    const simdjson::padded_string text = simdjson::padded_string::load(argv[1]);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document = parser.iterate(text);
    std::size_t events = 0;
    std::size_t names = 0;
    double length = 0;
    for (simdjson::ondemand::object event : document["traceEvents"].get_array()) {
      ++events;
      for (auto field : event) {
        const std::string_view key = field.unescaped_key();
        if (key == "name" || key == "cat" || key == "ph") {
          names += std::string_view(field.value().get_string()).size();
        } else if (key == "ts") {
          length += double(field.value().get_double()) > 0 ? 0 : 1;
        } else if (key == "dur") {
          length += double(field.value().get_double());
        }
      }
    }
    std::printf("%zu events, %zu bytes of names, %.0f us\n", events, names, length);
  } catch (const simdjson::simdjson_error& error) {
    std::fprintf(stderr, "simdjson_walk: %s\n", error.what());
    return 3;
  }
  return 0;
}
