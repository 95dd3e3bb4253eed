// SPDX-License-Identifier: Apache-2.0
//
// Pictures as PNG, made from SVG by whichever program for that is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proofline {

class PngMaker {
 public:
  // rsvg-convert, Inkscape, ImageMagick: those that are there. kTool where none is, with what to
  // install.
  static Result<PngMaker> find();

  // The bytes of the PNG, by the first of them that makes one: not every ImageMagick reads SVG.
  Result<std::string> convert(std::string_view svg) const;

 private:
  struct Converter {
    std::string path;
    std::vector<std::string> arguments;
    bool names_formats = false;  // "svg:in png:-" belongs at the end, not the SVG's path alone
  };
  std::vector<Converter> converters_;
};

}  // namespace proofline
