"""How a command explains itself: its options in groups, each group under a heading."""

from __future__ import annotations

from typing import Any

from sspsim.cli.many_words import ManyWords

DEFAULT = "Options"


class Command(ManyWords):
    """A command whose help shows the options in groups: those of their `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments first, then the groups in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            is_argument = parameter.param_type_name == "argument"
            title = "Arguments" if is_argument else getattr(parameter, "rich_help_panel", None) or DEFAULT
            if record := parameter.get_help_record(ctx):
                groups.setdefault(title, []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)
