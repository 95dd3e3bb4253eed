// SPDX-License-Identifier: Apache-2.0
#include "base/file_piece.h"

#include <algorithm>
#include <fstream>

namespace proofline {

std::string read_piece(const std::string& path, std::size_t from, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(from));
  std::string piece(most, '\0');
  file.read(piece.data(), static_cast<std::streamsize>(most));
  piece.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return piece;
}

}  // namespace proofline
