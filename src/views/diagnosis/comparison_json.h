// SPDX-License-Identifier: Apache-2.0
//
// A comparison of two profiles as JSON, the result of `compare --format json`;
// docs/comparison.schema.json says it in full. Within schema 1.x fields are only added.
#pragma once

#include <span>

#include "base/json_writer.h"
#include "diagnosis/comparison/compare_code.h"
#include "model/diagnosis/comparison.h"

namespace proofline {

// The whole result.
// `code`: of the kernels, where both sides hold it; null: none was compared.
void write_comparison_json(const ProfileComparison& comparison, const ComparedCode* code,
                           JsonWriter& json);

// "baseline", a member of the diagnosis of several files: how each compares with the same earlier
// profile.
void write_baseline(std::span<const ProfileComparison> comparisons, JsonWriter& json);

}  // namespace proofline
