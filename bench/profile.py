#!/usr/bin/env python3
"""Where the time of a training goes: its functions by share of the processor time, from Linux perf.

    bench/profile.py [PROGRAM]     writes docs/benchmarks_profile.json, which make_page.py shows

The training is that of the goal "200 epochs of Cora, refresh 10" on one thread. Needs Debian's linux-perf and leave to use it.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "benchmarks_profile.json"
TRAINING = ["evaluate", "cora", "--mode", "paper", "--refresh", "10", "--softmax_over", "kept", "--runs", "1", "--threads", "1", "--json", "--quiet"]

# What a function is for, by its name; the first that fits.
STEPS = {
    "neighbours chosen anew, every tenth epoch": r"similarity_row|choose_|coarse|select_best|add_tile|search_blocks|find_shared|find_near|finish_dense_row|hop_shells",
    "similarities of kept pairs, and back": r"edge_dot|selected_dot|values_by_column",
    "propagation over the graph, and back": r"spmm",
    "loss between the two graphs": r"sparse_l1",
    "normalising graphs": r"gcn_norm|row_scale|edge_softmax|self_loops|hop_gather|multiply_",
    "layers: products, dropout, softmax": r"gemm|dropout|relu|row_softmax|concat|scale_rows|feature_select|sgemm",
    "network of graphs": r"network_",
    "Adam and weight decay": r"adam|sum_squares",
    "clearing and copying memory": r"memset|memmove|memcpy|malloc|free|clear_page|page_fault",
}


def shares(program):
    """Per cent of the processor time by step, and the largest functions."""
    with tempfile.TemporaryDirectory() as folder:
        record = ["perf", "record", "-q", "-o", f"{folder}/data", program, *TRAINING]
        answer = subprocess.run(record, check=True, stdout=subprocess.PIPE, text=True).stdout
        report = ["perf", "report", "-i", f"{folder}/data", "--stdio", "-F", "overhead,sym"]
        text = subprocess.run(report, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    steps, functions = dict.fromkeys([*STEPS, "all else"], 0.0), []
    for share, name in re.findall(r"^\s*([\d.]+)%\s+\[.\]\s+(.*\S)", text, re.MULTILINE):
        step = next((step for step, words in STEPS.items() if re.search(words, name)), "all else")
        functions.append((float(share), re.sub(r"\(anonymous namespace\)::|glgnn::|<.*|\(.*", "", name)))
        steps[step] += float(share)
    return json.loads(answer), steps, functions[:12]


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build" / "glgnn")
    run, steps, functions = shares(program)
    kept = {"command": " ".join(["glgnn", *TRAINING]), "commit": run["commit"], "machine": run["machine"],
            "steps": steps, "functions": functions}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    for step, share in steps.items():
        print(f"{share:5.1f} %  {step}")


if __name__ == "__main__":
    main()
