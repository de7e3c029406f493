#!/usr/bin/env python3
"""Measures what docs/results.md says and writes that page.

    tools/make_results.py                 every study without a result of its present command (hours), then the page
    tools/make_results.py --only cora     only studies whose name contains the word
    tools/make_results.py --again         measures even where a result is there
    tools/make_results.py --page          only writes the page from docs/results/*.jsonl

    tools/make_results.py --only explain  the comparison of explanations

Each part of a study is one `glgnn evaluate ... --json` command (or `glgnn reproduce`); its answer is one line of
docs/results/STUDY.jsonl. The runs that are done of one that was stopped (Ctrl-C) are in docs/results/partial/NAME.jsonl,
and the next call goes on from them.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from results.page import write_page, write_readme
from results.studies import (
    EXPLAIN_BUDGET, EXPLAINED, MOTIF_BUDGET, MOTIF_SETS, REPRODUCED, ROOT, STORE, WIDE_TABLES, command_of, draw_wide,
    is_done, load, reproduce_command, save, studies,
)

PARTIAL = STORE / "partial"
# What a drawing takes from the style of its page.
FIGURE_STYLE = ('<rect width="100%" height="100%" fill="#fff"/><style>text { fill: #586577; font: 12px sans-serif; } '
                '.axis { stroke: #dde2e9; }</style>')


def measure(name, arguments):
    PARTIAL.mkdir(parents=True, exist_ok=True)
    log = PARTIAL / f"{name}.jsonl"
    going_on = ["--resume"] if log.exists() else []
    if arguments[0] in WIDE_TABLES:
        draw_wide(PARTIAL / arguments[0])
    command = [str(ROOT / "build" / "glgnn"), *command_of(arguments).split()[1:], "--log", str(log), *going_on]
    print(f"{name}: {command_of(arguments)}{' (goes on)' if going_on else ''}", flush=True)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, text=True, cwd=PARTIAL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        said, complaint = out.read(), err.read()
    if child.returncode != 0:
        print(f"make_results: {name}: exit status {child.returncode}: {complaint[-500:]}", file=sys.stderr)
        return
    result = json.loads(said)
    result["command"] = command_of(arguments)
    if not going_on:
        result["processor_seconds"] = usage.ru_utime
    save(name, result)
    log.unlink()


def one_below_another(drawings):
    """One drawing of all, each below its title."""
    parts, height = [], 0
    for drawing in drawings:
        title, own = re.search('aria-label="([^"]*)"', drawing)[1], int(re.search('height="([0-9]+)"', drawing)[1])
        parts.append(f'<text x="12" y="{height + 20}">{title}</text>' + drawing.replace("<svg ", f'<svg y="{height + 24}" ', 1))
        height += own + 36
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{height}" role="img">{FIGURE_STYLE}{"".join(parts)}</svg>\n'


def measure_reproduction(name):
    """A table or the figures by `glgnn reproduce`: of each cell what the page shows, of the figures the drawings."""
    PARTIAL.mkdir(parents=True, exist_ok=True)
    cells, page = PARTIAL / f"{name}.jsonl", PARTIAL / f"{name}.html"
    words = reproduce_command(name).split()
    print(f"{name}: {' '.join(words)}", flush=True)
    command = [str(ROOT / "build" / "glgnn"), *words[1:], "--file", str(cells), "--page", str(page), "--resume"]
    result = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    del result["page"]
    for cell in result["cells"]:
        answer = cell.pop("result") or {}
        cell["result"] = {key: value for key, value in answer.items() if key.endswith(("_mean", "_std"))}
        curves = {key: value for key, value in answer.get("curves", {}).items() if key.startswith("deleted_")}
        cell["result"] |= {"curves": curves} if curves else {}
    result["command"] = reproduce_command(name)
    save(name, result)
    if result["table"] == "figures":
        (ROOT / "docs" / f"{name}.svg").write_text(one_below_another(re.findall(r"<svg.*?</svg>", page.read_text(), re.S)))
    cells.unlink(), page.unlink()


def measure_explanations(dataset, graph):
    """One fit, then `glgnn-bench --explanations` of its model."""
    name = f"explain-{dataset}-{graph}"
    glgnn = str(ROOT / "build" / "glgnn")
    print(f"{name}: glgnn-bench --explanations {dataset}.glgnn {' '.join(EXPLAIN_BUDGET)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/{dataset}.glgnn"
        fit = [glgnn, "fit", dataset, "--out", model, "--quiet", "--no-report", "--threads", "1"]
        subprocess.run(fit + ([] if graph == "known" else ["--graph", "none"]), check=True)
        compare = [glgnn + "-bench", "--explanations", model, *EXPLAIN_BUDGET, "--threads", "1", "--json"]
        answer = subprocess.run(compare, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    result = json.loads(answer.stdout)
    result["command"] = (f"glgnn fit {dataset}{'' if graph == 'known' else ' --graph none'}; "
                         f"glgnn-bench --explanations {dataset}.glgnn {' '.join(EXPLAIN_BUDGET)} --json")
    save(name, result)


def measure_motifs(name, command):
    print(f"{name}: {command}", flush=True)
    answer = subprocess.run([str(ROOT / "build" / "glgnn-bench"), *command.split()[1:]], stdout=subprocess.PIPE, text=True, check=True)
    save(name, json.loads(answer.stdout) | {"command": command})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()

    def is_wanted(name, is_there):
        return not options.page and options.only in name and (options.again or not is_there)

    wanted = [(name, arguments) for name, arguments in studies() if is_wanted(name, is_done(name, command_of(arguments)))]
    # One thread each, so that no core waits for another.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda study: measure(*study), wanted))
    for name in REPRODUCED:
        if is_wanted(name, is_done(name, reproduce_command(name))):
            measure_reproduction(name)
    for dataset, graph in EXPLAINED:
        if is_wanted(f"explain-{dataset}-{graph}", load(f"explain-{dataset}-{graph}")):
            measure_explanations(dataset, graph)
    for motifs in MOTIF_SETS:
        name, command = f"explain-{motifs}", " ".join(["glgnn-bench", "--explanations", motifs, *MOTIF_BUDGET, "--threads", "1", "--json"])
        if is_wanted(name, is_done(name, command)):
            measure_motifs(name, command)
    write_page()
    write_readme()


if __name__ == "__main__":
    main()
