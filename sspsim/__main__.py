"""`python -m sspsim` is the command line."""

from sspsim.cli import main

main()
