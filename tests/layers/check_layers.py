#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of src/ are stages: a file includes only from stages to its left.

    base, vocabulary, model, readers|arch, analysis, rules, diagnosis, playbook, views, store|tools,
    workflow, api|cli

Also that src/ uses no std::regex, no shell and no CUDA, and that nothing below cli knows a command
line: neither its parser nor its flags. A text names an option of ours by option() (base/option.h),
since an agent gives it as a parameter and a program as a member. And that anonymous namespaces of a
stage define no name twice, since most builds compile its files together (cmake/units.cmake), and that
no two headers define a type of one name, which no compiler notices.
--self-test plants one violation of each kind and fails unless every one is found.
"""
import pathlib
import re
import sys
import tempfile

STAGES = [["base"], ["vocabulary"], ["model"], ["readers", "arch"], ["analysis"], ["rules"],
          ["diagnosis"], ["playbook"], ["views"], ["store", "tools"], ["workflow"], ["api", "cli"]]
RANK = {folder: rank for rank, stage in enumerate(STAGES) for folder in stage}

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
BANNED = [
    (re.compile(r"\bstd::w?regex\b|^\s*#\s*include\s*<regex>"), "std::regex: use RE2"),
    (re.compile(r"(?<![\w.>])(std::|::)?system\s*\("), "system(): run programs without a shell"),
    (re.compile(r"(?<![\w.>])(::)?popen\s*\("), "popen(): run programs without a shell"),
]
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)

FLAG = re.compile(r"(?<![\w=-])--[a-z{]")
# A flag may follow the name of its program in the same sentence: 'ncu --set full', or a whole command
# of ours as the next step.
PROGRAM = re.compile(r"\b(proofline|ncu|nsys|nvidia-smi|nvdisasm|cuobjdump|compute-sanitizer|nvbench|"
                     r"Google Benchmark|docker|dracut|dcgmi)\b(?!.*[;:] )")
# Whose strings are all the flags of other programs, or the words of whole commands.
FOREIGN_FLAGS = {
    "base/redact.cpp",  # looks for secrets in a stranger's command line
    "vocabulary/ncu_sections.cpp", "vocabulary/outdated_names.cpp",  # ncu's, nsys's, cuobjdump's
    "diagnosis/comparison/capture_differences.cpp",  # ncu's settings of a capture
    "diagnosis/preflight/preflight_tools.cpp",  # how to try NVIDIA's tools by hand
    "workflow/bench/png_maker.cpp", "workflow/run/work_trees.cpp",  # rsvg-convert's, git's
    # Whole commands, a word each.
    "diagnosis/brief.cpp", "workflow/mcp/mcp_resources.cpp", "workflow/runs/kept_runs.cpp",
}
OPTION = re.compile(r'\boption\(([^)]*)\)')


def strings(text):
    """The string literals of a source as (line, text), neighbours joined as the compiler does."""
    joined = []
    for match in COMMENT_OR_STRING.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        if not match[0].startswith('"') or INCLUDE.match(text[start:match.end()]):
            continue
        if joined and not text[joined[-1][1]:match.start()].strip():
            joined[-1] = (joined[-1][0], match.end(), joined[-1][2] + match[0][1:-1])
        else:
            joined.append((match.start(), match.end(), match[0][1:-1]))
    return [(text.count("\n", 0, start) + 1, literal) for start, _, literal in joined]


def flags_in_strings(name, text):
    """Lines of a file below cli whose strings name a flag of ours."""
    folder = name.split("/")[0]
    if RANK[folder] > RANK["workflow"] or name in FOREIGN_FLAGS:
        return []
    lines = []
    for number, literal in strings(text):
        # One word is an argument of a program that tools runs.
        if folder == "tools" and " " not in literal:
            continue
        if any(not PROGRAM.search(literal[:flag.start()]) for flag in FLAG.finditer(literal)):
            lines.append(number)
    return lines


def declared_flags(src):
    """The names of the flags that commands declare, without dashes."""
    return {flag for path in (src / "cli").rglob("*.cpp")
            for _, literal in strings(path.read_text(encoding="utf-8"))
            for flag in re.findall(r"(?:^|,)--([a-z-]+)", literal)}


# At the start of a line, as clang-format leaves it: a type, a constant or a function with its parameters.
LOCAL = re.compile(
    r"^(?:(?:struct|class|enum class) (\w+)[^;{}]*\{|constexpr [^=({;]*?\b(\w+)(?:\[\w*\])? ?[={]|"
    r"(?!template|using|return)[A-Za-z_][\w:<>,&* ]*?[ &*]((\w+)\(([^;{}]*?)\)) \{)", re.MULTILINE)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
TEMPLATE = re.compile(r"^template <.*\n\S[^\n]*", re.MULTILINE)


def without_comments_and_strings(text):
    """Same text with these blanked, lines kept; include lines keep their quotes."""
    def blank(match):
        start = text.rfind("\n", 0, match.start()) + 1
        if match[0].startswith('"') and INCLUDE.match(text[start:match.end()]):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return COMMENT_OR_STRING.sub(blank, text)


def check_include(folder, included):
    """Why a file in that folder of src may not include this, or None."""
    top = included.split("/")[0]
    if top == "CLI":
        return None if folder == "cli" else "only cli knows a command line"
    if top == "proofline":
        # The public headers stand above the library; the version is a constant.
        return (None if folder in ("api", "cli") or included == "proofline/version.h"
                else "the library must not include its public headers")
    if top not in RANK or "/" not in included:
        return None
    if folder == top or RANK[top] < RANK[folder]:
        return None
    return f"{folder} must not include {top}"

HEADER_TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)[^;{(]*\{", re.MULTILINE)


def local_names(raw):
    """What a source defines for itself alone, as (name, line): a function with the types of its parameters."""
    for part in ANONYMOUS.finditer(raw):
        text = TEMPLATE.sub(lambda match: "\n" * match[0].count("\n"),
                            without_comments_and_strings(part[1]))
        for match in LOCAL.finditer(text):
            name = match[1] or match[2]
            if not name:
                types = [re.sub(r"\s*\b\w+$", "", parameter.split(" = ")[0].strip())
                         for parameter in match[5].split(",")]
                name = f"{match[4]}({', '.join(types)})"
            yield name, raw.count("\n", 0, part.start(1) + match.start()) + 1


def check(src):
    """All violations below the folder, as 'path:line: why'."""
    found = []
    flags = declared_flags(src)
    locals_of_stage = {}
    types = {}
    for path in sorted(src.rglob("*")):
        if not path.is_file():
            continue
        if path.suffix in (".cu", ".cuh"):
            found.append(f"{path}:1: CUDA sources belong in bench/, trace/ or kernels/")
        if path.suffix not in (".h", ".cpp", ".c"):
            continue
        parts = path.relative_to(src).parts
        folder = parts[0] if len(parts) > 1 else ""
        if folder not in RANK:
            found.append(f"{path}:1: folder {folder} is no stage; name it in {sys.argv[0]}")
            continue
        source = path.read_text(encoding="utf-8")
        found += [f"{path}:{number}: names a flag: use option() (base/option.h)"
                  for number in flags_in_strings("/".join(parts), source)]
        found += [f"{path}:1: no command has the option {name}"
                  for call in OPTION.findall(source) for name in re.findall(r'"([^"]*)"', call)
                  if name not in flags]
        for name, number in local_names(source) if path.suffix == ".cpp" else ():
            first = locals_of_stage.setdefault((folder, name), path)
            if first != path:
                found.append(f"{path}:{number}: {first.relative_to(src)} names {name}, too")
        text = without_comments_and_strings(source)
        for match in HEADER_TYPE.finditer(text) if path.suffix == ".h" else ():
            first = types.setdefault(match[1], path)
            if first != path:
                number = text.count("\n", 0, match.start()) + 1
                found.append(f"{path}:{number}: {first.relative_to(src)} defines {match[1]}, too")
        for number, line in enumerate(text.splitlines(), 1):
            reasons = [why for pattern, why in BANNED if pattern.search(line)]
            include = INCLUDE.match(line)
            if include:
                reasons.append(check_include(folder, include[1]))
            found += [f"{path}:{number}: {why}" for why in reasons if why]
    return found


LOCALS = "namespace proofline {{\nnamespace {{\n\n{}\n\n}}  // namespace\n}}  // namespace proofline"
BAD = {
    "base/a.h": '#include "model/profile/profile.h"',
    "readers/b.cpp": '#include "arch/sm90.h"',
    "model/c.cpp": '#include <cli/command.h>',
    "views/d.cpp": '#include "proofline/diagnose.h"',
    "rules/e.cpp": "#include <regex>",
    "analysis/f.cpp": 'int n = std::system("ls");',
    "tools/g.cpp": 'FILE* f = popen("ls", "r");',
    "arch/h.cu": "",
    "extra/i.cpp": "",
    "api/m.cpp": '#include "cli/command.h"',
    "workflow/j.h": "#include <CLI/CLI.hpp>",
    "diagnosis/k.cpp": "#include <CLI/Option.hpp>",
    "workflow/l.cpp": '#include "cli/exit_codes.h"',
    "views/n.cpp": 'text("and 3 more; --all "\n"shows them");',
    "tools/o.cpp": 'fail("cannot write; --runs chooses another folder");',
    "workflow/p.cpp": 'option("no-such-flag");',
    "views/n/two.cpp": LOCALS.format("constexpr int kMost = 3;"),
    "views/o/two.cpp": LOCALS.format("struct Row {\n  int a;\n};"),
    "views/t.h": "class Twice : public Once {\n};",
    "views/p/two.cpp": LOCALS.format("std::string text(const std::string& other,\n                 int n) {\n}"),
}
GOOD = {
    "views/a/one.cpp": LOCALS.format("constexpr int kMost = 3;\nstruct Row {\n  int b;\n};\n"
                                     "std::string text(const std::string& one, int n) { return {}; }"),
    "views/b/one.cpp": LOCALS.format("struct Row;\nstd::string text(int n) { return {}; }\n"
                                     "int kMost(kMost);"),
    "model/t.h": "struct Twice {\n};\nclass Later;\nstruct Other final {\n};",
    "tools/n/one.cpp": LOCALS.format("constexpr int kMost = 4;"),
    "api/a.cpp": '#include "proofline/load.h"\n#include "workflow/code/code.h"',
    "cli/a.cpp": '#include "proofline/load.h"\n#include "views/view.h"\n#include "cli/b.h"',
    "cli/d.cpp": '#include <CLI/CLI.hpp>\n#include "workflow/announcer.h"\nadd("-a,--all", 1);',
    "views/e.cpp": 'option("all"); text("ncu --set "\n"full", "proofline show --all"); // --all',
    "tools/f.cpp": 'argv({"--version"});',
    "base/b.cpp": '// popen("x") and std::regex\nfile_system(1); run.system(2); f("system(3)");',
    "store/c.cpp": '#include "base/result.h"\n#include <proofline/version.h>\n#include <string>',
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder)
        for name, text in {**BAD, **GOOD}.items():
            (src / name).parent.mkdir(parents=True, exist_ok=True)
            (src / name).write_text(text + "\n", encoding="utf-8")
        found = check(src)
        files = [line[len(folder) + 1:].split(":")[0] for line in found]
    if sorted(files) != sorted(BAD):
        print(f"self-test: planted {sorted(BAD)}, found {found}")
        return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = check(pathlib.Path(__file__).resolve().parents[2] / "src")
    print("\n".join(found) if found else "layers are in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
