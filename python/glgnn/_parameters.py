"""Parameters of the classifier as settings of the library."""

import numbers

import numpy as np
from sklearn.utils import check_random_state

# Those that have a parameter of their own; the others go by `settings`.
NAMED = ("mode", "modules", "k", "epochs", "hidden", "members")


def to_settings(model):
    """Name and text of every setting that the caller has chosen."""
    chosen = {name: getattr(model, name) for name in NAMED}
    chosen["seed"] = seed_of(model.random_state)
    for name, value in (model.settings or {}).items():
        if name in chosen:
            own = "random_state" if name == "seed" else name
            raise ValueError(f"settings: found {name!r}, which is the parameter {own}; set it there")
        chosen[name] = value
    return {name: _text(value) for name, value in chosen.items() if value is not None}


def seed_of(random_state):
    """A whole number as it is, so that the program's --seed gives the same model."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def threads_of(n_jobs):
    """0 stands for as many as OpenMP offers."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if isinstance(n_jobs, numbers.Integral) and 1 <= n_jobs <= 4096:
        return int(n_jobs)
    raise ValueError(f"n_jobs: found {n_jobs!r}, expected a number from 1 to 4096, or None or -1 for all")


def _text(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)
