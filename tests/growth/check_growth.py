#!/usr/bin/python3
"""check_growth.py PROGRAM: the instructions of each reader at n and at 2n lines, counted by valgrind's callgrind;
they may grow 2.2 times at the most. Nothing is timed."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 2.2


def main():
    with tempfile.TemporaryDirectory(prefix="glgnn-growth-") as folder:
        subprocess.run(["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={folder}/out",
                        sys.argv[1], folder], check=True)
        counts = {}
        for dump in Path(folder).glob("out*"):
            text = dump.read_text(errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (\w+) (\d)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if name and total:
                counts.setdefault(name[1], {})[name[2]] = int(total[1])
    failed = not counts
    for name, found in sorted(counts.items()):
        growth = found["2"] / found["1"]
        failed = failed or growth > MOST
        print(f"{name:16} {found['1']:12,} {found['2']:12,} instructions, {growth:.2f} times{'  FAILED' if growth > MOST else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
