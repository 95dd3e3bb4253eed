// SPDX-License-Identifier: Apache-2.0
//
// What each kernel's gain is worth to its program, as `profile` and `compare` show it:
//
//   What the program would save
//
//   Kernel  Launches     Total  Share of time  Cause            Gain  Program saves
//   ------  --------  --------  -------------  --------------  -----  -------------
//   scale        150  16.11 ms         60.1 %  dram-bandwidth  0-8 %        0-4.8 %
#pragma once

#include <string>

#include "diagnosis/timeline/program_savings.h"
#include "views/document.h"

namespace proofline {

// "0.3-4.8 %"
std::string gain_range_text(double low, double high);

// Nothing where there is no such kernel.
void add_program_savings(const ProgramSavings& savings, Document& document);

}  // namespace proofline
