// SPDX-License-Identifier: Apache-2.0
#include "workflow/run/play_request.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "playbook/shipped.h"

namespace proofline {

Result<void> check_owner(const std::string& playbook) {
  if (find_shipped_playbook(playbook) != nullptr || playbook == "skeleton") return {};
  struct stat status {};
  if (::stat(playbook.c_str(), &status) != 0 || status.st_uid == ::geteuid()) return {};
  return fail(ErrorKind::kUsage, fmt::format("{} belongs to another user and adds arguments to "
                                             "your command; read it, then {} plays it",
                                             quote(playbook), option("trust")));
}

Result<LintedPlaybook> linted_playbook(const PlaybookText& source, const PlayRequest& request) {
  ASSIGN_OR_RETURN(const auto workload, parse_workload(request.workload, {}));
  LintedPlaybook read = lint_playbook(source.text, source.name, workload);
  if (!read.ok()) return fail(ErrorKind::kUsage, first_error(read));
  return read;
}

PlayRequest merged_request(PlayRequest now, const PlayRequest& before) {
  if (now.command.empty()) now.command = before.command;
  if (now.workload.empty()) now.workload = before.workload;
  if (now.build.empty()) now.build = before.build;
  if (now.check.empty()) now.check = before.check;
  if (now.change.empty()) now.change = before.change;
  if (now.kernel.empty()) now.kernel = before.kernel;
  if (now.journal.empty()) now.journal = before.journal;
  now.skipped.insert(now.skipped.end(), before.skipped.begin(), before.skipped.end());
  return now;
}

}  // namespace proofline
