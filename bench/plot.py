"""The plot of docs/benchmarks.md as an SVG file, with the standard library alone.

Three panels: seconds of an epoch beside PyTorch, seconds over the rows, memory over the rows; all axes are
logarithmic.
"""

import math

WIDTH, HEIGHT, GAP = 300, 260, 70
OURS, PEER, INK, FAINT = "#1f6feb", "#d1742f", "#444444", "#dddddd"


def powers(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


class Axis:
    """Numbers to places on `length` points, from whole power of ten to whole power of ten."""

    def __init__(self, numbers, length):
        self.ticks = powers(min(numbers), max(numbers))
        if len(self.ticks) == 1:
            self.ticks = range(self.ticks[0], self.ticks[0] + 2)
        self.length = length

    def __call__(self, number):
        first, last = self.ticks[0], self.ticks[-1]
        return self.length * (math.log10(number) - first) / (last - first)


def text(x, y, words, anchor="start", colour=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour, width=1.0):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def label(power):
    return f"{10.0**power:g}"


def bars(title, results):
    """Ours above the peer's, for each dataset."""
    times = [t for r in results for t in (r["seconds"], r["peer_seconds"]) if t]
    axis = Axis([min(times) / 2, *times], WIDTH)
    parts = [text(0, -12, title)]
    for power in axis.ticks:
        x = axis(10.0**power)
        parts += [line(x, 0, x, HEIGHT, FAINT), text(x, HEIGHT + 16, label(power), "middle")]
    step = HEIGHT / len(results)
    for place, r in enumerate(results):
        top = place * step + step * 0.15
        parts.append(text(-6, top + step * 0.35, r["name"].split("/")[1], "end"))
        for offset, key, colour in ((0, "seconds", OURS), (0.35, "peer_seconds", PEER)):
            if r[key]:
                parts.append(f'<rect x="0" y="{top + offset * step:.1f}" width="{axis(r[key]):.1f}" '
                             f'height="{0.3 * step:.1f}" fill="{colour}"/>')
    parts += [text(WIDTH - 110, HEIGHT + 34, "ours", colour=OURS), text(WIDTH - 70, HEIGHT + 34, "PyTorch", colour=PEER)]
    return parts


def curve(title, results, key):
    rows, values = [r["n"] for r in results], [r[key] for r in results]
    across, up = Axis(rows, WIDTH), Axis(values, HEIGHT)
    parts = [text(0, -12, title)]
    for power in across.ticks:
        x = across(10.0**power)
        parts += [line(x, 0, x, HEIGHT, FAINT), text(x, HEIGHT + 16, label(power), "middle")]
    for power in up.ticks:
        y = HEIGHT - up(10.0**power)
        parts += [line(0, y, WIDTH, y, FAINT), text(-6, y + 4, label(power), "end")]
    places = [(across(n), HEIGHT - up(v)) for n, v in zip(rows, values)]
    parts.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>'
                 % (OURS, " ".join(f"{x:.1f},{y:.1f}" for x, y in places)))
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{OURS}"/>' for x, y in places]
    return parts


def draw(report, path):
    """Writes the file where there is something to show, and says whether there is."""
    epochs = [r for r in report["results"] if r["name"].startswith("epoch/") and r["seconds"]]
    grown = [r for r in report["results"] if r["name"].startswith("scaling/") and r["seconds"] and r["peak_mb"]]
    panels = [bars("seconds of an epoch", epochs)] if epochs else []
    if len(grown) > 1:
        panels += [curve("seconds of an epoch over the rows", grown, "seconds"),
                   curve("peak memory in MB over the rows", grown, "peak_mb")]
    if not panels:
        path.unlink(missing_ok=True)
        return False
    width, height = len(panels) * (WIDTH + GAP) + 20, HEIGHT + 80
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for place, panel in enumerate(panels):
        parts += [f'<g transform="translate({GAP + place * (WIDTH + GAP)},34)">', *panel, "</g>"]
    path.write_text("\n".join([*parts, "</svg>", ""]))
    return True
