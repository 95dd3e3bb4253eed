// SPDX-License-Identifier: Apache-2.0
//
// `check --format json`: the result itself; docs/check.schema.json describes it.
#pragma once

#include "base/json_writer.h"
#include "playbook/check.h"

namespace proofline {

void write_checks_json(const CheckRun& run, JsonWriter& json);

// One task, as an object; one check, as the members of one.
void write_task_json(const TaskResult& task, JsonWriter& json);
void write_check_json(const CheckResult& check, JsonWriter& json);

}  // namespace proofline
