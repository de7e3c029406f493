"""Tables drawn at random, many at once: what the network of network.py learns from. No real table takes part.

A graph of nodes is drawn, each a bent sum of others with noise; some nodes become columns, and the classes follow from other nodes,
from sums of columns, from trees over them or from the nearest of some rows. Columns are bent, cut, rounded, made into categories, and
lose values.
"""
import math

import torch

CODES = 8       # numbers that stand for a level of a category
CELL = 4 + CODES
MOST_CLASSES = 10


def log_uniform(shape, low, high, device):
    return torch.exp(torch.rand(shape, device=device) * (math.log(high) - math.log(low)) + math.log(low))


def standard(x, dim=1):
    return (x - x.mean(dim, keepdim=True)) / (x.std(dim, keepdim=True) + 1e-6)


def bend(x, kind):
    """One of eight functions, another for each node. kind: tables x 1 x nodes."""
    functions = (lambda v: v, torch.tanh, torch.relu, lambda v: torch.sin(2 * v), torch.abs, lambda v: v * v, torch.sign, lambda v: torch.exp(-v * v))
    out = torch.zeros_like(x)
    for number, function in enumerate(functions):
        out = torch.where(kind == number, function(x), out)
    return out


def causes(tables, rows, device, count=16):
    """What lies behind a table: independent numbers, some of several groups."""
    normal = torch.randn(tables, rows, count, device=device)
    groups = log_uniform((tables, 1), 2, 64, device).long()
    member = (torch.rand(tables, rows, device=device) * groups).long()
    centres = torch.randn(tables, 64, count, device=device) * 1.5
    apart = normal * log_uniform((tables, 1, count), 0.02, 2, device)
    grouped = torch.gather(centres, 1, member[..., None].expand(-1, -1, count)) + apart
    flat = torch.rand(tables, rows, count, device=device) * 2 - 1
    kind = torch.randint(0, 4, (tables, 1, 1), device=device)
    z = torch.where(kind == 0, grouped, torch.where(kind == 1, flat, normal))
    active = log_uniform((tables, 1, 1), 1, count + 1, device)
    order = torch.arange(count, device=device)[None, None]
    return standard(z) * (order < active), (order < active).expand(tables, 1, count)


def graph_of_nodes(tables, rows, device, width=32, layers=3):
    """Nodes that follow from each other, and which of them say anything."""
    z, active = causes(tables, rows, device)
    nodes, alive = [z], [active]
    keep = log_uniform((tables, 1, 1), 0.05, 1, device)
    noise = torch.where(torch.rand(tables, 1, 1, device=device) < 0.35, torch.zeros(1, device=device), log_uniform((tables, 1, 1), 0.02, 0.8, device))
    favourite = torch.randint(0, 8, (tables, 1, 1), device=device)
    mixed = torch.rand(tables, 1, 1, device=device) < 0.5
    h = z
    for _ in range(layers):
        weights = torch.randn(tables, h.shape[2], width, device=device) * (torch.rand(tables, h.shape[2], width, device=device) < keep)
        h = standard(torch.bmm(h, weights)) + 0.5 * torch.randn(tables, 1, width, device=device)
        kind = torch.where(mixed, torch.randint(0, 8, (tables, 1, width), device=device), favourite.expand(-1, -1, width))
        h = standard(bend(h * log_uniform((tables, 1, width), 0.5, 2, device), kind))
        h = standard(h + noise * torch.randn_like(h))
        nodes.append(h)
        alive.append(h.std(1, keepdim=True) > 0.1)
    return torch.cat(nodes, 2), torch.cat(alive, 2)


def pick(nodes, allowed, count):
    """Some of the nodes at random, the allowed ones first."""
    tables, rows, all_nodes = nodes.shape
    key = torch.rand(tables, all_nodes, device=nodes.device) + 10.0 * (~allowed[:, 0])
    at = key.argsort(1)[:, :count]
    return torch.gather(nodes, 2, at[:, None].expand(-1, rows, -1)), at


def scores_of_trees(x, classes, device):
    tables, rows, features = x.shape
    trees, depth = 12, 4
    used = torch.randint(0, 1 << 30, (tables, trees, depth), device=device) % torch.maximum(
        torch.ones(1, device=device), log_uniform((tables, 1, 1), 1, features + 1, device)).long()
    used = used.clamp(max=features - 1)
    at = used.reshape(tables, 1, -1).expand(-1, rows, -1)
    value = torch.gather(x, 2, at)
    row = torch.randint(0, rows, (tables, 1, trees * depth), device=device)
    threshold = torch.gather(value, 1, row)
    shallow = torch.randint(1, depth + 1, (tables, 1, 1, 1), device=device)
    bits = (value > threshold).reshape(tables, rows, trees, depth) & (torch.arange(depth, device=device) < shallow)
    leaf = (bits * (2 ** torch.arange(depth, device=device))).sum(3)
    some = torch.arange(trees, device=device)[None, :, None, None] < log_uniform((tables, 1, 1, 1), 1, trees + 1, device)
    leaves = torch.randn(tables, trees, 2 ** depth, classes, device=device) * some
    flat = leaves.reshape(tables, trees * 2 ** depth, classes)
    offset = torch.arange(trees, device=device) * 2 ** depth
    place = (leaf + offset).reshape(tables, rows * trees)
    return torch.gather(flat, 1, place[..., None].expand(-1, -1, classes)).reshape(tables, rows, trees, classes).sum(2)


def labels_of(nodes, alive, x, device, noise):
    """Classes by one of several rules: a node of the graph, a sum of features, trees, or the nearest of some rows."""
    tables, rows, features = x.shape
    most = MOST_CLASSES
    counts = torch.tensor([0, 0, 0.5, 0.17, 0.09, 0.07, 0.05, 0.04, 0.03, 0.03, 0.02], device=device)
    classes = torch.multinomial(counts, tables, replacement=True)
    inside = torch.arange(most, device=device)[None] < classes[:, None]
    by_node, _ = pick(nodes, alive, most)
    relevant = torch.rand(tables, features, 1, device=device) < log_uniform((tables, 1, 1), 1.0 / features, 1, device)
    relevant[:, 0] = True
    weights = torch.randn(tables, features, most, device=device) * relevant
    linear = torch.bmm(x, weights)
    joint = torch.bmm(torch.tanh(torch.bmm(x, torch.randn(tables, features, 24, device=device) * relevant / features ** 0.5 * 2)), torch.randn(tables, 24, most, device=device))
    trees = scores_of_trees(x, most, device)
    weighed = x * relevant.transpose(1, 2)
    centres = weighed[:, :6 * most]
    distance = torch.cdist(weighed, centres)
    of_class = torch.randint(0, 1 << 30, (tables, 6 * most), device=device) % classes[:, None]
    number = torch.arange(6 * most, device=device)[None]
    used = number < torch.maximum(classes, (classes * log_uniform((tables,), 1, 20, device)).long())[:, None]
    of_class = torch.where(number < classes[:, None], number, of_class)
    distance = distance.masked_fill(~used[:, None], 1e9)
    near = torch.full((tables, rows, most), -1e4, device=device)
    near = near.scatter_reduce(2, of_class[:, None].expand(-1, rows, -1), -distance, "amax", include_self=True).clamp(min=-50)
    rule = torch.multinomial(torch.tensor([0.35, 0.2, 0.15, 0.2, 0.1], device=device), tables, replacement=True)[:, None, None]
    score = torch.where(rule == 0, by_node, torch.where(rule == 1, linear, torch.where(rule == 2, joint, torch.where(rule == 3, trees, near))))
    scale = torch.where(inside[:, None], score, torch.zeros(1, device=device)).flatten(1).std(1)[:, None, None] + 1e-6
    score = score / scale
    # Steps of one score, as of an age.
    one = standard(score[:, :, 0] + torch.randn(tables, rows, device=device) * torch.where(
        torch.rand(tables, 1, device=device) < 0.35, torch.zeros(1, device=device), log_uniform((tables, 1), 0.05, noise, device)))
    share = torch.distributions.Gamma(log_uniform((tables, 1), 0.7, 10, device).expand(-1, most), torch.ones(1, device=device)).sample() * inside + 1e-9
    share = share / share.sum(1, keepdim=True)
    rank = one.argsort(1).argsort(1).float() / rows
    stepped = (rank[..., None] > share.cumsum(1)[:, None]).sum(2).clamp(max=most - 1)
    stepped = torch.minimum(stepped, classes[:, None] - 1)
    # The largest of several scores, some of them often so.
    noise = torch.where(torch.rand(tables, 1, 1, device=device) < 0.35, torch.full((1,), 0.02, device=device), log_uniform((tables, 1, 1), 0.1, noise, device))
    bias = torch.randn(tables, 1, most, device=device) * log_uniform((tables, 1, 1), 0.05, 1.5, device)
    gumbel = -torch.log(-torch.log(torch.rand(tables, rows, most, device=device).clamp(1e-6, 1 - 1e-6)))
    largest = (score + bias + noise * gumbel).masked_fill(~inside[:, None], -1e9).argmax(2)
    use_steps = (torch.rand(tables, 1, device=device) < 0.45) & (rule[..., 0] != 4)
    y = torch.where(use_steps, stepped, largest)
    # No class has a fixed number.
    order = torch.rand(tables, most, device=device).masked_fill(~inside, 9).argsort(1).argsort(1)
    return torch.gather(order, 1, y)


def warped(x, device):
    """Columns as they are measured: skewed, counted, cut off, rounded."""
    tables, rows, features = x.shape
    kind = torch.randint(0, 7, (tables, 1, features), device=device)
    strength = log_uniform((tables, 1, features), 0.3, 1.5, device)
    skewed = torch.exp(x * strength)
    power = torch.sign(x) * torch.abs(x) ** (1 + strength)
    steps = log_uniform((tables, 1, features), 0.7, 6, device)
    rounded = torch.round(x * steps) / steps
    cut = torch.maximum(x, torch.randn(tables, 1, features, device=device))
    return torch.where(kind == 0, skewed, torch.where(kind == 1, power, torch.where(kind == 2, rounded, torch.where(kind == 3, cut, x))))


def as_levels(x, device):
    """A level for each number: cuts at random, in no order."""
    tables, rows, features = x.shape
    count = log_uniform((tables, 1, features), 2, 24, device).long()
    cuts = torch.sort(torch.rand(tables, features, 24, device=device), 2).values
    rank = x.argsort(1).argsort(1).float() / rows
    level = (rank[..., None] > cuts[:, None]).sum(3) % count
    return level


def normal_scores(x):
    """The normal quantile of each number's middle rank in its column; equal numbers are alike."""
    rows = x.shape[1]
    ordered = torch.sort(x.transpose(1, 2).contiguous(), 2).values
    flat = x.transpose(1, 2).contiguous()
    low = torch.searchsorted(ordered, flat)
    high = torch.searchsorted(ordered, flat, right=True)
    middle = (low + high).float() / 2 / rows
    return torch.special.ndtri(middle.clamp(0.5 / rows, 1 - 0.5 / rows)).transpose(1, 2)


def cells_of(values, level, is_category, missing, device):
    """What the network reads of each cell: z-score, normal score, gap, category, the level's code."""
    tables, rows, features = values.shape
    known = (~missing).float()
    count = known.sum(1, keepdim=True).clamp(min=1)
    mean = (values * known).sum(1, keepdim=True) / count
    deviation = (((values - mean) ** 2 * known).sum(1, keepdim=True) / count).sqrt() + 1e-6
    number = known * (~is_category)
    z = ((values - mean) / deviation).clamp(-4, 4) * number
    filled = torch.where(missing, mean.expand_as(values), values)
    scores = normal_scores(filled) * number
    codes = torch.randn(tables, 64, features, CODES, device=device)
    code = torch.gather(codes, 1, level[..., None].expand(-1, -1, -1, CODES)) * (known * is_category)[..., None]
    flags = torch.stack([missing.float(), is_category.float().expand_as(known)], 3)
    return torch.cat([z[..., None], scores[..., None], flags, code], 3)


def draw_tables(tables, labelled, asked, features, device, noise=1.8):
    """-> cells (tables, rows, features, CELL), classes of the rows; the first rows are those with a label."""
    spare = labelled + 2 * asked
    nodes, alive = graph_of_nodes(tables, spare, device)
    early = torch.rand(tables, 1, 1, device=device) < 0.3  # features are causes alone
    place = torch.arange(nodes.shape[2], device=device)[None, None] < 48
    x, used = pick(nodes, alive & (~early | place), features)
    idle = torch.rand(tables, 1, features, device=device) < torch.rand(tables, 1, 1, device=device) * 0.5
    x = torch.where(idle & (torch.rand(tables, 1, 1, device=device) < 0.5), torch.randn_like(x), x)
    rest = alive.clone()
    rest[:, 0].scatter_(1, used, False)
    y = labels_of(nodes, rest, standard(x), device, noise)
    # Who labels takes rows as they come, or as many of every class.
    fair = torch.rand(tables, 1, device=device) < 0.3
    chance = torch.rand(tables, spare, device=device)
    order = chance.argsort(1)
    sorted_y = torch.gather(y, 1, order)
    one_hot = torch.nn.functional.one_hot(sorted_y, MOST_CLASSES)
    rank = (torch.gather(one_hot.cumsum(1), 2, sorted_y[..., None])[..., 0] - 1).float()
    key = torch.where(fair, rank + torch.rand_like(rank) * 0.5, torch.arange(spare, device=device)[None].float())
    first = torch.gather(order, 1, key.argsort(1))
    left = first[:, labelled:]
    left = torch.gather(left, 1, torch.rand(left.shape, device=device).argsort(1))
    rows = torch.cat([first[:, :labelled], left[:, :asked]], 1)
    y = torch.gather(y, 1, rows)
    x = torch.gather(x, 1, rows[..., None].expand(-1, -1, features))
    part = torch.tensor([0.0, 0.0, 0.3, 0.6, 1.0], device=device)[torch.randint(0, 5, (tables, 1, 1), device=device)]
    is_category = torch.rand(tables, 1, features, device=device) < part
    level = as_levels(x, device)
    gaps = torch.rand(tables, 1, 1, device=device) < 0.25
    rate = torch.rand(tables, 1, features, device=device) * 0.4 * (torch.rand(tables, 1, features, device=device) < 0.5) * gaps
    bent = torch.sigmoid(x * 2 * torch.randn(tables, 1, features, device=device)) * 2
    missing = torch.rand_like(x) < rate * torch.where(torch.rand(tables, 1, features, device=device) < 0.5, bent, torch.ones(1, device=device))
    return cells_of(warped(x, device), level, is_category, missing, device), y
