"""One FMU: its description, its files, its C functions and its life cycle."""
