"""Accuracy on tables of numbers and categories with gaps, as people have them: ours beside common classifiers.

Synthetic tables are drawn here; real ones come with R and its packages (`tools/install-deps tables`). 10 or 50 rows of every class are labelled, in several draws; ours is `glgnn fit TABLE.csv --label class`
as it is, which also sees the other rows without their labels. The others get the labelled rows: numbers with gaps filled by the
median, a column that says so, categories one-hot, all scaled, settings by cross-validation. Accuracy on the rows without a label.

    /usr/bin/python3 bench/peers/mixed_tables.py RUNS.jsonl [--program build/glgnn] [--draws 3] [--only ours|others] [NAME...]
    /usr/bin/python3 bench/peers/mixed_tables.py RUNS.jsonl --study >> docs/results/mixed_tables.jsonl

With --many most rows are labelled, as in a table that somebody wants to learn from: 70 % of at most 6000.

The first adds a line of JSON to RUNS.jsonl for each table, number of labels, draw and method as it is found; what the file holds
already is not run again. The second makes two lines of all of them, as tools/make_results.py wants it: mixed_tables of those tables that
were looked at while the weights of categories and the choice of modules were settled, mixed_fresh of the others; with --many one line.
"""
import argparse
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import sklearn

from rivals import known_lines, made_by, others

LABELS_PER_CLASS = (10, 50)
MOST_LABELLED = 0.6  # of all rows
MOST_ROWS = 1000
MANY_LABELLED = 0.7  # of all rows
MANY_ROWS = 6000
GAP = ""


def levels(prefix, codes):
    return [f"{prefix}{code}" for code in codes]


def shares(random, count):
    return random.dirichlet(np.full(count, 2.0))


def coin(random, score):
    return random.random(len(score)) < 1 / (1 + np.exp(-score))


def city_and_job():
    """Age and income decide; city and job, of many levels, say nothing."""
    random = np.random.default_rng(31)
    n = 1200
    age, income = random.normal(42, 13, n), np.exp(random.normal(10.3, 0.6, n))
    city, job = random.choice(45, n, p=shares(random, 45)), random.choice(40, n, p=shares(random, 40))
    yes = coin(random, 4 * ((age - 42) / 13 + (np.log(income) - 10.3) / 0.6))
    return {"age": age.clip(17).round(), "income": income.round(), "city": levels("c", city), "job": levels("j", job)}, levels("k", yes.astype(int))


def census():
    """Five numbers and eight categories; some of each count."""
    random = np.random.default_rng(32)
    n = 1000
    age, hours, years = random.normal(40, 12, n), random.normal(40, 9, n), random.integers(4, 17, n)
    gain, weight = np.where(random.random(n) < 0.1, np.exp(random.normal(8, 1, n)), 0), np.exp(random.normal(12, 0.5, n))
    table = {"age": age.round(), "hours": hours.round(), "years": years, "gain": gain.round(), "weight": weight.round()}
    score = (age - 40) / 12 + (hours - 40) / 9 + (years - 10) / 3 + 2 * (gain > 3000)
    for name, count, effect in (("work", 9, 0), ("school", 16, 0.5), ("marital", 7, 1.5), ("job", 15, 1), ("relation", 6, 1), ("origin", 5, 0),
                                ("sex", 2, 0.7), ("country", 42, 0)):
        codes = random.choice(count, n, p=shares(random, count))
        score += effect * random.normal(size=count)[codes]
        table[name] = levels(name[0], codes)
    table["job"] = [GAP if gap else job for gap, job in zip(random.random(n) < 0.05, table["job"])]
    return table, levels("k", coin(random, 1.5 * (score - np.median(score))).astype(int))


def levels_decide():
    """Three classes by the levels of three categories; the numbers say little."""
    random = np.random.default_rng(33)
    n = 1000
    score = np.zeros((n, 3))
    table = {f"x{j}": random.normal(size=n).round(3) for j in range(3)}
    score[:, 0] += np.array(table["x0"])
    for name, count in (("a", 12), ("b", 30), ("c", 5)):
        codes = random.choice(count, n, p=shares(random, count))
        score += 2 * random.normal(size=(count, 3))[codes]
        table[name] = levels(name, codes)
    return table, levels("k", np.argmax(score + random.gumbel(size=(n, 3)), axis=1))


def gates():
    """A category of four levels says which number counts, and gaps tell something too."""
    random = np.random.default_rng(34)
    n = 1000
    x, kind = random.normal(size=(n, 4)), random.integers(0, 4, n)
    noise = random.choice(20, n, p=shares(random, 20))
    score = x[np.arange(n), kind] + 0.7 * x[:, 0]
    table = {f"x{j}": list(x[:, j].round(3)) for j in range(4)}
    for i in np.flatnonzero(random.random(n) < 0.3 / (1 + np.exp(-2 * score))):
        table["x1"][i] = GAP
    return {**table, "kind": levels("g", kind), "shop": levels("s", noise)}, levels("k", coin(random, 3 * score).astype(int))


# Each gives a data frame d whose column "class" is predicted.
FROM_R = {
    "Titanic": "d <- as.data.frame(Titanic); d <- d[rep(1:nrow(d), d$Freq), c('Class', 'Sex', 'Age', 'Survived')]; names(d)[4] <- 'class'",
    "birthwt": """d <- MASS::birthwt; d$class <- d$low; d$race <- c('white', 'black', 'other')[d$race]
                  for (n in c('smoke', 'ht', 'ui')) d[[n]] <- ifelse(d[[n]] == 1, 'yes', 'no'); d$low <- d$bwt <- NULL""",
    "colon": """d <- subset(survival::colon, etype == 1); d$class <- d$status
                for (n in c('sex', 'obstruct', 'perfor', 'adhere', 'surg', 'node4')) d[[n]] <- ifelse(d[[n]] == 1, 'yes', 'no')
                d$differ <- c('well', 'moderate', 'poor')[d$differ]; d$extent <- c('submucosa', 'muscle', 'serosa', 'contiguous')[d$extent]
                d$id <- d$study <- d$status <- d$time <- d$etype <- NULL""",
    "credit": "data(credit_data, package = 'modeldata'); d <- credit_data; names(d)[names(d) == 'Status'] <- 'class'",
    "Affairs": "data(Affairs, package = 'AER'); d <- Affairs; d$class <- d$affairs > 0; d$affairs <- NULL",
    "infert": "d <- infert; d$class <- d$case; d$case <- d$stratum <- d$pooled.stratum <- NULL",
    "esoph": """e <- esoph; for (n in c('agegp', 'alcgp', 'tobgp')) e[[n]] <- as.character(e[[n]])
                one <- function(count, class) cbind(e[rep(1:nrow(e), count), c('agegp', 'alcgp', 'tobgp')], class = class)
                d <- rbind(one(e$ncases, 'case'), one(e$ncontrols, 'control'))""",
    "pbc": """d <- survival::pbc; d$class <- d$status == 2; d$trt <- c('drug', 'placebo')[d$trt]
              for (n in c('ascites', 'hepato', 'spiders')) d[[n]] <- ifelse(d[[n]] == 1, 'yes', 'no')
              d$edema <- ifelse(d$edema == 0, 'no', ifelse(d$edema == 1, 'yes', 'treated')); d$stage <- paste0('s', d$stage)
              d$stage[d$stage == 'sNA'] <- NA; d$id <- d$time <- d$status <- NULL""",
    "lung": """d <- survival::lung; d$class <- d$status; d$inst <- ifelse(is.na(d$inst), NA, paste0('i', d$inst))
               d$sex <- c('male', 'female')[d$sex]; d$status <- d$time <- NULL""",
    "stagec": "d <- rpart::stagec; d$class <- d$pgstat; d$eet <- c('no', 'yes')[d$eet]; d$pgstat <- d$pgtime <- NULL",
    "labour": "data(PSID1976, package = 'AER'); d <- PSID1976[, c('youngkids', 'oldkids', 'age', 'education', 'hhours', 'hage', 'heducation', "
              "'hwage', 'fincome', 'tax', 'meducation', 'feducation', 'unemp', 'city', 'hcollege', 'college', 'participation')]; "
              "names(d)[17] <- 'class'",
    "housing": "h <- MASS::housing; d <- h[rep(1:nrow(h), h$Freq), c('Infl', 'Type', 'Cont', 'Sat')]; names(d)[4] <- 'class'",
    "attrition": "data(attrition, package = 'modeldata'); d <- attrition; names(d)[names(d) == 'Attrition'] <- 'class'",
    "Chile": "d <- carData::Chile; names(d)[names(d) == 'vote'] <- 'class'; d <- d[!is.na(d$class), ]",
    "Arrests": "d <- carData::Arrests; names(d)[names(d) == 'released'] <- 'class'",
    "WVS": "d <- carData::WVS; names(d)[names(d) == 'poverty'] <- 'class'",
    "Womenlf": "d <- carData::Womenlf; names(d)[names(d) == 'partic'] <- 'class'",
    "Cowles": "d <- carData::Cowles; names(d)[names(d) == 'volunteer'] <- 'class'",
    "BEPS": "d <- carData::BEPS; names(d)[names(d) == 'vote'] <- 'class'",
    "Greene": "d <- carData::Greene; names(d)[names(d) == 'decision'] <- 'class'",
    "SmokeBan": "data(SmokeBan, package = 'AER'); d <- SmokeBan; names(d)[names(d) == 'smoker'] <- 'class'",
    "HMDA": "data(HMDA, package = 'AER'); d <- HMDA; names(d)[names(d) == 'deny'] <- 'class'",
    # Who has no card spends nothing by it.
    "CreditCard": "data(CreditCard, package = 'AER'); d <- CreditCard; names(d)[names(d) == 'card'] <- 'class'; d$share <- d$expenditure <- NULL",
    "BankWages": "data(BankWages, package = 'AER'); d <- BankWages; names(d)[names(d) == 'job'] <- 'class'",
    "GSOEP9402": "data(GSOEP9402, package = 'AER'); d <- GSOEP9402; names(d)[names(d) == 'school'] <- 'class'",
    "scat": "data(scat, package = 'modeldata'); d <- scat; names(d)[names(d) == 'Species'] <- 'class'",
    "churn": "data(mlc_churn, package = 'modeldata'); d <- mlc_churn; names(d)[names(d) == 'churn'] <- 'class'",
    "votes": "data(HouseVotes84, package = 'mlbench'); d <- HouseVotes84; names(d)[names(d) == 'Class'] <- 'class'",
    "gbsg": """d <- survival::gbsg; d$class <- d$status; d$meno <- c('no', 'yes')[d$meno + 1]; d$hormon <- c('no', 'yes')[d$hormon + 1]
               d$pid <- d$rfstime <- d$status <- NULL""",
    "survey": "d <- MASS::survey; d <- d[!is.na(d$Sex), ]; names(d)[names(d) == 'Sex'] <- 'class'",
    "wa_churn": "data(wa_churn, package = 'modeldata'); d <- as.data.frame(wa_churn); names(d)[names(d) == 'churn'] <- 'class'",
    "stackoverflow": "data(stackoverflow, package = 'modeldata'); d <- as.data.frame(stackoverflow); names(d)[names(d) == 'Remote'] <- 'class'",
    "lending_club": "data(lending_club, package = 'modeldata'); d <- as.data.frame(lending_club); names(d)[names(d) == 'Class'] <- 'class'",
    "penguins": "d <- as.data.frame(palmerpenguins::penguins); names(d)[names(d) == 'species'] <- 'class'",
    "HealthInsurance": "data(HealthInsurance, package = 'AER'); d <- HealthInsurance; names(d)[names(d) == 'insurance'] <- 'class'",
    "DoctorVisits": "data(DoctorVisits, package = 'AER'); d <- DoctorVisits; d$class <- d$visits > 0; d$visits <- NULL",
    "CPS1985": "data(CPS1985, package = 'AER'); d <- CPS1985; names(d)[names(d) == 'union'] <- 'class'",
    "Medicaid1986": "data(Medicaid1986, package = 'AER'); d <- Medicaid1986; names(d)[names(d) == 'enroll'] <- 'class'",
    "NMES1988": "data(NMES1988, package = 'AER'); d <- NMES1988; names(d)[names(d) == 'health'] <- 'class'",
    "SwissLabor": "data(SwissLabor, package = 'AER'); d <- SwissLabor; names(d)[names(d) == 'participation'] <- 'class'",
    "PSID1982": "data(PSID1982, package = 'AER'); d <- PSID1982; names(d)[names(d) == 'union'] <- 'class'",
    "ResumeNames": "data(ResumeNames, package = 'AER'); d <- ResumeNames; names(d)[names(d) == 'call'] <- 'class'; d$name <- NULL",
    "SportsCards": "data(SportsCards, package = 'AER'); d <- SportsCards; names(d)[names(d) == 'trade'] <- 'class'",
    "CES11": "d <- carData::CES11; names(d)[names(d) == 'abortion'] <- 'class'; d$id <- d$weight <- NULL",
    "Wells": "d <- carData::Wells; names(d)[names(d) == 'switch'] <- 'class'",
    "Salaries": "d <- carData::Salaries; names(d)[names(d) == 'rank'] <- 'class'",
    "Contraception": "data(Contraception, package = 'mlmRev'); d <- Contraception; names(d)[names(d) == 'use'] <- 'class'; d$woman <- NULL",
    "guPrenat": "data(guPrenat, package = 'mlmRev'); d <- guPrenat; names(d)[names(d) == 'prenat'] <- 'class'; d$kid <- d$mom <- d$cluster <- NULL",
    "politics": "data(politicalInformation, package = 'pscl'); d <- politicalInformation; names(d)[names(d) == 'y'] <- 'class'; d <- d[!is.na(d$class), ]",
    "tea": "data(tea, package = 'FactoMineR'); d <- tea; names(d)[names(d) == 'where'] <- 'class'",
    "imports85": "data(imports85, package = 'randomForest'); d <- imports85; names(d)[names(d) == 'driveWheels'] <- 'class'",
    "tips": "data(tips, package = 'reshape2'); d <- tips; names(d)[names(d) == 'smoker'] <- 'class'",
    "jura": "data(jura, package = 'gstat'); d <- jura.pred; names(d)[names(d) == 'Landuse'] <- 'class'",
    "happy": "data(happy, package = 'GGally'); d <- as.data.frame(happy); names(d)[names(d) == 'happy'] <- 'class'; d <- d[!is.na(d$class), ]; d$id <- d$wtssall <- NULL",
}
# Looked at once, after everything that decides was settled on the others.
FRESH = ("wa_churn", "stackoverflow", "lending_club", "penguins", "HealthInsurance", "DoctorVisits", "CPS1985", "Medicaid1986", "NMES1988", "SwissLabor",
         "PSID1982", "ResumeNames", "SportsCards", "CES11", "Wells", "Salaries", "Contraception", "guPrenat", "politics", "tea", "imports85", "tips", "jura",
         "happy")

# Numbers, categories, or both, with thousands of rows.
LARGE_FROM_R = {
    "cells": "data(cells, package = 'modeldata'); d <- as.data.frame(cells); d$case <- NULL",
    "dna": "data(DNA, package = 'mlbench'); d <- DNA; names(d)[names(d) == 'Class'] <- 'class'",
    "spam": "data(spam, package = 'kernlab'); d <- spam; names(d)[names(d) == 'type'] <- 'class'",
    "satellite": "data(Satellite, package = 'mlbench'); d <- Satellite; names(d)[names(d) == 'classes'] <- 'class'",
    "ames": """data(ames, package = 'modeldata'); d <- as.data.frame(ames); d$class <- cut(d$Sale_Price, quantile(d$Sale_Price, 0:4 / 4), letters[1:4], TRUE)
               d$Sale_Price <- NULL""",
    "diamonds": "d <- as.data.frame(ggplot2::diamonds); names(d)[names(d) == 'cut'] <- 'class'",
    "vehicle": "data(Vehicle, package = 'mlbench'); d <- Vehicle; names(d)[names(d) == 'Class'] <- 'class'",
    "pima": "data(PimaIndiansDiabetes, package = 'mlbench'); d <- PimaIndiansDiabetes; names(d)[names(d) == 'diabetes'] <- 'class'",
    "letters": "data(LetterRecognition, package = 'mlbench'); d <- LetterRecognition; names(d)[names(d) == 'lettr'] <- 'class'",
    "computing": "data(hpc_data, package = 'modeldata'); d <- as.data.frame(hpc_data)",
    "speech": "data(pd_speech, package = 'modeldata'); d <- as.data.frame(pd_speech)",
    "income": "data(income, package = 'kernlab'); d <- income; names(d)[names(d) == 'INCOME'] <- 'class'; d <- d[!is.na(d$class), ]",
    "caravan": "data(ticdata, package = 'kernlab'); d <- ticdata; names(d)[names(d) == 'CARAVAN'] <- 'class'",
    "musk": "data(musk, package = 'kernlab'); d <- musk; names(d)[names(d) == 'Class'] <- 'class'",
    "shuttle": "data(Shuttle, package = 'mlbench'); d <- Shuttle; names(d)[names(d) == 'Class'] <- 'class'",
    "vowels": "data(Vowel, package = 'mlbench'); d <- Vowel; names(d)[names(d) == 'Class'] <- 'class'",
    "soybean": "data(Soybean, package = 'mlbench'); d <- Soybean; names(d)[names(d) == 'Class'] <- 'class'",
    "light chains": "d <- survival::flchain; d$class <- d$death; d$death <- d$futime <- d$chapter <- NULL",
    "rotterdam": "d <- survival::rotterdam; d$class <- d$death; d$death <- d$dtime <- d$rtime <- d$recur <- d$pid <- NULL",
}
MANY_SEEN = ("cells", "dna", "spam", "satellite", "ames", "diamonds", "vehicle", "pima", "letters", "vowels", "churn", "credit", "attrition", "lending_club")
MANY_FRESH = ("computing", "speech", "income", "caravan", "musk", "shuttle", "soybean", "light chains", "rotterdam", "wa_churn", "stackoverflow",
              "NMES1988", "DoctorVisits")


def from_r(name, most_rows=MOST_ROWS):
    if not shutil.which("Rscript"):
        raise SystemExit("mixed_tables: Rscript is not here, which reads the real tables; install it by tools/install-deps tables")
    script = (FROM_R | LARGE_FROM_R)[name] + "; write.csv(d, row.names = FALSE, na = '')"
    run = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"mixed_tables: R does not give the table {name}: {run.stderr.strip()} (tools/install-deps tables installs its packages)")
    header, *rows = csv.reader(io.StringIO(run.stdout))
    keep = sorted(np.random.default_rng(41).permutation(len(rows))[:most_rows])
    table = {column: [rows[i][j] for i in keep] for j, column in enumerate(header)}
    return table, levels("k ", table.pop("class"))


SYNTHETIC = {"city and job": city_and_job, "census": census, "levels decide": levels_decide, "gates": gates}
TABLES = SYNTHETIC | {name: (lambda name=name: from_r(name)) for name in FROM_R}
MANY_TABLES = {name: (lambda name=name: from_r(name, MANY_ROWS)) for name in (*MANY_SEEN, *MANY_FRESH)}


def is_number(cells):
    try:
        [float(cell) for cell in cells if cell != GAP]
        return True
    except ValueError:
        return False


def encoded(table):
    """What the others learn from."""
    columns = []
    for cells in table.values():
        gaps = np.array([cell == GAP for cell in cells])
        if gaps.all():
            continue
        if is_number(cells):
            numbers = np.array([np.nan if gap else float(cell) for gap, cell in zip(gaps, cells)])
            columns.append(np.where(gaps, np.nanmedian(numbers), numbers))
            if gaps.any():
                columns.append(gaps.astype(float))
        else:
            columns += [np.array([cell == level for cell in cells], dtype=float) for level in sorted(set(cells))]
    return np.stack(columns, axis=1)


def draw_rows(y, count, draw):
    """`count` rows of every class, or a part of all rows, and the others."""
    random = np.random.default_rng(100 + draw)
    if count < 1:
        rows = random.permutation(len(y))
        return np.split(rows, [int(count * len(y))])
    labelled = np.concatenate([random.permutation(np.flatnonzero(y == c))[:count] for c in np.unique(y)])
    return labelled, np.setdiff1d(np.arange(len(y)), labelled)


def write_csv(file, table, labels):
    with open(file, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*table, "class"])
        writer.writerows(zip(*table.values(), labels))


def ours(program, table, y, labelled, test, seed):
    with tempfile.TemporaryDirectory() as folder:
        file, model = pathlib.Path(folder, "table.csv"), pathlib.Path(folder, "table.glgnn")
        shown = np.full(len(y), GAP, dtype=object)
        shown[labelled] = y[labelled]
        write_csv(file, {"row of the table": range(len(y))} | table, shown)
        start = time.perf_counter()
        subprocess.run([program, "fit", file, "--label", "class", "--id", "row of the table", "--out", model, "--seed", str(seed), "--threads", "1", "--no-report", "--quiet"],
                       check=True)
        seconds = time.perf_counter() - start
        run = subprocess.run([program, "predict", model], capture_output=True, text=True, check=True)
        by_row = {row["id"]: row["predicted"] for row in csv.DictReader(io.StringIO(run.stdout))}
        predicted = np.array([by_row.get(str(i), GAP) for i in range(len(y))], dtype=object)  # a row without any value is left out: wrong
        return {"ours": float(np.mean(predicted[test] == y[test]))}, seconds


def accuracies_of_others(table, y, labelled, test):
    x = encoded(table)
    return {name: float(np.mean(model.fit(x[labelled], y[labelled]).predict(x[test]) == y[test])) for name, model in others().items()}, None


def measure(options, name, out, known):
    made = None
    tables, fresh, counts = (MANY_TABLES, MANY_FRESH, (MANY_LABELLED,)) if options.many else (TABLES, FRESH, LABELS_PER_CLASS)
    for count in counts:
        for draw in range(options.draws):
            wanted = {"ours": ("ours",), "others": tuple(others()), None: ("ours", *others())}[options.only]
            of_class = count if count >= 1 else f"{count:.0%} of all"
            missing = [method for method in wanted if (name, of_class, draw, method) not in known]
            if not missing:
                continue
            if made is None:
                table, y = tables[name]()
                table, y = {column: [str(cell) for cell in cells] for column, cells in table.items()}, np.array(y, dtype=object)
                made = True
            classes, rows = np.unique(y.astype(str), return_counts=True)
            if count >= 1 and (count * len(classes) > MOST_LABELLED * len(y) or rows.min() < count + 5):
                break
            labelled, test = draw_rows(y, count, draw)
            for method, run in (("ours", lambda: ours(options.program, table, y, labelled, test, draw)),
                                ("others", lambda: accuracies_of_others(table, y, labelled, test))):
                if not any((m == "ours") == (method == "ours") for m in missing):
                    continue
                found, seconds = run()
                for which, accuracy in found.items():
                    line = {"table": name, "seen": name not in fresh, "rows": len(y), "columns": len(table), "classes": len(classes),
                            "per_class": of_class, "draw": draw, "method": which, "accuracy": accuracy, **options.where}
                    if seconds is not None:
                        line["seconds"] = round(seconds, 1)
                    out.write(json.dumps(line) + "\n")
                    out.flush()
                print(f"{name}, {of_class}{' of a class' if count >= 1 else ''}, draw {draw}: " + ", ".join(f"{m} {100 * a:.1f}" for m, a in found.items()),
                      file=sys.stderr, flush=True)


def study(name, runs):
    """The runs of a study in one record, a line for each table and number of labels that all methods have."""
    tables = {}
    if name != "many_tables":
        runs = [run for run in runs if run["seen"] == (name == "mixed_tables")]
    order = [*TABLES, *MANY_TABLES]
    for run in sorted(runs, key=lambda run: (not run["seen"], order.index(run["table"]), run["per_class"], run["draw"])):
        line = tables.setdefault((run["table"], run["per_class"]), {
            "name": run["table"], "seen": run["seen"], "rows": run["rows"], "columns": run["columns"], "per_class": run["per_class"],
            "accuracy": {"ours": []}, "seconds": []})
        line["accuracy"].setdefault(run["method"], []).append(run["accuracy"])
        line["seconds"] += [run["seconds"]] if "seconds" in run else []
    ours_runs = [run for run in runs if run["method"] == "ours"]
    methods = {run["method"] for run in runs}
    tables = {key: line for key, line in tables.items()
              if len(line["accuracy"]) == len(methods) and len({len(draws) for draws in line["accuracy"].values()}) == 1}
    return {"name": name, "commit": ", ".join(sorted({run["commit"] for run in ours_runs})),
            "machine": ", ".join(sorted({run["machine"] for run in ours_runs})), "threads": 1,
            "sklearn": sklearn.__version__, "draws": 1 + max(run["draw"] for run in runs), "tables": list(tables.values())}


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--program", default="build/glgnn")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--only", choices=("ours", "others"))
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--study", action="store_true")
    options = parser.parse_intermixed_args()
    options.where = made_by() | {"sklearn": sklearn.__version__}
    runs = known_lines(options.out)
    if options.study:
        for name in ("many_tables",) if options.many else ("mixed_tables", "mixed_fresh"):
            print(json.dumps(study(name, runs)))
        return
    known = {(run["table"], run["per_class"], run["draw"], run["method"]) for run in runs}
    with open(options.out, "a") as out:
        for name in options.names or (MANY_TABLES if options.many else TABLES):
            measure(options, name, out, known)


if __name__ == "__main__":
    main()
