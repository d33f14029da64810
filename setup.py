"""Builds the compiled parts; everything else stands in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

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

# The kernel checks nothing while it runs: the plan has made sure that all places exist.
engine = cythonize(
    [
        Extension(
            f"sspsim.engine.{name}",
            [f"sspsim/engine/{name}.pyx"],
            include_dirs=["sspsim/engine", "sspsim/fmi"],
        )
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

setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=engine
    + cythonize(
        [
            Extension("sspsim.results.thinning", ["sspsim/results/thinning.pyx"]),
            Extension("sspsim.fmi.crash", ["sspsim/fmi/crash.pyx"], include_dirs=["sspsim/fmi"]),
            Extension("sspsim.fmi.callbacks", ["sspsim/fmi/callbacks.pyx"], include_dirs=["sspsim/fmi"]),
            Extension(
                "sspsim.fmi.modelexchange.integrator",
                ["sspsim/fmi/modelexchange/integrator.pyx"],
                include_dirs=["sspsim/fmi/modelexchange"],
            ),
            Extension(
                "sspsim.fmi.eventmode.events",
                ["sspsim/fmi/eventmode/events.pyx"],
                include_dirs=["sspsim/fmi/eventmode"],
            ),
            Extension(
                "sspsim.fmi.interpolation.polynomials",
                ["sspsim/fmi/interpolation/polynomials.pyx"],
                include_dirs=["sspsim/fmi/interpolation"],
            ),
            *(
                [
                    Extension(
                        "sspsim.fmi.isolation.channel",
                        ["sspsim/fmi/isolation/channel.pyx"],
                        include_dirs=["sspsim/fmi/isolation", "sspsim/fmi"],
                    )
                ]
                if sys.platform != "win32"
                else []
            ),
            *(standins if sys.platform == "linux" else []),
            Extension("sspsim.fmi.tables", ["sspsim/fmi/tables.pyx"]),
            Extension(
                "sspsim.results.digits", ["sspsim/results/digits.pyx"], include_dirs=["sspsim/results"]
            ),
        ],
        language_level=3,
    ),
)
