#!/usr/bin/env python3
"""Reads every #include line and refuses those that go up or sideways (docs/architecture.md)."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A folder may include its own files, the public headers, and those of the folders listed here.
MAY_USE = {
    "core": [],
    "kernels": ["core"],
    "ops": ["kernels", "core"],
    "modules": ["ops", "kernels", "core"],
    "methods": ["network", "modules", "ops", "kernels", "core"],
    "network": ["modules", "ops", "kernels", "core"],
    "model": ["network", "modules", "kernels", "core"],
    "train": ["dist", "model", "network", "modules", "ops", "kernels", "core"],
    "dist": ["core"],
    "data": ["core"],
    "report": ["model", "train", "data", "core"],
    "api": ["train", "dist", "data", "core"],
    "cli": ["methods", "api", "report", "model", "train", "dist", "data", "core"],
    "python": ["report", "api", "model", "train", "data", "core"],
    "bench": ["cli", "methods", "report", "train", "model", "network", "modules", "ops", "kernels", "data", "core"],
}

# A third-party header lives in one place.
THIRD_PARTY = {
    r"cblas\.h|hwy/.*": ["kernels/cpu", "bench"],
    r"Random123/.*": ["core"],
    r"Eigen/.*": ["modules"],
    r"omp\.h": ["core", "kernels/cpu"],
    r"zip\.h|csv\.h|zlib\.h|pugixml\.hpp": ["data"],
    r"nlohmann/.*": ["data", "report", "cli", "bench"],
    r"fmt/.*": ["data", "report", "cli", "bench"],
    r"CLI/.*": ["cli", "bench"],
    r"linear\.h|libsvm/.*": ["methods"],
    r"pybind11/.*": ["python"],
    r"mpi\.h": ["dist"],
    r"cuda.*\.h": ["core/cuda", "kernels/cuda"],
}

INCLUDE = re.compile(r'^\s*#include\s+(?:"([^"]+)"|<([^>]+)>)')


def folder_of(path: pathlib.Path) -> str:
    """core, kernels, ..., cli or include."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "src" else parts[0]


def problems_of(path: pathlib.Path):
    here = folder_of(path)
    inside = path.relative_to(ROOT).as_posix().removeprefix("src/")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "#pragma omp parallel" in line and path.is_relative_to(ROOT / "src") and inside != "core/parallel.h":
            yield f"{path.relative_to(ROOT)}:{number}: an exception would end the process; use core/parallel.h"
        found = INCLUDE.match(line)
        if not found:
            continue
        quoted, angled = found.groups()
        where = f"{path.relative_to(ROOT)}:{number}"
        if here == "include" and quoted:
            yield f'{where}: a public header includes "{quoted}", expected only <glgnn/...> and the standard library'
        if quoted and "/" in quoted:
            there = quoted.split("/")[0]
            if here != "include" and there != here and there not in MAY_USE[here]:
                yield f'{where}: {here} includes "{quoted}", expected only {", ".join([here] + MAY_USE[here])}'
        for pattern, places in THIRD_PARTY.items():
            if angled and re.fullmatch(pattern, angled) and not any(inside.startswith(p) for p in places):
                yield f"{where}: <{angled}> belongs in {' or '.join(places)}"


def names_twice(headers):
    """Two types of one name in two headers would be one type to the linker."""
    seen = {}
    for path in headers:
        text = path.read_text()
        for name in re.findall(r"^(?:struct|class) (\w+)(?: final)?(?: :[^;{]*)? \{", text, re.MULTILINE):
            name = "".join(re.findall(r"^namespace ([\w:]+) \{", text, re.MULTILINE)[:1]) + "::" + name
            if name in seen:
                yield f"{path.relative_to(ROOT)}: {name} is also the name of a type in {seen[name].relative_to(ROOT)}"
            seen[name] = path


def left_out_of_the_api():
    """glgnn.h has all of the public headers."""
    folder = ROOT / "include" / "glgnn"
    text = (folder / "glgnn.h").read_text()
    for path in sorted(folder.glob("*.h")):
        if path.name != "glgnn.h" and f"<glgnn/{path.name}>" not in text:
            yield f"include/glgnn/glgnn.h: does not include <glgnn/{path.name}>"


def main() -> int:
    files = [p for top in ("include", "src", "cli", "bench", "python") for p in sorted((ROOT / top).rglob("*"))
             if p.suffix in (".h", ".cpp", ".cu", ".cuh")]
    problems = [problem for path in files for problem in problems_of(path)]
    problems += names_twice(p for p in files if p.suffix == ".h")
    problems += left_out_of_the_api()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"check_layers: {len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
