"""Small MasterSim projects over the example FMUs."""

from __future__ import annotations

import shutil
from pathlib import Path

TABLE = (
    "Time [h]\tx [K]\tn\tb\ts\tunused [m]\n"
    "0\t0\t1\t0\tcold\t7\n"
    "0.5\t9\t2\t1\twarm\t7\n"
    "0.5\t19\t3\t0\thot\t7\n"
    "1\t29\t4\t1\tdone\t8\n"
)
TYPES = """\
# every type, from a table through an FMU
tEnd             1 h
hStart           15 min
hOutputMin       15 min
outputTimeUnit   h
MasterMode       GAUSS_SEIDEL
simulator 0 0 table #6a5acd "input.tsv"
simulator 1 0 pass #9400d3 "Feedthrough.fmu"
graph table.x pass.real_in 1.5 -2
graph table.b pass.boolean_in
graph table.n pass.integer_in
graph table.s pass.string_in
"""
SPECIES = """\
# Created:	today
# Two species
tEnd             20 s
hStart           10 ms
hOutputMin       0.1 s
absTol           1e-7
relTol           1e-6
MasterMode       {mode}
maxIterations    {iterations}
# hunters first
simulator 0 0 hunters #008000 "Predator.fmu"
simulator 1 0 hares #ff8c00 "Prey.fmu"
graph hares.prey hunters.prey
graph hunters.predator hares.predator
# many hares
parameter hares.alpha 1.25
"""

CONTROL_LOOP = """\
tEnd                 10 s
hMax                 0.14 s
hMin                 1e-05 s
hFallBackLimit       0.0001 s
hStart               0.14 s
hOutputMin           1e-05 s
adjustStepSize       yes
absTol               1e-05
relTol               0.0001
MasterMode           GAUSS_SEIDEL
ErrorControlMode     ADAPT_STEP
maxIterations        2
simulator 0 0 Part1 #ff447cb4 "Math003Part1.fmu"
simulator 1 1 Part2 #ffc38200 "Math003Part2.fmu"
simulator 2 1 Part3 #ffff0000 "Math003Part3.fmu"
graph Part1.x2 Part2.x2
graph Part1.x1 Part2.x1
graph Part2.x3 Part3.x3
graph Part3.x4 Part2.x4
"""


def _socket(name: str, x: int, y: int, inlet: str) -> str:
    inner = f"<Position>{x}, {y}</Position><Orientation>Horizontal</Orientation><Inlet>{inlet}</Inlet>"
    return f'<Socket name="{name}">{inner}</Socket>'


LAYOUT = f"""\
<BlockMod><Blocks>
<Block name="hares"><Position>-16, 32</Position><Size>128, 80</Size><Sockets>
{_socket("predator", 0, 16, "true")}{_socket("prey", 128, 48, "false")}
</Sockets></Block>
<Block name="hunters"><Position>304, -48</Position><Size>96, 64</Size><Sockets>
{_socket("prey", 0, 32, "true")}{_socket("predator", 96, 16, "false")}
</Sockets></Block>
</Blocks><Connectors>
<Connector name="auto-named"><Source>hares.prey</Source><Target>hunters.prey</Target><Segments>
<Segment><Orientation>Horizontal</Orientation><Offset>80</Offset></Segment>
<Segment><Orientation>Vertical</Orientation><Offset>-96</Offset></Segment>
<Segment><Orientation>Horizontal</Orientation><Offset>80</Offset></Segment>
</Segments></Connector>
</Connectors></BlockMod>
"""


def species(mode: str = "GAUSS_SEIDEL", iterations: int = 1) -> str:
    return SPECIES.format(mode=mode, iterations=iterations)


def write_project(folder: Path, fmus: Path, text: str, name: str = "project.msim") -> Path:
    """Writes a project with the FMUs that it names, a table and a layout beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for fmu in (fmus / "fmi2").glob("*.fmu"):
        if f"{fmu.name}" in text:
            shutil.copy(fmu, folder)
    (folder / "input.tsv").write_text(TABLE)
    path = folder / name
    path.write_text(text)
    path.with_suffix(".bm").write_text(LAYOUT)
    return path
