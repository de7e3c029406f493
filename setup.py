"""`pip install .`: CMake builds the compiled module and the program, the rest is in pyproject.toml.

GLGNN_BUILD names a build folder to take them from (one made with -DGLGNN_PYTHON_MODULE=ON, as `make develop` does);
without it they are built in build-python, which is kept: the next install compiles only what has changed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pybind11
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """The project's version, which CMakeLists.txt states."""
    return re.search(r"project\(glgnn VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


class CMakeBuild(build_ext):
    """Builds the one module with the project's own build, and puts the program beside it."""

    def build_extension(self, extension):
        if shutil.which("cmake") is None:
            raise RuntimeError("cmake is missing; tools/install-deps installs what the build needs")
        build = os.environ.get("GLGNN_BUILD") or self.configured()
        jobs = self.parallel or os.cpu_count() or 1
        run("cmake", "--build", build, "--target", "glgnn_python", "glgnn_program", "--parallel", jobs)
        module = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        built = list((pathlib.Path(build) / "python/glgnn").glob(f"_core*{module.suffix}"))
        if not built:
            raise RuntimeError(f"{build} has no Python module: pybind11 was not found when it was configured")
        module.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built[0], module)
        run("cmake", "--install", build, "--prefix", module.parent, "--component", "program", "--strip")

    def configured(self):
        build = ROOT / "build-python"
        page = shutil.which("npm") and (shutil.which("node") or shutil.which("nodejs"))
        if not page:
            print("node or npm is missing: the program and model.report() will have no report page", file=sys.stderr)
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        run("cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DGLGNN_PYTHON_MODULE=ON",
            f"-DGLGNN_PAGE={'ON' if page else 'OFF'}", f"-DPython_EXECUTABLE={sys.executable}",
            f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
        return build


setup(
    version=version(),
    ext_modules=[Extension("glgnn._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": "build-python/wheel"}},  # not among CMake's files in build
)
