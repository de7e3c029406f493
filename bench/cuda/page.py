"""The section of docs/benchmarks.md about GPUs, from the answer of bench/cuda/run.py."""

import json
import pathlib
import statistics

KEPT = pathlib.Path(__file__).resolve().parent.parent / "results" / "cuda_h200.json"
PRODUCTS = 3  # of halves, for each product of floats


def seconds(value):
    if value is None:
        return "-"
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def median(line, name):
    return statistics.median(line[name])


def matrix_share(found, line):
    """Of the forward: what its products of halves reach of the rate of a large product of halves."""
    flops = PRODUCTS * 2 * line["rows"]**2 * line["features"]
    return flops / median(line, "forward_seconds") / found["limits"]["fp16_flops"]


def goals(found):
    by_size = {(line["rows"], line["k"]): line for line in found["sizes"]}
    large, middle = by_size[1_000_000, 20], by_size[100_000, 20]
    forward, backward = median(large, "forward_seconds"), median(large, "backward_seconds")
    yield "N = 1,000,000: seconds of the forward", "at most 2", forward, forward <= 2
    yield "N = 1,000,000: seconds forward and backward", "at most 6", forward + backward, forward + backward <= 6
    gigabytes = large["device_bytes"] / 1e9
    yield "N = 1,000,000: GB on the device", "at most 4", gigabytes, gigabytes <= 4
    for name in ("fp32", "tf32"):
        ratio = middle["pytorch"][name + "_seconds"] / median(middle, "forward_seconds")
        yield f"N = 100,000: forward, times faster than PyTorch ({name})", "at least 5", ratio, ratio >= 5
    for line in (large, middle):
        share = matrix_share(found, line)
        yield f"N = {line['rows']:,}: forward, share of the matrix rate", "at least 0.4", share, share >= 0.4


def whole_goals(found):
    """Of whole epochs and trainings."""
    epochs, trainings = found.get("paper_epochs", {}), found.get("fits", {})
    if news := epochs.get("20news"):
        ratio = peer_epoch(news) / news["cuda"]["seconds"]
        yield "20news in paper mode: epoch, times faster than PyTorch on the GPU", "at least 10", ratio, ratio >= 10
    else:
        yield "20news in paper mode: epoch, times faster than PyTorch on the GPU", "at least 10", None, False
    if wine := epochs.get("wine"):
        ratio = wine["cuda"]["seconds"] / wine["cpu"]["seconds"]
        yield "Wine in paper mode: epoch on the GPU, times that of the processor", "at most 1", ratio, ratio <= 1
    for name, devices in trainings.items():
        if "cpu" in devices and "training_seconds" in devices["cpu"][0]:
            ratio = middle_seconds(devices["cpu"], "training_seconds") / middle_seconds(devices["cuda"], "training_seconds")
            yield f"best mode, {name}, training alone (what the bar shows), times faster than on the processor", "at least 20", ratio, ratio >= 20
        for device, where in (("cuda open", "while another process has the GPU open"), ("cuda", "start and end of the GPU's driver counted")):
            if "cpu" in devices and device in devices:
                ratio = middle_seconds(devices["cpu"]) / middle_seconds(devices[device])
                yield f"best mode, {name}, whole program, times faster than on the processor ({where})", "at least 20", ratio, ratio >= 20
    if pictures := trainings.get("70000 x 784"):
        apart = 100 * (best_run(pictures["cuda"])["accuracy"] - best_run(pictures["cpu"])["accuracy"])
        yield "best mode, 70,000 x 784, points of accuracy more than on the processor", "-0.2 .. 0.2", apart, abs(apart) <= 0.2
        if seeds := found.get("accuracy_by_seed"):
            mean = 100 * statistics.mean(line["cuda"] - line["cpu"] for line in seeds.values())
            yield f"the same, mean of {len(seeds)} seeds", "-0.2 .. 0.2", mean, abs(mean) <= 0.2
    else:
        yield "best mode, 70,000 x 784, times faster than on the processor", "at least 20", None, False
    if large := trainings.get("1000000 x 64"):
        minutes = best_run(large["cuda"])["wall_seconds"] / 60
        yield "best mode, 1,000,000 x 64: minutes", "at most 10", minutes, minutes <= 10


def middle_seconds(runs, which="wall_seconds"):
    return statistics.median(run[which] for run in runs)


def best_run(runs):
    return min(runs, key=lambda run: run["wall_seconds"])


def peer_epoch(line):
    return line["pytorch"]["train_seconds_median"] + line["pytorch"]["eval_seconds_median"]


def goal_rows(found):
    for what, wanted, number, reached in (*goals(found), *whole_goals(found)):
        yield [what, wanted, "not measured" if number is None else f"{number:.2f}",
               "-" if reached is None else "yes" if reached else "no"]


def epoch_rows(found):
    for name, line in found.get("paper_epochs", {}).items():
        has_peer = "train_seconds_median" in line["pytorch"]
        yield [name, seconds(line["cuda"]["seconds"]), seconds(line["cpu"]["seconds"]),
               seconds(peer_epoch(line)) if has_peer else "-",
               f"{peer_epoch(line) / line['cuda']['seconds']:.1f}" if has_peer else "-",
               f"{line['pytorch']['device_mb']:.0f}" if has_peer else "-"]


def fit_rows(found):
    for name, devices in found.get("fits", {}).items():
        for device, runs in devices.items():
            for run in runs:
                yield [name, device, f"{run['wall_seconds']:.2f} s", f"{run['training_seconds']:.2f} s" if "training_seconds" in run else "-", f"{run['processor_seconds']:.0f} s", f"{run['peak_mb']:.0f}" if "peak_mb" in run else "-",
                       f"{100 * run['accuracy']:.2f} %"]


def small_rows(found):
    for name, times in found.get("small_fits", {}).items():
        yield [name, f"{times['cpu']:.2f} s", f"{times['cuda']:.2f} s"]


def size_rows(found):
    for line in found["sizes"]:
        peer, errors, ours = line.get("pytorch", {}), line["errors"], median(line, "forward_seconds")
        ratios = [f"{peer[name + '_seconds'] / ours:.1f}" if peer else "-" for name in ("fp32", "tf32")]
        yield [f"{line['rows']:,} x {line['features']}, k {line['k']}", seconds(median(line, "choose_seconds")), seconds(ours),
               seconds(median(line, "backward_seconds")), seconds(line["forward_from_host_seconds"]),
               f"{100 * matrix_share(found, line):.0f} %", *ratios, f"{line['device_bytes'] / 2**20:.0f}",
               f"{100 * errors['rows_with_the_same_neighbours']:.0f} %", f"{errors['lse_error']:.0e}",
               f"{errors['gradient_error']:.0e}"]


def kernel_rows(found):
    """The kernels whose longest launch takes 5 us or more, and the limit that each is nearest to."""
    limits = found["limits"]
    for where, kernels in found["kernels"].items():
        for name, launch in sorted(kernels.items(), key=lambda item: -item[1]["nanoseconds"]):
            if launch["nanoseconds"] < 5000:
                continue
            each = 1e9 / launch["nanoseconds"]
            flops = each * (2 * launch["fused"] + launch["added"] + launch["multiplied"])
            shares = {"memory": each * launch["bytes"] / limits["copy_bytes_per_second"], "products": flops / limits["fp32_flops"],
                      "matrix unit": launch["matrix_percent"] / 100, "cache": launch["cache_percent"] / 100, "shared memory": launch["shared_percent"] / 100,
                      "instructions": launch["issue_percent"] / 100}
            nearest = max(shares, key=shares.get)
            yield [where, f"`{name[:40]}`", launch["grid"].strip("()").replace(" ", "").replace(",", " x "), seconds(launch["nanoseconds"] / 1e9), f"{each * launch['bytes'] / 1e12:.2f}",
                   f"{flops / 1e12:.1f}", *(f"{100 * share:.0f} %" for share in shares.values()), nearest]


def section(table):
    if not KEPT.exists():
        return []
    found = json.loads(KEPT.read_text())
    limits = found["limits"]
    return [
        "## On a GPU", "",
        f"Commit {found['commit']}, {found['date']}, one {found['device']}, PyTorch {found['torch']}; built by `make cuda` "
        "with nvcc 13.0 on Debian 12, measured by `bench/cuda/run.py`, kept in `bench/results`. Medians of 10 runs "
        f"(3 above 200,000 rows). Every repeat had the same bits: {'yes' if all(line['same_bits'] for line in found['sizes']) else 'no'}. "
        f"`op_check` of the ops with a kernel there: {found['op_check']['says']}, by the plain kernels of older GPUs {found['op_check_plain']['says']}; "
        f"compute-sanitizer on small cases of every op: memcheck {clean(found, 'memcheck')}, racecheck {clean(found, 'racecheck')}.", "",
        f"Limits of the machine, by PyTorch: copy {limits['copy_bytes_per_second'] / 1e12:.2f} TB/s read and written, "
        f"8192 x 8192 x 8192 products {limits['fp16_flops'] / 1e12:.0f} TFLOP/s of halves, {limits['tf32_flops'] / 1e12:.0f} of "
        f"TF32{', %.0f of floats' % (limits['fp32_flops'] / 1e12) if 'fp32_flops' in limits else ''}.", "",
        *table(["goal", "wanted", "found", "reached"], goal_rows(found)), "",
        "Choosing the k best other rows of every row, rows already on the device, packing counted. Forward: with the "
        "log-sum-exp; from host: the same with copies to and from the host's memory. Matrix rate: three products of halves for "
        "each product of floats, over the measured rate of halves. PyTorch: chunked matmul + logsumexp + topk on the same rows, "
        "in float32 and with TF32 (which errs in the third digit)" + graph_peer(found) + ". Checked on 256 rows against double precision: rows whose "
        "neighbours are the same, errors relative to the largest number. The backward computes the similarities once for each 64 "
        "features: with many features it takes several times as long as it must.", "",
        *table(["rows x features", "choice", "forward", "backward", "from host", "matrix rate", "x PyTorch", "x PyTorch TF32",
                "device MB", "same neighbours", "lse error", "gradient error"], size_rows(found)), "",
        *(["Whole epochs of paper mode, graph unknown, the k of the defaults, three modules, with the evaluation; medians. "
           "Whole epochs stay on the GPU; processor: 16 threads of the same machine, "
           f"one for Wine. PyTorch: `bench/peers/torch_epoch.py` on the same GPU. {same_runs(found)}", "",
           *table(["set", "GPU", "processor", "PyTorch on the GPU", "times faster", "PyTorch's device MB"], epoch_rows(found)), ""]
          if "paper_epochs" in found else []),
        *(["Whole trainings in best mode, 100 labels (1000 of a million rows), all else by default (`bench/fits.py` makes the tables), reading and writing counted, 16 threads:",
           "",
           *table(["table", "device", "wall time", "of it training", "processor time", "MB", "accuracy on the other rows"], fit_rows(found)), "",
           *seed_lines(found)] if "fits" in found else []),
        *(["Whole trainings of small sets, the start of the GPU (half a second) counted, 16 threads. "
           "By these `auto` takes the processor in best mode below rows x rows x columns "
           "= 1e10 (Cora), and the GPU in paper mode from 50 epochs on:", "",
           *table(["set, mode", "processor", "GPU"], small_rows(found)), ""] if "small_fits" in found else []),
        *(["### Every kernel beside its limits", "",
           "By the counters of the GPU (Nsight Compute, `bench/cuda/run.py BUILD OUT --only kernels`): of each kernel the longest of the "
           "launches that were counted, where it took 5 us or more. Memory and products are beside the copy and the products of floats that were measured; "
           "the others are what the counters call the most that is possible. Counted launches run alone, and slower than in a training. A few blocks do not fill the GPU: their time is that of starting.", "",
           *table(["where", "kernel", "blocks", "time", "memory, TB/s", "floats, TFLOP/s", "memory", "products", "matrix unit", "cache", "shared memory", "instructions", "nearest limit"],
                  kernel_rows(found)), ""] if "kernels" in found else []),
    ]


def graph_peer(found):
    peer = found.get("graph_peer")
    if not peer:
        return ""
    return "; knn_graph of PyTorch Geometric " + (f"takes {seconds(peer['seconds'])} for 10,000 rows" if "seconds" in peer else f"was not there ({peer['failed']})")


def same_runs(found):
    runs = found.get("paper_epochs_with_the_same_bits", {})
    return ", ".join(f"{count} runs of {name}" for name, count in runs.items()) + " gave the same losses to the bit." if runs else ""


def seed_lines(found):
    if "accuracy_by_seed" not in found:
        return []
    lines = [f"{100 * line['cuda']:.2f} and {100 * line['cpu']:.2f} %" for line in found["accuracy_by_seed"].values()]
    return [f"The first table with seeds {', '.join(found['accuracy_by_seed'])}, GPU and processor: {', '.join(lines)}. "
            f"{found['fits_with_the_same_bits']} trainings of it on the GPU gave the same bits.", ""]


def clean(found, tool):
    bad = [part["says"] for part in found[tool] if part["status"] != 0]
    return f"found {bad}" if bad else "0 errors"
