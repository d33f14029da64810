"""Reads modelDescription.xml of FMI 1, 2 and 3; tolerant, since many FMUs in use are not schema-valid."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from lxml import etree

from sspsim.errors import InputError
from sspsim.fmi.description import Description, Interface, Unknown, Variable
from sspsim.structure import BaseUnit, Diagnostic, Origin, Scalar, Type
from sspsim.structure.diagnostic import warning

T = TypeVar("T")
Node = Any  # lxml's elements; its stubs know less than lxml

SCALAR_TYPES = {t.value: t for t in (Type.REAL, Type.INTEGER, Type.BOOLEAN, Type.STRING, Type.ENUMERATION)}
FMI3_TYPES = {t.value: t for t in Type if t not in (Type.REAL, Type.INTEGER)}


def read(data: bytes, file: str) -> tuple[Description, list[Diagnostic]]:
    """The description in `data`; `file` only serves the messages."""
    reader = _Reader(_parse(data, file), file)
    return reader.description(), reader.diagnostics


def _parse(data: bytes, file: str) -> Node:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        raise InputError(
            f"{file}:{problem.lineno}: not well-formed XML: {problem.msg}; export the FMU anew"
        ) from None
    if root.tag != "fmiModelDescription":
        raise InputError(
            f"{file}: the root element is <{root.tag}>, not <fmiModelDescription>; this is no FMU"
        )
    return root


class _Reader:
    """One pass over the XML tree; remembers what it had to guess."""

    def __init__(self, root: Node, file: str) -> None:
        self.root = root
        self.file = file
        self.diagnostics: list[Diagnostic] = []
        version = root.get("fmiVersion", "")
        if version[:1] not in ("1", "2", "3"):
            raise InputError(f"{file}: fmiVersion is {version!r}; sspsim runs FMI 1, 2 and 3")
        self.fmi = int(version[0])
        self.types: dict[str, Node] = {}
        self.names: dict[
            int, str
        ] = {}  # of what ModelStructure refers to: indices (FMI 2), references (FMI 3)

    def warn(self, node: Node, message: str) -> None:
        self.diagnostics.append(warning("F01", message, Origin(self.file, node.sourceline or 0)))

    def attribute(self, node: Node, name: str, convert: Callable[[str], T]) -> T | None:
        text = node.get(name)
        if text is None:
            return None
        try:
            return convert(text)
        except ValueError:
            self.warn(node, f"{node.tag}/@{name}={text!r} is not a {convert.__name__.strip('_')}: ignored")
            return None

    def description(self) -> Description:
        root = self.root
        self.types = self._type_definitions()
        variables = tuple(self._variables())
        experiment = root.find("DefaultExperiment")
        structure = root.find("ModelStructure")
        indicators = self._event_indicators(structure)

        def time(name: str) -> float | None:
            return None if experiment is None else self.attribute(experiment, name, _float)

        return Description(
            fmi=self.fmi,
            name=root.get("modelName", ""),
            guid=root.get("instantiationToken" if self.fmi == 3 else "guid", ""),
            variables=variables,
            co_simulation=self._co_simulation(),
            model_exchange=self._model_exchange(variables, indicators),
            scheduled_execution=self._interface(root.find("ScheduledExecution")),
            outputs=self._outputs(structure, variables),
            derivatives=self._unknowns(structure, "Derivatives/Unknown", "ContinuousStateDerivative"),
            initial_unknowns=self._unknowns(structure, "InitialUnknowns/Unknown", "InitialUnknown"),
            continuous_states=self._continuous_states(structure),
            event_indicators=indicators,
            units=self._units(),
            enumerations={n: e for n, t in self.types.items() if (e := self._items(t))},
            start_time=time("startTime"),
            stop_time=time("stopTime"),
            step_size=time("stepSize"),
            tolerance=time("tolerance"),
            generation_tool=root.get("generationTool", ""),
            description=root.get("description", ""),
            log_categories=tuple(c.get("name", "") for c in root.iterfind("LogCategories/Category")),
            aliases=self._aliases(),
        )

    # ---- interfaces ----------------------------------------------------------------------------------------

    def _interface(self, node: Node | None) -> Interface | None:
        if node is None:
            return None

        def flag(name: str) -> bool:
            return bool(self.attribute(node, name, _bool))

        return Interface(
            identifier=node.get("modelIdentifier") or self.root.get("modelIdentifier", ""),
            kind=node.tag if self.fmi > 1 else "CoSimulation",
            rollback=flag("canGetAndSetFMUState" if self.fmi == 3 else "canGetAndSetFMUstate"),
            serialize=flag("canSerializeFMUState" if self.fmi == 3 else "canSerializeFMUstate"),
            variable_step=flag("canHandleVariableCommunicationStepSize"),
            directional_derivatives=flag(
                "providesDirectionalDerivatives" if self.fmi == 3 else "providesDirectionalDerivative"
            ),
            once_per_process=flag("canBeInstantiatedOnlyOncePerProcess"),
            needs_tool=flag("needsExecutionTool"),
            interpolates_inputs=flag("canInterpolateInputs"),
            output_derivative_order=self.attribute(node, "maxOutputDerivativeOrder", int) or 0,
            asynchronous=flag("canRunAsynchronuously"),
            event_mode=flag("hasEventMode"),
            early_return=flag("canReturnEarlyAfterIntermediateUpdate"),
            intermediate_update=flag("providesIntermediateUpdate"),
            fixed_step=self.attribute(node, "fixedInternalStepSize", _float),
            sources=tuple(f.get("name", "") for f in node.iterfind("SourceFiles/File")),
            completed_step_not_needed=flag("completedIntegratorStepNotNeeded"),
        )

    def _co_simulation(self) -> Interface | None:
        if self.fmi > 1:
            return self._interface(self.root.find("CoSimulation"))
        for kind in ("CoSimulation_StandAlone", "CoSimulation_Tool"):
            node = self.root.find(f"Implementation/{kind}")
            if node is not None:
                capabilities = node.find("Capabilities")
                found = self._interface(node if capabilities is None else capabilities)
                return found and replace(found, needs_tool=kind == "CoSimulation_Tool")
        return None

    def _model_exchange(self, variables: tuple[Variable, ...], indicators: int) -> Interface | None:
        """What it can do behind our integrator: any step, and rollback if all that it remembers can be kept."""
        if self.fmi > 1:
            found = self._interface(self.root.find("ModelExchange"))
        elif self.root.find("Implementation") is None:
            found = Interface(identifier=self.root.get("modelIdentifier", ""), kind="ModelExchange")
        else:
            found = None
        if found is None:
            return None
        discrete = any(v.variability == "discrete" and v.causality in ("local", "output") for v in variables)
        simple = found.completed_step_not_needed and not indicators and not discrete and not found.rollback
        return replace(
            found, variable_step=True, rollback=found.rollback or simple, only_continuous_states=simple
        )

    # ---- types and units -----------------------------------------------------------------------------------

    def _type_definitions(self) -> dict[str, Node]:
        """Declared types by name: the element with their attributes."""
        if self.fmi == 3:
            return {node.get("name", ""): node for node in self.root.iterfind("TypeDefinitions/*")}
        found = self.root.iterfind("TypeDefinitions/*")
        return {node.get("name", ""): node[0] for node in found if len(node)}

    def _items(self, node: Node) -> tuple[tuple[str, int], ...]:
        """The items of an enumeration type; those of FMI 1 count from 1."""
        items = node.findall("Item")
        return tuple(
            (item.get("name", ""), position if (v := self.attribute(item, "value", int)) is None else v)
            for position, item in enumerate(items, 1)
        )

    def _units(self) -> dict[str, BaseUnit | None]:
        if self.fmi == 1:
            return {u.get("unit", ""): None for u in self.root.iterfind("UnitDefinitions/BaseUnit")}
        return {
            u.get("name", ""): self._base_unit(u.find("BaseUnit"))
            for u in self.root.iterfind("UnitDefinitions/Unit")
        }

    def _base_unit(self, node: Node | None) -> BaseUnit | None:
        if node is None:
            return None
        exponents = {
            n: self.attribute(node, n, int) or 0 for n in ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
        }
        factor, offset = self.attribute(node, "factor", _float), self.attribute(node, "offset", _float)
        return BaseUnit(**exponents, factor=1.0 if factor is None else factor, offset=offset or 0.0)

    # ---- variables -----------------------------------------------------------------------------------------

    def _variables(self) -> Iterable[Variable]:
        nodes = self.root.find("ModelVariables")
        nodes = [] if nodes is None else list(nodes)
        if self.fmi == 3:
            self.names = {_number(n.get("valueReference")): n.get("name", "") for n in nodes}
            kinds: list[Type | None] = [FMI3_TYPES.get(n.tag) for n in nodes]
            bodies = nodes
        else:
            self.names = {k: n.get("name", "") for k, n in enumerate(nodes, 1)}
            bodies = [next((c for c in n if c.tag in SCALAR_TYPES), None) for n in nodes]
            kinds = [None if b is None else SCALAR_TYPES[b.tag] for b in bodies]
        for node, body, kind in zip(nodes, bodies, kinds, strict=True):
            if kind is None or _number(node.get("valueReference")) < 0:
                self.warn(
                    node, f"variable {node.get('name')!r} has no known type or value reference: left out"
                )
                continue
            yield self._variable(node, body, kind)

    def _variable(self, node: Node, body: Node, kind: Type) -> Variable:
        declared = self.types.get(body.get("declaredType", ""))

        def inherited(name: str) -> str | None:
            own: str | None = body.get(name)
            return own if own is not None or declared is None else declared.get(name)

        default = "continuous" if kind.is_real else "discrete"
        causality, variability = node.get("causality"), node.get("variability") or default
        if self.fmi == 1:
            causality, variability = _fmi1_roles(causality or "internal", variability)
        causality = causality or "local"
        if causality in ("parameter", "calculatedParameter", "structuralParameter") and not node.get(
            "variability"
        ):
            variability = "fixed"
        derivative = self.attribute(body, "derivative", int)
        return Variable(
            name=node.get("name", ""),
            reference=_number(node.get("valueReference")),
            type=kind,
            causality=causality,
            variability=variability,
            initial=node.get("initial") or _default_initial(causality, variability),
            start=self._start(body, kind),
            unit=inherited("unit"),
            relative=self._flag(body, inherited("relativeQuantity")),
            enumeration=body.get("declaredType") if kind is Type.ENUMERATION else None,
            description=node.get("description", ""),
            dimensions=tuple(self._dimensions(node)) if self.fmi == 3 else (),
            derivative_of=None if derivative is None else self.names.get(derivative),
            negated=node.get("alias") == "negatedAlias",
            clocks=tuple(self.names.get(_number(c), "") for c in node.get("clocks", "").split()),
            interval_variability=node.get("intervalVariability"),
            mime_type=node.get("mimeType"),
            interval=self._period(body, "interval") if kind is Type.CLOCK else None,
            shift=(self._period(body, "shift") or 0.0) if kind is Type.CLOCK else 0.0,
            intermediate_update=self._flag(node, node.get("intermediateUpdate")),
        )

    def _flag(self, node: Node, text: str | None) -> bool:
        try:
            return _bool(text or "false")
        except ValueError:
            self.warn(node, f"{text!r} is neither true nor false: ignored")
            return False

    def _period(self, node: Node, what: str) -> float | None:
        """The interval or shift of a clock, given as a number or as a fraction."""
        decimal = self.attribute(node, f"{what}Decimal", _float)
        counter, resolution = (self.attribute(node, n, int) for n in (f"{what}Counter", "resolution"))
        if decimal is not None or counter is None or not resolution:
            return decimal
        return counter / resolution

    def _dimensions(self, node: Node) -> Iterable[int | str]:
        for dimension in node.iterfind("Dimension"):
            reference = dimension.get("valueReference")
            yield (
                (self.attribute(dimension, "start", int) or 1)
                if reference is None
                else self.names.get(_number(reference), "")
            )

    def _start(self, body: Node, kind: Type) -> tuple[Scalar, ...] | None:
        nested = [s.get("value", "") for s in body.iterfind("Start")]
        text = body.get("start")
        if text is None and not nested:
            return None
        texts = nested or ([text] if kind is Type.STRING or self.fmi < 3 else text.split())
        try:
            return tuple(_scalar(kind, t) for t in texts)
        except (ValueError, OverflowError):
            self.warn(body, f"start value {text!r} is not of type {kind}: ignored")
            return None

    def _aliases(self) -> dict[str, str]:
        if self.fmi < 3:
            return {}
        nodes = self.root.iterfind("ModelVariables/*/Alias")
        return {a.get("name", ""): a.getparent().get("name", "") for a in nodes}

    # ---- model structure -----------------------------------------------------------------------------------

    def _outputs(self, structure: Node | None, variables: tuple[Variable, ...]) -> tuple[Unknown, ...]:
        """All outputs; those that the model structure leaves out depend on everything."""
        if self.fmi == 1:
            return self._fmi1_outputs(variables)
        known = {u.variable: u for u in self._unknowns(structure, "Outputs/Unknown", "Output")}
        return tuple(known.get(v.name, Unknown(v.name)) for v in variables if v.causality == "output")

    def _fmi1_outputs(self, variables: tuple[Variable, ...]) -> tuple[Unknown, ...]:
        found: dict[str, tuple[str, ...] | None] = {}
        for node in self.root.iterfind("ModelVariables/ScalarVariable"):
            direct = node.find("DirectDependency")
            names = None if direct is None else tuple((n.text or "").strip() for n in direct.iterfind("Name"))
            found[node.get("name", "")] = names
        return tuple(Unknown(v.name, found[v.name]) for v in variables if v.causality == "output")

    def _unknowns(self, structure: Node | None, path2: str, path3: str) -> tuple[Unknown, ...]:
        if structure is None:
            return ()
        if self.fmi == 3:
            nodes, key = structure.iterfind(path3), "valueReference"
        else:
            nodes, key = structure.iterfind(path2), "index"
        return tuple(u for node in nodes if (u := self._unknown(node, key)))

    def _unknown(self, node: Node, key: str) -> Unknown | None:
        number = self.attribute(node, key, int)
        name = self.names.get(-1 if number is None else number)
        if name is None:
            self.warn(node, f"ModelStructure refers to {key} {number}, which does not exist: ignored")
            return None
        references = node.get("dependencies")
        kinds = node.get("dependenciesKind")
        if references is None:
            return Unknown(name)
        numbers = [_number(r) for r in references.split()]
        if not all(number in self.names for number in numbers):
            self.warn(
                node,
                f"dependencies={references!r} of {name!r} names what does not exist: it may depend on all",
            )
            return Unknown(name)
        dependencies = tuple(self.names[number] for number in numbers)
        return Unknown(name, dependencies, None if kinds is None else tuple(kinds.split()))

    def _continuous_states(self, structure: Node | None) -> int:
        if self.fmi == 1:
            return self.attribute(self.root, "numberOfContinuousStates", int) or 0
        if structure is None:
            return 0
        return len(structure.findall("ContinuousStateDerivative" if self.fmi == 3 else "Derivatives/Unknown"))

    def _event_indicators(self, structure: Node | None) -> int:
        if self.fmi < 3:
            return self.attribute(self.root, "numberOfEventIndicators", int) or 0
        return 0 if structure is None else len(structure.findall("EventIndicator"))


def _number(text: str | None) -> int:
    """A value reference or index; -1 for what is none."""
    return int(text) if text and text.strip().isdecimal() else -1


def _float(text: str) -> float:
    return float(text)


def _bool(text: str) -> bool:
    word = text.strip().lower()
    if word in ("true", "1"):
        return True
    if word in ("false", "0", ""):
        return False
    raise ValueError(text)


def _scalar(kind: Type, text: str) -> Scalar:
    if kind is Type.STRING:
        return text
    if kind is Type.BINARY:
        return bytes.fromhex(text)
    if kind in (Type.BOOLEAN, Type.CLOCK):
        return _bool(text)
    if kind.is_real:
        return float(text)
    try:
        return int(text)
    except ValueError:
        number = float(text)  # some exporters write integers as 1.0
        if number != int(number):
            raise
        return int(number)


def _fmi1_roles(causality: str, variability: str) -> tuple[str, str]:
    """Causality and variability of FMI 1 in the words of FMI 2."""
    if variability == "parameter":
        return ("calculatedParameter" if causality == "output" else "parameter"), "fixed"
    return {"internal": "local", "none": "local"}.get(causality, causality), variability


def _default_initial(causality: str, variability: str) -> str | None:
    """The standard's table of defaults."""
    if causality in ("input", "independent"):
        return None
    if variability == "constant" or causality in ("parameter", "structuralParameter"):
        return "exact"
    return "calculated"
