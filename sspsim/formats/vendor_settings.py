"""Step sizes and tolerances that other tools leave in their annotations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lxml import etree

from sspsim.formats.references import walk
from sspsim.structure import Annotation, SystemStructure
from sspsim.structure.settings import MasterSettings

OPENMODELICA = "org.openmodelica"
OSP = "com.opensimulationplatform"
VICO = "com.github.ntnu-ihb.vico"
AVL = "com.avl.model.connect.ssp"

Node = Any  # lxml's elements; its stubs know less than lxml


def of_structure(structure: SystemStructure) -> MasterSettings:
    """What the annotations of known tools say; what is about the whole wins over what components wish."""
    experiment = structure.experiment
    whole = (*(experiment.annotations if experiment else ()), *structure.system.annotations)
    parts = [a for element in walk(structure.system) for a in element.annotations]
    found = MasterSettings()
    for read in (_openmodelica, _osp, _vico, _avl):
        found = found.over(read(whole, parts))
    return found


def _openmodelica(whole: Iterable[Annotation], _: Iterable[Annotation]) -> MasterSettings:
    """OMSimulator: the master of the outermost system, and how often it logs."""
    found = MasterSettings()
    for node in _nodes(whole, OPENMODELICA):
        if _local_name(node) in ("FixedStepMaster", "VariableStepSolver"):
            found = found.over(_openmodelica_solver(node))
        elif _local_name(node) == "SimulationInformation":
            found = found.over(MasterSettings(output_step=_positive(node, "loggingInterval")))
    return found


def _openmodelica_solver(node: Node) -> MasterSettings:
    return MasterSettings(
        step=_positive(node, "stepSize") or _positive(node, "initialStepSize"),
        min_step=_positive(node, "minimumStepSize"),
        max_step=_positive(node, "maximumStepSize"),
        rtol=_positive(node, "relativeTolerance"),
        atol=_positive(node, "absoluteTolerance"),
    )


def _osp(whole: Iterable[Annotation], _: Iterable[Annotation]) -> MasterSettings:
    """Open Simulation Platform: the step of its fixed-step algorithm."""
    return _smallest(whole, OSP, lambda node: _positive(node, "baseStepSize"))


def _vico(whole: Iterable[Annotation], parts: Iterable[Annotation]) -> MasterSettings:
    """Vico: the step of the whole, else the smallest that a component asks for."""

    def hint(node: Node) -> float | None:
        return _positive(node, "value") if _local_name(node) == "StepSizeHint" else None

    base = _smallest(whole, VICO, lambda node: _positive(node, "baseStepSize"))
    return base.over(_smallest(parts, VICO, hint))


def _avl(whole: Iterable[Annotation], parts: Iterable[Annotation]) -> MasterSettings:
    """AVL Model.CONNECT: the smallest time step of the system, of its tasks and components."""
    return _smallest((*whole, *parts), AVL, lambda node: _positive(node, "deltaTime"))


def _smallest(
    annotations: Iterable[Annotation], type: str, step: Callable[[Node], float | None]
) -> MasterSettings:
    steps = [found for node in _nodes(annotations, type) if (found := step(node)) is not None]
    return MasterSettings(step=min(steps, default=None))


def _nodes(annotations: Iterable[Annotation], type: str) -> Iterator[Node]:
    """All elements in annotations of a type, or of those below it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for annotation in annotations:
        if annotation.type == type or annotation.type.startswith(f"{type}."):
            root: Node = etree.fromstring(annotation.xml.encode(), parser)
            yield from (node for node in root.iter() if isinstance(node.tag, str))


def _local_name(node: Node) -> str:
    return str(etree.QName(node).localname)


def _positive(node: Node, attribute: str) -> float | None:
    """A number that means something; tools write 0 for "not given"."""
    try:
        number = float(node.get(attribute, ""))
    except ValueError:
        return None
    return number if number > 0 and math.isfinite(number) else None
