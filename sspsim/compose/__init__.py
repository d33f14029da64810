"""Composing: a system from FMUs and tables, connected by the names of their variables."""
