"""Parts of docs/results.md: ours beside common classifiers on tables, the estimates, and the learning curves."""

import math
import statistics

from results.studies import load, records


def mean_of(accuracies):
    return 100 * sum(accuracies) / len(accuracies)


def other_tables(study):
    """Ours beside common classifiers, from an answer of bench/peers/other_tables.py."""
    found = load(study)
    if not found:
        return ["Not measured yet."]
    methods = [method for method in found["tables"][0]["accuracy"] if method != "ours"]
    others = [method for method in methods if method != "ours without class mixing"]
    lines = ["| table | rows x columns | labels of a class | ours | " + " | ".join(methods) + " | ours less the best other |",
             "|---|" + "---|" * (len(methods) + 4)]
    ahead = {True: [], False: []}
    for line in found["tables"]:
        means = {method: mean_of(parts) for method, parts in line["accuracy"].items()}
        apart = means["ours"] - max(means[method] for method in others)
        ahead[line["seen"]].append(apart)
        lines.append(f"| {line['name']}{'' if line['seen'] else ' (unseen)'} | {line['rows']} x {line['columns']} | {line['per_class']} | {means['ours']:.1f} | "
                     + " | ".join(f"{means[method]:.1f}" for method in methods) + f" | {apart:+.1f} |")
    parts = {"mean of the lines": (True, False), "mean of the seen ones": (True,), "mean of the unseen ones": (False,)}
    for words, kinds in parts.items() if all(ahead.values()) else [*parts.items()][:1]:
        means = [statistics.mean(mean_of(line["accuracy"][method]) for line in found["tables"] if line["seen"] in kinds) for method in ["ours", *methods]]
        lines.append(f"| {words} | | | " + " | ".join(f"{mean:.1f}" for mean in means) + " | |")
    words = [f"{sum(a >= 0 for a in apart)} of {len(apart)} lines of tables {'that were seen' if seen else 'unseen'}" for seen, apart in ahead.items() if apart]
    return [*lines, "", "Ours is at least as good as the best of the others, chosen afterwards, in " + " and ".join(words) + ".",
            f"It is more than two points behind it in {sum(a < -2 for parts in ahead.values() for a in parts)} of {len(found['tables'])} lines."]


def estimates_table():
    """What fit() says beside the truth, from an answer of bench/peers/estimates.py; a row for all drawings of a table's labels."""
    found = load("estimates")
    if not found:
        return ["Not measured yet."]
    rows = {}
    for line in found["lines"]:
        rows.setdefault((line["table"], line["labels"]), []).append(line)
    lines = ["| table | labels | estimate | truth | estimate less truth | intervals that hold the truth | validation, which chose |", "|---|" + "---|" * 6]
    for (table, labels), drawn in rows.items():
        mean = {key: 100 * statistics.mean(line[key] for line in drawn) for key in ("estimate", "truth", "validation")}
        held = sum(line["low"] <= line["truth"] <= line["high"] for line in drawn)
        lines.append(f"| {table} | {labels} | {mean['estimate']:.1f} | {mean['truth']:.1f} | {mean['estimate'] - mean['truth']:+.1f} | {held} of {len(drawn)} "
                     f"| {mean['validation']:.1f} |")
    count = len(found["lines"])
    errors = {key: [100 * (line[key] - line["truth"]) for line in found["lines"]] for key in ("estimate", "validation")}
    spread = statistics.stdev(errors["estimate"]) / count ** 0.5
    held = sum(line["low"] <= line["truth"] <= line["high"] for line in found["lines"])
    return [*lines, "", f"Over {count} drawings the estimate is {statistics.mean(errors['estimate']):+.1f} ± {spread:.1f} points from the truth in the mean "
            f"({statistics.mean(map(abs, errors['estimate'])):.1f} in size), and {held} of {count} intervals ({100 * held / count:.0f} %) hold the truth. "
            f"The validation accuracy that chose is {statistics.mean(errors['validation']):+.1f} points from it.",
            f"Measured at commit {found['commit']}, {found['machine']}."]


MOST_LABELS = 60  # that suggest should need for what random labels reach with 100


def rising(curve):
    """The curve that never falls and is nearest to this one (pool adjacent violators), as `glgnn evaluate --grow` has it."""
    levels = []
    for value in curve:
        levels.append((value, 1))
        while len(levels) > 1 and levels[-1][0] <= levels[-2][0]:
            (last, more), (mean, points) = levels.pop(), levels.pop()
            levels.append(((mean * points + last * more) / (points + more), points + more))
    return [mean for mean, points in levels for _ in range(points)]


def labels_needed(labels, curve, goal):
    """With how many labels the rising curve comes to the goal; None: with more than there are."""
    for at, value in enumerate(curve):
        if value >= goal:
            return labels[at] - (value - goal) / (value - curve[at - 1]) * (labels[at] - labels[at - 1]) if at else labels[0]
    return None


def growth_table():
    """Labels that each rule needs for what random labels reach with the last number, from bench/peers/growth.py."""
    runs = {}
    for line in records("growth").values():
        runs.setdefault(line["table"], {}).setdefault(line["rule"], {})[line["seed"]] = line
    if not runs:
        return ["Not measured yet."]
    rules = [rule for rule in ("suggest", "uncertainty", "random") if any(rule in by_rule for by_rule in runs.values())]
    lines = ["| set or table | runs | labels at a time | folds | " + " | ".join(f"{rule}: labels, mean accuracy" for rule in rules) + " |", "|---|---|---|---|" + "---|" * len(rules)]
    needed, last = {rule: [] for rule in rules}, 100
    for table, by_rule in runs.items():
        seeds = sorted(by_rule["random"])
        curves = {rule: [statistics.mean(point) for point in zip(*(found[seed]["accuracy"] for seed in seeds))]
                  for rule, found in by_rule.items() if set(seeds) <= set(found)}
        labels = by_rule["random"][seeds[0]]["labels"]
        goal, cells = rising(curves["random"])[-1], []
        for rule in rules:
            if rule not in curves:
                cells.append("-")
                continue
            need = labels_needed(labels, rising(curves[rule]), goal)
            needed[rule].append(last if need is None else need)
            cells.append(f"{'more than ' + str(last) if need is None else f'{need:.0f}'}, {100 * statistics.mean(curves[rule]):.1f}")
        folds, step = (by_rule["random"][seeds[0]][key] for key in ("folds", "step"))
        lines.append(f"| {table} | {len(seeds)} | {step} | {folds or 'as always'} | " + " | ".join(cells) + " |")
    means = ", ".join(f"{rule} {statistics.mean(needed[rule]):.0f}" + (f" ({len(needed[rule])} of {len(runs)})" if len(needed[rule]) < len(runs) else "")
                      for rule in rules if needed[rule])
    reached = statistics.mean(needed["suggest"]) <= MOST_LABELS
    every = [line for by_rule in runs.values() for found in by_rule.values() for line in found.values()]
    commits, machines = (", ".join(sorted({line[key] for line in every})) for key in ("commit", "machine"))
    return [*lines, "", f"Labels in the mean, more than {last} counted as {last}: {means}. Wanted of suggest: at most {MOST_LABELS}, {'reached' if reached else 'missed'}. "
            f"Commit {commits}, {machines}."]


def far_behind(study):
    """The lines in which ours misses the best other by more than two points and the standard error of their difference."""
    found, missed, sums = load(study), [], {}
    for line in found["tables"] if found else []:
        draws = dict(line["accuracy"])
        for method, parts in draws.items():
            sums[method] = sums.get(method, 0) + mean_of(parts)
        ours = draws.pop("ours")
        best = max(draws, key=lambda method: mean_of(draws[method]))
        apart = [100 * (a - b) for a, b in zip(ours, draws[best])]
        mean = sum(apart) / len(apart)
        error = math.sqrt(sum((a - mean) ** 2 for a in apart) / (len(apart) - 1) / len(apart))
        if mean + error < -2:
            missed.append(f"{line['name']} with {line['per_class']} ({mean:+.1f} ± {error:.1f}, {best})")
    ahead = [method for method in sums if sums[method] > sums["ours"]]
    lines = ["", "Missed: the mean of ours should be above all others, and is below " + " and ".join(ahead) + "."] if ahead else []
    if not missed:
        return lines
    return [*lines, "", f"Missed: ours should nowhere be more than 2 points, and the standard error of the draws, below the best of the others, and is in {len(missed)} of "
            f"{len(found['tables'])} lines: " + ", ".join(missed) + "."]


def any_table(study="any_table"):
    """Ours beside common classifiers on every table that came, by how many rows were labelled, from an answer of bench/peers/any_table.py."""
    found = load(study)
    if not found:
        return ["Not measured yet."]
    read = [line for line in found["tables"] if "accuracy" in line]
    refused = [line["table"] for line in found["tables"] if "refused" in line]
    methods = list(read[0]["accuracy"])
    others = [method for method in methods if method != "ours"]
    lines = ["| rows labelled | tables | " + " | ".join(methods) + " | the largest class | ours less the best single other | the best other of each table |", "|---|" + "---|" * (len(methods) + 4)]
    groups = {how: [line for line in read if line["labelled"] == how] for how in sorted({line["labelled"] for line in read})}
    for how, tables in [*groups.items(), ("all", read)]:
        means = {method: 100 * statistics.mean(line["accuracy"][method] for line in tables) for method in methods}
        best = max(others, key=means.get)
        apart = [100 * (line["accuracy"]["ours"] - line["accuracy"][best]) for line in tables]
        error = statistics.stdev(apart) / math.sqrt(len(apart))
        each = 100 * statistics.mean(max(line["accuracy"][method] for method in others) for line in tables)
        lines.append(f"| {how} | {len(tables)} | " + " | ".join(f"{means[method]:.1f}" for method in methods)
                     + f" | {100 * statistics.mean(line['majority'] for line in tables):.1f} | {statistics.mean(apart):+.1f} ± {error:.1f} ({best}) | {each:.1f} |")
    firsts = {method: sum(line["accuracy"][method] == max(line["accuracy"].values()) for line in read) for method in methods}
    return [*lines, "", "± is the standard error over tables. At least as good as all others: " + ", ".join(f"{method} on {count}" for method, count in firsts.items())
            + f" of {len(read)} tables. The best other of each table is chosen afterwards, by the rows it is judged by: chance alone lifts it. "
            + (f"{len(refused)} tables are left out, because `fit` refused them with an error that says what to change: " + ", ".join(refused) + ". " if refused else "")
            + f"Ours: commit {found['commit']}, {found['machine']}, one draw of each."]
