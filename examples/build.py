"""Build the example FMUs and systems: `python examples/build.py [--out DIR] [--fmi 1,2,3] [--only NAME,...]`."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fmubuild import BuildError, build_fmu, model_names, pack_system, system_names

DEFAULT_OUT = Path(__file__).resolve().parent / "build"


def build_all(out: Path, versions: list[int], only: list[str], workers: int) -> list[Path]:
    """Build the chosen models for the chosen FMI versions, and pack the chosen systems. Compilers run in parallel."""
    chosen = set(only or [*model_names(), *system_names()])
    if unknown := chosen - set(model_names()) - set(system_names()):
        raise BuildError(
            f"Unknown: {', '.join(sorted(unknown))}. "
            f"Models: {', '.join(model_names())}. Systems: {', '.join(system_names())}."
        )
    jobs = [(name, fmi) for name in model_names() if name in chosen for fmi in versions]
    with ThreadPoolExecutor(workers) as pool:
        fmus = list(pool.map(lambda job: build_fmu(job[0], job[1], out), jobs))
        systems = list(pool.map(lambda name: pack_system(name, out), sorted(chosen & set(system_names()))))
    return fmus + systems


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the example FMUs and pack the example systems.")
    parser.add_argument(
        "--out", type=Path, default=DEFAULT_OUT, help="folder for the results (default: examples/build)"
    )
    parser.add_argument(
        "--fmi", default="1,2,3", help="FMI versions to build, e.g. 2 or 1,3 (default: 1,2,3)"
    )
    parser.add_argument(
        "--only", default="", help="comma separated names of models and systems (default: all)"
    )
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="parallel compilers")
    options = parser.parse_args(arguments)
    try:
        versions = sorted({int(version) for version in options.fmi.split(",")})
        if not set(versions) <= {1, 2, 3}:
            raise ValueError
    except ValueError:
        parser.error(f"--fmi takes some of 1,2,3, not {options.fmi!r}")
    try:
        built = build_all(options.out, versions, [n for n in options.only.split(",") if n], options.jobs)
    except BuildError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    print(f"{len(built)} files are up to date in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
