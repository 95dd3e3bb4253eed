// SPDX-License-Identifier: Apache-2.0
#include "workflow/bench/png_maker.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/environment.h"
#include "base/propagate.h"
#include "base/text.h"
#include "tools/process/find_tool.h"
#include "tools/process/private_file.h"
#include "tools/process/process.h"

namespace proofline {
namespace {

constexpr std::chrono::seconds kConversionTime{60};
constexpr std::size_t kMostPngBytes = 64U << 20U;
constexpr std::string_view kInstall =
    "install librsvg2-bin (rsvg-convert), inkscape or imagemagick, or leave --png out";

// Twice the size of the SVG, so that it stays sharp where it is enlarged; to standard output.
const std::vector<std::vector<std::string>>& known_commands() {
  static const std::vector<std::vector<std::string>> kCommands = {
      {"rsvg-convert", "--zoom=2", "--format=png"},
      {"inkscape", "--export-type=png", "--export-filename=-", "--export-dpi=192"},
      {"magick", "-density", "192"},
      {"convert", "-density", "192"}};
  return kCommands;
}

// What a program needs to find its parts and fonts.
std::vector<std::string> converter_environment() {
  std::vector<std::string> environment = {"LANG=C.UTF-8"};
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    const std::string_view value = environment_variable(name);
    if (!value.empty()) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

bool is_image_magick(const std::string& program) {
  return program.ends_with("/magick") || program.ends_with("/convert");
}

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

}  // namespace

Result<PngMaker> PngMaker::find() {
  PngMaker maker;
  for (const std::vector<std::string>& command : known_commands()) {
    auto program = find_program(command.front());
    if (!program) continue;
    maker.commands_.push_back(command);
    maker.commands_.back().front() = std::move(*program);
  }
  if (!maker.commands_.empty()) return maker;
  return fail(ErrorKind::kTool, fmt::format("no program that makes PNG of SVG: {}", kInstall));
}

Result<std::string> PngMaker::convert(std::string_view svg) const {
  PrivateFile file;
  RETURN_IF_ERROR(file.write(svg));
  std::string why;
  for (std::vector<std::string> command : commands_) {
    const std::string program = command.front();
    if (is_image_magick(program)) {
      command.push_back("svg:" + file.path());
      command.emplace_back("png:-");
    } else {
      command.push_back(file.path());
    }
    auto end = capture_program({std::move(command), converter_environment(), kConversionTime, {}},
                               kMostPngBytes);
    if (!end && end.error().kind == ErrorKind::kInterrupted) {
      return tl::make_unexpected(end.error());
    }
    if (end && is_png(end->output)) return std::move(end->output);
    if (!why.empty()) why += ", ";
    why += fmt::format("{}: {}", quote(program),
                       end ? quote(trim(end->errors)) : quote(end.error().message));
  }
  return fail(ErrorKind::kTool, fmt::format("cannot make PNG ({}): {}", why, kInstall));
}

}  // namespace proofline
