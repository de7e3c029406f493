#!/usr/bin/python3
"""Runs the commands of the README's walk-through and looks at what they leave behind.

The commands are read from README.md itself, between the marks `<!-- walk -->` and
`<!-- end of walk -->`, and given to a shell as they stand, in a folder that looks like the
repository after `make build`: what stands there must work when it is pasted.
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
    found = [line.strip() for line in part.splitlines() if line.strip()]
    assert len(found) == 5, f"the walk-through has {len(found)} commands, expected 5"
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--without-page", action="store_true", help="the program was built without the report's page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "build").mkdir()
        (here / "build" / "glgnn").symlink_to(pathlib.Path(options.program).resolve())
        shutil.copytree(ROOT / "data" / "examples", here / "data" / "examples")
        outputs = {}
        for line in commands():
            name = shlex.split(line)[1]
            if name == "report" and options.without_page:
                continue
            ran = subprocess.run(line, shell=True, cwd=here, capture_output=True, text=True)
            print(f"$ {line}\n{ran.stdout}{ran.stderr}")
            assert ran.returncode == 0, f"exit status {ran.returncode}"
            outputs[name] = ran.stdout

        for word in ("rootstock", "categorical", "remarks", "tree"):
            assert word in outputs["inspect"], f"inspect does not say {word}"
        accuracy = float(re.search(r"test accuracy ([\d.]+) %", outputs["fit"])[1])
        assert accuracy > 75, f"test accuracy {accuracy}"
        with open(here / "predictions.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(here / "data" / "examples" / "orchard_new.csv", newline="") as file:
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
