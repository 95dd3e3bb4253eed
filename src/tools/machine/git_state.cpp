// SPDX-License-Identifier: Apache-2.0
//
// A repository's own configuration can name programs that git runs: a file-system monitor, hooks,
// external diffs, filters of file contents, transports for objects that are missing. Each is
// switched off. Filters have names of the repository's choosing, so these are asked for first,
// which runs nothing.
#include "tools/machine/git_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/text.h"
#include "tools/process/find_tool.h"
#include "tools/process/process.h"

namespace proofline {
namespace {

constexpr std::chrono::seconds kTimeLimit{10};
constexpr std::size_t kMostOutput = std::size_t{1} << 20;

std::vector<std::string> environment() {
  return {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
          "GIT_ALLOW_PROTOCOL=none",
          // There the user says which other people's repositories are safe.
          fmt::format("HOME={}", environment_variable("HOME"))};
}

class Git {
 public:
  Git(std::string program, std::string folder)
      : argv_{std::move(program), "--no-pager", "-C", std::move(folder)} {}

  // Overrules the repository's configuration. The name must be free of '='.
  void set(std::string_view name, std::string_view value) {
    argv_.insert(argv_.end(), {"-c", fmt::format("{}={}", name, value)});
  }

  // What it prints; nothing where it fails. `none`: an exit code that means an empty answer.
  std::optional<std::string> ask(const std::vector<std::string>& words, int none = 0) const {
    std::vector<std::string> argv = argv_;
    argv.insert(argv.end(), words.begin(), words.end());
    auto end = capture_program({argv, environment(), kTimeLimit, {}}, kMostOutput);
    if (!end || end->signal != 0) return std::nullopt;
    if (end->exit_code != 0 && end->exit_code != none) return std::nullopt;
    return std::move(end->output);
  }

 private:
  std::vector<std::string> argv_;
};

// "filter.lfs" of "filter.lfs.clean". The names are separated by NUL.
std::set<std::string> filters_in(std::string_view names) {
  std::set<std::string> filters;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\0'), names.size());
    const std::string_view name = names.substr(0, end);
    filters.emplace(name.substr(0, name.rfind('.')));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return filters;
}

// False where it cannot be done.
bool switch_filters_off(Git& git) {
  constexpr int kNoneFound = 1;
  const auto names =
      git.ask({"config", "--null", "--name-only", "--get-regexp", "^filter[.].*[.]"}, kNoneFound);
  if (!names) return false;
  for (const std::string& filter : filters_in(*names)) {
    if (filter.find('=') != std::string::npos) return false;
    git.set(filter + ".clean", "");
    git.set(filter + ".process", "");
    git.set(filter + ".required", "false");
  }
  return true;
}

}  // namespace

GitState git_state(const std::string& folder) {
  const auto program = find_tool("git");
  if (!program) return {};
  Git git(*program, folder);
  git.set("core.fsmonitor", "");
  git.set("core.hooksPath", "/dev/null");
  GitState state;
  const auto commit = git.ask({"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!commit) return state;
  state.commit = trim(*commit);
  if (!switch_filters_off(git)) return state;
  // A submodule has a configuration of its own, so git is kept from looking into it.
  const auto changes = git.ask({"diff", "--no-ext-diff", "--no-textconv", "--no-renames",
                                "--ignore-submodules=all", "--shortstat", "HEAD", "--"});
  if (changes) state.diff_stat = trim(*changes);
  return state;
}

}  // namespace proofline
