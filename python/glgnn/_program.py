"""The program `glgnn`, which `pip install` puts beside the package."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "glgnn"
    os.execv(program, ["glgnn", *sys.argv[1:]])
