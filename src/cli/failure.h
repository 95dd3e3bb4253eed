// SPDX-License-Identifier: Apache-2.0
//
// How the program says that it failed: a sentence on standard error and, where --format json was
// asked for, an object on standard output too, so that a program that parses it always finds JSON
// (`proofline schema error`):
//
//   {"schema_version":"1.0","tool":{...},"error":{"code":3,"kind":"input","command":"diagnose",
//    "message":"cannot open \"a.ncu-rep\": No such file or directory","argument":"a.ncu-rep",
//    "offset":null,"help":["proofline","diagnose","--help"]}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_codes.h"

namespace proofline {

struct Record;

// That object.
struct Failure {
  ExitCode code = ExitCode::kBug;
  std::string_view command;  // "" none that there is
  std::string_view message;
  std::optional<std::string> argument;
  std::optional<std::uint64_t> offset;
  std::vector<std::string_view> help;
};
Record describe(const Failure*);

class FailureReport {
 public:
  FailureReport(int argc, char** argv);

  void tell(ExitCode code, std::string_view message) const;
  // And where that is explained.
  void tell_misuse(std::string_view message) const;
  // Where standard output has a result, or a part of one: an object after it would be one too
  // many.
  static void tell_beside_result(std::string_view message);

 private:
  void print_object(ExitCode code, std::string_view message) const;
  std::string_view command() const;  // "" where none was named

  std::vector<std::string> words_;  // of the command line, without the program
  bool json_ = false;
};

}  // namespace proofline
