#!/usr/bin/env python3
"""Writes the example tables of the README, data/examples/orchard.csv and orchard_new.csv.

The data are synthetic: every number is drawn here, from a fixed seed. They have what real tables have:
ids, dates, text, categories with a rare level, gaps, and rows without a label.
"""

import csv
import datetime
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "examples"
ROWS, NEW_ROWS = 300, 30
UNLABELLED = 0.3

# Of each variety: mean and spread of its measurements, and how often it grows on which rootstock.
VARIETIES = {
    "Boskoop": {"share": 0.30, "fruit_weight_g": (205, 30), "sugar_brix": (12.6, 1.0),
                "acidity_g_l": (9.4, 1.3), "firmness_kg": (8.0, 0.9), "yield_kg": (24, 6),
                "rootstocks": (0.55, 0.25, 0.18)},
    "Elstar": {"share": 0.38, "fruit_weight_g": (165, 24), "sugar_brix": (13.2, 1.0),
               "acidity_g_l": (7.2, 1.2), "firmness_kg": (6.6, 0.8), "yield_kg": (21, 5),
               "rootstocks": (0.30, 0.50, 0.18)},
    "Gala": {"share": 0.32, "fruit_weight_g": (150, 22), "sugar_brix": (13.6, 1.0),
             "acidity_g_l": (4.6, 1.1), "firmness_kg": (7.2, 0.8), "yield_kg": (27, 6),
             "rootstocks": (0.25, 0.25, 0.48)},
}
ROOTSTOCKS = ("M9", "M26", "MM106")  # and, rarely, a seedling
SOILS = ("clay", "loam", "sand")
MEASURED = ("fruit_weight_g", "sugar_brix", "acidity_g_l", "firmness_kg", "yield_kg")
DIGITS = {"fruit_weight_g": 0, "sugar_brix": 1, "acidity_g_l": 2, "firmness_kg": 2, "yield_kg": 1}
COLUMNS = ("tree", "planted", "rootstock", "soil", "irrigated", *MEASURED, "remarks", "variety")

SUBJECTS = ("a branch", "the trunk", "the crown", "the lower half", "a young shoot", "the north side")
VERBS = ("was pruned", "shows some scab", "looks healthy", "was damaged by hail", "was tied up again",
         "carries many small fruits", "had aphids")
TIMES = ("in early spring", "in May", "after the storm", "last autumn", "shortly before harvest", "again this year")


def draw_row(draw: random.Random, number: int) -> dict:
    variety = draw.choices(list(VARIETIES), [v["share"] for v in VARIETIES.values()])[0]
    habits = VARIETIES[variety]
    planted = datetime.date(2009, 3, 1) + datetime.timedelta(days=draw.randrange(0, 11 * 365))
    rootstock = "seedling" if draw.random() < 0.009 else draw.choices(ROOTSTOCKS, habits["rootstocks"])[0]
    row = {
        "tree": f"T{number:03d}",
        "planted": planted.isoformat(),
        "rootstock": rootstock,
        "soil": draw.choices(SOILS, (0.35, 0.45, 0.20))[0],
        "irrigated": "yes" if draw.random() < 0.6 else "no",
        "remarks": f"{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(TIMES)}, "
                   f"row {draw.randrange(1, 25)}, {draw.randrange(1, 40)} m from the gate",
        "variety": variety,
    }
    for name in MEASURED:
        mean, spread = habits[name]
        row[name] = f"{draw.gauss(mean, spread):.{DIGITS[name]}f}"
    for name, chance in (("sugar_brix", 0.08), ("firmness_kg", 0.05), ("soil", 0.04)):
        if draw.random() < chance:
            row[name] = ""
    return row


def write(path: pathlib.Path, columns, rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    draw = random.Random(20240517)
    rows = [draw_row(draw, i + 1) for i in range(ROWS)]
    for row in rows:
        if draw.random() < UNLABELLED:
            row["variety"] = ""
    new_rows = [draw_row(draw, ROWS + i + 1) for i in range(NEW_ROWS)]
    new_rows[3]["rootstock"] = "G41"  # a level that the model has never seen
    new_rows[7]["yield_kg"] = ""  # a gap where the fitted rows have none
    FOLDER.mkdir(parents=True, exist_ok=True)
    write(FOLDER / "orchard.csv", COLUMNS, rows)
    write(FOLDER / "orchard_new.csv", [c for c in COLUMNS if c != "variety"], new_rows)


if __name__ == "__main__":
    main()
