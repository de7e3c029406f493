"""GL-GNN (paper mode) in dense double precision: the oracle of the golden tests.

Written from the equations alone and made to be read, not to be fast: every N x N matrix is formed, the
gradients come from automatic differentiation. Letters: N rows, F features, C classes, M modules,
H hidden units, k neighbours kept per row, K hops.
"""
from dataclasses import dataclass
from typing import Optional

import numpy as np
import torch
import torch.nn.functional as nnf

# ---- random numbers: Philox4x32-10, a pure function of (seed, stream, owner, step, index) ----------------

INIT, DROP_INPUT, DROP_HIDDEN, HIDE_LABELS, SAMPLE = 1, 2, 3, 4, 11  # the streams in use


def philox4x32(counter, key):
    """Ten rounds. counter: four uint64 arrays holding 32-bit words; key: two integers. Four arrays out."""
    low32 = np.uint64(0xFFFFFFFF)
    c0, c1, c2, c3 = (np.asarray(c, dtype=np.uint64) for c in counter)
    k0, k1 = key
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c0  # 32 x 32 -> 64 bits
        p1 = np.uint64(0xCD9E8D57) * c2
        c0, c1, c2, c3 = ((p1 >> np.uint64(32)) ^ c1 ^ np.uint64(k0), p1 & low32,
                          (p0 >> np.uint64(32)) ^ c3 ^ np.uint64(k1), p0 & low32)
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c0, c1, c2, c3


def words_of(seed, stream, owner, step, block):
    """The four 32-bit words of each block."""
    same = np.ones_like(block)
    counter = (block & np.uint64(0xFFFFFFFF), block >> np.uint64(32), same * np.uint64(step),
               same * np.uint64((stream << 16) | owner))
    return philox4x32(counter, (seed & 0xFFFFFFFF, seed >> 32))


def open_interval(bits):
    """23 bits and a half: exact in float32, never 0 or 1."""
    return ((bits >> np.uint64(9)).astype(np.float32) + np.float32(0.5)) * np.float32(2.0**-23)


def uniform(seed, stream, owner, step, index):
    """float32 numbers in (0, 1), one per entry of `index`: word index % 4 of block index / 4."""
    index = np.asarray(index, dtype=np.uint64)
    words = words_of(seed, stream, owner, step, index // np.uint64(4))
    return open_interval(np.choose((index % np.uint64(4)).astype(np.int64), words))


def normal(seed, stream, owner, step, index):
    """Standard normal numbers by Box and Muller, from the first two words of block `index`."""
    words = words_of(seed, stream, owner, step, np.asarray(index, dtype=np.uint64))
    radius = np.sqrt(-2.0 * np.log(open_interval(words[0]).astype(np.float64)))
    return radius * np.cos(2.0 * np.pi * open_interval(words[1]).astype(np.float64))


# ---- what is given ---------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Settings:
    seed: int
    modules: int = 3              # M
    k: int = 5
    hidden: int = 8               # H
    hops: int = 2                 # K
    epochs: int = 10
    select_start: str = "near_one"
    label_weight: float = -1.0    # lambda; below 0: the square root of tau
    label_hide: float = 0.5
    temperature: float = 0.1      # tau
    hop_form: str = "shells"
    near_start: float = 1.0       # V_1
    second_start: float = 1.0     # V_2 .. V_K
    far_start: float = 0.1        # V_o
    sample_neighbours: bool = False
    rescale: str = "sum_k"
    symmetrise: str = "mean"
    bias: bool = False
    aggregation: str = "mean"
    alpha_mean: bool = True
    network_start: float = 5.0
    mu1: float = 0.01
    mu2: float = 1.0
    weight_decay: float = 5e-4
    dropout: float = 0.5
    learning_rate: float = 0.01

    @property
    def label_size(self):
        return np.sqrt(self.temperature) if self.label_weight < 0 else self.label_weight


@dataclass(frozen=True)
class Problem:
    x: np.ndarray                 # N x F, zeros written out
    entry: np.ndarray             # N x F: the dropout index of each entry (i F + f, or its place in the CSR)
    labels: np.ndarray            # N, 0 .. C-1
    train: np.ndarray             # rows of the loss
    edges: Optional[np.ndarray]   # E x 2 undirected, None: graph unknown


def initial_parameters(settings, n, f, c):
    """Every parameter at its start, rounded to float32, stacked over the modules."""
    m_, h = settings.modules, settings.hidden

    def draw(step, shape):  # index space of one parameter of one module: 0 .. size-1, row-major
        size = int(np.prod(shape))
        return np.stack([uniform(settings.seed, INIT, m, step, np.arange(size)).reshape(shape)
                         for m in range(m_)]).astype(np.float64)

    if settings.select_start == "uniform":
        s = draw(0, (f,))                                                # U(0, 1)
    else:
        s = np.stack([1 + 0.1 * normal(settings.seed, INIT, m, 0, np.arange(f)) for m in range(m_)])
    hop_weights = [settings.near_start] + [settings.second_start] * (settings.hops - 1) + [settings.far_start]
    start = {
        "s": s,
        "w1": (2 * draw(1, (f, h)) - 1) * np.sqrt(6.0 / (f + h)),        # Glorot
        "w2": (2 * draw(2, (h, c)) - 1) * np.sqrt(6.0 / (h + c)),
        "v": np.tile(np.log(np.expm1(hop_weights)), (m_, 1)),            # softplus(v); hops 1..K, then other
        "a": np.ones((n, c)),
        "b": settings.network_start * np.eye(m_ + 1),
    }
    if settings.bias:
        start.update(b1=np.zeros((m_, h)), b2=np.zeros((m_, c)))
    if settings.aggregation == "trained":
        start["x_agg"] = np.full((n, c), 1.0 / c)
    return {name: value.astype(np.float32) for name, value in start.items()}


# ---- the pieces of a sub-module --------------------------------------------------------------------------

def hop_class(adjacency, hops):
    """N x N of 0..K-1 for the pairs at distance 1..K along out-edges (breadth first), K for all others."""
    n = adjacency.shape[0]
    kind = torch.full((n, n), hops)
    seen = torch.eye(n, dtype=torch.bool)  # i itself is at distance 0, and counts as no hop
    frontier = seen
    for hop in range(hops):
        reached = frontier.double() @ adjacency.double() > 0
        frontier = reached & ~seen
        seen = seen | frontier
        kind[frontier] = hop
    return kind


def hop_coefficients(settings, graph):
    """N x N x (K+1), no gradient: h = coefficients . V. Shells: 1 at the pair's class. Powers: the entries of
    graph^1 .. graph^K, and 1 at "other" where all of them are zero."""
    n, hops = len(graph), settings.hops
    if settings.hop_form == "shells":
        support = (graph > 0) & ~torch.eye(n, dtype=torch.bool)
        return nnf.one_hot(hop_class(support, hops), hops + 1).to(graph.dtype)
    powers = [graph]
    for _ in range(hops - 1):
        powers.append(powers[-1] @ graph)
    coefficients = torch.stack(powers, 2)
    other = (coefficients == 0).all(2, keepdim=True)
    return torch.cat([coefficients, other.to(graph.dtype)], 2)


def keep_top(values, allowed, k):
    """Zeroes all but the k largest allowed entries of each row, ties to the smaller column.

    The choice is a constant; the gradient flows through the kept values. Also returns the choice."""
    ranked = values.detach().masked_fill(~allowed, -np.inf)
    order = torch.sort(ranked, dim=1, descending=True, stable=True).indices[:, :k]
    chosen = torch.zeros_like(allowed).scatter_(1, order, True) & allowed
    return torch.where(chosen, values, torch.zeros_like(values)), chosen


def rescaled(settings, a):
    """The kept rows of A, scaled as the reading says."""
    if settings.rescale == "none":
        return a
    if settings.rescale == "largest_one":
        return a / a.amax(1, keepdim=True)
    return a / a.sum(1, keepdim=True) * (settings.k if settings.rescale == "sum_k" else 1)


def symmetrised(settings, a):
    if settings.symmetrise == "none":
        return a
    return (a + a.T) / 2 if settings.symmetrise == "mean" else torch.maximum(a, a.T)


def normalise(adjacency):
    """D^-1/2 (A + I) D^-1/2 with D = 1 + row sums; the gradient flows through D too."""
    d = (1.0 + adjacency.sum(1)).rsqrt()
    return d[:, None] * (adjacency + torch.eye(len(d), dtype=adjacency.dtype)) * d[None, :]


@dataclass
class ModuleOutput:
    t: torch.Tensor                        # what the choice of A ranks by: S + log h, -inf on the diagonal
    chosen: torch.Tensor                   # support of A
    adjacency: torch.Tensor                # A'
    before_relu: torch.Tensor
    x1: torch.Tensor
    x2: torch.Tensor
    r1: Optional[torch.Tensor] = None      # second graph, in training only
    chosen1: Optional[torch.Tensor] = None
    adjacency1: Optional[torch.Tensor] = None


def sub_module(settings, p, m, x, coefficients, y_shown, keep_input, keep_hidden, gumbel, second):
    """Module m. keep_*: dropout factors (0 or 1/(1-p)); gumbel: added to what ranks; second: whether the
    second graph is built."""
    n = x.shape[0]
    off_diagonal = ~torch.eye(n, dtype=torch.bool)
    x_selected = x * p["s"][m]                                           # X~ = X * s
    z = torch.cat([settings.label_size * y_shown, x_selected], 1)        # Z = [lambda y, X~]
    s = (z @ z.T / settings.temperature).masked_fill(~off_diagonal, -np.inf)  # S = Z Z^T / tau, j != i
    probability = torch.softmax(s, 1)                                    # P
    h = coefficients @ nnf.softplus(p["v"][m])                           # h_ij = V_hop(i,j)
    if settings.rescale != "none" and bool(coefficients[:, :, -1].all()):
        h = 1 + 0 * h  # no graph yet: h is the same for all pairs, and scaling the rows removes it
    r = probability * h                                                  # R = P * h
    t = (s + h.log()).detach() + gumbel                                  # in the order of R, if nothing is drawn
    _, chosen = keep_top(t, off_diagonal, settings.k)                    # A = the k largest of each row of R
    a = torch.where(chosen, r, torch.zeros_like(r))
    adjacency = normalise(symmetrised(settings, rescaled(settings, a)))  # A'
    bias = [p["b1"][m], p["b2"][m]] if settings.bias else [0.0, 0.0]
    before_relu = adjacency @ ((x_selected * keep_input) @ p["w1"][m]) + bias[0]
    x1 = torch.relu(before_relu)                                         # X1 = ReLU(A' drop(X~) W1)
    o = adjacency @ ((x1 * keep_hidden) @ p["w2"][m]) + bias[1]          # O = A' drop(X1) W2
    out = ModuleOutput(t, chosen, adjacency, before_relu, x1, torch.softmax(o, 1))
    if second:
        z1 = torch.cat([settings.label_size * y_shown, x1], 1)           # Z1 = [lambda y, X1]
        out.r1 = z1 @ z1.T                                               # R1 = Z1 Z1^T
        allowed = off_diagonal & (out.r1.detach() > 0)                   # only what is strictly positive
        a1, out.chosen1 = keep_top(out.r1, allowed, settings.k)          # A1, not rescaled
        out.adjacency1 = normalise(symmetrised(settings, a1))            # A1'
    return out


def graph_network(settings, p, x2):
    """Network of graphs over the modules' X2 and X_agg (the last index). Returns logits and Nmat."""
    if settings.aggregation == "constant":
        x_agg = torch.full_like(x2[0], 1.0 / x2[0].shape[1])
    else:
        x_agg = p["x_agg"] if settings.aggregation == "trained" else sum(x2) / len(x2)
    u = torch.stack(x2 + [x_agg])                                        # (M+1) x N x C
    alpha = torch.einsum("ic,uic,vic->uv", p["a"], u, u)                 # alpha_uv = sum a U V (/ N)
    if settings.alpha_mean:
        alpha = alpha / u.shape[1]
    nmat = alpha @ p["b"]                                                # N = alpha B
    return torch.einsum("u,uic->ic", nmat[-1], u), nmat                  # sum_m N_agg,m X2_m + N_agg,agg X_agg


# ---- training and evaluation -----------------------------------------------------------------------------

class Model:
    def __init__(self, settings, problem, dtype=torch.float64, start=None):
        """start: initial parameters other than the usual ones."""
        self.settings, self.problem, self.dtype = settings, problem, dtype
        n, f = problem.x.shape
        self.classes = int(problem.labels.max()) + 1
        start = start or initial_parameters(settings, n, f, self.classes)
        self.p = {name: torch.tensor(value, dtype=dtype, requires_grad=True) for name, value in start.items()}
        self.moments = {name: [torch.zeros_like(value), torch.zeros_like(value)] for name, value in self.p.items()}
        self.x = torch.tensor(problem.x, dtype=dtype)
        self.y = nnf.one_hot(torch.tensor(problem.labels, dtype=torch.int64), self.classes).to(dtype)
        given = torch.zeros(n, n, dtype=dtype)
        if problem.edges is not None:
            i, j = torch.tensor(problem.edges, dtype=torch.int64).T
            given[i, j] = given[j, i] = 1
        self.last_graph = [given] * settings.modules                     # A^l; empty at epoch 0 if unknown

    def shown_labels(self, epoch):
        """Labels of the training rows, a random part of them hidden; the same for every module."""
        rows = self.problem.train
        hidden = uniform(self.settings.seed, HIDE_LABELS, 0, epoch, rows) < np.float32(self.settings.label_hide)
        shown = torch.zeros_like(self.y)
        shown[rows[~hidden]] = self.y[rows[~hidden]]
        return shown

    def dropout(self, stream, m, epoch, index):
        kept = uniform(self.settings.seed, stream, m, epoch, index) >= np.float32(self.settings.dropout)
        return torch.tensor(kept, dtype=self.dtype) / (1.0 - self.settings.dropout)

    def forward(self, epoch=None):
        """epoch: a training forward; None: evaluation. Returns the modules' outputs, logits and Nmat."""
        training = epoch is not None
        n, h = len(self.x), self.settings.hidden
        y = self.shown_labels(epoch) if training else torch.zeros_like(self.y)
        outputs = []
        for m in range(self.settings.modules):
            coefficients = hop_coefficients(self.settings, self.last_graph[m])
            keep_input, keep_hidden, gumbel = 1.0, 1.0, 0.0
            if training:
                keep_input = self.dropout(DROP_INPUT, m, epoch, self.problem.entry)
                keep_hidden = self.dropout(DROP_HIDDEN, m, epoch, np.arange(n * h).reshape(n, h))
            if training and self.settings.sample_neighbours:
                drawn = uniform(self.settings.seed, SAMPLE, m, epoch, np.arange(n * n).reshape(n, n))
                gumbel = -(-torch.tensor(drawn, dtype=self.dtype).log()).log()
            outputs.append(sub_module(self.settings, self.p, m, self.x, coefficients, y, keep_input, keep_hidden,
                                      gumbel, training))
        logits, nmat = graph_network(self.settings, self.p, [out.x2 for out in outputs])
        return outputs, logits, nmat

    def loss_terms(self, outputs, logits):
        """Three terms, each with its weight; the loss is their sum."""
        rows = torch.tensor(self.problem.train, dtype=torch.int64)
        labels = torch.tensor(self.problem.labels, dtype=torch.int64)[rows]
        difference = sum((out.adjacency - out.adjacency1).abs().sum() for out in outputs)
        return (self.settings.mu1 * difference / (self.settings.modules * len(self.x)),  # mu1 mean |A' - A1'|
                self.settings.mu2 * nnf.cross_entropy(logits[rows], labels),             # mu2 mean CE on T
                self.settings.weight_decay * (self.p["w1"] ** 2).sum())                  # L_R

    def train_epoch(self, epoch, disturb=None):
        """Forward, backward, one Adam step; then the graph that the next epoch reads its hops from.

        disturb: called with the name and gradient of every parameter before the step, to imitate rounding."""
        for value in self.p.values():
            value.grad = None
        outputs, logits, nmat = self.forward(epoch)
        terms = self.loss_terms(outputs, logits)
        sum(terms).backward()
        if disturb:
            for name, value in self.p.items():
                disturb(name, value.grad)
        self.adam(epoch + 1)
        if self.problem.edges is None:
            self.last_graph = [out.adjacency1.detach() for out in outputs]
        return outputs, logits, nmat, terms

    @torch.no_grad()
    def adam(self, t, beta1=0.9, beta2=0.999, eps=1e-8):
        """m, v: running means of g and g^2; step lr * m^ / (sqrt(v^) + eps), ^ = bias-corrected."""
        for name, value in self.p.items():
            g, (mean, square) = value.grad, self.moments[name]
            mean.mul_(beta1).add_(g, alpha=1 - beta1)
            square.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            value -= (self.settings.learning_rate * (mean / (1 - beta1**t))
                      / ((square / (1 - beta2**t)).sqrt() + eps))

    @torch.no_grad()
    def evaluate(self):
        """No labels, no dropout, no second graph; hops of the graph the last training epoch left."""
        outputs, logits, nmat = self.forward()
        return outputs, torch.softmax(logits, 1), nmat
