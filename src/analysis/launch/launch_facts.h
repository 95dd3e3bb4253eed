// SPDX-License-Identifier: Apache-2.0
//
// The facts of a launch that rules read. Those of hot spots and of machine code are apart: they
// need the code's analysis, and no rule reads them.
#pragma once

#include "analysis/launch/capture_facts.h"
#include "analysis/launch/execution_facts.h"
#include "analysis/launch/launch_shape_facts.h"
#include "analysis/launch/memory_access_facts.h"
#include "analysis/launch/occupancy_facts.h"
#include "analysis/launch/roofline_facts.h"
#include "analysis/launch/stalls_facts.h"
#include "analysis/launch/throughput_facts.h"
