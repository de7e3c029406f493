"""`pip install .`: the compiled module is built by CMake, the rest is in pyproject.toml."""

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


class CMakeBuild(build_ext):
    """Builds the one module with the project's own build."""

    def build_extension(self, extension):
        if shutil.which("cmake") is None:
            raise RuntimeError("cmake is missing; tools/install-deps installs what the build needs")
        module = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        build = ROOT / "build-python"  # kept: the next install compiles only what has changed
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", build, *generator]
            + ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG"]
            + ["-DGLGNN_TESTS=OFF", "-DGLGNN_PYTHON_MODULE=ON", "-DGLGNN_SANITIZE=OFF", "-DGLGNN_PAGE=OFF"]
            + [f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
            + [f"-DGLGNN_PYTHON_OUTPUT={module.parent}"],
            check=True,
        )
        jobs = str(self.parallel or os.cpu_count() or 1)
        target = ["--target", "glgnn_python", "--parallel", jobs]
        subprocess.run(["cmake", "--build", build, *target], check=True)


setup(
    version=version(),
    ext_modules=[Extension("glgnn._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
