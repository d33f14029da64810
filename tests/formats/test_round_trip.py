"""What is written says the same when it is read again, and is valid for others too."""

from dataclasses import replace
from pathlib import Path

import pytest
import xmlschema
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from formats.strategies import dictionaries, mappings, parameter_sets, structures
from sspsim.formats import schema, ssb, ssd, ssm, ssv

FORMATS = {
    "ssv": (ssv, parameter_sets, "SystemStructureParameterValues"),
    "ssm": (ssm, mappings, "SystemStructureParameterMapping"),
    "ssb": (ssb, dictionaries, "SystemStructureSignalDictionary"),
    "ssd": (ssd, structures, "SystemStructureDescription"),
}
calm = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking whole systems takes minutes
)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@calm
@given(data=st.data())
def test_reading_gives_what_was_written_and_it_is_valid(name: str, version: str, data: st.DataObject) -> None:
    module, strategy, _ = FORMATS[name]
    document = data.draw(strategy(version))
    written = module.write(document)
    again, diagnostics = module.read(written, "x")
    assert again == document
    assert diagnostics == []
    assert schema.validate(written, "x") == []
    assert module.write(again) == written


@pytest.mark.parametrize("name", FORMATS)
@calm
@given(data=st.data())
def test_a_version_that_is_too_low_is_raised(name: str, data: st.DataObject) -> None:
    module, strategy, _ = FORMATS[name]
    document = data.draw(strategy("2.0"))
    written = module.write(replace(document, version="1.0"))
    again, _ = module.read(written, "x")
    assert replace(again, version="2.0") == document
    assert schema.validate(written, "x") == []


@pytest.fixture(scope="session")
def independent_schemas() -> dict[tuple[str, str], xmlschema.XMLSchema11]:
    import fmpy
    import pyssp_standard

    folders = {
        "1.0": Path(fmpy.__file__).parent / "ssp/schema",
        "2.0": Path(pyssp_standard.__file__).parent / "resources/ssp2",
    }
    return {
        (name, version): xmlschema.XMLSchema11(folder / f"{stem}{'11' * (name == 'ssd')}.xsd")
        for version, folder in folders.items()
        for name, (_, _, stem) in FORMATS.items()
    }


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@settings(calm, max_examples=8)
@given(data=st.data())
def test_files_are_valid_for_another_validator(independent_schemas, name, version, data) -> None:
    """The schema of version 1.1 also looks into inline sets, mappings and dictionaries."""
    module, strategy, _ = FORMATS[name]
    document = data.draw(strategy(version))
    assume(_fits_32_bits(document))
    independent_schemas[name, version].validate(module.write(document).decode())


def _fits_32_bits(document: object) -> bool:
    """Enumeration items have 64 bits only since 2.0.1, of which no package ships the schema."""
    enumerations = getattr(document, "enumerations", ())
    text = repr(document)
    return "EnumerationItem" not in text or (
        all(abs(item.value) < 2**31 for enumeration in enumerations for item in enumeration.items)
        and "inline=ParameterSet" not in text
        and "inline=SignalDictionary" not in text
    )
