#!/usr/bin/env python3
"""Checks and times the program and its kernels on a GPU: one JSON file, one log.

    bench/cuda/run.py BUILD OUT [--only checks,sizes,fits,large,seeds,small,epochs,same,kernels] [--quick] [--commit NAME] [--mnist FOLDER]

BUILD is the folder of `make cuda`, OUT gets cuda.json and op_check.log. Needs PyTorch, for the truth in double precision on
sampled rows and as the peer that is timed on the same rows: chunked matmul + logsumexp + topk; of whole epochs in paper
mode bench/peers/torch_epoch.py is the peer. `kernels` asks the counters of the GPU by Nsight Compute's ncu. Parts that are measured
alone (--only) are joined with what OUT has of the same commit.
"""

import argparse
import concurrent.futures
import contextlib
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "bench"))  # last: it has names of the standard library
import fits  # noqa: E402

PARTS = ["checks", "sizes", "fits", "large", "seeds", "small", "epochs", "same", "kernels"]
SMALL = ["wine", "cancer", "digits", "cora", "citeseer"]  # trained whole, to see where a GPU pays
SETS = {"wine": 60, "cancer": 60, "digits": 40, "cora": 40, "citeseer": 30, "fma46": 20, "20news": 20}  # epochs that are timed
SIZES = [(10_000, 64, 20), (30_000, 64, 20), (100_000, 64, 20), (300_000, 64, 20), (1_000_000, 64, 20),
         (100_000, 64, 110), (70_000, 784, 10), (9_607, 236, 10)]
QUICK = [(10_000, 64, 20), (100_000, 64, 20), (9_607, 236, 10)]
SAMPLED = 256
SHIPPED_DATA = {**os.environ, "GLGNN_DATA": str(ROOT / "data")}
OPEN = "cuda open"  # as cuda, while another process has the GPU open
COUNTERS = {  # of ncu: for each launch of a kernel
    "nanoseconds": "gpu__time_duration.sum", "bytes": "dram__bytes.sum", "fused": "sm__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "added": "sm__sass_thread_inst_executed_op_fadd_pred_on.sum", "multiplied": "sm__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "cache_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed", "shared_percent": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "matrix_percent": "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
    "issue_percent": "sm__issue_active.avg.pct_of_peak_sustained_elapsed"}
COUNTED_LAUNCHES = "^(1|2|10|40|160|400)$"  # of each kernel: the first may be small


def seconds_of(work, repeats=3, warm_up=True):
    if warm_up:
        work()
    found = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - begin)
    return statistics.median(found)


def limits():
    """What this GPU reaches: bytes copied, products of halves, of TF32 numbers and of floats."""
    source = torch.empty(1 << 30, dtype=torch.float32, device="cuda").normal_()
    target = torch.empty_like(source)
    copied = 8 * source.numel() / seconds_of(lambda: target.copy_(source), 10)
    del source, target
    size, rates = 8192, {}
    for name, kind in (("fp16", torch.float16), ("tf32", torch.float32), ("fp32", torch.float32)):
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        a, b = (torch.randn(size, size, device="cuda").to(kind) for _ in range(2))
        rates[name] = 2 * size**3 / seconds_of(lambda: a @ b, 10)
    torch.backends.cuda.matmul.allow_tf32 = False
    return {"copy_bytes_per_second": copied, **{name + "_flops": rate for name, rate in rates.items()}}


def make_rows(n, d):
    """Rows around 50 centres; similarities of some tens."""
    made = np.random.default_rng(n + d)
    z = made.normal(size=(50, d))[made.integers(0, 50, n)] + made.normal(size=(n, d))
    return (z * (2.5 / d**0.5)).astype(np.float32)


def peer(z, k):
    """Chunked matmul, logsumexp and topk in float32, without and with TF32."""
    n, rows = len(z), max(1, min(4096, (2 << 30) // (4 * len(z))))

    def run():
        for first in range(0, n, rows):
            s = z[first:first + rows] @ z.T
            own = torch.arange(first, min(n, first + rows), device="cuda")
            s[own - first, own] = -torch.inf
            torch.logsumexp(s, 1)
            torch.topk(s, k, 1)

    found = {}
    for name in ("fp32", "tf32"):
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        torch.cuda.reset_peak_memory_stats()
        found[name + "_seconds"] = seconds_of(run, 1 if n > 200_000 else 3, n <= 200_000)
        found["device_bytes"] = torch.cuda.max_memory_allocated()
    torch.backends.cuda.matmul.allow_tf32 = False
    return found


def peer_of_graphs():
    """PyTorch Geometric's knn_graph is the other peer, where it is whole; else why not."""
    try:
        from torch_geometric.nn import knn_graph
        z = torch.from_numpy(make_rows(10_000, 64)).cuda()
        return {"seconds": seconds_of(lambda: knn_graph(z, 20))}
    except (ImportError, RuntimeError) as error:
        return {"failed": str(error).splitlines()[0]}


def errors(z, k, out):
    """Of sampled rows against double precision: neighbours that are wrong by more than rounding, lse, the gradient."""
    n, d = z.shape
    col = np.fromfile(out + ".col", np.int32).reshape(n, k)
    lse = np.fromfile(out + ".lse", np.float32)
    d_z = np.fromfile(out + ".d_z", np.float32).reshape(n, d)
    sampled = np.unique(np.linspace(0, n - 1, SAMPLED).astype(np.int64))
    all_rows = torch.from_numpy(z).cuda().double()
    s = all_rows[sampled] @ all_rows.T
    own = torch.arange(len(sampled), device="cuda")
    s[own, torch.from_numpy(sampled).cuda()] = -torch.inf
    top, best = torch.topk(s, k, 1)
    ours = torch.from_numpy(col[sampled].astype(np.int64)).cuda()
    scores = torch.gather(s, 1, ours).sort(1, descending=True).values
    true_lse = torch.logsumexp(s, 1)
    d_lse = torch.from_numpy(((np.arange(n) % 7 - 3.0) / n).astype(np.float32)).cuda().double()
    all_lse = torch.from_numpy(lse).cuda().double()
    w = d_lse[sampled, None] * torch.exp(s - true_lse[:, None]) + d_lse[None] * torch.exp(s - all_lse[None])
    true_d_z = w @ all_rows
    got_d_z = torch.from_numpy(d_z[sampled]).cuda().double()
    same = (ours.sort(1).values == best.sort(1).values).all(1).double().mean()
    return {"rows_sampled": len(sampled), "rows_with_the_same_neighbours": same.item(),
            "score_error": ((scores - top).abs().max() / top.abs().max()).item(),
            "lse_error": ((all_lse[sampled] - true_lse).abs().max() / true_lse.abs().max()).item(),
            "gradient_error": ((got_d_z - true_d_z).abs().max() / true_d_z.abs().max()).item()}


def time_size(build, folder, n, d, k, quick):
    z = make_rows(n, d)
    rows, out = str(folder / "z.bin"), str(folder / "out")
    z.tofile(rows)
    ran = subprocess.run([build / "glgnn-bench-cuda", rows, str(n), str(d), str(k), "3" if n > 200_000 else "10", out],
                         capture_output=True, text=True)
    if ran.returncode != 0:
        return {"rows": n, "features": d, "k": k, "failed": ran.stderr.strip()}
    found = json.loads(ran.stdout)
    found["errors"] = errors(z, k, out)
    torch.cuda.empty_cache()
    if not (quick and n > 200_000):
        found["pytorch"] = peer(torch.from_numpy(z).cuda(), k)
        torch.cuda.empty_cache()
    return found


def counted(command, folder):
    """Of each kernel that the command runs the longest of the launches that are counted."""
    log = folder / "counters.csv"
    ran = subprocess.run(["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--kernel-name-base", "function",
                          "--kernel-id", f":::{COUNTED_LAUNCHES}", "--metrics", ",".join(COUNTERS.values()), "--log-file", log, *command],
                         capture_output=True, text=True, timeout=240, env=SHIPPED_DATA)
    if ran.returncode != 0:
        sys.exit(f"ncu ended with status {ran.returncode}: {(ran.stderr or log.read_text())[-300:]}")
    _, *launches = csv.DictReader(line for line in log.read_text().splitlines() if line.startswith('"'))  # the first has the units
    longest = {}
    for launch in launches:
        kernel = re.sub(r"^void |glgnn::|cuda::|<unnamed>::|unnamed>::|\(.*", "", launch["Kernel Name"])
        found = {key: float(launch[counter].replace(",", "")) for key, counter in COUNTERS.items()} | {"grid": launch["Grid Size"]}
        if kernel not in longest or found["nanoseconds"] > longest[kernel]["nanoseconds"]:
            longest[kernel] = found
    return longest


def kernel_counters(build, folder):
    """Every kernel beside the limits of the GPU, in a training of best mode, two of paper mode, and one comparison of all pairs."""
    (folder / "table").mkdir(exist_ok=True)
    table, label, *_ = fits.write_table(folder / "table", *fits.TABLES["70000 x 784"])
    make_rows(100_000, 64).tofile(folder / "z.bin")
    fit = [build / "glgnn", "fit", "--device", "cuda", "--quiet", "--no-report", "--restart", "--out", folder / "counted.glgnn"]
    paper = ["--mode", "paper", "--epochs", "5"]
    commands = {"70000 x 784, best": [*fit, table, *label], "20news, paper": [*fit, "20news", "--graph", "none", *paper], "cora, paper": [*fit, "cora", *paper],
                "100,000 x 64, k 20": [build / "glgnn-bench-cuda", folder / "z.bin", "100000", "64", "20", "1", folder / "out"]}
    return {name: counted(command, folder) for name, command in commands.items()}


def sanitised(build, tool, ops):
    """Status, and last words, of compute-sanitizer on small cases."""
    ran = subprocess.run(["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", build / "tests/op_check", "--small", *ops],
                         capture_output=True, text=True)
    return ran.returncode, "\n".join((ran.stdout + ran.stderr).splitlines()[-60:])


def op_check(build, log):
    """Every op that has a kernel on the GPU, also by the kernels of older GPUs; then its memory and races on small cases, all at once."""
    ops = ["graph_learn_choose", "graph_learn_lse", "nearest_rows", "ranked_rows", "propagate", "query_rows", "held_product",
           "held_view", "held_landmarks", "held_classes", "column_squares", "two_layers", "held_head"]
    epochs = "held_paper"  # has no kernels of its own for older GPUs; its races take longest
    found = {}
    with open(log, "w") as to, concurrent.futures.ThreadPoolExecutor() as pool:
        for name, checked, kernels in (("op_check", [*ops, epochs], {}), ("op_check_plain", ops, {"GLGNN_CUDA_KERNELS": "plain"})):
            ran = subprocess.run([build / "tests/op_check", *checked], capture_output=True, text=True, env={**os.environ, **kernels})
            to.write(f"\n== {name}\n{ran.stdout}{ran.stderr}")
            found[name] = {"status": ran.returncode, "says": (ran.stdout.strip() or ran.stderr.strip() or "nothing").splitlines()[-1]}
        begun = {(tool, checked[0]): pool.submit(sanitised, build, tool, checked) for tool in ("memcheck", "racecheck") for checked in ([epochs], ops)}
        for (tool, first), work in begun.items():
            status, says = work.result()
            to.write(f"\n== compute-sanitizer --tool {tool}, from {first} on\n{says}\n")
            found.setdefault(tool, []).append({"status": status, "says": [line for line in says.splitlines() if "SUMMARY" in line] or says[-300:]})
    return found


@contextlib.contextmanager
def open_gpu(wanted):
    """Another process that has the GPU open and does nothing: then the driver starts and ends faster in ours."""
    if not wanted:
        yield
        return
    idle = subprocess.Popen([sys.executable, "-c", "import torch; torch.cuda.get_device_properties(0); print(1, flush=True); input()"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    idle.stdout.readline()
    yield
    idle.communicate(b"\n")


def whole_fits(program, folder, tables, devices):
    """Trainings in best mode: so many on each device, the processor being that of the same machine."""
    found = {}
    for name, table in tables.items():
        (folder / "table").mkdir(exist_ok=True)
        written = fits.write_table(folder / "table", *table)
        found[name] = {device: [] for device, _ in devices}
        for device, repeats in devices:
            with open_gpu(device == OPEN):
                for _ in range(repeats):
                    found[name][device].append(fits.measure(program, written, os.cpu_count(), device.split()[0]))
            lines = [json.loads(line) for line in open(folder / "table" / "model.jsonl")]
            found[name][device][-1]["seconds_after_module"] = [line["seconds"] for line in lines if line["event"] == "epoch"]
            print(name, device, json.dumps(found[name][device]), flush=True)
    return found


def fits_by_seed(program, folder, seeds):
    """The accuracy of the first table on both devices, and whether ten trainings on the GPU have the same bits."""
    (folder / "table").mkdir(exist_ok=True)
    written = fits.write_table(folder / "table", *fits.TABLES["70000 x 784"])
    found = {seed: {device: fits.measure(program, written, os.cpu_count(), device, seed)["accuracy"] for device in ("cuda", "cpu")}
             for seed in seeds}
    bits = {fits.measure(program, written, os.cpu_count(), "cuda")["predictions"] for _ in range(10)}
    return {"accuracy_by_seed": found, "fits_with_the_same_bits": 10 if len(bits) == 1 else 0}


def small_fits(program, folder):
    """Seconds of whole trainings on small sets, the start of the GPU counted: by these `auto` chooses."""
    found = {}
    for mode in ("best", "paper"):
        for name in SMALL:
            found[f"{name}, {mode}"] = times = {}
            for device in ("cpu", "cuda"):
                begin = time.monotonic()
                subprocess.run([program, "fit", name, "--mode", mode, "--device", device, "--threads", str(os.cpu_count()), "--quiet",
                                "--no-report", "--restart", "--out", str(folder / "small.glgnn")],
                               check=True, env=SHIPPED_DATA)
                times[device] = time.monotonic() - begin
    return found


def epoch_seconds(program, folder, name, device):
    """The median epoch, evaluation counted; the first has no hops yet. And its validation accuracy, to compare devices."""
    out = folder / "paper.glgnn"
    subprocess.run([program, "fit", name, "--graph", "none", "--mode", "paper", "--epochs", str(SETS[name] + 2), "--device",
                    device, "--threads", str(os.cpu_count()), "--quiet", "--no-report", "--restart", "--out", str(out)],
                   check=True, env=SHIPPED_DATA)
    lines = [json.loads(line) for line in open(folder / "paper.jsonl")]
    epochs = [line for line in lines if line["event"] == "epoch"]
    seconds = [b["seconds"] - a["seconds"] for a, b in zip(epochs[1:], epochs[2:])]
    return {"seconds": statistics.median(seconds), "spread": statistics.pstdev(seconds), "epochs": len(seconds),
            "loss": epochs[-1]["loss"], "k": lines[0]["settings"]["k"]}


def paper_epochs(program, folder):
    """What is found so far, after every set."""
    found = {}
    for name in SETS:
        found[name] = {device: epoch_seconds(program, folder, name, device) for device in ("cuda", "cpu")}
        peer = subprocess.run([sys.executable, ROOT / "bench/peers/torch_epoch.py", ROOT / "data" / name, "--k",
                               str(found[name]["cpu"]["k"]), "--no-graph", "--device", "cuda", "--epochs", "10", "--json"],
                              capture_output=True, text=True)
        found[name]["pytorch"] = json.loads(peer.stdout) if peer.returncode == 0 else {"failed": peer.stderr[-300:]}
        print(name, json.dumps(found[name]), flush=True)
        yield found


def same_epochs(program, folder):
    """How many of ten trainings in paper mode have the same losses to the bit as the first."""
    found = {}
    for name in ("wine", "cora", "20news"):
        losses = []
        for _ in range(10):
            subprocess.run([program, "fit", name, "--mode", "paper", "--epochs", "5", "--device", "cuda", "--quiet", "--no-report", "--restart",
                            "--out", folder / "same.glgnn"], check=True, env=SHIPPED_DATA)
            losses.append([line["loss"] for line in map(json.loads, open(folder / "same.jsonl")) if line["event"] == "epoch"])
        found[name] = losses.count(losses[0])
    return found


def gpu_name():
    """Not by PyTorch, which would open the GPU."""
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    return subprocess.run(query, check=True, capture_output=True, text=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default=",".join(PARTS), help="parts, by comma")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--mnist", type=pathlib.Path, help="folder with features_u8.npz and labels.npy, trained on too")
    options = parser.parse_args()
    build, kept = options.build.resolve(), options.out / "cuda.json"
    options.out.mkdir(parents=True, exist_ok=True)
    found = {"commit": options.commit, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
             "device": gpu_name(), "torch": torch.__version__}
    if kept.exists() and json.loads(kept.read_text())["commit"] == options.commit:
        found = json.loads(kept.read_text())

    def keep(**part):
        found.update(part)
        kept.write_text(json.dumps(found, indent=1) + "\n")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        parts = options.only.split(",")
        if unknown := set(parts) - set(PARTS):
            sys.exit(f"--only: found {', '.join(unknown)}, expected {', '.join(PARTS)}")
        program = str(build / "glgnn")
        if "fits" in parts:
            tables = {"70000 x 784": fits.TABLES["70000 x 784"]}
            if options.mnist:
                tables["mnist"] = (fits.handwritten(options.mnist), 70_000, 100)
            keep(fits={**found.get("fits", {}), **whole_fits(program, folder, tables, [("cuda", 5), (OPEN, 5), ("cpu", 2)])})
        if "large" in parts and not options.quick:
            tables = {"1000000 x 64": fits.TABLES["1000000 x 64"]}
            keep(fits={**found.get("fits", {}), **whole_fits(program, folder, tables, [("cuda", 1)])})
        if "seeds" in parts and not options.quick:
            keep(**fits_by_seed(program, folder, range(4)))
        if "small" in parts:
            keep(small_fits=small_fits(program, folder))
        if "epochs" in parts:
            for so_far in paper_epochs(program, folder):
                keep(paper_epochs=so_far)
        if "same" in parts:
            keep(paper_epochs_with_the_same_bits=same_epochs(program, folder))
        if "kernels" in parts:
            keep(kernels=kernel_counters(build, folder), limits=limits())
        if "checks" in parts:
            keep(**op_check(build, options.out / "op_check.log"))
        if "sizes" in parts:
            keep(limits=limits(), graph_peer=peer_of_graphs(), sizes=[])
            for n, d, k in QUICK if options.quick else SIZES:
                keep(sizes=found["sizes"] + [time_size(build, folder, n, d, k, options.quick)])
                print(json.dumps(found["sizes"][-1]), flush=True)
    print(json.dumps({name: value for name, value in found.items() if name != "sizes"}, indent=1))
    return max(found[name]["status"] for name in ("op_check", "op_check_plain")) if "checks" in parts else 0


if __name__ == "__main__":
    sys.exit(main())
