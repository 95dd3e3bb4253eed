// SPDX-License-Identifier: Apache-2.0
//
// What `run` says in the end: how far it came, each step in a line, the attempts, and the task that
// comes next with its evidence and steps.
//
//   waiting for pad: make the change, then `proofline run --resume`
//
//   Step              State    Seconds  What
//   profile-tiled     done        41.2
#pragma once

#include "playbook/play.h"
#include "views/document.h"

namespace proofline {

Document compose_play(const PlayResult& result);
// One row for each step.
Document compose_play_rows(const PlayResult& result);

}  // namespace proofline
