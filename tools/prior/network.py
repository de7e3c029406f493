"""The network of src/modules/prior_network.h in PyTorch: to train it, and to check the engine by it."""
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from drawn import CELL, MOST_CLASSES

WEIGHTS = pathlib.Path(__file__).parents[2] / "data" / "prior" / "weights.f16"

if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
    torch.backends.cuda.enable_cudnn_sdp(False)  # it fails on some of these shapes (PyTorch 2.11)


def attend(q, k, v, many):
    """many: few to hear in each of very many lists; else a kernel that keeps no scores."""
    if not many and hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v)
    return torch.softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1) @ v


class Attention(nn.Module):
    def __init__(self, width, heads, many):
        super().__init__()
        self.heads, self.many = heads, many
        self.q, self.kv, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x, heard):
        """Each of x (..., n, width) listens to all of heard (..., m, width)."""
        split = lambda t: t.reshape(*t.shape[:-1], self.heads, -1).transpose(-2, -3).flatten(0, -4)
        k, v = self.kv(heard).chunk(2, -1)
        return self.out(attend(split(self.q(x)), split(k), split(v), self.many).transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.columns, self.rows = Attention(width, heads, True), Attention(width, heads, False)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, labelled):
        """x: tables, rows, columns, width; the rows' class is the last column."""
        n = self.norms[0](x)
        x = x + self.columns(n, n)
        n = self.norms[1](x).transpose(1, 2)
        x = x + self.rows(n, n[:, :, :labelled]).transpose(1, 2)
        return x + self.down(F.gelu(self.up(self.norms[2](x)), approximate="tanh"))


class Network(nn.Module):
    def __init__(self, width=96, heads=3, hidden=192, layers=6):
        super().__init__()
        self.cell = nn.Sequential(nn.Linear(CELL, width), nn.GELU(approximate="tanh"), nn.Linear(width, width))
        self.classes = nn.Parameter(torch.randn(MOST_CLASSES + 1, width) * 0.5)
        self.layers = nn.ModuleList(Layer(width, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.answer = nn.Sequential(nn.Linear(width, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, MOST_CLASSES))

    def forward(self, cells, y):
        """cells: tables, rows, features, CELL; y: classes of the first rows. -> logits of the others."""
        labelled = y.shape[1]
        x = self.cell(cells)
        asked = self.classes[MOST_CLASSES].expand(x.shape[0], x.shape[1] - labelled, -1)
        x = torch.cat([x, torch.cat([self.classes[y], asked], 1)[:, :, None].to(x.dtype)], 2)
        for layer in self.layers:
            x = layer(x, labelled)
        return self.answer(self.norm(x[:, labelled:, -1]))


def names(network):
    """Its tensors in the order of the file."""
    yield from ("cell.0.weight", "cell.0.bias", "cell.2.weight", "cell.2.bias", "classes")
    for layer in range(len(network.layers)):
        for part in ("columns.q", "columns.kv", "columns.out", "rows.q", "rows.kv", "rows.out"):
            yield f"layers.{layer}.{part}.weight"
        for part in ("norms.0", "norms.1", "norms.2", "up", "down"):
            yield f"layers.{layer}.{part}.weight"
            yield f"layers.{layer}.{part}.bias"
    for part in ("norm", "answer.0", "answer.2"):
        yield f"{part}.weight"
        yield f"{part}.bias"


def write(network, tensors, file):
    """Numbers of 16 bits, one tensor after the other."""
    assert set(names(network)) == set(tensors)
    pathlib.Path(file).write_bytes(b"".join(tensors[name].detach().half().cpu().numpy().tobytes() for name in names(network)))


def read(network, file=WEIGHTS):
    numbers, at, state = torch.from_numpy(np.fromfile(file, dtype=np.float16).astype(np.float32)), 0, network.state_dict()
    for name in names(network):
        size = state[name].numel()
        state[name].copy_(numbers[at:at + size].reshape(state[name].shape))
        at += size
    assert at == len(numbers)
    return network
