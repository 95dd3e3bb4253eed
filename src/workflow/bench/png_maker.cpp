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
struct KnownConverter {
  const char* name;
  std::vector<std::string> arguments;
  bool names_formats;
};

const std::vector<KnownConverter>& known_converters() {
  static const std::vector<KnownConverter> kConverters = {
      {"rsvg-convert", {"--zoom=2", "--format=png"}, false},
      {"inkscape", {"--export-type=png", "--export-filename=-", "--export-dpi=192"}, false},
      {"magick", {"-density", "192"}, true},
      {"convert", {"-density", "192"}, true}};
  return kConverters;
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

bool is_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

}  // namespace

Result<PngMaker> PngMaker::find() {
  PngMaker maker;
  for (const KnownConverter& known : known_converters()) {
    MachineTool tool = look_for_tool(known.name, tool_folders());
    if (tool.state == ToolState::kMissing) continue;
    // As find_tool: an attack is not passed over in silence.
    if (tool.state == ToolState::kUnsafe) return fail(ErrorKind::kTool, std::move(tool.trouble));
    maker.converters_.push_back({std::move(tool.path), known.arguments, known.names_formats});
  }
  if (!maker.converters_.empty()) return maker;
  return fail(ErrorKind::kTool, fmt::format("no program that makes PNG of SVG: {}", kInstall));
}

Result<std::string> PngMaker::convert(std::string_view svg) const {
  PrivateFile file;
  RETURN_IF_ERROR(file.write(svg));
  std::string why;
  for (const Converter& converter : converters_) {
    std::vector<std::string> command = {converter.path};
    command.insert(command.end(), converter.arguments.begin(), converter.arguments.end());
    command.push_back((converter.names_formats ? "svg:" : "") + file.path());
    if (converter.names_formats) command.emplace_back("png:-");
    auto end = capture_program({std::move(command), converter_environment(), kConversionTime, {}},
                               kMostPngBytes);
    if (!end && end.error().kind == ErrorKind::kInterrupted) {
      return tl::make_unexpected(end.error());
    }
    if (end && is_png(end->output)) return std::move(end->output);
    if (!why.empty()) why += ", ";
    why += fmt::format("{}: {}", quote(converter.path),
                       end ? quote(trim(end->errors)) : quote(end.error().message));
  }
  return fail(ErrorKind::kTool, fmt::format("cannot make PNG ({}): {}", why, kInstall));
}

}  // namespace proofline
