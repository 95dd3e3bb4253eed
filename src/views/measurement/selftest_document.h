// SPDX-License-Identifier: Apache-2.0
//
// A selftest as a document: the false-alarm rate against the promise, then for each configuration
// its spread, its drift and the smallest change that so many starts show.
#pragma once

#include "model/measurement/selftest.h"
#include "views/document.h"

namespace proofline {

Document compose_selftest(const Selftest& selftest);

}  // namespace proofline
