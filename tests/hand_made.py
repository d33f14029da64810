"""Flat systems without FMUs: components from words, connections from arrows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress

from sspsim.fmi.description import Description, Interface, Unknown, Variable
from sspsim.graph.flat import FlatSystem, Instance, Link, Port
from sspsim.structure import Type

Structure = Mapping[str, tuple[str, ...] | None]


def description(
    inputs: Iterable[str] = (),
    outputs: Structure | Iterable[str] = (),
    derivatives: Structure | None = None,
    initial: Structure | None = None,
    parameters: Iterable[str] = (),
    fmi: int = 2,
    types: Mapping[str, Type] | None = None,
) -> Description:
    """Outputs and derivatives with their dependencies; derivatives go by the names of their states."""
    types = types or {}
    outputs = outputs if isinstance(outputs, Mapping) else dict.fromkeys(outputs)
    states = list(derivatives or {})
    names = [*inputs, *outputs, *(s for s in states if s not in outputs), *(f"der({s})" for s in states)]

    def variable(reference: int, name: str) -> Variable:
        causality = "input" if name in inputs else "output" if name in outputs else "local"
        kind = types.get(name, Type.REAL)
        return Variable(
            name,
            reference,
            kind,
            causality,
            variability="continuous" if kind.is_real else "discrete",
            derivative_of=name[4:-1] if name.startswith("der(") else None,
        )

    variables = [variable(k, name) for k, name in enumerate(names)]
    variables += [Variable(p, 1000 + k, Type.REAL, "parameter", "fixed") for k, p in enumerate(parameters)]
    variables.append(Variable("time", 9999, Type.REAL, "independent"))
    return Description(
        fmi=fmi,
        name="model",
        guid="",
        variables=tuple(variables),
        outputs=tuple(Unknown(n, d) for n, d in outputs.items()),
        derivatives=tuple(Unknown(f"der({s})", d) for s, d in (derivatives or {}).items()),
        initial_unknowns=tuple(Unknown(n, d) for n, d in (initial or {}).items()),
    )


def system(
    *connections: str,
    rollback: bool | Iterable[str] = False,
    recorded: bool = False,
    **components: Description,
) -> FlatSystem:
    """`system("a.y -> b.u")`: what is not given has just the connected variables, nothing told."""
    ends = [tuple(end.strip().rsplit(".", 1) for end in c.split("->")) for c in connections]
    for name in dict.fromkeys(component for pair in ends for component, _ in pair):
        if name not in components:
            inputs = list(dict.fromkeys(v for _, (c, v) in ends if c == name))
            outputs = list(dict.fromkeys(v for (c, v), _ in ends if c == name))
            components[name] = description(inputs, outputs)
    names = list(components)
    can = names if rollback is True else [] if rollback is False else list(rollback)
    links = [
        Link(Port(names.index(a), output), Port(names.index(b), entering))
        for (a, output), (b, entering) in ends
    ]
    is_input = [components[b].by_name[entering].causality == "input" for _, (b, entering) in ends]
    return FlatSystem(
        "hand made",
        tuple(
            Instance(
                tuple(name.split(".")),
                f"{name}.fmu",
                components[name],
                Interface("model", rollback=name in can),
                recorded=tuple(u.variable for u in components[name].outputs) if recorded else (),
            )
            for name in names
        ),
        tuple(compress(links, is_input)),
        initial_links=tuple(link for link, fed in zip(links, is_input, strict=True) if not fed),
    )


def names(flat: FlatSystem, stages: Iterable[Iterable[int]]) -> list[list[str]]:
    return [[flat.instances[i].name for i in members] for members in stages]


def words(flat: FlatSystem, ports: Iterable[Port]) -> list[str]:
    return sorted(f"{flat.instances[p.instance].name}.{p.variable}" for p in ports)


def arrows(flat: FlatSystem, links: Iterable[Link]) -> list[str]:
    return [f"{words(flat, [k.source])[0]} -> {words(flat, [k.target])[0]}" for k in links]
