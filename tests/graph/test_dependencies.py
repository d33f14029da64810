"""Dependencies from the model structures of FMI 1, 2 and 3."""

import pytest
from hand_made import description

from sspsim.fmi.modeldescription import read
from sspsim.graph.dependencies import feedthrough, influences, initial_feedthrough

FMI1 = """<fmiModelDescription fmiVersion="1.0" modelName="m" modelIdentifier="m" guid="g"><ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="input"><Real/></ScalarVariable>
<ScalarVariable name="one" valueReference="2" causality="output"><Real/>
<DirectDependency><Name>v</Name></DirectDependency>
</ScalarVariable>
<ScalarVariable name="none" valueReference="3" causality="output"><Real/><DirectDependency/></ScalarVariable>
<ScalarVariable name="all" valueReference="4" causality="output"><Real/></ScalarVariable>
</ModelVariables><Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone></Implementation>
</fmiModelDescription>"""

FMI2 = """<fmiModelDescription fmiVersion="2.0" modelName="m" guid="g">
<CoSimulation modelIdentifier="m"/><ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real/></ScalarVariable>
<ScalarVariable name="v" valueReference="1" causality="input"><Real/></ScalarVariable>
<ScalarVariable name="one" valueReference="2" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="none" valueReference="3" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="all" valueReference="4" causality="output"><Real/></ScalarVariable>
</ModelVariables><ModelStructure><Outputs>
<Unknown index="3" dependencies="2"/><Unknown index="4" dependencies=""/><Unknown index="5"/></Outputs>
<InitialUnknowns><Unknown index="3" dependencies=""/><Unknown index="4" dependencies="1"/></InitialUnknowns>
</ModelStructure></fmiModelDescription>"""

FMI3 = """<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="g">
<CoSimulation modelIdentifier="m"/>
<ModelVariables>
<Float64 name="u" valueReference="10" causality="input"/>
<Float64 name="v" valueReference="11" causality="input"/>
<Float64 name="one" valueReference="12" causality="output"/>
<Float64 name="none" valueReference="13" causality="output"/>
<Float64 name="all" valueReference="14" causality="output"/>
</ModelVariables><ModelStructure>
<Output valueReference="12" dependencies="11"/>
<Output valueReference="13" dependencies=""/>
<Output valueReference="14"/>
<InitialUnknown valueReference="12" dependencies=""/>
<InitialUnknown valueReference="13" dependencies="10"/>
</ModelStructure></fmiModelDescription>"""


@pytest.mark.parametrize("xml", [FMI1, FMI2, FMI3], ids=["FMI 1", "FMI 2", "FMI 3"])
def test_every_version_tells_one_none_or_nothing(xml):
    found, _ = read(xml.encode(), "modelDescription.xml")
    assert feedthrough(found) == {"one": {"v"}, "none": frozenset(), "all": None}


@pytest.mark.parametrize("xml", [FMI2, FMI3], ids=["FMI 2", "FMI 3"])
def test_initial_unknowns_replace_what_is_said_of_the_outputs(xml):
    found, _ = read(xml.encode(), "modelDescription.xml")
    assert initial_feedthrough(found) == {"one": frozenset(), "none": {"u"}, "all": None}


def test_an_initial_unknown_behind_another_counts_with_what_that_one_needs():
    told = description("u", {"y": ()}, initial={"y": ("a",), "a": ("b", "u"), "b": ("a",)})
    assert initial_feedthrough(told)["y"] == {"u"}


def test_states_are_followed_to_what_moves_them():
    structure = description(
        inputs="uvw",
        outputs={"y": ("x1",), "t": ("time",), "d": ("w", "time"), "e": ()},
        derivatives={"x1": ("x2",), "x2": ("x1", "u", "time")},
    )
    assert influences(structure) == {"y": {"u", "time"}, "t": {"time"}, "d": {"w", "time"}, "e": frozenset()}


def test_an_output_that_is_a_state_moves_with_it_whatever_its_dependencies_say():
    assert influences(description("u", {"y": ()}, derivatives={"y": ("u",)})) == {"y": {"u"}}


def test_nothing_is_proven_without_declared_states():
    assert influences(description("u", {"y": ()})) == {}


def test_nothing_is_proven_behind_a_derivative_that_tells_nothing():
    structure = description("u", {"y": ("x",), "z": ("time",)}, derivatives={"x": None})
    assert influences(structure) == {"y": None, "z": {"time"}}


def test_nothing_is_proven_behind_a_variable_that_is_neither_state_nor_input():
    structure = description("u", {"y": ("z",), "z": ("u",)}, derivatives={"x": ()})
    assert influences(structure)["y"] is None
