"""The component graph for other programs: DOT for Graphviz, GraphML for graph editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sspsim.drawing.svg import HUES

if TYPE_CHECKING:
    import networkx as nx


def write_dot(graph: nx.DiGraph) -> str:
    """The graph in the language of Graphviz: cycles as clusters, assumed values dashed, functions of time
    dotted.
    """
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR; node [shape=box, style=rounded];"]
    cycles: dict[int, list[str]] = {}
    for name, data in graph.nodes(data=True):
        label = f"{name}\n{data['model']} · FMI {data['fmi']}"
        cycles.setdefault(data["cycle"], []).append(f"{_quoted(name)} [label={_quoted(label)}];")
    for cycle, nodes in sorted(cycles.items()):
        if not cycle:
            lines += [f"  {node}" for node in nodes]
            continue
        hue = HUES[(cycle - 1) % len(HUES)]
        lines += [f'  subgraph cluster_{cycle} {{ label="cycle {cycle}"; color="{hue}";']
        lines += [*(f"    {node}" for node in nodes), "  }"]
    for source, target, data in graph.edges(data=True):
        style = "dashed" if data["broken"] else "dotted" if data["time_only"] else "solid"
        values = data["variables"]
        label = data["connections"].replace("->", "→") if values == 1 else str(values)
        lines.append(f"  {_quoted(source)} -> {_quoted(target)} [label={_quoted(label)}, style={style}];")
    return "\n".join([*lines, "}"]) + "\n"


def write_graphml(graph: nx.DiGraph) -> str:
    """The graph as GraphML, with all attributes."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph)) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
