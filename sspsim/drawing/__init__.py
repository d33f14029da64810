"""Pictures of a system: what is connected with what, in which order it is evaluated, and what is assumed.

`diagram` gathers what is to be drawn, `layered` and `place` give it a place, `svg` and its neighbours write
it.
"""
