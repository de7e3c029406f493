#!/usr/bin/env python3
"""Measures what docs/results.md says and writes that page.

    tools/make_results.py                 every study without a result of its present command (hours), then the page
    tools/make_results.py --only cora     only studies whose name contains the word
    tools/make_results.py --again         measures even where a result is there
    tools/make_results.py --page          only writes the page from docs/results/*.jsonl

    tools/make_results.py --only explain  the comparison of explanations

Each part of a study is one `glgnn evaluate ... --json` command; its answer is one line of docs/results/STUDY.jsonl. The runs
that are done of one that was stopped (Ctrl-C) are in docs/results/partial/NAME.jsonl, and the next call goes on from them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from results.page import write_page, write_readme
from results.studies import EXPLAIN_BUDGET, EXPLAINED, ROOT, STORE, command_of, is_done, load, save, studies

PARTIAL = STORE / "partial"


def measure(name, arguments):
    PARTIAL.mkdir(parents=True, exist_ok=True)
    log = PARTIAL / f"{name}.jsonl"
    going_on = ["--resume"] if log.exists() else []
    command = [str(ROOT / "build" / "glgnn"), *command_of(arguments).split()[1:], "--log", str(log), *going_on]
    print(f"{name}: {command_of(arguments)}{' (goes on)' if going_on else ''}", flush=True)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, text=True)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        said, complaint = out.read(), err.read()
    if child.returncode != 0:
        print(f"make_results: {name}: exit status {child.returncode}: {complaint[-500:]}", file=sys.stderr)
        return
    result = json.loads(said)
    result["command"] = command_of(arguments)
    result["processor_seconds"] = usage.ru_utime
    save(name, result)
    log.unlink()


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    wanted = [(name, arguments) for name, arguments in studies()
              if not options.page and options.only in name and (options.again or not is_done(name, arguments))]
    # One thread each, so that no core waits for another.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda study: measure(*study), wanted))
    for dataset, graph in EXPLAINED:
        name = f"explain-{dataset}-{graph}"
        if not options.page and options.only in name and (options.again or not load(name)):
            measure_explanations(dataset, graph)
    write_page()
    write_readme()


if __name__ == "__main__":
    main()
