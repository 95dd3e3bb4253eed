// SPDX-License-Identifier: Apache-2.0
//
// How a chart looks. Series differ by colour, mark and, from the seventh on, by their line; the
// colours keep their distance for people who cannot tell red from green, and change with the ground
// that the reader prefers, light or dark. Private to chart_svg.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace proofline {

constexpr std::string_view kChartStyle =
    ".proofline-chart{font-family:sans-serif}"
    ".proofline-chart text{font-size:12px;fill:#1f2328}"
    ".proofline-chart .title{font-size:17px;font-weight:bold}"
    ".proofline-chart .soft{fill:#59636e}"
    ".proofline-chart .halo{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".proofline-chart .ground{fill:#fff}"
    ".proofline-chart .grid{stroke:#e6e9ed}"
    ".proofline-chart .frame{stroke:#8c959f}"
    ".proofline-chart .guide{stroke:#6e7781;stroke-width:1.5px;stroke-dasharray:6 4}"
    ".proofline-chart .mark{fill:currentColor;stroke:#fff}"
    ".proofline-chart .s0{color:#0072b2}"
    ".proofline-chart .s1{color:#d55e00}"
    ".proofline-chart .s2{color:#009e73}"
    ".proofline-chart .s3{color:#a6428c}"
    ".proofline-chart .s4{color:#b07d00}"
    ".proofline-chart .s5{color:#4b4f55}"
    ".proofline-chart .arrow{color:#1f2328}"
    "@media (prefers-color-scheme:dark){"
    ".proofline-chart text{fill:#e6edf3}"
    ".proofline-chart .soft{fill:#9198a1}"
    ".proofline-chart .halo{stroke:#0d1117}"
    ".proofline-chart .ground{fill:#0d1117}"
    ".proofline-chart .grid{stroke:#262c36}"
    ".proofline-chart .frame{stroke:#656c76}"
    ".proofline-chart .guide{stroke:#9198a1}"
    ".proofline-chart .mark{stroke:#0d1117}"
    ".proofline-chart .s0{color:#58b2ec}"
    ".proofline-chart .s1{color:#ff8a3d}"
    ".proofline-chart .s2{color:#35cf9f}"
    ".proofline-chart .s3{color:#e08cc8}"
    ".proofline-chart .s4{color:#e3b93a}"
    ".proofline-chart .s5{color:#c3c8ce}"
    ".proofline-chart .arrow{color:#e6edf3}}";

constexpr std::size_t kChartColours = 6;
constexpr std::array<std::string_view, 3> kChartDashes = {"", " stroke-dasharray=\"7 3\"",
                                                          " stroke-dasharray=\"2 3\""};
// Outlines from the centre of a mark: disc, square, triangle, diamond, triangle, plus, cross.
constexpr std::array<std::string_view, 7> kChartMarks = {
    "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
    "m-4-4h8v8h-8z",
    "m0-5.5l5 8.7h-10z",
    "m0-5.8l5.8 5.8l-5.8 5.8l-5.8-5.8z",
    "m0 5.5l5-8.7h-10z",
    "m-1.8-5.4h3.6v3.6h3.6v3.6h-3.6v3.6h-3.6v-3.6h-3.6v-3.6h3.6z",
    "m0-2.5l2.7-2.7l2.5 2.5l-2.7 2.7l2.7 2.7l-2.5 2.5l-2.7-2.7l-2.7 2.7l-2.5-2.5l2.7-2.7l-2.7-2.7"
    "l2.5-2.5z"};

}  // namespace proofline
