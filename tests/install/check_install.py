#!/usr/bin/python3
"""The installed tree as others use it: moved elsewhere, found by CMake and by pkg-config.

Installs into a fresh prefix, looks for paths of the place it was built in, moves the prefix, runs the
program there, and builds examples/cpp twice against it: with find_package, and by pkg-config alone. Last,
`make deb`: the program of the unpacked package runs, and the package names the libraries it needs."""

import argparse
import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path


class Tree:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.prefix = folder / "moved here"
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith("GLGNN_") and k not in ("CMAKE_PREFIX_PATH", "DESTDIR")}

    def run(self, *command, cwd=None, env={}):
        done = subprocess.run(list(map(str, command)), cwd=cwd or self.folder, env=self.environment | env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, f"{command} ended with status {done.returncode}:\n{done.stdout}"
        return done.stdout

    def install(self):
        first = self.folder / "first"
        self.run("cmake", "--install", self.options.build, "--prefix", first)
        first.rename(self.prefix)

    def check_paths(self):
        """No file names the place it was built in, nor the first prefix."""
        places = [self.options.source, self.options.build, self.folder / "first"]
        named = re.compile(rb"(?<![\w.-])(" + b"|".join(re.escape(os.fsencode(p)) for p in places) + rb")(?![\w.-])")
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        found = [f"{path}: {named.search(path.read_bytes())[0]}" for path in files if named.search(path.read_bytes())]
        assert not found, found
        names = {path.name for path in files}
        for name in ("glgnn", "libglgnn.a", "glgnn.h", "glgnn.pc", "glgnn-config.cmake", "features.npy"):
            assert name in names, f"{name} is not installed"
        assert not any(path.is_symlink() for path in self.prefix.rglob("*")), "a link leaves the tree"

    def check_program(self):
        program = self.prefix / "bin" / "glgnn"
        assert f"data folder  {self.prefix}/share/glgnn/data\n" in self.run(program, "info")
        assert "wine" in self.run(program, "datasets")
        self.run(program, "fit", "wine", "--mode", "paper", "--epochs", "2", "--quiet", "--out", "wine.glgnn")
        link = self.folder / "link-to-glgnn"
        link.symlink_to(program)
        assert f"data folder  {self.prefix}/share/glgnn/data\n" in self.run(link, "info")

    def check_example(self, example, where):
        """What the example prints, beside what the program says of the model it saved."""
        where.mkdir(exist_ok=True)
        table = where / "table.csv"
        with_ids = (self.options.source / "tests/cli/fixtures/blobs.csv").read_text().splitlines()
        table.write_text("".join(line.split(",", 1)[1] + "\n" for line in with_ids))
        lines = self.run(example, table, "kind", cwd=where).splitlines()
        rows = len(with_ids) - 1
        predicted = [line.split(" ", 1) for line in lines[:rows]]
        program = self.prefix / "bin" / "glgnn"
        wanted = [line.split(",")[:2] for line in self.run(program, "predict", where / "table.glgnn").splitlines()[1:]]
        assert len(wanted) == rows and predicted == wanted, (predicted, wanted)
        assert re.fullmatch(r"test accuracy (0\.[5-9]\d*|1), learned graph of \d+ weights", lines[rows]), lines[rows:]
        assert re.fullmatch(rf"as new rows (1[5-9]|2\d) of {rows} predicted alike", lines[rows + 1]), lines[rows:]
        assert (where / "learned.gexf").read_text().startswith("<?xml")
        self.run(program, "fit", table, "--label", "kind", "--test-fraction", "0.3", "--quiet", "--out", "same.glgnn",
                 cwd=where)
        assert (where / "same.glgnn").read_bytes() == (where / "table.glgnn").read_bytes(), "`glgnn fit` does otherwise"
        return lines

    def cmake_example(self):
        build = self.folder / "cmake-build"
        self.run("cmake", "-G", "Ninja", "-S", self.options.source / "examples/cpp", "-B", build,
                 f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release",
                 f"-DCMAKE_CXX_COMPILER={self.options.compiler}")
        self.run("cmake", "--build", build)
        return self.check_example(build / "table_to_graph", self.folder / "by-cmake")

    def pkg_config_example(self):
        place = next(self.prefix.rglob("glgnn.pc")).parent
        flags = self.run("pkg-config", "--cflags", "--libs", "glgnn", env={"PKG_CONFIG_PATH": str(place)})
        program = self.folder / "by-hand"
        self.run(self.options.compiler, "-std=c++20", self.options.source / "examples/cpp/table_to_graph.cpp", "-o",
                 program, *shlex.split(flags))
        return self.check_example(program, self.folder / "by-pkg-config")

    def check_deb(self):
        self.run("make", "-C", self.options.source, "deb", f"OUT={self.folder}")
        (package,) = self.folder.glob("glgnn_*.deb")
        needs = self.run("dpkg-deb", "--field", package, "Depends")
        for library in ("libc6", "libopenblas", "libzip", "libfmt"):
            assert library in needs, f"the package does not ask for {library}: {needs}"
        unpacked = self.folder / "unpacked"
        self.run("dpkg-deb", "--extract", package, unpacked)
        information = self.run(unpacked / "usr/bin/glgnn", "info")
        assert f"data folder  {unpacked}/usr/share/glgnn/data\n" in information, information
        for name in ("lib/libglgnn.a", "include/glgnn/glgnn.h"):
            assert list((unpacked / "usr").rglob(Path(name).name)), f"{name} is not in the package"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--compiler", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glgnn-install-") as name:
        tree = Tree(Path(name).resolve(), options)
        tree.install()
        tree.check_paths()
        tree.check_program()
        if options.build == options.source / "build":  # the folder of `make deb`
            tree.check_deb()
        assert tree.cmake_example() == tree.pkg_config_example(), "two builds of the example differ"
    print("installed, moved, and used by CMake and pkg-config")


if __name__ == "__main__":
    main()
