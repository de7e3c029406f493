#!/usr/bin/python3
"""The pages of the C++ API are made without a complaint: every public function is documented.

Fields and enumerators explain themselves by name; constructors, destructors and assignments by their
class. Every other warning of doxygen is an error."""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

FORGIVEN = [
    r"Member \w+ \((variable|enumvalue|enumeration|typedef)\) of .* is not documented",
    r"Member ~?(\w+)\(.*\).* \(function\) of (class|struct) glgnn::\1 is not documented",
    r"Member operator=\(.*\).* \(function\) of .* is not documented",
    r"Compound .* is not documented",
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=Path)
    source = parser.parse_args().source
    with tempfile.TemporaryDirectory(prefix="glgnn-docs-") as name:
        log = Path(name) / "warnings.txt"
        config = (source / "docs/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {name}\nWARN_LOGFILE = {log}\n"
        subprocess.run(["doxygen", "-"], cwd=source, input=config, text=True, check=True)
        warnings = [line for line in log.read_text().splitlines()
                    if not any(re.search(pattern, line) for pattern in FORGIVEN)]
        assert not warnings, "\n".join(warnings)
        pages = "".join(page.read_text() for page in Path(name).rglob("*.html"))
        # A comment above a declaration, one behind it, and one at the top of a file.
        for text in ("Nothing is printed.", "lighter edges are left out", "The learned graphs, taken away"):
            assert text in pages, f'"{text}" is on no page: is tools/doxygen_filter.awk broken?'
    print("the API is documented")


if __name__ == "__main__":
    main()
