"""Every protocol of the table is checked, planned, run, recorded and asked again alike; what contradicts it is refused.

What a probe computes is in ``test_probes.py``.
"""

from pathlib import Path

import pytest
import torch
from asked_again import again, same_from_features, same_from_weights

from given_stubs import held, patches, text_model
from small_study import ENCODER, ran, tiny
from unseen.engines import open_study
from unseen.kinds.checks import check
from unseen.kinds.collect import collect
from unseen.models import build
from unseen.studies.identities import learned_identity
from unseen.studies.protocol_table import PROTOCOLS, places, protocol_of, protocols
from unseen.studies.study import Study
from unseen.studies.trials import describe
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.recipe import recipe_from

pytest_plugins = ("studies_fixtures",)

ONE = {"grid": {"design.seen_per_level": [8]}}
OWN = {"backbone": "resnet18-w8", "stem": "small"}
ASKED = {
    "title": "Asked", "world": {"name": "digits", "viewpoint": "position"}, "targets": ["category"],
    "design": {"name": "ask", "factors": ["position"], "images_per_cell": 1},
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("UNSEEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """A file of weights to start from."""
    path = tmp_path_factory.mktemp("weights") / "start.pt"
    torch.save(build("resnet18-w8", {"category": 9}, stem="small", seed=5).state_dict(), path)
    return str(path)


@pytest.fixture
def examples(start):
    """Tables of a tiny recipe by protocol: that name it, and that say it by their other keys."""
    given, own = {**OWN, "checkpoint": start}, {"targets": ["category"], **ONE}
    named, texts = held(patches(9, [f"the digit {n}" for n in range(9)], "", digest="digits")), held(text_model())
    return {
        "scratch": (tiny(protocol="scratch", **own), tiny(**own)),
        "finetune": (tiny(protocol="finetune", network=given, **own), tiny(network=given, **own)),
        "probe": (
            tiny(protocol="probe", network=given, **own),
            tiny(network={**given, "frozen": True}, **own),
        ),
        "readout": ({**ENCODER, "protocol": "readout"}, ENCODER),
        "given": (
            {**ASKED, "protocol": "given", "network": named},
            {**ASKED, "network": named},
        ),
        "zero-shot": ({**ASKED, "protocol": "zero-shot", "network": texts},) * 2,
    }


def description(tables, **changes):
    study = Study(recipe_from({**tables, **changes}), Path("nowhere"))
    return describe(study.trials[0], study.world(study.trials[0]), "float32")


# The contract


def test_every_protocol_has_an_example_here(examples):
    assert list(examples) == list(PROTOCOLS) == list(places()) == [one.name for one in protocols()]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_checked_run_recorded_and_asked_again_without_training(name, examples, tmp_path, untrainable):
    opened = open_study(examples[name][0], out=tmp_path / "study")
    check(opened)
    (told,) = opened.networks
    assert told.startswith(f"{opened.recipe.network.name}, ")
    assert ran(opened).failed == 0, opened.failures()
    facts = opened.store.read(opened.find(opened.trials[0]))
    assert facts["protocol"] == name
    assert (len(facts["curve"]) >= 1) is protocol_of(opened.recipe).trains
    if protocol_of(opened.recipe).together is None or facts["curve"]:
        same_from_weights(opened, tmp_path, untrainable)
    else:
        same_from_features(opened, tmp_path, untrainable)
    assert collect(opened).height > 0


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name != "zero-shot"])  # which nothing else says
def test_a_protocol_named_is_the_trial_that_other_keys_say(name, examples):
    named, implied = (description(tables) for tables in examples[name])
    assert named == implied
    assert "protocol" not in named
    for tables in examples[name]:
        assert recipe_from(tables).protocol_name == name


def test_weights_learned_before_protocols_had_names_serve_those_that_name_them(examples, tmp_path, untrainable):
    named, implied = examples["probe"]
    assert ran(open_study(implied, out=tmp_path / "study")).finished == 1
    untrainable()
    assert again(open_study(named, out=tmp_path / "study"))[0].finished == 0
    more = open_study({**named, "recordings": {"layers": "none"}}, out=tmp_path / "study")
    assert again(more)[0].asked == 1


def test_a_plan_says_the_protocol_of_each_network(examples, start, tmp_path):
    told = {}
    for name, (tables, _) in examples.items():
        if name in ("given", "zero-shot"):
            continue  # test_given_protocol.py
        opened = open_study(tables, out=tmp_path / name)
        check(opened)
        (told[name],) = opened.networks
    assert told == {
        "scratch": "resnet18-w8, from scratch",
        "finetune": "resnet18-w8, finetuned from start.pt",
        "probe": "resnet18-w8, probe on features of start.pt, computed once",
        "readout": "vae, learns without labels (beta-vae), then its latents are read out by labels",
    }


def test_a_grid_may_go_over_protocols(start, tmp_path):
    network = {**OWN, "checkpoint": start}
    tables = tiny(network=network, design__seen_per_level=8, grid={"protocol": ["finetune", "probe"]})
    opened = open_study(tables, out=tmp_path / "study")
    assert [trial.label for trial in opened.trials] == ["finetune · seed 0", "probe · seed 0"]
    assert len({opened.identity(trial, "float32") for trial in opened.trials}) == 2
    assert ran(opened).finished == 2
    assert set(collect(opened)["protocol"]) == {"finetune", "probe"}


def test_the_list_of_models_has_all_protocols(say):
    told = say("models").flat
    for one in protocols():
        assert f"{one.name} {one.does}" in told


# What contradicts


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"protocol": "scratch", "network__pretrained": True},
         r"starts from random weights, and network.pretrained = true gives others; leave pretrained out, or set "
         r'protocol = "finetune"'),
        ({"protocol": "scratch", "network__checkpoint": "mine.pt"}, r'network.checkpoint = "mine.pt" gives others'),
        ({"protocol": "scratch", "network__frozen": True}, r'trains all weights, .* or set protocol = "probe"'),
        ({"protocol": "finetune"}, r"weights that are there, and none are given; set network.pretrained = true"),
        ({"protocol": "finetune", "network__pretrained": True, "network__frozen": True},
         r"protocol = 'finetune' trains all weights, and network.frozen = true keeps those of the backbone"),
        ({"protocol": "probe"}, r"none are given; set network.pretrained = true .* by network.frozen = true"),
        ({"protocol": "probe", "network__frozen": True, "training__objective": "beta-vae"},
         r"'probe' learns by labels, and training.objective = 'beta-vae' without them; set protocol = \"readout\""),
        ({"protocol": "scratch", "training__objective_arguments": {"beta": 2}}, r"which has no settings"),
        ({"protocol": "scratch", "network": {"backbone": "vae"}}, r"'vae' is an encoder that learns without labels"),
        ({"protocol": "readout"}, r"learned without labels, and training.objective = 'supervised' \(the default\)"),
        ({"protocol": "readout", "training__objective": "beta-vae"}, r"trains the encoder 'vae'"),
        ({"protocol": "prob"}, r"no protocol 'prob' in recipe key 'protocol'; possible: scratch, finetune, probe, "
         r"readout, given, zero-shot. Did you mean 'probe'\?"),
        ({"protocol": 3}, r"protocol = 3: input should be a valid string"),
        ({"grid": {"protocol": 3}}, r'grid "protocol" = 3 must be a list of values to try'),
        ({"grid": {"protocl": ["probe"]}}, r'grid key "protocl" must be section.key .*, or protocol'),
    ],
)  # fmt: skip
def test_keys_that_contradict_a_protocol_are_refused_with_what_to_do(changes, words, tmp_path):
    with pytest.raises(UnseenError, match=words):
        check(open_study(tiny(**{**ONE, **changes}), out=tmp_path / "study"))


def test_features_of_random_weights_are_probed_where_it_is_said(tmp_path):
    opened = open_study(tiny(protocol="probe", network__frozen=True, **ONE), out=tmp_path / "study")
    check(opened)
    assert list(opened.networks) == ["resnet18-w8, probe on features of random weights, computed once"]


def test_a_readout_section_beside_a_protocol_by_labels_is_refused(tmp_path):
    with pytest.raises(UnseenError, match=r"\[readout\] \(epochs = 3\) does nothing"):
        open_study(tiny(protocol="scratch", readout={"epochs": 3}), out=tmp_path / "study")


# From outside

SOURCE = '''
"""The first layers keep their random weights; the rest learns by labels."""

from unseen.studies.protocols.labelled import check_labels, labelled_network, learner_for
from unseen.studies.protocol_table import Protocol
from unseen.vocabulary.errors import UnseenError


def check(trial):
    check_labels(trial)
    if trial.recipe.network.sharing != "shared":
        raise UnseenError("late-layers knows one network for all questions: set network.sharing = 'shared'.")


def network(study, trial):
    whole = labelled_network(study, trial)
    whole.network.trunk.stem.requires_grad_(False)
    return whole


def learner(study, trial, brought):
    return learner_for(network(study, trial), study, trial, brought)


PROTOCOL = Protocol(
    "late-layers", "all but the stem learn", network=network, learner=learner, check=check, version=2
)
NOTHING = 3
'''
POINTS = """[unseen.protocols]
late-layers = own_protocol:PROTOCOL
scratch = own_protocol:PROTOCOL
no-protocol = own_protocol:NOTHING
not-there = own_protocol_that_is_not_there
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with a protocol, as an installer would leave it."""
    folder = tmp_path / "package"
    about = folder / "own_protocol-0.1.dist-info"
    about.mkdir(parents=True)
    (folder / "own_protocol.py").write_text(SOURCE, encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-protocol\nVersion: 0.1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)


def test_a_protocol_of_another_package_goes_the_whole_way(package, tmp_path, untrainable):
    opened = open_study(tiny(protocol="late-layers", **ONE), out=tmp_path / "study")
    check(opened)
    assert list(opened.networks) == ["resnet18-w8, late-layers"]
    told = describe(opened.trials[0], opened.world(opened.trials[0]), "float32")
    assert (told["protocol"], told["versions"]["protocol"]) == ("late-layers", 2)
    assert learned_identity(told) != learned_identity(description(tiny(**ONE)))
    assert ran(opened).failed == 0, opened.failures()
    same_from_weights(opened, tmp_path, untrainable)


def test_a_protocol_of_another_package_refuses_in_its_own_words_and_takes_no_name_of_ours(package, tmp_path):
    with pytest.raises(UnseenError, match="late-layers knows one network for all questions"):
        check(open_study(tiny(protocol="late-layers", network__sharing="separate"), out=tmp_path / "study"))
    assert protocol_of(recipe_from(tiny())).does == "all weights learn, from random ones"
    for name, words in (("no-protocol", "is no protocol but 3"), ("not-there", "cannot be loaded")):
        with pytest.raises(UnseenError, match=words):
            check(open_study(tiny(protocol=name), out=tmp_path / "study"))
