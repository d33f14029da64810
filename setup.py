"""Builds the compiled parts; everything else stands in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, setup

setup(
    ext_modules=cythonize(
        [
            Extension("sspsim.engine.kernel", ["sspsim/engine/kernel.pyx"], include_dirs=["sspsim/engine"]),
            Extension("sspsim.results.thinning", ["sspsim/results/thinning.pyx"]),
            Extension("sspsim.fmi.callbacks", ["sspsim/fmi/callbacks.pyx"], include_dirs=["sspsim/fmi"]),
            Extension("sspsim.fmi.tables", ["sspsim/fmi/tables.pyx"]),
            Extension("sspsim.results.digits", ["sspsim/results/digits.pyx"], include_dirs=["sspsim/results"]),
        ],
        language_level=3,
    )
)
