# SPDX-License-Identifier: Apache-2.0
"""What the scripts in this folder share: building kernels/faults, running commands, and saying on
what it was done. Python 3 alone; nvcc, ncu and compute-sanitizer come from PATH."""
import argparse
import datetime
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = ROOT / "kernels" / "faults"
# A Python that has PyTorch and Triton; the one that runs this script need not.
PYTHON = os.environ.get("PYTHON", "python3")
# So that a tool sees each tensor as an allocation of its own.
PLAIN_ALLOCATOR = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


def arguments(description, add_more=lambda parser: None):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--proofline", required=True, type=pathlib.Path, help="the program to test")
    parser.add_argument("--out", type=pathlib.Path, help="folder for what it writes; default: none")
    add_more(parser)
    given = parser.parse_args()
    given.proofline = given.proofline.resolve()
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
    return given


def build(folder, names=None):
    """The programs of kernels/faults and, as NAME_fixed, their clean twins, all at the same time."""
    sources = [FAULTS / f"{name}.cu" for name in names] if names else sorted(FAULTS.glob("*.cu"))
    jobs = [subprocess.Popen(["nvcc", "-std=c++17", "-lineinfo", "-arch=native", *flags, "-o",
                              folder / (source.stem + suffix), source])
            for source in sources for suffix, flags in (("", []), ("_fixed", ["-DFIXED"]))]
    if any([job.wait() != 0 for job in jobs]):
        sys.exit("nvcc failed")


def output(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout
    except OSError:
        return ""


def version(tool, *pattern):
    found = re.search(pattern[0] if pattern else r"(\d+\.\d+[.\d]*)", output(tool, "--version"))
    return f"{tool} {found[1]}" if found else f"no {tool}"


def surroundings(proofline):
    """One line: date, GPU, driver and versions."""
    gpu = output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    name, driver = (gpu.splitlines() or ["no GPU, -"])[0].split(", ")
    ours = re.search(r"\d+\.\d+\S*", output(str(proofline), "--version"))
    python = output(PYTHON, "-c", "import torch, triton; print('PyTorch', torch.__version__ + ','"
                                  ", 'Triton', triton.__version__)").strip()
    parts = [str(datetime.date.today()), name, f"driver {driver}", version("ncu", r"Version (\S+)"),
             version("compute-sanitizer", r"Version (\S+)"), version("nvcc", r"release (\S+),"),
             python or "no PyTorch", f"proofline {ours[0] if ours else '?'}"]
    return ", ".join(parts)


def has_python_gpu():
    return subprocess.run([PYTHON, "-c", "import torch, triton; assert torch.cuda.is_available()"],
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def table(header, rows):
    """Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n"
                   for line in lines)


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="proofline-device-")
