// SPDX-License-Identifier: Apache-2.0
//
// The members of what `check` and `run` print as JSON, and of choice.json.
#pragma once

#include "base/record.h"
#include "playbook/check.h"
#include "playbook/play.h"

namespace proofline {

Record describe(const LockedKernel*);
Record describe(const CheckResult*);
Record describe(const TaskResult*);
Record describe(const CheckRun*);

Record describe(const PlayResult*);
Record describe(const PlayChoice*);

}  // namespace proofline
