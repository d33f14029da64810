"""The pieces of a simulation: what is decided before it, its machinery, its rows, its checkpoints, its words."""
