"""The system as graphs: flattening, time-only outputs, cycles and order, algebraic loops."""
