// SPDX-License-Identifier: Apache-2.0
//
// What views say of sizes, names and values of facts, beside plain quantities (base/quantity.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/quantity.h"
#include "model/profile/profile.h"
#include "views/document.h"

namespace proofline {

// "64x64", "1320"; "-" for no size.
std::string dim_text(const std::optional<Dim3>& dim);

// A fact's value in its unit; a text is itself.
std::string quantity_text(const std::variant<double, std::string>& value, std::string_view unit);

// Names may be megabytes long; shortened, its hash tells one from another.
std::string shown_name(std::string_view name);
// The same for a table: without its parameters.
std::string table_name(std::string_view kernel);

// For CSV: the number in full; empty where it is absent or not finite.
Cell number_cell(std::optional<double> number);

}  // namespace proofline
