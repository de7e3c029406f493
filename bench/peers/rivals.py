"""The common classifiers that ours is compared with on tables, their settings chosen by cross-validation, and this machine's name."""
import json
import os
import subprocess

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def others():
    def scaled(model, **grid):
        step = type(model).__name__.lower()
        names = {f"{step}__{name}": values for name, values in grid.items()}
        return GridSearchCV(make_pipeline(StandardScaler(), model), names, cv=3)

    return {
        "logistic regression": scaled(LogisticRegression(max_iter=1000), C=[0.01, 0.1, 1, 10]),
        "support vectors": scaled(SVC(), C=[0.3, 1, 10], gamma=["scale", 0.01, 0.1]),
        "random forest": RandomForestClassifier(300, random_state=0),
        "boosted trees": HistGradientBoostingClassifier(min_samples_leaf=5, random_state=0),
    }


def made_by():
    """The commit and the machine that a result comes from."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {"commit": commit, "machine": processor()}


def known_lines(path):
    """The objects of a file of JSON lines; none where there is no file yet."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown")
