"""Inputs that go on between two communication points, for FMUs that can interpolate with derivatives."""
