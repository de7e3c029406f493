"""Checks of model.py itself; exit status 0 if all hold.   /usr/bin/python3 check_model.py"""
import copy
import math
import sys

import numpy as np
import torch
from scipy.sparse.csgraph import shortest_path

import make_golden
import model as golden


def check_philox():
    """The known answers that Random123 publishes for philox4x32-10."""
    known = [  # counter, key, result
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ]
    words = lambda text: [int(word, 16) for word in text.split()]
    for counter, key, result in known:
        found = [int(word) for word in golden.philox4x32(words(counter), words(key))]
        assert found == words(result), (counter, found)
    # counter: block (low, high), step, stream and owner; key: seed (low, high)
    seed, step, owner, block = 5 + 7 * 2**32, 9, 2, 3 + 2**32
    four = golden.philox4x32((3, 1, step, golden.DROP_INPUT << 16 | owner), (5, 7))
    expected = [((int(word) >> 9) + 0.5) / 2**23 for word in four]
    found = golden.uniform(seed, golden.DROP_INPUT, owner, step, 4 * block + np.arange(4))
    assert found.dtype == np.float32 and found.tolist() == expected


def check_hops():
    rng = np.random.default_rng(0)
    for density in (0.0, 0.02, 0.06, 0.3):
        adjacency = rng.random((40, 40)) < density
        np.fill_diagonal(adjacency, False)
        distance = shortest_path(adjacency.astype(float), unweighted=True)
        for hops in (1, 2, 3):
            near = (distance >= 1) & (distance <= hops)
            expected = np.where(near, np.where(near, distance, 1) - 1, hops)
            assert np.array_equal(golden.hop_class(torch.tensor(adjacency), hops).numpy(), expected)


def check_ties():
    values = torch.tensor([[1.0, 3.0, 3.0, 3.0, 2.0], [0.0, 0.0, 0.0, 5.0, 0.0]])
    _, chosen = golden.keep_top(values, values > 0, 2)
    assert chosen.nonzero().tolist() == [[0, 1], [0, 2], [1, 3]]


def loss_by_loops(model, epoch):
    """The loss of one training forward, written entry by entry in plain Python."""
    settings, problem = model.settings, model.problem
    p = {name: value.detach().numpy() for name, value in model.p.items()}
    n, f = problem.x.shape
    c, h, m_, k = model.classes, settings.hidden, settings.modules, settings.k
    dot = lambda a, b: math.fsum(float(x) * float(y) for x, y in zip(a, b))

    def kept(stream, m, index):
        u = golden.uniform(settings.seed, stream, m, epoch, [index])[0]
        return 1.0 / (1.0 - settings.dropout) if u >= settings.dropout else 0.0

    def softmax(values):
        e = [math.exp(value - max(values)) for value in values]
        return [value / math.fsum(e) for value in e]

    def symmetrised(rows):
        if settings.symmetrise == "none":
            return rows
        out = [{} for _ in range(n)]
        for i in range(n):
            for j in range(n):
                here, there = rows[i].get(j, 0.0), rows[j].get(i, 0.0)
                if here or there:
                    out[i][j] = (here + there) / 2 if settings.symmetrise == "mean" else max(here, there)
        return out

    def normalised(rows):  # rows: {column: value} of A; returns the same of A'
        rows = symmetrised(rows)
        d = [1.0 + math.fsum(row.values()) for row in rows]
        return [{j: ((row.get(j, 0.0) + (i == j)) / math.sqrt(d[i]) / math.sqrt(d[j])) for j in {*row, i}}
                for i, row in enumerate(rows)]

    def propagate(rows, matrix):
        return [[math.fsum(value * matrix[j][q] for j, value in row.items()) for q in range(len(matrix[0]))]
                for row in rows]

    shown = [[0.0] * c for _ in range(n)]
    for r in problem.train:
        if golden.uniform(settings.seed, golden.HIDE_LABELS, 0, epoch, [r])[0] >= settings.label_hide:
            shown[r][problem.labels[r]] = (math.sqrt(settings.temperature) if settings.label_weight < 0
                                           else settings.label_weight)
    difference, x2 = 0.0, []
    for m in range(m_):
        last = model.last_graph[m].numpy()
        powers = [np.linalg.matrix_power(last, q + 1) for q in range(settings.hops)]
        out_edges = [set(np.nonzero(row)[0]) for row in last]
        v = [math.log1p(math.exp(value)) for value in p["v"][m]]
        selected = [[float(problem.x[i, q]) * p["s"][m][q] for q in range(f)] for i in range(n)]
        z = [shown[i] + selected[i] for i in range(n)]
        rows = []
        for i in range(n):
            others = [j for j in range(n) if j != i]
            probability = dict(zip(others, softmax([dot(z[i], z[j]) / settings.temperature for j in others])))
            hop, frontier = {i: 0}, {i}
            for distance in range(1, settings.hops + 1):
                frontier = {j for q in frontier for j in out_edges[q]} - set(hop)
                hop.update((j, distance) for j in frontier)
            weight = {j: v[hop.get(j, settings.hops + 1) - 1] for j in others}
            if settings.hop_form == "powers":
                entries = {j: [float(power[i, j]) for power in powers] for j in others}
                weight = {j: dot(entries[j], v) if any(entries[j]) else v[-1] for j in others}
            r = {j: probability[j] * weight[j] for j in others}
            rank = {j: math.log(r[j]) for j in others}
            if settings.sample_neighbours:
                for j in others:
                    rank[j] -= math.log(-math.log(golden.uniform(settings.seed, golden.SAMPLE, m, epoch, [i * n + j])[0]))
            best = sorted(others, key=lambda j: (-rank[j], j))[:k]
            size = {"none": 1.0, "largest_one": max(r[j] for j in best), "sum_one": math.fsum(r[j] for j in best),
                    "sum_k": math.fsum(r[j] for j in best) / k}[settings.rescale]
            rows.append({j: r[j] / size for j in best})
        a = normalised(rows)
        dropped = [[selected[i][q] * kept(golden.DROP_INPUT, m, problem.entry[i, q]) for q in range(f)]
                   for i in range(n)]
        hidden = [[dot(row, p["w1"][m][:, q]) for q in range(h)] for row in dropped]
        b1, b2 = (p["b1"][m], p["b2"][m]) if settings.bias else ([0.0] * h, [0.0] * c)
        x1 = [[max(value + b, 0.0) for value, b in zip(row, b1)] for row in propagate(a, hidden)]
        dropped = [[x1[i][q] * kept(golden.DROP_HIDDEN, m, i * h + q) for q in range(h)] for i in range(n)]
        o = propagate(a, [[dot(row, p["w2"][m][:, q]) for q in range(c)] for row in dropped])
        x2.append([softmax([value + b for value, b in zip(row, b2)]) for row in o])
        z1 = [shown[i] + x1[i] for i in range(n)]
        rows = []
        for i in range(n):
            r = {j: dot(z1[i], z1[j]) for j in range(n) if j != i}
            rows.append({j: r[j] for j in sorted(r, key=lambda j: (-r[j], j))[:k] if r[j] > 0})
        a1 = normalised(rows)
        difference += math.fsum(abs(a[i].get(j, 0.0) - a1[i].get(j, 0.0)) for i in range(n)
                                for j in {*a[i], *a1[i]})
    if settings.aggregation == "trained":
        x_agg = p["x_agg"].tolist()
    else:
        x_agg = [[1 / c if settings.aggregation == "constant" else math.fsum(x[i][q] for x in x2) / m_
                  for q in range(c)] for i in range(n)]
    u = x2 + [x_agg]
    alpha = [[math.fsum(p["a"][i, q] * x[i][q] * y[i][q] for i in range(n) for q in range(c))
              / (n if settings.alpha_mean else 1) for y in u] for x in u]
    weights = [dot(alpha[m_], p["b"][:, q]) for q in range(m_ + 1)]
    entropy = 0.0
    for i in problem.train:
        y = softmax([math.fsum(weights[q] * u[q][i][j] for q in range(m_ + 1)) for j in range(c)])
        entropy -= math.log(y[problem.labels[i]])
    return (settings.mu1 * difference / (m_ * n) + settings.mu2 * entropy / len(problem.train)
            + settings.weight_decay * math.fsum((p["w1"] ** 2).ravel()))


def check_gradients(model, epoch, rng, step=1e-6):
    """Automatic gradients against central differences, three entries of every parameter; the largest
    relative error. The margins keep both sides of a difference on the same branch."""
    def loss():
        outputs, logits, _ = model.forward(epoch)
        return sum(model.loss_terms(outputs, logits))

    names = list(model.p)
    gradients = torch.autograd.grad(loss(), [model.p[name] for name in names])
    worst = 0.0
    with torch.no_grad():
        for name, gradient in zip(names, gradients):
            flat = model.p[name].view(-1)
            for index in rng.choice(flat.numel(), 3, replace=False):
                start, values = flat[index].item(), []
                for sign in (1, -1):
                    flat[index] = start + sign * step
                    values.append(float(loss()))
                flat[index] = start
                numeric = (values[0] - values[1]) / (2 * step)
                exact = float(gradient.reshape(-1)[index])
                worst = max(worst, abs(numeric - exact) / (abs(exact) + 1e-3))
    return worst


def check_adam(model, epochs):
    """The Adam of model.py against torch.optim.Adam."""
    twin = copy.deepcopy(model)
    optimiser = torch.optim.Adam(twin.p.values(), lr=twin.settings.learning_rate)
    twin.adam = lambda t: optimiser.step()
    for epoch in range(epochs):
        model.train_epoch(epoch)
        twin.train_epoch(epoch)
    return max(float((model.p[name] - twin.p[name]).abs().max()) for name in model.p)


def main():
    torch.set_num_threads(1)
    check_philox()
    check_hops()
    check_ties()
    print("philox, hop shells, ties: as they should be")
    rng = np.random.default_rng(0)
    for name, case in make_golden.CASES.items():
        problem = make_golden.make_problem(make_golden.make_data(case))
        model = golden.Model(case.settings, problem, start=make_golden.make_start(case, problem))
        for epoch in range(2):  # 1: with the hops of a learned graph
            outputs, logits, _ = model.forward(epoch)
            by_loops = loss_by_loops(model, epoch)
            error = abs(float(sum(model.loss_terms(outputs, logits))) - by_loops) / by_loops
            gradient_error = check_gradients(model, epoch, rng)
            print(f"{name} epoch {epoch}: loss by loops {error:.1e}, gradients by differences {gradient_error:.1e}")
            assert error < 1e-12 and gradient_error < 1e-5
            model.train_epoch(epoch)
        model = golden.Model(case.settings, problem, start=make_golden.make_start(case, problem))
        error = check_adam(model, case.settings.epochs)
        print(f"{name}: parameters after ten steps of torch.optim.Adam {error:.1e}")
        assert error < 1e-10
    return 0


if __name__ == "__main__":
    sys.exit(main())
