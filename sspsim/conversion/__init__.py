"""From MasterSim projects to packages and back."""
