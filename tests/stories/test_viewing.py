"""What a person does in `unseen view`, in a real browser: every page, by mouse and by keys, wide and narrow."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn

import small_study
from unseen.studies.store import Store
from unseen.viewer.serving import served

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed; `uv sync` brings it")
pytest_plugins = ("studies_fixtures",)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine; on Debian: apt-get install chromium"),
]
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
MODEL = """
import torch
from torch import nn


def small():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
"""
ASKED = ["--labels", "labels.txt", "--images", "120", "--no-feeding-check", "--device", "cpu",
         "--set", 'world.classes=["car", "mug", "chair"]', "--set", "world.instances=2", "--set", "world.side=16",
         "--set", "world.levels=3", "--set", "world.pair_levels=3", "--set", "world.backgrounds=3",
         "--set", "world.pair_backgrounds=2", "--set", "world.combinations=20",
         "--set", 'explanations.methods=["gradient", "edges"]', "--set", "explanations.images=2"]  # fmt: skip
READY = "body[data-ready] #content:not([aria-busy])"
SLOW = 30_000


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a study that has a failure, and one whose pictures are drawn."""
    folder = tmp_path_factory.mktemp("view") / "runs"
    for name in ("combinations", "regression"):
        Store(folder / name).unpack(GOLDEN / f"{name}.unseen")
    store = Store(folder / "combinations")
    name = sorted(store.finished())[0]
    facts = store.read(name)
    shutil.rmtree(store.trials / name)
    told = {"identity": name, "label": facts["label"], "condition": facts["condition"], "seed": facts["seed"]}
    store.fail(name, {**told, "error": "there was no room for it", "traceback": "Traceback\n  line one"})
    return folder


@contextmanager
def serving(folder):
    page = served(folder, port=0)
    server = uvicorn.Server(uvicorn.Config(page.app(), log_level="error", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [page.bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield page.address
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def address(runs):
    with serving(runs) as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def tab(browser):
    """A tab that fails the test when the page complains, asks anybody but us, or says an error."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(SLOW)
    made, trouble = context.new_page(), []
    made.on("console", lambda said: trouble.append(said.text) if said.type in ("error", "warning") else None)
    made.on("pageerror", lambda error: trouble.append(str(error)))
    made.on("request", lambda asked: None if "//127.0.0.1:" in asked.url or asked.url.startswith(("data:", "blob:"))
            else trouble.append(asked.url))  # fmt: skip
    yield made
    context.close()
    assert trouble == []


def go(tab, address, page):
    tab.goto(f"{address}{page}")
    tab.wait_for_selector(READY)


def painted(tab):
    """Wait until the tiles have their images; how many do."""
    tab.wait_for_selector("[data-painted]")
    return tab.evaluate("() => [...document.querySelectorAll('.tile canvas')].filter((one) => one.dataset.row).length")


def test_somebody_looks_at_a_study_from_its_failures_to_one_image(tab, address):
    """The short story of the default suite."""
    go(tab, address, "")
    assert tab.locator(".study").count() == 2
    tab.get_by_role("link", name="Combinations, golden").click()
    tab.wait_for_selector(".failures")
    assert "there was no room for it" in tab.inner_text(".failures")
    tab.get_by_text("Traceback").first.click()
    assert "line one" in tab.inner_text(".failures pre")
    tab.get_by_role("link", name="Images").click()
    tab.get_by_label("answers", exact=True).select_option("no")
    tab.wait_for_selector(READY)
    assert painted(tab) == tab.locator(".tile.wrong").count() > 0
    tab.locator(".tile").first.click()
    tab.wait_for_selector("dialog .answers tbody tr")
    before = tab.inner_text("dialog .key")
    slider = tab.get_by_role("slider", name="position")
    slider.focus()
    slider.press("ArrowRight" if slider.input_value() != "8" else "ArrowLeft")
    sync_api.expect(tab.locator("dialog .key")).not_to_have_text(before)
    tab.keyboard.press("Escape")
    sync_api.expect(tab.locator("dialog")).not_to_be_visible()
    tab.locator(".tile").first.click()
    sync_api.expect(tab.locator("dialog")).to_be_visible()
    tab.go_back()
    sync_api.expect(tab.locator("dialog")).not_to_be_visible()


@pytest.mark.slow
def test_the_first_rows_of_a_grid_are_drawn_first(tab, address):
    sheets = []
    tab.on("request", lambda asked: sheets.append(asked.url) if "/api/sheet" in asked.url else None)
    go(tab, address, "#images?study=combinations&trial=3&set=unseen")
    count = painted(tab)
    rows = [parse_qs(urlsplit(one).query)["rows"][0].split(",") for one in sheets]
    assert [len(one) for one in rows] == [24, 48, count - 72]
    assert [one for some in rows for one in some] == tab.evaluate(
        "() => [...document.querySelectorAll('.tile')].map((one) => one.dataset.row)"
    )


@pytest.mark.slow
def test_somebody_sorts_trials_and_reads_how_one_learned(tab, address):
    go(tab, address, "#trials?study=combinations")
    shares = tab.get_by_role("button", name="category: unseen")
    shares.click()
    column = tab.evaluate(
        "() => [...document.querySelectorAll('tbody tr')].map((row) => row.querySelectorAll('.share')[1])"
        ".filter(Boolean).map((one) => parseFloat(one.textContent))"
    )
    assert column == sorted(column, reverse=True)
    tab.get_by_label("Show trials with these words").fill("separate")
    sync_api.expect(tab.get_by_text("6 of 12 trials")).to_be_visible()
    tab.locator("tbody a").first.click()
    tab.wait_for_selector(".chart[data-drawn] svg")
    assert tab.locator(".chart svg").count() == 2
    tab.get_by_text("Data").first.click()
    tab.wait_for_selector(".data tbody tr")
    assert tab.locator(".data tbody tr").count() > 10
    with tab.expect_download() as file:
        tab.get_by_role("button", name="Download as CSV").first.click()
    assert Path(file.value.path()).read_text().startswith("epoch,phase")


@pytest.mark.slow
def test_somebody_draws_numbers_and_takes_them_home(tab, address):
    go(tab, address, "#numbers?study=combinations")
    tab.wait_for_selector(".chart[data-drawn] svg")
    charts = tab.locator(".chart").count()
    tab.get_by_label("set", exact=True).select_option("unseen")
    sync_api.expect(tab.locator(".chart")).not_to_have_count(charts)
    assert "c.set=unseen" in tab.url
    tab.get_by_label("along", exact=True).select_option("network.sharing")
    tab.wait_for_selector(READY)
    with tab.expect_download() as file:
        tab.get_by_role("link", name="These as CSV").click()
    lines = Path(file.value.path()).read_text().splitlines()
    assert len(lines) > 10
    assert all("unseen" in line for line in lines[1:])
    tab.go_back()
    tab.wait_for_selector(READY)
    assert tab.get_by_label("along", exact=True).input_value() != "network.sharing"


@pytest.mark.slow
def test_somebody_arranges_images_and_goes_among_them_by_keys(tab, address):
    go(tab, address, "#images?study=combinations&trial=3&by=category,position")
    assert painted(tab) > 20
    groups = tab.locator(".group")
    assert groups.count() == 9
    groups.first.get_by_role("button", name="all of them").click()
    tab.wait_for_selector(READY)
    assert "f.category=0" in tab.url
    assert painted(tab) == 16
    tab.locator(".tile").first.focus()
    tab.keyboard.press("ArrowRight")
    row = tab.evaluate("() => document.activeElement.dataset.row")
    assert row == tab.locator(".tile").nth(1).get_attribute("data-row")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("dialog .answers tbody tr")
    assert f"row {int(row):,}" in tab.inner_text("dialog .key")
    assert tab.locator("dialog .firing tbody tr").count() == 6
    tab.get_by_role("button", name="the next image").click()
    sync_api.expect(tab.locator("dialog .key")).not_to_contain_text(f"row {int(row):,} ")


@pytest.mark.slow
def test_somebody_compares_two_subjects(tab, address):
    go(tab, address, "#pair?study=combinations&first=2&second=3")
    tab.wait_for_selector(".fourfold")
    counts = [int(words.split("\n")[0]) for words in tab.locator(".fourfold button").all_inner_texts()]
    assert f"n = {sum(counts)} images" in tab.inner_text(".verdict")
    assert "p " in tab.inner_text(".verdict")
    tab.get_by_role("button", name="Only the second right").click()
    tab.wait_for_selector(READY)
    assert tab.locator(".tile").count() == counts[2]
    assert painted(tab) == counts[2]
    tab.get_by_role("button", name="exchange the two").click()
    tab.wait_for_selector(READY)
    assert "first=" in tab.url


@pytest.mark.slow
def test_somebody_looks_at_units_splits_and_worlds(tab, address):
    go(tab, address, "#units?study=combinations")
    tab.wait_for_selector(".units[data-painted]")
    assert tab.locator(".units > li svg").count() == 16
    tab.get_by_role("link", name="Split").click()
    tab.wait_for_selector(".drawing svg")
    before = tab.inner_text("figure h2")
    tab.get_by_label("split", exact=True).select_option(index=1)
    sync_api.expect(tab.locator("figure h2")).not_to_have_text(before)
    go(tab, address, "#world?study=regression&row=5000")
    canvas = tab.locator("canvas.large")
    sync_api.expect(canvas).to_have_attribute("data-row", "5000")
    slider = tab.get_by_role("slider", name="orientation")
    slider.focus()
    slider.press("ArrowRight")
    sync_api.expect(canvas).not_to_have_attribute("data-row", "5000")
    tab.get_by_role("button", name="Another at random").click()
    tab.wait_for_selector(READY)
    go(tab, address, "#units?study=regression")
    assert "no activity" in tab.inner_text("main")


@pytest.mark.slow
def test_a_study_that_runs_is_followed_without_reloading(tab, address, runs):
    go(tab, address, "#trials?study=combinations")
    assert "11 of 12 trials finished" in tab.inner_text("main")
    again = runs.parent / "again"
    Store(again).unpack(GOLDEN / "combinations.unseen")
    missing = next(one for one in Store(again).finished() if not Store(runs / "combinations").has(one))
    shutil.copytree(again / "trials" / missing, runs / "combinations" / "trials" / missing)
    try:
        tab.evaluate("() => window.dispatchEvent(new Event('hashchange'))")
        sync_api.expect(tab.get_by_text("12 of 12 trials finished")).to_be_visible()
    finally:
        shutil.rmtree(runs / "combinations" / "trials" / missing)


@pytest.mark.slow
def test_every_page_fits_a_phone_in_the_dark_and_every_control_has_a_name(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", has_touch=True)
    context.set_default_timeout(SLOW)
    tab = context.new_page()
    pages = ("trials", "trial", "numbers", "images", "pair", "units", "split", "world")
    for name in ("#studies", *(f"#{page}?study=combinations&trial=3&first=2" for page in pages)):
        go(tab, address, name)
        tab.wait_for_timeout(200)
        wide = tab.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 390, name
        nameless = tab.evaluate(
            "() => [...document.querySelectorAll('button, a, input, select, canvas[role], [role=img]')]"
            ".filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))"
            ".map((one) => one.outerHTML.slice(0, 90))"
        )
        assert nameless == [], name
        dark = tab.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert dark == "rgb(21, 24, 27)"
        assert tab.locator("h1").count() == 1
    context.close()


@pytest.mark.slow
def test_keys_are_listed_and_lead_to_pages(tab, address):
    go(tab, address, "#trials?study=combinations")
    tab.keyboard.press("?")
    assert "two subjects" in tab.inner_text("dialog")
    tab.keyboard.press("Escape")
    tab.keyboard.press("g")
    tab.keyboard.press("p")
    sync_api.expect(tab.locator("h1")).to_have_text("Split")
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => document.activeElement !== document.body")


def test_a_study_that_is_not_there_is_told_in_words(browser, address):
    context = browser.new_context()
    tab = context.new_page()
    go(tab, address, "#trials?study=nothing")
    assert "no study 'nothing'" in tab.inner_text("main")
    tab.get_by_role("link", name="All studies").click()
    tab.wait_for_selector(".study")
    context.close()


@pytest.fixture(scope="module")
def examined(tmp_path_factory, compiled):
    """What `unseen examine` made of a small model with maps, a study, and what `compare` and `explain` wrote of it."""
    home = tmp_path_factory.mktemp("examined")
    (home / "viewed_model.py").write_text(MODEL)
    (home / "labels.txt").write_text("car\nmug\nchair\n")
    Store(home / "runs" / "combinations").unpack(GOLDEN / "combinations.unseen")
    for words in (["examine", "viewed_model:small", *ASKED], ["compare", "runs/combinations"]):
        done = small_study.unseen(*words, cwd=home, compiled=compiled)
        assert done.returncode == 0, done.stdout + done.stderr
    return home


@pytest.mark.slow
def test_somebody_looks_at_what_an_examination_found_and_at_a_comparison(tab, examined):
    with serving(examined / "runs") as address:
        go(tab, address, "")
        assert tab.locator(".study").count() == 2
        card = tab.locator(".study", has_text="Where does viewed_model:small fail?")
        assert "1 of 1 trial finished" in card.inner_text()
        with tab.context.expect_page() as opened:
            tab.locator(".written a").click()
        comparison = opened.value
        comparison.wait_for_selector("h1")
        assert "side by side" in comparison.inner_text("h1")
        comparison.close()
        card.get_by_role("link").click()
        tab.get_by_role("link", name="seed 0").click()
        tab.wait_for_selector(".looked img")
        pictures = tab.locator(".looked img")
        assert pictures.count() == tab.locator(".looked").count() * 3 - tab.locator(".looked .none").count() > 0
        assert pictures.evaluate_all("(all) => all.every((one) => one.naturalWidth > 0 && one.alt)")
        assert "does not depend on the weights" in tab.inner_text(".looked")
        row = tab.locator(".looked a").first.get_attribute("href").split("row=")[1]
        go(tab, address, "#images?study=examine/viewed_model-small&set=")
        assert painted(tab) > 20
        tab.locator(f".tile[data-row='{row}']").first.click()
        tab.wait_for_selector("dialog .answers .maps img")
        tab.keyboard.press("Escape")
        tab.get_by_role("link", name="Numbers").click()
        tab.wait_for_selector(".chart[data-drawn] svg")
        with tab.context.expect_page() as opened:
            tab.get_by_role("link", name="Report").click()
        opened.value.wait_for_selector("h1")
        assert "fail" in opened.value.inner_text("h1")
        opened.value.close()


@pytest.mark.slow
def test_a_study_is_followed_while_it_runs_until_its_last_trial(tab, tmp_path, compiled):
    """Nobody reloads: the page looks again by itself."""
    (tmp_path / "runs").mkdir()
    recipe = small_study.written(tmp_path / "tiny.toml", small_study.tiny(training__epochs=80, seeds=[0, 1]))
    command = small_study.command("run", recipe, "--out", tmp_path / "runs" / "tiny", "--device", "cpu", "--workers", 1)
    how = {"cwd": tmp_path, "env": small_study.surroundings(compiled), "stdout": subprocess.DEVNULL}
    with serving(tmp_path / "runs") as address, subprocess.Popen(command, **how) as run:
        try:
            while not (tmp_path / "runs" / "tiny" / "workers").is_dir():
                assert run.poll() is None
                time.sleep(0.1)
            go(tab, address, "")
            tab.wait_for_selector(".study .chip.live")
            tab.locator(".study a").click()
            tab.wait_for_selector(".work .progress")
            assert tab.locator("#where .chip.live").is_visible()
            tab.wait_for_selector("tr[data-state=running]")
            tab.wait_for_selector("tr[data-state=finished] .share")
            sync_api.expect(tab.get_by_text("4 of 4 trials finished")).to_be_visible(timeout=120_000)
            sync_api.expect(tab.locator("#where .chip.live")).to_have_count(0, timeout=60_000)
        finally:
            run.terminate()
        tab.get_by_role("link", name="Images").click()
        assert painted(tab) > 0
