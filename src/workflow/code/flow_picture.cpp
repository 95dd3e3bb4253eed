// SPDX-License-Identifier: Apache-2.0
#include "workflow/code/flow_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "base/characters.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "tools/process/find_tool.h"
#include "tools/process/private_file.h"
#include "tools/process/process.h"
#include "views/code/flow_dot.h"

namespace proofline {
namespace {

constexpr std::chrono::seconds kLayoutTime{60};
constexpr std::size_t kMostPictureBytes = 256U << 20U;
constexpr std::string_view kPictures[] = {"svg", "png", "pdf"};
constexpr std::string_view kTexts[] = {"dot", "gv", "txt", ""};

// What is after the last dot of a file's name.
std::string ending_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return lower_case(std::string_view(extension).substr(extension.empty() ? 0 : 1));
}

bool is_one_of(std::span<const std::string_view> endings, std::string_view ending) {
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

Result<std::string> as_picture(const std::string& dot, const std::string& ending) {
  auto tool = find_tool("dot");
  if (!tool) {
    return fail(ErrorKind::kTool, tool.error().message +
                                      "; install graphviz, or give a file name that ends in .dot "
                                      "to get Graphviz text");
  }
  PrivateFile file;
  RETURN_IF_ERROR(file.write(dot));
  // Debian's dot is a link to a program that goes by its name; found safely, it has another.
  auto end =
      capture_program({{*tool, "-Kdot", "-T" + ending, file.path()}, {"LANG=C"}, kLayoutTime, {}},
                      kMostPictureBytes);
  RETURN_IF_ERROR(end);
  if (end->signal != 0 || end->exit_code != 0 || end->output.empty()) {
    return fail(ErrorKind::kTool,
                fmt::format("{} could not draw it: {}", quote(*tool), quote(trim(end->errors))));
  }
  return std::move(end->output);
}

FlowPicture picture_of(const FunctionReport& report, const AnalysedFunction& function,
                       const OpcodeNames& opcodes) {
  FlowPicture picture{function.code, function.flow, opcodes, report.shown, {}, {}, {}};
  for (const Role& role : report.roles.roles) {
    picture.roles.push_back(fmt::format("{} ({})", role.condition, to_string(role.kind)));
  }
  if (!picture.roles.empty()) picture.role_of = report.roles.role_of;
  if (report.hot) picture.samples = report.hot->blocks;
  return picture;
}

}  // namespace

Result<void> draw_flow(const CodeReport& report, const std::vector<AnalysedFunction>& functions,
                       const std::string& path) {
  const std::string ending = ending_of(path);
  const bool picture = is_one_of(kPictures, ending);
  if (!picture && !is_one_of(kTexts, ending)) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} {}: the name says what to write: a picture as .svg, .png or .pdf, "
                            "or Graphviz text as .dot, .gv or .txt",
                            option("cfg"), quote(path)));
  }
  if (functions.size() != 1) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, functions.size()); ++i) {
      names += "\n  " + quote(report.functions[i].shown);
    }
    return fail(ErrorKind::kUsage,
                fmt::format("{} draws one function, and there are {}; {} chooses:{}", option("cfg"),
                            functions.size(), option("kernel"), names));
  }
  auto text = flow_dot(picture_of(report.functions[0], functions[0], report.opcodes));
  if (text && picture) text = as_picture(*text, ending);
  RETURN_IF_ERROR(text);
  return write_whole_file(path, *text);
}

}  // namespace proofline
