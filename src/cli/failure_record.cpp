// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>

#include "base/json_writer.h"
#include "base/record.h"
#include "base/record_schema.h"
#include "cli/failure.h"

namespace proofline {
namespace {

std::string_view failure_kind(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage: return "usage";
    case ExitCode::kInput: return "input";
    case ExitCode::kTool: return "tool";
    case ExitCode::kTimeLimit: return "time-limit";
    case ExitCode::kStorage: return "storage";
    case ExitCode::kPermission: return "permission";
    case ExitCode::kInterrupted: return "interrupted";
    default: return "bug";
  }
}

// Exit codes are no names, which a description has no word for.
void write_codes(JsonWriter& json) {
  json.key("allOf");
  json.begin_array();
  for (const char* outer : {"properties", "error", "properties", "code"}) {
    json.begin_object();
    json.key(outer);
  }
  json.begin_object();
  json.array("enum", std::array{2, 3, 5, 6, 7, 8, 9, 130},
             [&](int code) { json.number(std::int64_t{code}); });
  for (int i = 0; i < 5; ++i) json.end_object();
  json.end_array();
}

}  // namespace

Record describe(const Failure* /*type*/) {
  return {
      about("failure").schema(write_codes),
      schema_version(),
      tool(),
      group("error",
            {
                derived("code", "the exit code",
                        [](const Failure& failure) { return static_cast<unsigned>(failure.code); }),
                derived("kind",
                        "who can mend it: the request, a file, an external program, its time, the "
                        "disk, us, the counters' permission, nobody: the user stopped it",
                        [](const Failure& failure) { return failure_kind(failure.code); })
                    .one_of({"usage", "input", "tool", "time-limit", "storage", "bug", "permission",
                             "interrupted"}),
                member<&Failure::command>("command", "null: none that there is").none_is_null(),
                member<&Failure::message>(
                    "message", "one sentence: place, cause and, where there is one, the next step")
                    .not_empty(),
                member<&Failure::argument>("argument",
                                           "the word of the command line that the message is "
                                           "about: a path, a name; null: none in particular"),
                member<&Failure::offset>("offset", "in that file, in bytes; null: no place in it"),
                member<&Failure::help>("help",
                                       "the command whose help says what is allowed, as an "
                                       "argument list"),
            }),
  };
}

ResultSchema failure_record() {
  return {"error",
          "What every command prints on standard output instead of a result where `--format json` "
          "was asked for and it fails; standard error has the same message for people",
          {record_of<Failure>}};
}

}  // namespace proofline
