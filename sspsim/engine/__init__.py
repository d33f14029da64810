"""Executes a plan: components as FMU instances, values moved by the compiled kernel."""
