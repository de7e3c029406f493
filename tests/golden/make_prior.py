"""What the network of prior modules says of two small tables, by PyTorch: tests/golden/prior.npz (unit/prior_test.cpp compares the engine).

    /usr/bin/python3 tests/golden/make_prior.py [--check]
"""
import pathlib
import sys

import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "prior"))
from drawn import CELL, draw_tables  # noqa: E402
from network import Network, read  # noqa: E402

FILE = pathlib.Path(__file__).with_name("prior.npz")


def main():
    torch.manual_seed(3)
    network, arrays = read(Network()).eval().double(), {}
    for name, labelled, asked, features in (("few", 7, 5, 3), ("more", 70, 45, 11)):
        cells, y = (rows[:, :labelled + asked] for rows in draw_tables(1, labelled, 60, features, "cpu"))
        with torch.no_grad():
            logits = network(cells.double(), y[:, :labelled])[0]
        arrays |= {f"{name}_cells": cells[0].reshape(labelled + asked, features * CELL).numpy(), f"{name}_classes": y[0, :labelled].int().numpy(),
                   f"{name}_logits": logits.float().numpy()}
    if "--check" in sys.argv:
        known = np.load(FILE)
        for name in ("few", "more"):
            again = network(torch.tensor(known[f"{name}_cells"]).double().reshape(1, -1, known[f"{name}_cells"].shape[1] // CELL, CELL),
                            torch.tensor(known[f"{name}_classes"]).long()[None])[0]
            assert np.abs(again.detach().numpy() - known[f"{name}_logits"]).max() < 1e-5, name
    else:
        np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    main()
