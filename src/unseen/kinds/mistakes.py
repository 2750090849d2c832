"""The images that networks are surest and wrong about, on cells that training did not show."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from unseen.kinds.stretched import visible
from unseen.kinds.trial_answers import TrialAnswers
from unseen.reports.answer_pictures import Gallery, Mistake
from unseen.studies.study import Study
from unseen.studies.trials import Trial
from unseen.vocabulary.errors import UnseenError

MOST = 12  # images of one target
MOST_TARGETS = 4
SAME = 2  # images of one true class and one answer: ten of one confusion would show one thing
LOOKED_AT = 150  # the surest mistakes of each network
NOTHING_UNSEEN = "The most confident mistakes: no cell that training did not show was tested."
NOT_STORED = "The most confident mistakes: the stored answers lack their confidence, or their images."

AT_LEAST = 5000  # mistakes of a target that are kept before any is let go
Key = tuple[str, int]  # an image: its world and its row there
Pair = tuple[str, str]  # a confusion: the true class and the answer


@dataclass(frozen=True)
class FoundMistake:
    """One wrong answer, and the trial whose world shows its image."""

    key: Key
    trial: Trial
    mistake: Mistake


class Surest:
    """Mistakes that may yet be chosen: of each image and confusion the surest, and of a confusion none that enough
    other images are surer of. So ten thousand networks take no more memory than a hundred of the same images."""

    def __init__(self) -> None:
        self.found: dict[tuple[Key, Pair], FoundMistake] = {}
        self.room = AT_LEAST

    def add(self, key: Key, pair: Pair, confidence: float, make: Callable[[], FoundMistake]) -> None:
        before = self.found.get((key, pair))
        if before is not None:
            if before.mistake.confidence >= confidence:
                return
            del self.found[key, pair]  # later ones stand behind others that are as sure
        self.found[key, pair] = make()
        if len(self.found) > self.room:
            self._let_go()

    def _let_go(self) -> None:
        """A confusion is shown ``SAME`` times, and no more than ``MOST`` of its images can be taken by others."""
        sure: dict[Pair, list[float]] = {}
        for (_, pair), one in self.found.items():
            sure.setdefault(pair, []).append(one.mistake.confidence)
        least = {pair: sorted(values)[-min(len(values), MOST + SAME)] for pair, values in sure.items()}
        self.found = {at: one for at, one in self.found.items() if one.mistake.confidence >= least[at[1]]}
        self.room = max(AT_LEAST, 2 * len(self.found))


class MistakesByTarget:
    """Answers about unseen cells by target: how often each image was asked and was wrong, and the surest mistakes."""

    def __init__(self) -> None:
        self.asked: dict[str, Counter[Key]] = {}
        self.wrong: dict[str, Counter[Key]] = {}
        self.found: dict[str, Surest] = {}


class Mistakes:
    """The surest wrong answers of the conditions that saw most, as trials are read; where these made none, of all.
    ``lacking`` says why there are none, ``pictureless`` why they come without pictures."""

    def __init__(self, study: Study) -> None:
        self.study, self.lacking, self.pictureless = study, NOTHING_UNSEEN, study.absent
        self.most, self.others = MistakesByTarget(), MistakesByTarget()

    def add(self, one: TrialAnswers) -> None:
        if not one.unseen.any() or self.lacking == NOT_STORED:
            return
        self.lacking = NOT_STORED if one.confidence is None or one.sample is None else ""
        if one.confidence is None or one.sample is None:
            return
        world, into = one.world, self.most if one.main else self.others
        for target in one.targets.found():
            here = np.flatnonzero(one.tested & one.unseen & one.targets.is_(target))
            bad = here[~one.right[here]]
            for counter, which in ((into.asked, here), (into.wrong, bad)):
                found = counter.setdefault(target, Counter())
                found.update(zip(itertools.repeat(world), one.sample[which].tolist()))
            surest = bad[np.argsort(-one.confidence[bad], kind="stable")][:LOOKED_AT]
            into_target = into.found.setdefault(target, Surest())
            for at in map(int, surest):
                key, pair = (world, int(one.sample[at])), self._pair(one, at)
                into_target.add(key, pair, float(one.confidence[at]), partial(self._found, one, key, at))

    @staticmethod
    def _pair(one: TrialAnswers, at: int) -> Pair:
        truth, response = (column.names[column.places[at]] for column in (one.truth, one.response))
        return truth, response

    def _found(self, one: TrialAnswers, key: Key, at: int) -> FoundMistake:
        return FoundMistake(key, one.trial, self._mistake(one, at))

    def _mistake(self, one: TrialAnswers, at: int) -> Mistake:
        assert one.confidence is not None
        assert one.sample is not None
        truth, response = self._pair(one, at)
        where = ", ".join(f"{name} {one.levels[name][one.places[name][at]]}" for name in one.places)
        name = one.image.names[one.image.places[at]] if one.image is not None else ""
        said = ", ".join(filter(None, [one.condition, f"seed {one.facts['seed']}"]))
        confidence = float(one.confidence[at])
        return Mistake(name or f"row {int(one.sample[at])}", where, truth, response, confidence, said, 0, 0)

    def galleries(self) -> tuple[Gallery, ...]:
        if self.lacking:
            return ()
        asked = list(dict.fromkeys([*self.most.asked, *self.others.asked]))
        return tuple(self._gallery(target) for target in asked[:MOST_TARGETS])

    def _gallery(self, target: str) -> Gallery:
        right_here = not self.most.wrong.get(target) and bool(self.others.wrong.get(target))
        among = self.others if right_here else self.most
        wrong, asked = among.wrong.get(target, Counter()), among.asked.get(target, Counter())
        chosen: dict[Key, FoundMistake] = {}
        pairs: Counter[tuple[str, str]] = Counter()
        surest = among.found.get(target, Surest()).found.values()
        for found in sorted(surest, key=lambda one: (-one.mistake.confidence, -wrong[one.key])):
            pair = found.mistake.truth, found.mistake.response
            if found.key not in chosen and pairs[pair] < SAME:
                chosen[found.key] = found
                pairs[pair] += 1
            if len(chosen) == MOST:
                break
        items = [
            replace(self._shown(found), wrong=wrong[found.key], networks=asked[found.key]) for found in chosen.values()
        ]
        return Gallery(target, tuple(items), sum(wrong.values()), sum(asked.values()), others=right_here)

    def _shown(self, found: FoundMistake) -> Mistake:
        """The mistake with what the network was shown, and its name, which trials from before do not store."""
        if self.pictureless:
            return found.mistake
        rows = np.array([found.key[1]])
        try:
            world = self.study.world(found.trial)
            picture = visible(world.images(rows).cpu().numpy())[0].transpose(1, 2, 0)
        except (UnseenError, OSError) as error:
            self.pictureless = f"their images cannot be read ({error})"
            return found.mistake
        own = world.samples.own_names(rows)
        name = own[1][0] if own is not None else ""
        return replace(found.mistake, picture=picture, image=name or found.mistake.image)
