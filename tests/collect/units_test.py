#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/units.cmake in small projects: the sources that includes reach, and the units of a stage.

    tests/collect/units_test.py CMAKE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

UNITS = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "units.cmake"
CMAKE = sys.argv.pop(1) if len(sys.argv) > 1 else "cmake"


class UnitsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, text=""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def configure(self, lines):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.22)\nproject(units NONE)\n"
                   f"include({UNITS})\n{lines}\nmessage(STATUS \"answer: ${{answer}}\")\n")
        out = subprocess.run([CMAKE, "-S", self.folder, "-B", self.folder / "build"], check=True,
                             capture_output=True, text=True).stdout
        answer = next(line for line in out.splitlines() if "answer: " in line)
        return answer.split("answer: ")[1].replace(f"{self.folder}/", "").split(";")

    def test_an_include_reaches_the_source_beside_the_header(self):
        self.write("bench/start.cpp", '#include "local.h"\n#include "base/a.h"\n#include <map>\n')
        self.write("src/base/a.h")
        self.write("src/base/a.cpp", '#include "base/a.h"\n\n#include "model/b.h"\n')
        self.write("src/model/b.h", '#include "model/c.h"\n')
        self.write("src/model/c.h", '#include "model/b.h"\n')
        self.write("src/model/c.cpp", '// #include "model/d.h"\n')
        self.write("src/model/d.h")
        self.write("src/model/d.cpp")
        self.assertEqual(sorted(self.configure(
            "proofline_reached_sources(answer ${CMAKE_SOURCE_DIR}/src "
            "${CMAKE_SOURCE_DIR}/bench/start.cpp)")), ["src/base/a.cpp", "src/model/c.cpp"])
        self.assertEqual(sorted(self.configure(
            "proofline_reached_headers(answer ${CMAKE_SOURCE_DIR}/src "
            "${CMAKE_SOURCE_DIR}/src/model/b.h)")), ["src/model/b.h", "src/model/c.h"])

    def units_of(self, large, names):
        for name in names:
            self.write(name)
        return self.configure(f"""
set(PROOFLINE_LARGE_UNITS {large})
set(PROOFLINE_UNIT_FILES 2)
add_custom_target(target)
set(sources {' '.join(names)})
list(TRANSFORM sources PREPEND ${{CMAKE_SOURCE_DIR}}/)
proofline_unity(target ${{sources}})
foreach(source IN LISTS sources)
  get_source_file_property(group ${{source}} UNITY_GROUP)
  list(APPEND answer ${{group}})
endforeach()""")

    def test_a_large_unit_has_files_of_one_stage_and_not_too_many(self):
        units = self.units_of("ON", ["base/a.cpp", "base/text/b.cpp", "views/a/1.cpp", "views/a/2.cpp",
                                     "views/a/3.cpp", "views/b/4.cpp", "views/b/5.cpp"])
        self.assertEqual(units, ["base_0", "base_0", "views_0", "views_0", "views_1", "views_1", "views_2"])

    def test_a_small_unit_is_a_folder(self):
        units = self.units_of("OFF", ["base/a.cpp", "base/text/b.cpp", "base/text/c.cpp"])
        self.assertEqual(units, ["base", "base_text", "base_text"])


if __name__ == "__main__":
    unittest.main()
