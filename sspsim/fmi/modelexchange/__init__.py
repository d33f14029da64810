"""Model exchange: FMUs that bring equations only, each with a CVODE of its own."""
