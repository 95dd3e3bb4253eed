// SPDX-License-Identifier: Apache-2.0
//
// How the program says that it failed: a sentence on standard error and, where --format json was
// asked for, an object on standard output too, so that a program that parses it always finds JSON
// (docs/error.schema.json):
//
//   {"schema_version":"1.0","tool":{...},"error":{"code":3,"kind":"input","command":"diagnose",
//    "message":"cannot open \"a.ncu-rep\": No such file or directory","argument":"a.ncu-rep",
//    "offset":null,"help":["proofline","diagnose","--help"]}}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/exit_codes.h"

namespace proofline {

class FailureReport {
 public:
  FailureReport(int argc, char** argv);

  // "(see '... --help')" is for people: it is not part of the message.
  void tell(ExitCode code, std::string_view message, std::string_view hint = "") const;
  // Where standard output has a result, or a part of one: an object behind it would be one too
  // many.
  static void tell_beside_result(std::string_view message);

 private:
  void print_object(ExitCode code, std::string_view message) const;

  std::vector<std::string> words_;  // of the command line, without the program
  bool json_ = false;
};

}  // namespace proofline
