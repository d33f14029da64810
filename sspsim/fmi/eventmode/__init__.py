"""FMI 3 co-simulation with event mode and clocks."""
