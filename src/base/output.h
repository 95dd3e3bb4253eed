// SPDX-License-Identifier: Apache-2.0
//
// Where results go: a buffered file descriptor that remembers its first write error, or a string.
// Printing code need not look at each call; the command line asks once at the end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace proofline {

class Output {
 public:
  explicit Output(int fd);             // writes to the descriptor; does not close it
  explicit Output(std::string& text);  // appends to the string
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void put(char c);
  void flush();

  int fd() const { return fd_; }  // -1: a string

  // errno of the first failed write, 0 while all went well. After a failure nothing more is
  // written.
  int error() const { return error_; }

 private:
  int fd_ = -1;
  std::string* text_ = nullptr;
  std::string buffer_;
  int error_ = 0;
};

// Writes all of the text; 0 or the errno that prevented it.
int write_all(int fd, std::string_view text);
// And waits until it is on the disk.
int write_stored(int fd, std::string_view text);

}  // namespace proofline
