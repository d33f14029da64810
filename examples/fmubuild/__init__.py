"""Builds FMUs from the small C models of this folder, and packs the example systems."""

from .package import BuildError, build_fmu, model_names
from .system import pack_system, system_names

__all__ = ["BuildError", "build_fmu", "model_names", "pack_system", "system_names"]
