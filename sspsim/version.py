"""The version of sspsim."""

__version__ = "0.1.0"
