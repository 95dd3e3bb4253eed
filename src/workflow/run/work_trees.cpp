// SPDX-License-Identifier: Apache-2.0
//
// Only git's plumbing is used, with an index of our own, so that neither hooks nor a prompt for an
// editor or a key come in between, and the user's index is never written.
#include "workflow/run/work_trees.h"

#include <fmt/format.h>

#include <chrono>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/file_piece.h"
#include "base/list_folder.h"
#include "base/propagate.h"
#include "base/text.h"
#include "tools/process/find_tool.h"
#include "tools/process/process.h"

namespace proofline {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kGitLimit{10};
constexpr std::size_t kMostGitOutput = 1U << 20U;
// Runs and plays are no part of what is changed.
constexpr const char* kWithoutOurs = ":(top,exclude,glob)**/.proofline/**";

std::vector<std::string> git_environment(const std::vector<std::string>& more) {
  std::vector<std::string> environment = {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
                                          "GIT_OPTIONAL_LOCKS=0",
                                          fmt::format("HOME={}", environment_variable("HOME")),
                                          fmt::format("PATH={}", environment_variable("PATH"))};
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

Result<std::string> run_git(const std::string& program, const std::vector<std::string>& where,
                            const std::vector<std::string>& words,
                            const std::vector<std::string>& environment) {
  std::vector<std::string> argv{program, "--no-pager",          "-c", "core.hooksPath=/dev/null",
                                "-c",    "core.fsmonitor=false"};
  argv.insert(argv.end(), where.begin(), where.end());
  argv.insert(argv.end(), words.begin(), words.end());
  ASSIGN_OR_RETURN(auto end, capture_program({argv, git_environment(environment), kGitLimit, {}},
                                             kMostGitOutput));
  if (end.signal == 0 && end.exit_code == 0) return std::string(trim(end.output));
  return fail(ErrorKind::kTool,
              fmt::format("git {} failed: {}", words.front(), escape_terminal(trim(end.errors))));
}

}  // namespace

Result<std::string> WorkTrees::git(const std::vector<std::string>& words,
                                   const std::vector<std::string>& environment) const {
  return run_git(program_, where_, words, environment);
}

Result<WorkTrees> WorkTrees::open(const std::string& play, const std::string& name) {
  WorkTrees trees;
  ASSIGN_OR_RETURN(trees.program_, find_tool("git"));
  trees.branch_ = "proofline/" + name;
  const std::string own = play + "/repository.git";
  trees.scratch_ = own + ".index";
  std::error_code error;
  // git follows links, and so do we, to know our folders again.
  trees.plays_ = fs::weakly_canonical(play, error).parent_path().string();
  const std::string here = fs::current_path(error).string();
  trees.where_ = {"-C", here};
  if (const auto top = trees.git({"rev-parse", "--show-toplevel"})) {
    trees.top_ = *top;
    ASSIGN_OR_RETURN(trees.inside_, trees.git({"rev-parse", "--show-prefix"}));
    trees.where_ = {"-C", trees.top_};
    ASSIGN_OR_RETURN(const auto common, trees.git({"rev-parse", "--git-common-dir"}));
    trees.worktrees_ = (fs::path(trees.top_) / common / "worktrees").string();
    return trees;
  }
  trees.top_ = here;
  trees.where_ = {"--git-dir=" + own, "--work-tree=" + here};
  trees.worktrees_ = own + "/worktrees";
  if (!fs::exists(own, error)) {
    RETURN_IF_ERROR(run_git(trees.program_, {}, {"init", "--quiet", "--bare", own}, {}));
    RETURN_IF_ERROR(trees.git({"config", "core.bare", "false"}));
  }
  return trees;
}

Result<std::string> WorkTrees::commit_tree(const std::string& tree, const std::string& parent,
                                           const std::string& message) const {
  std::vector<std::string> words;
  // Commits must work for users without a configured git name.
  if (!git({"config", "user.email"})) {
    words = {"-c", "user.name=proofline", "-c", "user.email=proofline@localhost"};
  }
  words.insert(words.end(), {"commit-tree", tree, "-m", message});
  if (!parent.empty()) words.insert(words.end(), {"-p", parent});
  return git(words);
}

Result<std::string> WorkTrees::snapshot() {
  forget_index();
  const std::vector<std::string> index = {"GIT_INDEX_FILE=" + scratch_};
  const auto head = git({"rev-parse", "--verify", "--quiet", "HEAD"});
  if (head) RETURN_IF_ERROR(git({"read-tree", *head}, index));
  RETURN_IF_ERROR(git({"add", "--all", "--", ":/", kWithoutOurs}, index));
  ASSIGN_OR_RETURN(const auto tree, git({"write-tree"}, index));
  forget_index();
  if (head) {
    ASSIGN_OR_RETURN(const auto committed, git({"rev-parse", *head + "^{tree}"}));
    if (committed == tree) return *head;
  }
  return commit_tree(tree, head.value_or(""), "The work tree as it was before " + branch_);
}

Result<std::string> WorkTrees::add(const std::string& path, const std::string& commit) {
  remove(path);
  // Twice: a tree whose making was cut short is locked.
  RETURN_IF_ERROR(
      git({"worktree", "add", "--quiet", "--force", "--force", "--detach", path, commit}));
  return folder_in(path);
}

std::string WorkTrees::folder_in(const std::string& path) const {
  // The current folder comes with a slash at its end.
  return inside_.empty() ? path : path + "/" + inside_.substr(0, inside_.size() - 1);
}

void WorkTrees::remove(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
  forget_lost_trees();
}

// What `git worktree prune` does, for trees of plays alone, and also where a git that was killed
// left half a tree: such a one is locked, and git then fails on it of any kind asked.
void WorkTrees::forget_lost_trees() const {
  std::error_code ignored;
  for (const std::string& name : list_folder(worktrees_).value_or(std::vector<std::string>{})) {
    const std::string known = worktrees_ + "/" + name;
    const std::string content = read_piece(known + "/gitdir", 0, PATH_MAX);
    const fs::path tree = fs::path(trim(content)).parent_path();
    const bool ours = tree.string().starts_with(plays_ + "/");
    if (ours && !fs::exists(tree, ignored)) fs::remove_all(known, ignored);
  }
}

Result<std::string> WorkTrees::commit(const std::string& path, const std::string& base,
                                      const std::string& message) {
  const std::vector<std::string> there = {"-C", path};
  const std::vector<std::string> index = {"GIT_INDEX_FILE=" + scratch_};
  forget_index();
  // The change may have committed, or left an index of its own: what counts is what is there.
  RETURN_IF_ERROR(run_git(program_, there, {"read-tree", base}, index));
  RETURN_IF_ERROR(run_git(program_, there, {"add", "--all", "--", ":/", kWithoutOurs}, index));
  ASSIGN_OR_RETURN(const auto tree, run_git(program_, there, {"write-tree"}, index));
  forget_index();
  ASSIGN_OR_RETURN(const auto before, git({"rev-parse", base + "^{tree}"}));
  if (tree == before) return "";
  return commit_tree(tree, base, message);
}

// With the lock that a git leaves which is killed.
void WorkTrees::forget_index() const {
  std::error_code ignored;
  fs::remove(scratch_, ignored);
  fs::remove(scratch_ + ".lock", ignored);
}

Result<void> WorkTrees::keep(const std::string& commit) {
  // Only we write this branch, so a lock on it was left by a killed git.
  ASSIGN_OR_RETURN(const auto lock,
                   git({"rev-parse", "--git-path", "refs/heads/" + branch_ + ".lock"}));
  std::error_code ignored;
  fs::remove(fs::path(top_) / lock, ignored);
  RETURN_IF_ERROR(git({"update-ref", "refs/heads/" + branch_, commit}));
  return {};
}

}  // namespace proofline
