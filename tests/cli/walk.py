#!/usr/bin/python3
"""Runs the commands of the README's walk-through and looks at what they leave behind.

The commands are read from README.md itself, between the marks `<!-- walk -->` and
`<!-- end of walk -->`: what stands there must work.
"""

import argparse
import csv
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def commands():
    text = (ROOT / "README.md").read_text()
    part = text.split("<!-- walk -->")[1].split("<!-- end of walk -->")[0]
    found = re.findall(r"^    \$ glgnn (.*)$", part, re.MULTILINE)
    assert len(found) == 5, f"the walk-through has {len(found)} commands, expected 5"
    return [shlex.split(line, comments=True) for line in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--without-page", action="store_true", help="the program was built without the report's page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        for name in ("orchard.csv", "orchard_new.csv"):
            shutil.copy(ROOT / "data" / "examples" / name, here)
        outputs = {}
        for arguments in commands():
            if arguments[0] == "report" and options.without_page:
                continue
            ran = subprocess.run([options.program, *arguments], cwd=here, capture_output=True, text=True)
            print(f"$ glgnn {shlex.join(arguments)}\n{ran.stdout}{ran.stderr}")
            assert ran.returncode == 0, f"exit status {ran.returncode}"
            outputs[arguments[0]] = ran.stdout

        for word in ("rootstock", "categorical", "remarks", "tree"):
            assert word in outputs["inspect"], f"inspect does not say {word}"
        accuracy = float(re.search(r"test accuracy ([\d.]+) %", outputs["fit"])[1])
        assert accuracy > 75, f"test accuracy {accuracy}"
        with open(here / "predictions.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(here / "orchard_new.csv", newline="") as file:
            given = [row["tree"] for row in csv.DictReader(file)]
        assert [row["id"] for row in rows] == given, "predictions are not those of the new rows"
        varieties = {name.removeprefix("p_") for name in rows[0] if name.startswith("p_")}
        for row in rows:
            assert row["predicted"] in varieties, row
            assert abs(sum(float(row["p_" + name]) for name in varieties) - 1) < 1e-4, row
            assert row["near_1"].startswith("T"), row
        assert "because of these features" in outputs["explain"]
        log = [json.loads(line) for line in (here / "orchard.jsonl").read_text().splitlines()]
        assert log[-1]["event"] == "end" and abs(100 * log[-1]["test_accuracy"] - accuracy) < 0.06
        if not options.without_page:
            page = (here / "orchard.html").read_text()
            assert page.lower().startswith("<!doctype html>") and "Elstar" in page
        print(f"walk-through: test accuracy {accuracy} %, {len(rows)} new rows")


if __name__ == "__main__":
    main()
