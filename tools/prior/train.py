"""Trains the network of prior modules on drawn tables and writes its weights.

    python3 tools/prior/train.py OUT.f16 [--seconds 460] [--rate 1.5e-3] [--noise 1.8] [--start WEIGHTS.f16]

Wants PyTorch 2 and a GPU. data/prior/README.md has the two calls that made the weights of this tree. Another run gives other weights, about
as good: the time that a step takes decides how many tables are seen.
"""
import argparse
import math
import random
import time

import torch
import torch.nn.functional as F

from drawn import MOST_CLASSES, draw_tables
from network import Network, read, write

ASKED = 64          # rows of each table whose class is asked for
CELLS = 500_000     # of a step
WARM_STEPS = 300


def shape():
    """How many tables, labelled rows and columns: few of each are as common as many."""
    labelled = round(math.exp(random.uniform(math.log(6), math.log(400))))
    features = max(1, round(math.exp(random.uniform(math.log(0.8), math.log(40)))))
    return max(4, CELLS // ((labelled + ASKED) * (features + 1))), labelled, features


def loss_of(network, cells, y, labelled, device):
    """Cross-entropy of the rows asked for, where some labelled row has their class; and the part that is right."""
    known = F.one_hot(y[:, :labelled], MOST_CLASSES).amax(1).bool()
    counts = torch.gather(known, 1, y[:, labelled:]) & (known.sum(1) > 1)[:, None]
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
        logits = network(cells, y[:, :labelled])
    logits = logits.float().masked_fill(~known[:, None], -1e4)
    loss = F.cross_entropy(logits.flatten(0, 1), y[:, labelled:].flatten(), reduction="none") * counts.flatten()
    right = (logits.argmax(2) == y[:, labelled:]) & counts
    return loss.sum() / counts.sum().clamp(min=1), right.sum() / counts.sum().clamp(min=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=460)
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--noise", type=float, default=1.8)
    parser.add_argument("--start")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    random.seed(options.seed)
    torch.set_float32_matmul_precision("high")
    network = Network().to(device)
    if options.start:
        read(network, options.start)
    average = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    if device == "cuda":
        for layer in network.layers:
            layer.compile(dynamic=True)
    large = [p for p in network.parameters() if p.ndim > 1]
    small = [p for p in network.parameters() if p.ndim <= 1]
    adam = torch.optim.AdamW([{"params": large, "weight_decay": 0.01}, {"params": small, "weight_decay": 0.0}], lr=options.rate, betas=(0.9, 0.98))
    start, step, seen = time.time(), 0, 0
    while (part := (time.time() - start) / options.seconds) < 1:
        rate = options.rate * min(1, (step + 1) / WARM_STEPS) * (0.49 * (1 + math.cos(math.pi * part)) + 0.02)
        for group in adam.param_groups:
            group["lr"] = rate
        tables, labelled, features = shape()
        with torch.no_grad():
            cells, y = draw_tables(tables, labelled, ASKED, features, device, options.noise)
        loss, right = loss_of(network, cells, y, labelled, device)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()
        step, seen = step + 1, seen + tables
        if step % 5 == 0:
            for mean, now in zip(average.values(), network.state_dict().values()):
                mean.lerp_(now, 1 - (0.999 if step > 2000 else 0.99) ** 5)
        if step % 200 == 0:
            print(f"{time.time() - start:.0f} s, step {step}, {seen} tables, {labelled} labels, {features} columns: loss {loss.item():.4f}, right {right.item():.3f}", flush=True)
    write(network, average, options.out)


if __name__ == "__main__":
    main()
