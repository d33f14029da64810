"""`sspsim info`: what is in a system."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer


def info(
    file: Annotated[
        Path, typer.Argument(help="System to look at: .ssp, .ssd, or a folder with SystemStructure.ssd.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show the components of a system and the order in which they are evaluated."""
    from sspsim.cli.terminal import print_table
    from sspsim.loading import LoadedSystem, load

    def facts(system: LoadedSystem) -> dict[str, Any]:
        names = [instance.name for instance in system.flat.instances]
        return {
            "components": [
                {
                    "name": instance.name,
                    "fmi": instance.description.fmi,
                    "model": instance.description.name,
                    "rollback": instance.interface.rollback,
                    "variable_step": instance.interface.variable_step,
                }
                for instance in system.flat.instances
            ],
            "order": [[names[i] for i in cycle] for cycle in system.order],
        }

    found = facts(load(file))
    if json:
        typer.echo(json_module.dumps(found, indent=2))
        return
    rows = [["component", "FMI", "model", "rollback", "variable step"]]
    yes_no = {True: "yes", False: "no"}
    for c in found["components"]:
        rows.append([c["name"], str(c["fmi"]), c["model"], yes_no[c["rollback"]], yes_no[c["variable_step"]]])
    print_table(rows)
    typer.echo("order: " + " -> ".join("{" + ", ".join(cycle) + "}" for cycle in found["order"]))
