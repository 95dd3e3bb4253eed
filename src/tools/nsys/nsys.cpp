// SPDX-License-Identifier: Apache-2.0
#include "tools/nsys/nsys.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "tools/process/ask_tool.h"
#include "tools/process/find_tool.h"

namespace proofline {
namespace {

// Where NVIDIA's packages put it, the newest first: /opt/nvidia/nsight-systems/2025.1.1/bin.
std::vector<std::string> nsys_package_folders() {
  const std::filesystem::path root = "/opt/nvidia/nsight-systems";
  auto versions = list_folder(root.string()).value_or(std::vector<std::string>{});
  std::reverse(versions.begin(), versions.end());
  std::vector<std::string> folders;
  folders.reserve(versions.size());
  for (const std::string& version : versions) folders.push_back((root / version / "bin").string());
  return folders;
}

}  // namespace

Result<Nsys> Nsys::find() {
  std::vector<std::string> folders = tool_folders();
  for (std::string& folder : nsys_package_folders()) folders.push_back(std::move(folder));
  ASSIGN_OR_RETURN(auto path, find_tool("nsys", folders));
  ASSIGN_OR_RETURN(const auto said, ask_tool(path, "--version"));
  std::string version = tool_version_in(said.output);
  if (version.empty()) {
    return fail(ErrorKind::kTool, fmt::format("{} does not say its version as nsys does: {}",
                                              quote(path), quote(trim(said.output))));
  }
  return Nsys(std::move(path), std::move(version));
}

std::vector<std::string> Nsys::record_command(const NsysRequest& request) const {
  // Sampling needs rights that many machines do not give, and no analysis of ours reads it.
  std::vector<std::string> argv = {path_,           "profile",         "--trace=cuda,nvtx,osrt",
                                   "--sample=none", "--cpuctxsw=none", "-o",
                                   request.report};
  if (request.delay > 0) argv.push_back(fmt::format("--delay={}", request.delay));
  // The program continues after it, as under our recorder.
  if (request.duration > 0) {
    argv.push_back(fmt::format("--duration={}", request.duration));
    argv.emplace_back("--kill=none");
  }
  argv.insert(argv.end(), request.program.begin(), request.program.end());
  return argv;
}

std::vector<std::string> Nsys::export_command(const std::string& report,
                                              const std::string& out) const {
  return {path_, "export", "--type=sqlite", "--force-overwrite=true", "-o", out, report};
}

}  // namespace proofline
