"""The modelDescription.xml of a model for FMI 1, 2 and 3."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .model import OLD_TYPES, Model, Variable

_LOG_CATEGORIES = ("logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal")


def model_description(model: Model, fmi: int, units_file: Path) -> bytes:
    """The XML text for one FMI version."""
    units = tomllib.loads(units_file.read_text(encoding="utf-8"))
    root = {1: _fmi1, 2: _fmi2, 3: _fmi3}[fmi](model, units)
    indent(root)
    text: bytes = tostring(root, encoding="UTF-8", xml_declaration=True)
    return text + b"\n"


def text(value: Any) -> str:
    """A value as XML attribute text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(text(one) for one in value)
    return repr(value) if isinstance(value, float) else str(value)


def _add(parent: Element, tag: str, **attributes: Any) -> Element:
    """A child element; attributes that are None are left out."""
    given = {name: text(value) for name, value in attributes.items() if value is not None}
    return SubElement(parent, tag, given)


def _variables(model: Model, fmi: int) -> list[Variable]:
    return [v for v in model.variables if v.exists_in(fmi)]


def _default_experiment(root: Element, model: Model, with_step: bool) -> None:
    step = {"stepSize": float(model.option("step_size", 0.1))} if with_step else {}
    _add(root, "DefaultExperiment", startTime=0.0, stopTime=float(model.option("stop_time", 10.0)), **step)


def _used_units(variables: Iterable[Variable]) -> list[str]:
    return sorted({v.unit for v in variables if v.unit})


def _used_enumerations(model: Model, variables: Iterable[Variable]) -> dict[str, dict[str, int]]:
    used = {v.enumeration for v in variables}
    return {name: items for name, items in model.enumerations.items() if name in used}


# ---- dependencies: one list per variable in the .toml, seen from two sides ----


def _dependencies(unknown: Variable, variables: list[Variable]) -> list[Variable]:
    """The inputs, states and the time that an output, a derivative or an indicator depends on during simulation."""
    return [v for v in variables if v.name in unknown.depends and v.is_known]


def _initial_dependencies(unknown: Variable, variables: list[Variable]) -> list[Variable]:
    """At initialisation parameters count as well."""
    return [v for v in variables if v.name in unknown.depends]


def _initial_unknowns(variables: list[Variable]) -> list[Variable]:
    return [v for v in variables if (v.causality == "output" and not v.is_state) or v.derivative_of]


# ---- FMI 1 ----


def _fmi1(model: Model, _units: dict[str, dict[str, float]]) -> Element:
    variables = _variables(model, 1)
    root = Element(
        "fmiModelDescription",
        fmiVersion="1.0",
        modelName=model.name,
        modelIdentifier=model.name,
        guid=model.guid,
        description=model.description,
        variableNamingConvention="structured",
        numberOfContinuousStates=str(len(model.states)),
        numberOfEventIndicators="0",
    )
    if used := _used_units(variables):
        definitions = _add(root, "UnitDefinitions")
        for unit in used:
            _add(definitions, "BaseUnit", unit=unit)
    if enumerations := _used_enumerations(model, variables):
        types = _add(root, "TypeDefinitions")
        for name, items in enumerations.items():
            enumeration = _add(_add(types, "Type", name=name), "EnumerationType", min=1, max=len(items))
            for item in items:
                _add(enumeration, "Item", name=item)
    _default_experiment(root, model, with_step=False)
    parent = _add(root, "ModelVariables")
    for variable in variables:
        _fmi1_variable(parent, variable, variables)
    _add(
        _add(_add(root, "Implementation"), "CoSimulation_StandAlone"),
        "Capabilities",
        canHandleVariableCommunicationStepSize=bool(model.option("variable_step", True)),
        canBeInstantiatedOnlyOncePerProcess=bool(model.option("once_per_process")),
    )
    return root


def _fmi1_variable(parent: Element, variable: Variable, variables: list[Variable]) -> None:
    scalar = _add(
        parent,
        "ScalarVariable",
        name=variable.name,
        valueReference=variable.reference,
        description=variable.description,
        variability="parameter" if variable.causality == "parameter" else variable.variability,
        causality=variable.causality if variable.causality in {"input", "output"} else "internal",
    )
    _add(
        scalar,
        OLD_TYPES[variable.type],
        declaredType=variable.enumeration,
        unit=variable.unit,
        start=variable.start,
        fixed=None if variable.start is None or variable.causality == "input" else True,
    )
    if variable.causality == "output":
        direct = _add(scalar, "DirectDependency")
        for known in _dependencies(variable, variables):
            if known.causality == "input":
                _add(direct, "Name").text = known.name


# ---- FMI 2 ----


def _fmi2(model: Model, units: dict[str, dict[str, float]]) -> Element:
    variables = _variables(model, 2)
    root = Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=model.name,
        guid=model.guid,
        description=model.description,
        variableNamingConvention="structured",
        numberOfEventIndicators=str(len(model.indicators)),
    )
    _interfaces(root, model, state="FMUstate", tangent="providesDirectionalDerivative")
    _unit_definitions(root, variables, units)
    if enumerations := _used_enumerations(model, variables):
        types = _add(root, "TypeDefinitions")
        for name, items in enumerations.items():
            enumeration = _add(_add(types, "SimpleType", name=name), "Enumeration")
            for item, value in items.items():
                _add(enumeration, "Item", name=item, value=value)
    _log_categories(root)
    _default_experiment(root, model, with_step=True)
    index = {v.name: i for i, v in enumerate(variables, start=1)}
    parent = _add(root, "ModelVariables")
    for variable in variables:
        _fmi2_variable(parent, variable, index)
    _fmi2_structure(root, variables, index)
    return root


def _fmi2_variable(parent: Element, variable: Variable, index: dict[str, int]) -> None:
    scalar = _add(
        parent,
        "ScalarVariable",
        name=variable.name,
        valueReference=variable.reference,
        description=variable.description,
        causality=variable.causality,
        variability=variable.variability,
        initial="exact" if variable.is_state else None,
    )
    _add(
        scalar,
        OLD_TYPES[variable.type],
        declaredType=variable.enumeration,
        unit=variable.unit,
        start=variable.start,
        derivative=index[variable.derivative_of] if variable.derivative_of else None,
    )


def _fmi2_structure(root: Element, variables: list[Variable], index: dict[str, int]) -> None:
    structure = _add(root, "ModelStructure")

    def section(tag: str, unknowns: list[Variable], rule: Any) -> None:
        if not unknowns:
            return
        parent = _add(structure, tag)
        for unknown in unknowns:
            knowns = [index[v.name] for v in rule(unknown, variables)]
            _add(parent, "Unknown", index=index[unknown.name], dependencies=knowns)

    section("Outputs", [v for v in variables if v.causality == "output"], _dependencies)
    section("Derivatives", [v for v in variables if v.derivative_of], _dependencies)
    section("InitialUnknowns", _initial_unknowns(variables), _initial_dependencies)


# ---- FMI 3 ----


def _fmi3(model: Model, units: dict[str, dict[str, float]]) -> Element:
    variables = _variables(model, 3)
    root = Element(
        "fmiModelDescription",
        fmiVersion="3.0",
        modelName=model.name,
        instantiationToken=model.guid,
        description=model.description,
        variableNamingConvention="structured",
    )
    _interfaces(root, model, state="FMUState", tangent="providesDirectionalDerivatives")
    _unit_definitions(root, variables, units)
    if enumerations := _used_enumerations(model, variables):
        types = _add(root, "TypeDefinitions")
        for name, items in enumerations.items():
            enumeration = _add(types, "EnumerationType", name=name)
            for item, value in items.items():
                _add(enumeration, "Item", name=item, value=value)
    _log_categories(root)
    _default_experiment(root, model, with_step=True)
    by_name = model.by_name()
    parent = _add(root, "ModelVariables")
    for variable in variables:
        _fmi3_variable(parent, variable, by_name)
    _fmi3_structure(root, variables)
    return root


def _fmi3_variable(parent: Element, variable: Variable, by_name: dict[str, Variable]) -> None:
    has_start_element = variable.type in {"String", "Binary"}
    element = _add(
        parent,
        variable.type,
        name=variable.name,
        valueReference=variable.reference,
        description=variable.description,
        causality=variable.causality,
        variability=variable.variability,
        initial="exact" if variable.is_state else None,
        declaredType=variable.enumeration,
        unit=variable.unit,
        start=None if has_start_element else variable.start,
        derivative=by_name[variable.derivative_of].reference if variable.derivative_of else None,
    )
    for dimension in variable.dimensions:
        if isinstance(dimension, int):
            _add(element, "Dimension", start=dimension)
        else:
            _add(element, "Dimension", valueReference=by_name[dimension].reference)
    if has_start_element and variable.start is not None:
        _add(element, "Start", value=variable.start)


def _fmi3_structure(root: Element, variables: list[Variable]) -> None:
    structure = _add(root, "ModelStructure")

    def section(tag: str, unknowns: list[Variable], rule: Any) -> None:
        for unknown in unknowns:
            knowns = [v.reference for v in rule(unknown, variables)]
            _add(structure, tag, valueReference=unknown.reference, dependencies=knowns)

    section("Output", [v for v in variables if v.causality == "output"], _dependencies)
    section("ContinuousStateDerivative", [v for v in variables if v.derivative_of], _dependencies)
    section("InitialUnknown", _initial_unknowns(variables), _initial_dependencies)
    section("EventIndicator", [v for v in variables if v.is_indicator], _dependencies)


# ---- what FMI 2 and 3 have in common ----


def _interfaces(root: Element, model: Model, state: str, tangent: str) -> None:
    """The ModelExchange and CoSimulation elements; FMI 2 and 3 spell two attributes differently."""
    saves = bool(model.option("save_state", True))
    common = {
        "modelIdentifier": model.name,
        "canBeInstantiatedOnlyOncePerProcess": bool(model.option("once_per_process")),
        f"canGetAndSet{state}": saves,
        f"canSerialize{state}": saves,
        tangent: bool(model.option("directional_derivatives")),
    }
    if model.option("model_exchange"):
        _add(root, "ModelExchange", **common)
    variable_step = bool(model.option("variable_step", True))
    _add(root, "CoSimulation", **common, canHandleVariableCommunicationStepSize=variable_step)


def _unit_definitions(root: Element, variables: list[Variable], units: dict[str, dict[str, float]]) -> None:
    if not (used := _used_units(variables)):
        return
    definitions = _add(root, "UnitDefinitions")
    for unit in used:
        _add(_add(definitions, "Unit", name=unit), "BaseUnit", **units[unit])


def _log_categories(root: Element) -> None:
    parent = _add(root, "LogCategories")
    for category in _LOG_CATEGORIES:
        _add(parent, "Category", name=category)
