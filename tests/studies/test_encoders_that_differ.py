"""What a study's own encoders show of pretraining: what varied in it, from how much, by what objective."""

from dataclasses import replace

import numpy as np
import pytest

from unseen.kinds.variability.answer import answer
from unseen.kinds.variability.findings import variability_findings
from unseen.kinds.variability.pretrained import changes_by_pretraining
from unseen.kinds.variability.read import ACCURACY, ANEW, CANONICAL, GAP, Gaps, Point
from unseen.kinds.variability.traits import encoder_traits

FACTORS = ("pose", "size", "light")
BASE = frozenset({"background"})


def traits(objective="supervised", backbone="resnet18", instances=10, drawn=("background",), words=None):
    said = {"world": {"arguments": {"instances": instances, "drawn": list(drawn), "backgrounds": 25}},
            "network": {"backbone": backbone}, "pretraining": {"objective": objective}}  # fmt: skip
    return encoder_traits({"pretraining": said}, words or {}, [10, 300])


def gaps(networks, repeats=3, over=ANEW):
    """``networks``: by name its traits and its gap of each factor."""
    points = []
    for number, (name, (_, own)) in enumerate(networks.items()):
        for repeat in range(repeats):
            for place, (factor, value) in enumerate(own.items()):
                jitter = 0.002 * np.cos(3 * repeat + place + 2 * number)
                points.append(
                    Point(name, "linear", CANONICAL, (), 0.0, (factor,), "", False, repeat, GAP, value + jitter, 9)
                )
            points.append(Point(name, "linear", CANONICAL, (), 0.0, (), "", False, repeat, ACCURACY, 0.8, 9))
    encoders = {name: found for name, (found, _) in networks.items()}
    return Gaps(tuple(points), tuple(range(repeats)), over, FACTORS, frozenset(), encoders)


def causal(closes=0.06, others=0.0):
    made = {"none": (traits(), dict.fromkeys(FACTORS, -0.5))}
    for factor in FACTORS:
        own = {name: -0.5 + (closes if name == factor else others) for name in FACTORS}
        made[factor] = (traits(drawn=("background", factor)), own)
    return made


def by_name(networks, **how):
    return {one.name: one for one in variability_findings(gaps(networks, **how))}


def test_a_gap_that_closes_where_its_factor_varied_in_pretraining_is_found():
    found = by_name(causal())
    closes = found["what varies in pretraining closes its gap"]
    more = found["a factor's own gap closes more than the others'"]
    assert closes.holds is True
    assert closes.value == pytest.approx(0.06, abs=0.003)
    assert more.holds is True
    assert closes.over == ANEW
    assert "; mean +6.0 points" in closes.statement


def test_variety_that_helps_with_everything_is_no_cause_of_a_factor():
    found = by_name(causal(closes=0.06, others=0.06))
    assert found["what varies in pretraining closes its gap"].holds is True
    assert found["a factor's own gap closes more than the others'"].holds is not True


def test_all_that_vary_together_stand_beside_and_not_among_the_factors():
    together = (traits(drawn=("background", *FACTORS)), dict.fromkeys(FACTORS, -0.1))
    changes = changes_by_pretraining(gaps(causal() | {"all": together}))[""]
    assert changes["all", "pose"] == pytest.approx(0.4, abs=0.005)
    assert by_name(causal() | {"all": together})["what varies in pretraining closes its gap"].value < 0.1


@pytest.mark.parametrize("over", ["folds of the objects", "seeds of one choice of objects"])
def test_encoders_made_once_decide_nothing_about_pretraining(over):
    found = by_name(causal(), over=over)
    assert all(one.holds is None for name, one in found.items() if "gap closes" in name or "closes its" in name)
    assert "vary pretraining.seed" in found["what varies in pretraining closes its gap"].why


def test_objectives_architectures_and_amounts_are_those_of_the_recipe():
    def one(level, **how):
        words = {
            "pretraining.objective": how.get("objective", "supervised"),
            "network.backbone": how.get("backbone", ""),
        }
        own = traits(words=words, **how)
        return own, dict.fromkeys(FACTORS, level)

    networks = {
        "a": one(-0.5), "more": one(-0.4, instances=300), "b": one(-0.2, objective="simclr"),
        "c": one(-0.45, backbone="vit-tiny-p8"),
    }  # fmt: skip
    found = by_name(networks)
    assert found["more data help"].holds is True
    assert found["more data help"].value == pytest.approx(0.1, abs=0.003)
    assert found["the objective matters more than the architecture"].value == pytest.approx(0.3 - 0.05, abs=0.003)


def test_without_encoders_of_its_own_a_study_says_nothing_of_pretraining():
    alone = replace(gaps(causal()), encoders={})
    assert not changes_by_pretraining(alone)
    assert not [one for one in variability_findings(alone) if "pretraining" in one.name]


def test_the_answer_says_what_pretraining_did():
    from unseen.kinds.variability.shown import NetworkRow
    from unseen.measures import Interval

    own = Interval(-0.5, -0.6, -0.4, 3)
    row = NetworkRow("none", None, Interval(0.8, 0.7, 0.9, 3), dict.fromkeys(FACTORS, own), {}, own)
    said = answer(gaps(causal()), [row], ())
    assert "Where one more factor varied in pretraining, its own gap changes by +6" in said
    assert "3 encoders made anew" in said
