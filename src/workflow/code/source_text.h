// SPDX-License-Identifier: Apache-2.0
//
// The text of source lines: from the report that holds it, else from files on disk by the path that
// the code names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/sass/code_report.h"
#include "model/note.h"
#include "model/profile/profile.h"

namespace proofline {

class SourceTexts {
 public:
  // `folder`: where sources are looked for first, by ever shorter ends of their paths; "" nowhere.
  // `beside`: the file with the code; relative paths are looked for in its folder too.
  SourceTexts(std::string folder, const std::string& beside);

  // Gives each line its text. The profile, with its embedded files, may be null.
  void fill(const Profile* profile, SourceReport& source);
  // What was not found, once for all.
  std::vector<Note> notes() const;

 private:
  struct Text {
    std::string found;  // "" it is not at hand
    std::vector<std::string> lines;
  };

  const Text& text_of(const Profile* profile, const std::string& path);
  Text find(const Profile* profile, const std::string& path) const;

  std::string folder_;
  std::string beside_;  // a folder
  std::map<std::string, Text> texts_;
  std::set<std::string> missing_;
  std::set<std::string> other_version_;  // shorter than the code says
  std::uint64_t without_lines_ = 0;      // functions
};

}  // namespace proofline
