"""The names of files are read as people mean them: what is named, what it is shown in, which object, which number."""

from itertools import product

import pytest
from PIL import Image

from unseen.worlds.guess import readings
from unseen.worlds.propose import propose

THINGS = ("car", "cow", "cup")
OBJECTS = [(thing, number) for thing in THINGS for number in range(1, 6)]
ETH = [f"{c}/{c}{o}/{c}{o}-{e:03}-{a:03}.png" for c, o in OBJECTS for e in (0, 45, 66) for a in range(0, 360, 90)]
RGBD = [f"{c}/{c}_{o}/{c}_{o}_{s}_{f}_crop.png" for c, o in OBJECTS for s in (1, 2, 4) for f in range(1, 9)]
VIEWS = (0, 90, 180, 270)


def first(paths):
    return readings(list(paths))[0].template


@pytest.mark.parametrize(
    ("paths", "template"),
    [  # the rows of docs/guide/your-own-images.md
        ([f"obj{o}__{v}.png" for o in range(1, 21) for v in range(0, 360, 5)], "obj{object}__{azimuth}.png"),
        (
            [f"{d}/{c}/{n:04}.jpg" for d in ("sketch", "photo") for c in THINGS for n in range(9 + len(d))],
            "{domain}/{category}/*.jpg",
        ),
        (
            [f"{c}/az={v:03}/{n:02}.jpg" for c in THINGS for v in VIEWS for n in range(9)],
            "{category}/az={azimuth}/*.jpg",
        ),
        ([f"{c}_az{v:03}_{n:02}.png" for c in THINGS for v in VIEWS for n in range(9)], "{category}_az{azimuth}_*.png"),
        (
            [f"{c}/{g}/{n}.jpg" for c in ("dog", "cat", "cow") for g in ("grass", "sand", "snow") for n in range(12)],
            "{category}/{factor}/*.jpg",
        ),
        (
            [f"{p}/{c}/{v}/{n}.jpg" for p in ("train", "val") for c in THINGS for v in VIEWS for n in range(12)],
            "{pool}/{category}/{azimuth}/*.jpg",
        ),
        (
            [f"{c}/{c}{o}/{v}_{n}.jpg" for c, o in OBJECTS for v in VIEWS for n in (1, 2)],
            "{category}/{instance}/{azimuth}_*.jpg",
        ),
    ],
)
def test_the_rows_of_the_guide_are_read_as_it_says(paths, template):
    assert first(paths) == template


@pytest.mark.parametrize(
    ("paths", "template"),
    [
        (ETH, "{category}/{instance}/{instance}-{view}-{azimuth}.png"),
        (RGBD, "{category}/{instance}/{instance}_{view}_*_crop.png"),
        (
            [
                f"{c}/{c}_{o}/{g}_{n}.jpg"
                for c in THINGS
                for o in ("rex", "bo", "tom")
                for g in ("sun", "lamp")
                for n in (1, 2)
            ],
            "{category}/{instance}/{factor}_*.jpg",
        ),
        (
            [
                f"{k}/{c}/{c}{o}/{v}.jpg"
                for k, c in (("toy", "car"), ("food", "egg"), ("food", "pie"))
                for o in range(4)
                for v in VIEWS
            ],
            "{factor}/{category}/{instance}/{azimuth}.jpg",
        ),
        (
            [f"{c}/object{n}/{v}.jpg" for n, (c, _) in enumerate(OBJECTS) for v in VIEWS],
            "{category}/object{object}/{azimuth}.jpg",
        ),
    ],
)
def test_what_lies_within_a_category_is_an_object_and_never_the_category(paths, template):
    assert first(paths) == template


def test_few_words_in_the_files_names_do_not_count_files():
    paths = [f"{c}/{v}_{light}.jpg" for c in THINGS for v in VIEWS for light in ("lamp", "sun", "flash")]
    assert first(paths) == "{category}/{azimuth}_{factor}.jpg"


def test_that_the_inner_folder_is_the_category_is_offered():
    taken, other = readings(RGBD)
    assert taken.why == "car, cow, cup are what is to be named, car_1, car_2, car_3 … single objects of them"
    assert other.template == "{factor}/{category}/{category}_{view}_*_crop.png"
    assert other.why == "car_1, car_2, car_3 … are what is to be named, car, cow, cup groups of them"


def test_objects_of_a_category_stay_together_and_views_are_generalised_over(tmp_path):
    for path in RGBD:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / path)
    found = propose(tmp_path)
    assert (found.rows, found.columns, found.objects, found.missing) == ("category", "view", "instance", "")
    swapped = propose(tmp_path, template="{factor}/{category}/*_{view}_*_crop.png")
    assert (swapped.rows, swapped.columns) == ("category", "view")


@pytest.mark.parametrize("name", ["foto_{}", "capture{:02}", "Bild {} (1)", "kuva_{:04}", "billede{}"])
def test_a_running_number_is_no_factor_whatever_the_word_before_it(name):
    cells = product(("dog", "cat", "cow", "elk"), ("grass", "snow", "sand"), range(3, 17))
    found = first(f"{c}/{g}/{name.format(n)}.jpg" for c, g, n in cells)
    assert found.startswith("{category}/{factor}/")
    assert found.count("{") == 2


def test_a_measure_in_the_files_names_is_a_factor():
    paths = [f"{c}/{g}/brightness{n}.jpg" for c in THINGS for g in ("grass", "snow") for n in range(1, 9)]
    assert first(paths) == "{category}/{factor}/brightness{brightness}.jpg"
    several = [f"{c}/kuva{k}_{n}.jpg" for c in THINGS for k in range(4) for n in range(9)]
    assert first(several) == "{category}/kuva{kuva}_*.jpg"


def test_where_only_a_number_could_be_the_second_factor_it_is_offered():
    taken, other = readings([f"{c}/kuva_{n}.jpg" for c in THINGS for n in range(9)])
    assert (taken.template, other.template) == ("{category}/kuva_*.jpg", "{category}/kuva_{kuva}.jpg")
    assert taken.why == "the numbers after 'kuva' only count the images"
    assert other.why == "the numbers after 'kuva' are a factor"


def test_vlcs_as_it_is_distributed_has_pools():
    domains, pools = ("CALTECH", "LABELME", "PASCAL", "SUN"), ("train", "crossval", "test")
    paths = [f"{d}/{p}/{c}/imgs_{n:06}.jpg" for d in domains for p in pools for c in range(5) for n in range(7)]
    assert first(paths) == "{domain}/{pool}/{category}/imgs_*.jpg"
    extra = [path.replace("crossval", "extra") for path in paths]
    assert first(extra) == "{domain}/*/{category}/imgs_*.jpg"


def test_places_are_not_what_is_to_be_named():
    birds = [f"{b}_{g}_{n:03}.jpg" for b in ("landbird", "waterbird") for g in ("land", "water") for n in range(20)]
    assert first(birds) == "{category}_{factor}_*.jpg"
    grounds = ("grass", "sand", "snow", "street", "beach")
    assert first(f"{g}/{c}/{n}.jpg" for g in grounds for c in THINGS for n in range(9)) == "{factor}/{category}/*.jpg"
    tied = [f"{c}/{g}/{n}.jpg" for c in THINGS for g in ("morgens", "mittags", "nachts") for n in range(9)]
    assert first(tied) == "{category}/{factor}/*.jpg"


def test_codes_of_objects_are_not_torn_apart():
    cells = product(("boat", "bus", "car", "tank"), range(1, 4), range(2), range(4), range(4))
    ilab = [f"{c}/{c[0]}{o:04}-b{b:04}-c{camera:02}-r{r:02}.jpg" for c, o, b, camera, r in cells]
    (found,) = readings(ilab)
    assert found.template == "{category}/{instance}-b{background}-c{camera}-r{rotation}.jpg"
    two = [path for path in ilab if "0003-" not in path]
    for one in readings(two):
        assert "b, c, t" not in one.why
    turned = [f"{c}/{c}{v}_{n}.jpg" for c in THINGS for v in VIEWS for n in range(5)]
    assert first(turned) == "{category}/{category}{azimuth:d}_*.jpg"


def test_an_identifier_keeps_its_zeros():
    names = ("n01440764", "n01443537", "n01484850")
    assert (
        first(f"{c}/{c}_{n * n + int(c[5:])}.JPEG" for c in names for n in range(40)) == "{category}/{category}_*.JPEG"
    )
    assert first(f"{c}/{n}.JPEG" for c in names[:2] for n in range(40)) == "{category}/*.JPEG"
    assert first(f"c{c:02}/az{v}/{n}.png" for c in range(12) for v in VIEWS for n in range(5)).startswith(
        "c{category}/"
    )
