"""Builds the compiled parts; everything else stands in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# Nobody debugs the generated C, and only the kernel is worth -O3: so compiling takes half the time.
QUICKLY = [] if sys.platform == "win32" else ["-g0"]
GENTLY = [] if sys.platform == "win32" else ["-g0", "-O2"]


def extension(name, *include, flags=GENTLY):
    """A Cython module with the folders of the headers that it includes."""
    source = f"sspsim/{name}.pyx"
    return Extension(
        f"sspsim.{name.replace('/', '.')}",
        [source],
        include_dirs=[os.path.dirname(source), *include],
        extra_compile_args=flags,
    )


# The kernel checks nothing while it runs: the plan has made sure that all places exist.
engine = cythonize(
    [
        extension(f"engine/{name}", "sspsim/fmi", flags=QUICKLY)
        for name in ("component", "cycle", "kernel", "passage", "recorder", "snapshot", "team", "translation")
    ],
    compiler_directives={
        "language_level": 3,
        "boundscheck": False,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": False,
    },
)

others = cythonize(
    [
        extension("fmi/callbacks"),
        extension("fmi/crash"),
        extension("fmi/eventmode/events"),
        extension("fmi/interpolation/polynomials"),
        extension("fmi/modelexchange/integrator"),
        extension("fmi/tables"),
        extension("results/digits"),
        extension("results/thinning"),
        *([extension("fmi/isolation/channel", "sspsim/fmi")] if sys.platform != "win32" else []),
    ],
    language_level=3,
)

# Old libraries that FMUs still ask for; only the Linux loader takes them from us.
standins = [
    Extension(
        "sspsim.fmi.standins.gfortran3",
        ["sspsim/fmi/standins/gfortran3.c"],
        extra_link_args=[
            "-Wl,-soname,libgfortran.so.3",
            "-Wl,--version-script=sspsim/fmi/standins/gfortran3.map",
        ],
    )
]

setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=[*engine, *others, *(standins if sys.platform == "linux" else [])],
)
