"""Path templates read what they wrote, and say what is wrong with them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unseen.vocabulary.errors import UnseenError
from unseen.worlds.guess import guess
from unseen.worlds.levels import encode, natural, numbers
from unseen.worlds.template import Template

FIELDS = ("category", "azimuth", "view", "light")
words = st.text(alphabet="abcXYZ019 éü", min_size=1, max_size=6)


@given(
    values=st.lists(words, min_size=1, max_size=4),
    delimiters=st.lists(st.sampled_from(["_", "__", "-", "/", "=", ".", "/obj"]), min_size=4, max_size=4),
)
def test_what_a_template_writes_it_reads_back(values, delimiters):
    names = FIELDS[: len(values)]
    text = "".join(f"{{{name}}}{between}" for name, between in zip(names, delimiters)) + "*.png"
    template = Template(text)
    path = template.format(**dict(zip(names, values)))
    assert template.match(path) == tuple(values)


@given(path=st.text(max_size=30), text=st.sampled_from(["{a}/{b}.png", "**/{a}_{b}.*", "{a}{b:d}.?pg", "{a}/{a}.png"]))
def test_any_path_matches_or_does_not_but_never_fails(path, text):
    found = Template(text).match(path)
    assert found is None or all(found)


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("{category}/{azimuth}/*.png", "car/90/a b.png", ("car", "90")),
        ("obj{object}__{view}.png", "obj12__355.png", ("12", "355")),
        ("{category}/{instance}-{view}.*", "cup/cup-2-90.jpeg", ("cup", "cup-2", "90")),
        ("**/{category}/{view:d}.png", "a/b/cat/7.png", ("cat", "7")),
        ("**/{category}/{view:d}.png", "cat/7.png", ("cat", "7")),
        ("{model}{view:d}.png", "car12.png", ("car", "12")),
        ("{a}/{a}_{b}.png", "x/x_1.png", ("x", "1")),
        ("{a}/{a}_{b}.png", "x/y_1.png", None),
        ("{a}/*.png", "x/y/z.png", None),
    ],
)
def test_templates_read_the_layouts_people_use(text, path, values):
    assert Template(text).match(path) == values


@pytest.mark.parametrize("text", ["{a", "a}", "{}", "{a b}", "{a}{b}", "{a:x}"])
def test_a_wrong_template_is_explained(text):
    with pytest.raises(UnseenError, match="template '"):
        Template(text)


def test_levels_are_sorted_as_numbers_or_naturally():
    factor, codes = encode("view", ["view10", "view9", "view1"])
    assert factor.levels == ("view1", "view9", "view10")
    assert codes.tolist() == [2, 1, 0]
    assert encode("view", ["10", "9", "-5"])[0].levels == (-5, 9, 10)
    assert encode("scale", ["1.5", "0.25", "10"])[0].levels == (0.25, 1.5, 10.0)
    assert encode("object", ["01", "1"])[0].levels == ("01", "1")


@given(st.lists(st.text(max_size=8), min_size=1, unique=True))
def test_texts_never_collapse_into_one_level(texts):
    assert len(set(numbers(texts))) == len(texts)
    assert len(set(map(natural, texts))) == len(texts)


def test_circular_factors_close_at_a_full_turn():
    assert encode("azimuth", ["0", "90", "180"], kind="circular")[0].period == 360
    assert encode("view", ["0", "1", "2"], kind="circular")[0].period == 3
    assert encode("view", ["0", "2"], kind="circular:8")[0].period == 8
    with pytest.raises(UnseenError, match="kind"):
        encode("view", ["0"], kind="round")


FRUITS = ("Apple Braeburn", "Pear 2", "Plum")


@pytest.mark.parametrize(
    ("paths", "template"),
    [
        ([f"obj{o}__{v}.png" for o in range(1, 5) for v in range(0, 360, 5)], "obj{object}__{azimuth}.png"),
        (
            [f"{c}/{a}/{n}.jpg" for c in "xyz" for a in (0, 90, 180, 270) for n in range(9)],
            "{category}/{azimuth}/*.jpg",
        ),
        ([f"{c}/r_{n}_100.jpg" for c in FRUITS for n in range(328)], "{category}/r_{rotation}_100.jpg"),
        (
            [
                f"{c}/{c}-i{i:04}-c{k:02}-r{r}.jpg"
                for c in ("car", "bus")
                for i in range(3)
                for k in range(4)
                for r in (0, 1)
            ],
            "{category}/{category}-i{instance}-c{camera}-r{rotation}.jpg",
        ),
        (
            [
                f"{p}/{c}/az={a}_el={e}.png"
                for p in ("train", "test")
                for c in FRUITS
                for a in (0, 45)
                for e in (-10, 10)
            ],
            "{pool}/{category}/az={azimuth}_el={elevation}.png",
        ),
        ([f"{c}_{v}_{n}.jpg" for c in ("car", "bus") for v in range(3) for n in range(8)], "{category}_{view}_*.jpg"),
        ([f"{c}{v}.jpg" for c in ("car", "bus") for v in range(9)], "{category}{view:d}.jpg"),
        (
            [f"c{c}/{a}/{n}.jpg" for c in (1, 2) for a in range(0, 360, 90) for n in range(9)],
            "c{category}/{azimuth}/*.jpg",
        ),
        ([f"car_{n}.png" for n in range(9)], ""),
        (["only.png"], ""),
    ],
)
def test_templates_are_guessed_from_the_paths(paths, template):
    found = guess(paths).template
    assert found == template
    if found:
        assert len(Template(found).read(paths)[0]) == len(paths)
