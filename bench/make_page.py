#!/usr/bin/env python3
"""Writes docs/benchmarks.md and the plot docs/benchmarks.svg from the answer of `glgnn-bench --json`.

    bench/make_page.py REPORT.json..   also kept as docs/benchmarks.json; parts (`--only`) of one commit are joined
    bench/make_page.py --epochs REPORT.json   only the epochs (`--only epochs`) of a later commit, the rest stays
    bench/make_page.py                 again from docs/benchmarks.json; without it the page says that
                                       nothing is measured yet
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True

import plot  # noqa: E402  (beside this file)
from cuda import page as cuda_page  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
from results.page import wrapped  # noqa: E402
DOCS = ROOT / "docs"
KEPT = DOCS / "benchmarks.json"
PROFILE = DOCS / "benchmarks_profile.json"
FITS = DOCS / "benchmarks_fits.json"
NOT_YET = ["Not measured yet."]


def of_part(report, prefix):
    return [r for r in report["results"] if r["name"].startswith(prefix + "/")]


def cell(value, form):
    return "-" if value is None else format(value, form)


def seconds(value):
    if value is None:
        return "-"
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def rate(result):
    if "gflops" in result:
        return f"{result['gflops']:.1f} GFLOP/s"
    return f"{result['gbs']:.1f} GB/s" if "gbs" in result else "-"


def size(result):
    return ", ".join(f"{key} {result[key]}" for key in ("n", "d", "k") if key in result)


def table(titles, rows):
    return ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|", *("| " + " | ".join(row) + " |" for row in rows)]


def kernels(report):
    rows = []
    for r in of_part(report, "kernels"):
        large, tiles = (r.get(f"sgemm_{form}_gflops") for form in ("large", "tiles"))
        rows.append([r["name"].removeprefix("kernels/") + (" (ref)" if r.get("form") == "ref" else ""), size(r), seconds(r["seconds"]), rate(r), r["peer"] or "-",
                     seconds(r["peer_seconds"]), cell(r.get("share_of_limit"), ".2f"),
                     cell(large, ".0f"), cell(tiles, ".0f"), cell(r["peak_mb"], ".0f")])
    if not rows:
        return NOT_YET
    copy = of_part(report, "limit")
    notes = [f"Stream copy: {r['gbs']:.1f} GB/s, read and written." for r in copy]
    return [*notes, "", *table(["kernel", "size", "time", "rate", "limit", "limit's time", "share of the limit",
                                "sgemm, large", "sgemm, tiles", "MB"], rows)]


def epochs(report):
    rows = [[r["name"].removeprefix("epoch/"), size(r), seconds(r["seconds"]), seconds(r["peer_seconds"]),
             cell(r["ratio"], ".1f"), cell(r["peak_mb"], ".0f"), cell(r["peer_peak_mb"], ".0f"),
             cell(r.get("memory_ratio"), ".1f"), r.get("note", "")] for r in of_part(report, "epoch")]
    return table(["set", "size", "ours", "PyTorch", "ratio", "our MB", "PyTorch's MB", "ratio of MB", "note"],
                 rows) if rows else NOT_YET


def refreshed(report):
    rows = [[r["name"].removeprefix("refresh/"), size(r), str(r.get("epochs", "")), seconds(r["seconds"]),
             cell(r["peak_mb"], ".0f")] for r in of_part(report, "refresh")]
    return table(["set", "size", "epochs", "whole training", "MB"], rows) if rows else NOT_YET


def epochs_note(report):
    """Of which commit the epochs are, where they were measured after the rest."""
    epochs = report.get("epochs_measured")
    if not epochs:
        return []
    return [f"These, and the two trainings below: commit {epochs['commit']}, {epochs['time']}, {epochs['machine']}, `{epochs['command']}`."]


def profile():
    """Where the time of the smaller of the two trainings goes (bench/profile.py)."""
    if not PROFILE.exists():
        return NOT_YET
    found = json.loads(PROFILE.read_text())
    largest = ", ".join(f"`{name}` {share:.1f} %" for share, name in found["functions"])
    return [f"Processor time on one thread, Linux perf, commit {found['commit']} (`bench/profile.py`: `{found['command']}`):", "",
            *table(["step", "share"], [[step, f"{share:.1f} %"] for step, share in found["steps"].items()]), "",
            f"The largest functions: {largest}."]


def fits():
    """Whole trainings of best mode, before and after (bench/fits.py)."""
    if not FITS.exists():
        return NOT_YET
    runs = json.loads(FITS.read_text())
    first, rows = runs[0]["tables"], []
    for name in first:
        for run in (run for run in runs if name in run["tables"]):
            found, before = run["tables"][name], first[name]["processor_seconds"]
            less = before and run is not runs[0] and before / found["processor_seconds"]
            rows.append([name, run["commit"], seconds(found["processor_seconds"]), f"{less:.1f}" if less else "-",
                         seconds(found["wall_seconds"]), cell(found["peak_mb"], ".0f"), cell(found["accuracy"], ".1%"),
                         found.get("note", "")])
    return [f"{runs[0]['machine']}.", "",
            *table(["table", "commit", "processor time", "times less", "wall time", "MB", "accuracy on the other rows", "note"], rows)]


def processes(report):
    """The same work by processes of others (bench/ranks.py --peer)."""
    found = report.get("processes")
    if not found:
        return NOT_YET
    load = f", others kept the machine busy (load {found['load']:.0f}): the processor time counts" if found["load"] > 1 else ""
    return [f"Commit {found['commit']}, {found['time']}, {found['machine']}{load}; PyTorch {found['torch']}, joblib {found['joblib']}; "
            f"the least of {found['repeats']} run{'' if found['repeats'] == 1 else 's'}.", "", *found["lines"]]


def ranks(report):
    """How rows over ranks scale (bench/ranks.py --page)."""
    found = report.get("ranks")
    if not found:
        return NOT_YET
    return [f"Commit {found['commit']}, {found['time']}, {found['machine']}; {found['others']}; the least of {found['repeats']} runs of "
            f"each.", "", *found["lines"]]


def graphs(report):
    rows = [[r["name"].removeprefix("graph/"), size(r), seconds(r["seconds"]), r["peer"], seconds(r["peer_seconds"]),
             cell(r["ratio"], ".2f"), cell(r.get("recall"), ".4f"), cell(r["peak_mb"], ".0f"),
             cell(r["peer_peak_mb"], ".0f"), r.get("note", "")] for r in of_part(report, "graph")]
    return table(["set", "size", "ours", "peer", "peer's time", "ratio", "peer's recall", "our MB", "peer's MB", "note"],
                 rows) if rows else NOT_YET


def scaling(report):
    rows = [[str(r.get("n", r["name"].removeprefix("scaling/"))), seconds(r["seconds"]), cell(r["peak_mb"], ".0f"),
             r.get("note", "")] for r in of_part(report, "scaling")]
    if not rows:
        return NOT_YET
    fits = [f"N = {fit['from']:.0f} to {fit['to']:.0f}: seconds grow as N^{fit['seconds']:.2f}, "
            f"memory as N^{fit['peak_mb']:.2f}." for fit in report.get("scaling", {}).values() if fit]
    return [*table(["N", "epoch", "MB", "note"], rows), "", *fits]


def goals(report):
    """(what, found, wanted, reached) of every goal, from the numbers above."""
    found = {(r["name"], r["peer"]): r for r in report["results"]}

    def value(name, peer, key):
        result = found.get((name, peer))
        return result.get(key) if result else None

    at_least, at_most = [], []
    for dataset, ratio in (("digits", 20), ("cora", 40), ("citeseer", 40), ("20news", 20)):
        at_least.append((f"epoch of {dataset}, times faster than PyTorch", value(f"epoch/{dataset}", "torch", "ratio"), ratio))
    at_least.append(("epoch of 20news, times less memory", value("epoch/20news", "torch", "memory_ratio"), 20))
    for dataset in ("digits", "20news", "mnist"):
        at_least.append((f"graph of {dataset}, times faster than faiss", value(f"graph/{dataset}", "faiss", "ratio"), 1))
    for kernel, most in (("choose_lse/d64", 1.4), ("choose_lse/d256", 1.15), ("forward_backward/d64", 1.5),
                         ("forward_backward/d256", 1.5)):
        share = value(f"kernels/graph_learn_{kernel}", "sgemm", "share_of_limit")
        at_most.append((f"graph_learn_{kernel}, times bare sgemm", share and 1 / share, most))
    for dataset, most in (("cora", 3), ("20news", 60)):
        at_most.append((f"seconds of 200 epochs of {dataset}, refresh 10", value(f"refresh/{dataset}", None, "seconds"), most))
    fit = (report.get("scaling") or {}).get("larger_half") or {}
    at_most.append(("exponent of memory over N, larger half", fit.get("peak_mb"), 1.1))
    for what, number, wanted in at_least:
        yield what, number, f"at least {wanted}", number is not None and number >= wanted
    for what, number, wanted in at_most:
        yield what, number, f"at most {wanted}", number is not None and number <= wanted


def goals_table(report):
    rows = [[what, wanted, "not measured yet" if number is None else f"{number:.2f}",
             "" if number is None else "yes" if reached else "no"] for what, number, wanted, reached in goals(report)]
    return table(["goal", "wanted", "found", "reached"], rows)


def origin(report):
    if "commit" not in report:
        return NOT_YET
    flags = report["flags"]
    lines = [f"Commit {report['commit']}, {report['time']}, {report['machine']}, {report['threads']} threads, {flags['simd']}; "
             f"{flags['compiler']} {flags['build_type']} (`{flags['options']}`); {flags['blas']}.", "",
             f"Measured by `{report['command']}` (`make bench` runs all parts), written by `bench/make_page.py`."]
    if report.get("quick"):
        lines += ["", "**A quick run: small sizes, few repeats. Not for comparison.**"]
    busy = report.get("others_busy_cores")
    if busy is not None and busy > 0.1:
        lines += ["", f"**Other processes kept {busy:.1f} cores busy: the times are too long. Not for comparison.**"]
    return lines


def page(report):
    picture = ["![times and memory](benchmarks.svg)", ""] if plot.draw(report, DOCS / "benchmarks.svg") else []
    return [
        "# Benchmarks", "",
        "Written by `bench/make_page.py`. `make bench` measures epochs, graphs, growth and kernels, with the same threads for all; `bench/profile.py`,",
        "`bench/fits.py`, `bench/ranks.py` and `bench/cuda/run.py` measure the other parts, each at the commit that stands there. Do not edit by hand. A ratio above 1 means that ours is faster (or smaller).", "", *origin(report), "", *picture,
        "## Goals", "", *goals_table(report), "",
        "## Training epochs", "",
        "One epoch of paper mode with its evaluation pass, the paper's k, three modules, graph unknown; medians. PyTorch:",
        "`bench/peers/torch_epoch.py`, the same mathematics with dense N x N matrices on OpenBLAS. Memory is the peak of a fresh process.",
        *epochs_note(report), "", *epochs(report), "",
        "Neighbours chosen anew every tenth epoch, softmax over the kept pairs, three modules:", "", *refreshed(report), "",
        "### Where the time of Cora's 200 epochs goes", "", *profile(), "",
        "## Whole trainings of best mode", "",
        "100 labels, all else by default, one run each (`bench/fits.py`, two threads; the tables are made there). Where the note does not say that nothing",
        "else ran, other work did: there the processor time counts.", "", *fits(), "",
        "## Several processes", "",
        "One thread each; ours by mpirun, start and reading included; the peer by joblib's processes, which are there before the clock",
        "starts, with PyTorch in each: a block of rows against all rows and `topk`; runs of `bench/peers/torch_epoch.py`. Processor time",
        "is that of all processes together (`bench/ranks.py --peer --page`).", "", *processes(report), "",
        "### Rows over ranks", "",
        "`glgnn nearest` (the 10 nearest of N rows of 64 numbers) by one process on one core and by two on two, one thread each, start and",
        "reading left out (`bench/ranks.py --page`). The processor time is that of the rank that needs the most; \"waited\" is transfer that",
        "arithmetic did not hide; memory is the whole resident peak of the largest rank. docs/cluster.md says more.", "", *ranks(report), "",
        "## Building the graph alone", "",
        "The 10 most similar other rows of every row (cosine), exact. faiss: IndexFlatIP; scikit-learn: kneighbors_graph; hnswlib is",
        "approximate, its recall is counted against ours. Index building counts, reading does not; shortest of the repeats.", "",
        *graphs(report), "",
        "## Growth with the rows", "",
        "Seconds of an epoch and peak memory, Gaussian classes with 64 features, k = 10, three modules.", "", *scaling(report), "",
        "## Kernels", "",
        "Shortest of the repeats. The limit of a kernel that computes is bare sgemm on the same products, as one large product or in",
        "tiles that stay in the cache (GFLOP/s of both in the table), whichever is faster. All N x N pairs count, though each tile of",
        "the symmetric matrix is computed once for both its sides: more than the whole limit is possible. The limit of a kernel that",
        "moves data is a stream copy of as many bytes; what stays in a cache can beat it. (ref): a scalar loop on one thread.", "", *kernels(report), "",
        *cuda_page.section(table),
    ]


def joined(paths):
    """One report of several parts, which must come from one commit and one machine."""
    reports = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    whole = reports[0]
    for part in reports[1:]:
        for key in ("commit", "machine", "threads", "quick"):
            if part[key] != whole[key]:
                sys.exit(f"make_page: {key} of the parts differs: {whole[key]} and {part[key]}; measure again")
        whole["results"] += part["results"]
        whole["command"] += "`, `" + part["command"]
        whole["others_busy_cores"] = max(whole["others_busy_cores"] or 0, part["others_busy_cores"] or 0)
        whole.update({key: part[key] for key in ("scaling",) if key in part})
    return whole


def with_epochs(path):
    """What is kept, with the epochs of a later report of the same machine."""
    report, later = json.loads(KEPT.read_text()), json.loads(pathlib.Path(path).read_text())
    if later["machine"] != report["machine"]:
        sys.exit(f"make_page: another machine: found {later['machine']}, expected {report['machine']}; measure all parts")
    others = [r for r in report["results"] if not r["name"].startswith(("epoch/", "refresh/"))]
    report["results"] = later["results"] + others
    report["epochs_measured"] = {key: later[key] for key in ("commit", "time", "machine", "command")}
    return report


def main():
    if sys.argv[1:2] == ["--epochs"]:
        KEPT.write_text(json.dumps(with_epochs(sys.argv[2]), indent=1) + "\n")
    elif len(sys.argv) > 1:
        before = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        after = {**joined(sys.argv[1:]), **{key: before[key] for key in ("processes", "ranks") if key in before}}
        KEPT.write_text(json.dumps(after, indent=1) + "\n")
    report = json.loads(KEPT.read_text()) if KEPT.exists() else {"results": []}
    lines = "\n".join(page(report)).split("\n")
    (DOCS / "benchmarks.md").write_text(wrapped(lines))
    print("wrote docs/benchmarks.md")


if __name__ == "__main__":
    main()
