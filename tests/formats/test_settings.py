"""Master settings in annotations: ours and those of other tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from ssp_builder import component, connection, files_for, pack, structure, system

import sspsim
from sspsim.formats import ssd
from sspsim.formats.settings import NAMESPACE, TYPE, of_structure, to_annotation, with_settings
from sspsim.structure import Annotation, Component, Experiment, System, SystemStructure
from sspsim.structure.settings import MasterSettings

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[2] / "schemas" / "settings.xsd"))
SSC = "http://ssp-standard.org/SSP1/SystemStructureCommon"

numbers = st.none() | st.floats(1e-300, 1e300)
names = st.none() | st.lists(st.text(min_size=1).filter(str.isprintable), min_size=1).map(tuple)
settings = st.builds(
    MasterSettings,
    master=st.none() | st.just("newton"),
    max_iterations=st.none() | st.integers(1, 100),
    rtol=numbers,
    atol=numbers,
    stepping=st.none() | st.just("fixed"),
    step=numbers,
    min_step=numbers,
    max_step=numbers,
    fallback_step=numbers,
    output_step=numbers,
    fmu_tolerance=numbers,
    time_unit=st.none() | st.just("h"),
    record_all=st.none() | st.booleans(),
    record=names,
    time_only=names,
    order=names,
)


def a_system(
    *annotations: Annotation, on_system: tuple[Annotation, ...] = (), **others: object
) -> SystemStructure:
    root = System(name="root", annotations=on_system, **others)  # type: ignore[arg-type]
    return SystemStructure(
        version="1.0", name="s", system=root, experiment=Experiment(annotations=annotations)
    )


def foreign(type: str, content: str) -> Annotation:
    return Annotation(type, f'<ssc:Annotation xmlns:ssc="{SSC}" type="{type}">{content}</ssc:Annotation>')


@given(settings)
def test_through_a_file_and_back(wanted: MasterSettings) -> None:
    written = ssd.write(with_settings(a_system(), wanted))
    read, findings = ssd.read(written, "a.ssd")
    assert not findings
    assert of_structure(read) == (wanted, [])


@given(settings)
def test_what_is_written_is_valid(wanted: MasterSettings) -> None:
    content = etree.fromstring(to_annotation(wanted).xml.encode())[0]
    assert content.tag == f"{{{NAMESPACE}}}MasterSettings"
    SCHEMA.assertValid(content)


def test_other_annotations_stay_and_ours_is_replaced() -> None:
    other = foreign("com.example", "<x/>")
    once = with_settings(a_system(other), MasterSettings(step=1.0))
    twice = with_settings(once, MasterSettings(step=2.0))
    assert twice.experiment
    assert [a.type for a in twice.experiment.annotations] == ["com.example", TYPE]
    assert of_structure(twice)[0].step == 2.0


def test_experiment_wins_over_system() -> None:
    made = a_system(
        to_annotation(MasterSettings(step=1.0)),
        on_system=(to_annotation(MasterSettings(step=2.0, rtol=1e-3)),),
    )
    assert of_structure(made)[0] == MasterSettings(step=1.0, rtol=1e-3)


def test_components_mark_their_outputs() -> None:
    def marks(text: str) -> Annotation:
        return foreign(TYPE, f'<ComponentSettings xmlns="{NAMESPACE}" timeOnly="{text}"/>')

    inner = System(name="S", elements=(Component(name="all", annotations=(marks("*"),)),))
    made = a_system(elements=(Component(name="a b", annotations=(marks("x y%20z"),)), inner))
    assert of_structure(made)[0].time_only == ("a b.x", "a b.y z", "S.all.*")


def test_what_is_not_understood_is_reported() -> None:
    wrong = foreign(TYPE, f'<MasterSettings xmlns="{NAMESPACE}" step="small" colour="red" rtol="0.1"/>')
    found, findings = of_structure(a_system(wrong))
    assert found == MasterSettings(rtol=0.1)
    assert [d.code for d in findings] == ["V31", "V31"]


OMS = 'xmlns:oms="https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"'
OSP = 'xmlns:osp="https://opensimulationplatform.com/SSP/OSPAnnotations"'
VICO = 'xmlns:vico="https://github.com/NTNU-IHB/Vico"'


@pytest.mark.parametrize("wrapped", [False, True])
def test_omsimulator(wrapped: bool) -> None:
    tolerances = 'absoluteTolerance="1e-5" relativeTolerance="1e-4"'
    solver = f'<oms:FixedStepMaster description="oms-ma" stepSize="0.001" {tolerances}/>'
    content = f"<oms:SimulationInformation {OMS}>{solver}</oms:SimulationInformation>"
    if wrapped:
        content = f"<oms:Annotations {OMS}>{content}</oms:Annotations>"
    logging = f'<oms:SimulationInformation {OMS} resultFile="r.mat" loggingInterval="0.1" bufferSize="1"/>'
    made = a_system(foreign("org.openmodelica", logging), on_system=(foreign("org.openmodelica", content),))
    assert of_structure(made)[0] == MasterSettings(step=0.001, rtol=1e-4, atol=1e-5, output_step=0.1)


def test_omsimulator_variable_steps() -> None:
    steps = 'minimumStepSize="1e-12" maximumStepSize="0.5" initialStepSize="0.25"'
    solver = f'<oms:VariableStepSolver absoluteTolerance="1e-6" relativeTolerance="1e-3" {steps}/>'
    content = f"<oms:SimulationInformation {OMS}>{solver}</oms:SimulationInformation>"
    found, _ = of_structure(a_system(on_system=(foreign("org.openmodelica", content),)))
    assert found == MasterSettings(step=0.25, min_step=1e-12, max_step=0.5, rtol=1e-3, atol=1e-6)


def test_open_simulation_platform() -> None:
    content = f'<osp:Algorithm {OSP}><osp:FixedStepAlgorithm baseStepSize="0.0025"/></osp:Algorithm>'
    found, _ = of_structure(a_system(foreign("com.opensimulationplatform", content)))
    assert found == MasterSettings(step=0.0025)


def test_vico() -> None:
    def hint(value: float) -> tuple[Annotation, ...]:
        content = f'<vico:StepSizeHint {VICO} value="{value}"/>'
        return (foreign("com.github.ntnu-ihb.vico", content),)

    parts = (Component(name="a", annotations=hint(0.02)), Component(name="b", annotations=hint(0.01)))
    assert of_structure(a_system(elements=parts))[0].step == 0.01
    base = foreign("com.github.ntnu-ihb.vico", f'<vico:FixedStep {VICO} baseStepSize="0.05"/>')
    assert of_structure(a_system(base, elements=parts))[0].step == 0.05


def test_model_connect() -> None:
    def task(step: float) -> Annotation:
        return foreign("com.avl.model.connect.ssp.task", f'<task xmlns="urn:avl" deltaTime="{step}"/>')

    made = a_system(on_system=(task(0.1),), elements=(Component(name="a", annotations=(task(0.02),)),))
    assert of_structure(made)[0].step == 0.02


def test_ours_wins_over_other_tools() -> None:
    content = f'<osp:Algorithm {OSP}><osp:FixedStepAlgorithm baseStepSize="0.0025"/></osp:Algorithm>'
    made = a_system(
        foreign("com.opensimulationplatform", content), on_system=(to_annotation(MasterSettings(step=1.0)),)
    )
    assert of_structure(made)[0].step == 1.0


def test_a_run_obeys_and_the_user_wins(fmus: Path, tmp_path: Path) -> None:
    lag = fmus / "fmi2" / "Lag.fmu"
    made = structure(
        system(
            component("a", lag, "u:input", "y:output"),
            component("b", lag, "u:input", "y:output"),
            connection("a.y -> b.u"),
        )
    )
    wanted = with_settings(made, MasterSettings(step=0.25, record=("b.*",), master="gauss-jacobi"))
    path = pack(tmp_path / "s.ssp", wanted, files_for(lag))
    result = sspsim.simulate(path)
    assert result.time.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert all(name.startswith("b.") for name in result)
    loaded = sspsim.load(path, settings=MasterSettings(step=0.5))
    assert sspsim.simulate(loaded).time.tolist() == [0.0, 0.5, 1.0]
    assert replace(loaded.settings, step=None) == MasterSettings(record=("b.*",), master="gauss-jacobi")
