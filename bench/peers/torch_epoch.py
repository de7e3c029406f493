"""Seconds per training epoch of GL-GNN (paper mode) as one would write it in PyTorch: the peer of our engine.

Dense float32: full N x N matrices, automatic differentiation, torch.topk, hop shells by boolean matrix
products; X W1 by a sparse product where the features are sparse. The same mathematics as the engine's
default settings, PyTorch's own random numbers.

    /usr/bin/python3 torch_epoch.py FOLDER --k 15 [--modules 3] [--epochs 5] [--threads 2] [--no-graph] [--device cuda] [--json]

FOLDER holds features.npy (dense) or features.npz (CSR: indptr, indices, data, shape), labels.npy, a split
(split.npz with train, or splits.npz with train_0 ..) and perhaps edges.npy (E x 2, undirected).
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import sys
import time


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--k", type=int, required=True, help="neighbours kept per row")
    parser.add_argument("--modules", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=5, help="timed epochs, after one warm-up")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--split", type=int, default=0, help="which split of splits.npz")
    parser.add_argument("--no-graph", action="store_true", help="ignore edges.npy")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


options = parse_options()
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)  # before the import

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as nnf  # noqa: E402

LEARNING_RATE, DROPOUT, LABEL_HIDE, HOPS = 0.01, 0.5, 0.5, 2
MU1, MU2, WEIGHT_DECAY, NETWORK_START = 0.01, 1.0, 5e-4, 5.0
TEMPERATURE, FAR_START = 0.1, 0.1


def blas_in_use():
    """The BLAS this process has loaded; None for the reference BLAS, which is far too slow to compare with."""
    torch.ones(8, 8) @ torch.ones(8, 8)
    built_with = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    built_with = built_with.group(1).lower() if built_with else "unknown"
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    blas = sorted(f for f in files if re.search(r"blas|mkl_|blis|atlas", f.lower()) and ".so" in f
                  and "cublas" not in f.lower())
    # torch's own first: with a generic build it is whatever libblas.so resolves to
    if built_with in ("mkl", "open", "openblas", "blis", "accelerate"):
        return built_with
    plain = [f for f in blas if re.match(r"libblas\.so", os.path.basename(f))]
    for f in plain or blas:
        if re.search(r"openblas|mkl|blis|atlas", f.lower()):
            return f
    return None


# ---- data ------------------------------------------------------------------------------------------------

def read_folder(folder):
    """Rows of length 1, dense ones after z-scores of the columns."""
    if (folder / "features.npy").exists():
        x = np.load(folder / "features.npy").astype(np.float32)
        deviation = x.std(0)
        x = nnf.normalize(torch.tensor((x - x.mean(0)) / np.where(deviation > 0, deviation, 1)))
    else:
        csr = np.load(folder / "features.npz")
        rows = np.repeat(np.arange(csr["shape"][0]), np.diff(csr["indptr"]))
        length = np.sqrt(np.bincount(rows, csr["data"].astype(np.float64)**2, minlength=csr["shape"][0]))
        x = torch.sparse_coo_tensor(np.stack([rows, csr["indices"]]),
                                    torch.tensor(csr["data"] / length[rows], dtype=torch.float32),
                                    tuple(csr["shape"])).coalesce()
    labels = torch.tensor(np.load(folder / "labels.npy").astype(np.int64))
    if (folder / "split.npz").exists():
        train = np.load(folder / "split.npz")["train"]
    else:
        train = np.load(folder / "splits.npz")[f"train_{options.split}"]
    edges = None
    if (folder / "edges.npy").exists() and not options.no_graph:
        edges = torch.tensor(np.load(folder / "edges.npy").astype(np.int64))
    return x, labels, torch.tensor(train.astype(np.int64)), edges


# ---- model -----------------------------------------------------------------------------------------------

def hop_classes(adjacency):
    """0 .. HOPS-1 for pairs at distance 1 .. HOPS, HOPS for the others."""
    n = len(adjacency)
    kind = torch.full((n, n), HOPS, dtype=torch.int64)
    seen = torch.eye(n, dtype=torch.bool)
    frontier = adjacency & ~seen  # self-loops are no hops
    step = adjacency.float()
    for hop in range(HOPS):
        kind[frontier] = hop
        seen |= frontier
        if hop + 1 < HOPS:
            frontier = (frontier.float() @ step > 0) & ~seen
    return kind


def normalise(adjacency):
    adjacency = (adjacency + adjacency.T) / 2
    d = (1.0 + adjacency.sum(1)).rsqrt()
    return d[:, None] * (adjacency + torch.eye(len(d))) * d[None, :]


def hop_weights(v, kind):
    """v[kind], by shells: the backward of that indexing adds N x N numbers to the same few one after the other."""
    if kind is None:
        return v[HOPS]
    weights = v[HOPS]
    for hop in range(HOPS):
        weights = torch.where(kind == hop, v[hop], weights)
    return weights


class SubModule(torch.nn.Module):
    def __init__(self, f, c):
        super().__init__()
        self.s = torch.nn.Parameter(1 + 0.1 * torch.randn(f))
        self.w1 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(f, options.hidden)))
        self.w2 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(options.hidden, c)))
        start = torch.tensor([1.0] * HOPS + [FAR_START])
        self.v = torch.nn.Parameter(start.expm1().log())

    def forward(self, x, x_dense, y_shown, kind):
        z = torch.cat([y_shown, x_dense * (self.s / TEMPERATURE**0.5)], 1)  # lambda^2 = tau
        s = (z @ z.T).fill_diagonal_(-float("inf"))
        v = nnf.softplus(self.v)
        r = torch.softmax(s, 1) * hop_weights(v, kind)
        values, columns = torch.topk(r, options.k)
        values = options.k * values / values.sum(1, keepdim=True)
        a = normalise(torch.zeros_like(r).scatter(1, columns, values))
        if x.is_sparse:  # drop(X * s) W1 = drop(X) (s W1): only the non-zeros are dropped
            dropped = torch.sparse_coo_tensor(x.indices(), nnf.dropout(x.values(), DROPOUT, self.training), x.shape)
            hidden = torch.sparse.mm(dropped, self.s[:, None] * self.w1)
        else:
            hidden = nnf.dropout(x * self.s, DROPOUT, self.training) @ self.w1
        x1 = torch.relu(a @ hidden)
        x2 = torch.softmax(a @ (nnf.dropout(x1, DROPOUT, self.training) @ self.w2), 1)
        if not self.training:
            return x2, a, None, None
        z1 = torch.cat([TEMPERATURE**0.5 * y_shown, x1], 1)
        values, columns = torch.topk((z1 @ z1.T).fill_diagonal_(0), options.k)  # R1 >= 0: zeros stay zeros
        a1 = torch.zeros_like(a).scatter(1, columns, values)
        a1 = normalise(a1)
        return x2, a, a1, a1.detach() > 0


class Network(torch.nn.Module):
    def __init__(self, n, f, c):
        super().__init__()
        self.modules_ = torch.nn.ModuleList(SubModule(f, c) for _ in range(options.modules))
        self.a = torch.nn.Parameter(torch.ones(n, c))
        self.b = torch.nn.Parameter(NETWORK_START * torch.eye(options.modules + 1))

    def forward(self, x, x_dense, y_shown, kinds):
        outputs = [m(x, x_dense, y_shown, kind) for m, kind in zip(self.modules_, kinds)]
        x2 = [out[0] for out in outputs]
        u = torch.stack(x2 + [sum(x2) / len(x2)])
        alpha = torch.einsum("uic,vic->uv", self.a * u, u) / u.shape[1]
        return torch.einsum("u,uic->ic", (alpha @ self.b)[-1], u), outputs


# ---- measuring -------------------------------------------------------------------------------------------

def others_busy(seconds=1.0):
    """Cores' worth of work that the rest of the machine does while this process sleeps."""
    def busy():
        fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
        return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")  # all but idle and iowait
    before = busy()
    time.sleep(seconds)
    return (busy() - before) / seconds


def peak_mb():
    """The largest memory held so far; getrusage would count that of the process which started this one."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def now():
    if options.device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def main():
    blas = blas_in_use()
    if blas is None:
        sys.exit("torch_epoch.py: PyTorch is using the reference BLAS, many times slower than a real one: a "
                 "comparison would be worthless. Install an OpenBLAS package (Debian: libopenblas0-openmp).")
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    if options.device != "cpu":  # PyTorch 1 has no such call
        torch.set_default_device(options.device)
    x, labels, train, edges = read_folder(options.folder)
    x_dense = x.to_dense() if x.is_sparse else x
    n, f = x.shape
    c = int(labels.max()) + 1
    model = Network(n, f, c)
    optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    one_hot = nnf.one_hot(labels.clamp(min=0), c).float()
    kinds = [None] * options.modules  # None: every pair is "other"
    if edges is not None:  # the given graph in every epoch: its shells are made once
        given = torch.zeros(n, n, dtype=torch.bool)
        given[edges[:, 0], edges[:, 1]] = given[edges[:, 1], edges[:, 0]] = True
        kinds = [hop_classes(given)] * options.modules

    busy_before = others_busy()
    train_seconds, eval_seconds, losses = [], [], []
    for _ in range(options.epochs + 1):
        start = now()
        model.train()
        y_shown = torch.zeros(n, c)
        shown = train[torch.rand(len(train)) >= LABEL_HIDE]
        y_shown[shown] = one_hot[shown]
        optimiser.zero_grad()
        logits, outputs = model(x, x_dense, y_shown, kinds)
        difference = sum((a - a1).abs().sum() for _, a, a1, _ in outputs) / (options.modules * n)
        decay = sum((m.w1**2).sum() for m in model.modules_)
        loss = MU1 * difference + MU2 * nnf.cross_entropy(logits[train], labels[train]) + WEIGHT_DECAY * decay
        loss.backward()
        optimiser.step()
        if edges is None:
            kinds = [hop_classes(support) for _, _, _, support in outputs]
        train_seconds.append(now() - start)
        losses.append(float(loss.detach()))
        del logits, outputs, difference, loss
        start = now()
        model.eval()
        with torch.no_grad():
            model(x, x_dense, torch.zeros(n, c), kinds)
        eval_seconds.append(now() - start)

    busy = max(busy_before, others_busy())  # other work stalls every parallel loop: times are then too long
    result = {
        "dataset": options.folder.resolve().name, "rows": n, "features": f, "classes": c,
        "graph": edges is not None, "k": options.k, "modules": options.modules, "hidden": options.hidden,
        "epochs": options.epochs, "threads": options.threads,
        "train_seconds_min": min(train_seconds[1:]), "train_seconds_median": statistics.median(train_seconds[1:]),
        "eval_seconds_min": min(eval_seconds[1:]), "eval_seconds_median": statistics.median(eval_seconds[1:]),
        "peak_mb": peak_mb(),
        "device": options.device,
        "device_mb": torch.cuda.max_memory_allocated() / 2**20 if options.device == "cuda" else None,
        "others_busy_cores": round(busy, 2), "first_loss": losses[0], "last_loss": losses[-1],
        "torch": torch.__version__, "blas": blas,
    }
    if options.json:
        print(json.dumps(result))
    else:
        print(f"{result['dataset']}: {n} rows, {f} features, k {options.k}, {options.modules} modules, "
              f"graph {'given' if result['graph'] else 'unknown'}, {options.threads} threads")
        for part in ("train", "eval"):
            print(f"{part}: {result[part + '_seconds_min']:.3f} s per epoch (min), "
                  f"{result[part + '_seconds_median']:.3f} s (median of {options.epochs})")
        print(f"peak memory {result['peak_mb']:.0f} MB; loss {losses[0]:.3f} -> {losses[-1]:.3f}; "
              f"torch {result['torch']}, {blas}")
        if busy > 0.1:
            print(f"not to be used for comparison: other processes kept {busy:.1f} cores busy")


if __name__ == "__main__":
    main()
