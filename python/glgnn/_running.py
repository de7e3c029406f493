"""The program that comes with the package, and a progress bar while a model is fitted."""

import contextlib
import os
import pathlib
import sys
import warnings


def main():
    """The command `glgnn`, which `pip install` puts beside the package."""
    program = pathlib.Path(__file__).parent / "bin" / "glgnn"
    os.execv(program, ["glgnn", *sys.argv[1:]])


def warn(message):
    """A warning at the line that has called the package, however deep in it this is."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)


@contextlib.contextmanager
def progress(verbose, mode):
    """Gives what to call with each report of the training, or None."""
    if not verbose:
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise ImportError(
            "verbose shows progress with tqdm, which is not installed; install it or set verbose=0"
        ) from error
    with tqdm(unit="module" if mode == "best" else "epoch") as bar:

        def show(report):
            bar.total = report["epochs"]
            bar.set_postfix_str(
                f"loss {report['loss']:.3f}, validation {report['val_accuracy']:.1%}", refresh=False
            )
            bar.update(report["epoch"] - bar.n)

        yield show
