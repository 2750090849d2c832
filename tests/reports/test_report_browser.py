"""The page in headless Chromium: drawn, offline, narrow, dark."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape

import numpy as np
import pytest
from report_example import answered, contents
from test_regression_report import regression

from pages import page_of
from unseen.reports import SplitPicture, write_report
from unseen.reports.palette import ROLES

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine; on Debian: apt-get install chromium"),
]
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--allow-file-access-from-files",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=20000",
)

# Runs before the page's own scripts, and tells the page around it what happened.
WITNESS = """<script>
window.errors = [];
window.addEventListener("error", e => errors.push(String(e.message)));
window.addEventListener("unhandledrejection", e => errors.push(String(e.reason)));
document.addEventListener("securitypolicyviolation", e => errors.push("blocked " + e.blockedURI));
for (const kind of ["error", "warn"]) console[kind] = (...words) => errors.push(words.join(" "));
function tell() {
  if (document.documentElement.dataset.charts !== "drawn") return setTimeout(tell, 50);
  document.querySelectorAll("details").forEach(d => d.open = true);
  const point = document.querySelector("#accuracy .mark-symbol path");
  point.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  point.dispatchEvent(new PointerEvent("pointermove", {bubbles: true, clientX: 50, clientY: 50}));
  setTimeout(() => {
    const root = document.documentElement;
    parent.postMessage({
      errors, width: innerWidth, scroll: root.scrollWidth, title: document.title,
      charts: document.querySelectorAll(".chart").length,
      drawn: document.querySelectorAll(".chart svg").length,
      symbols: document.querySelectorAll("#accuracy .large .mark-symbol path").length,
      bands: document.querySelectorAll("#accuracy .large .mark-area path").length,
      widest: Math.max(...[...document.querySelectorAll(".chart svg")].map(s => s.getBoundingClientRect().right)),
      ground: getComputedStyle(document.body).backgroundColor,
      line: getComputedStyle(document.querySelector("#accuracy .mark-line path")).stroke,
      label: getComputedStyle(document.querySelector("#accuracy .role-axis-label text")).fill,
      tooltip: document.querySelector("#vg-tooltip-element")?.textContent ?? "",
      nav: getComputedStyle(document.querySelector("nav")).display,
      strays: [...document.querySelectorAll("nav a")].map(a => a.getAttribute("href"))
        .filter(href => !document.querySelector(href)),
      beyond: [...document.querySelectorAll("main *, header *, nav *")]
        .filter(e => !e.closest("svg, .scroll, .scrolls, nav ul, pre"))
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + " " + e.className),
      pictures: [...document.querySelectorAll(".gallery img")].map(i => i.naturalWidth),
      mouse: [...document.querySelectorAll(".mouse")].map(e => getComputedStyle(e).display),
      labels: [...document.querySelectorAll("#accuracy .chart svg")].map(s => {
        const word = [...s.querySelectorAll("text")].find(t => t.textContent === "chance").getBoundingClientRect();
        const lines = [...s.querySelectorAll(".mark-line path, .mark-area path")];
        return word.left >= Math.max(...lines.map(p => p.getBoundingClientRect().right));
      }),
      hints: [...document.querySelectorAll(".scrolls")].map(b => [b.scrollWidth > b.clientWidth + 4,
        getComputedStyle(b.nextElementSibling).display !== "none"]),
      loaded: performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith("data:")),
    }, "*");
  }, 300);
}
const eager = () => document.querySelectorAll("img").forEach(i => i.loading = "eager");
document.addEventListener("DOMContentLoaded", eager);
addEventListener("load", tell);
</script>"""
GRID_WITNESS = """<script>
function tell() {
  if (document.documentElement.dataset.charts !== "drawn") return setTimeout(tell, 50);
  const box = document.querySelector("#figure-splits .picture.large");
  box.scrollLeft = 1e6;
  parent.postMessage({
    width: innerWidth, scroll: document.documentElement.scrollWidth, right: box.getBoundingClientRect().right,
    hidden: box.scrollWidth - box.clientWidth, scrolled: box.scrollLeft,
  }, "*");
}
addEventListener("load", tell);
</script>"""
AROUND = """<!doctype html><meta charset="utf-8"><pre id="told"></pre><script>
const told = {};
addEventListener("message", e => { told[e.data.width] = e.data;
  document.querySelector("#told").textContent = JSON.stringify(told); });
</script><iframe src="witnessed.html" width="1200" height="900"></iframe>
<iframe src="witnessed.html" width="390" height="844"></iframe>"""


def witnessed(made, folder, witness):
    path = write_report(page_of(made), folder)
    (path.parent / "witnessed.html").write_text(path.read_text().replace("<head>", f"<head>{witness}", 1))
    (path.parent / "around.html").write_text(AROUND)
    return path.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    whole = contents(answered=answered(), made={"command": "unseen run " + 60 * "very-long-", "run": "2026-11-18"})
    return witnessed(whole, tmp_path_factory.mktemp("browser"), WITNESS)


def seen_by_chromium(folder, profile, *flags: str) -> dict[str, dict]:
    """What the page says of itself at desktop and at phone width."""
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, *flags, f"--user-data-dir={profile}", "--dump-dom", f"file://{folder}/around.html"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    told = re.search(r'<pre id="told">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told is not None, done.stderr[-2000:]
    return json.loads(unescape(told[1]))


@pytest.fixture(scope="module")
def light(folder, tmp_path_factory):
    return seen_by_chromium(folder, tmp_path_factory.mktemp("profile"))


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_every_chart_is_drawn_and_nothing_complains(light):
    assert set(light) == {"1200", "390"}
    for told in light.values():
        assert told["errors"] == []
        assert told["drawn"] == told["charts"] > 10
        assert told["symbols"] == 16 + 4  # two series, four x, two sets; four published
        assert told["bands"] == 4
        assert told["title"].startswith("Digits & places")


def test_nothing_is_loaded_from_anywhere(light):
    assert [told["loaded"] for told in light.values()] == [[], []]


def test_on_a_phone_nothing_overflows(light):
    phone = light["390"]
    assert phone["scroll"] <= 390
    assert phone["widest"] <= 390


def test_on_a_phone_only_boxes_that_scroll_go_beyond_the_edge(light):
    assert light["390"]["beyond"] == []


def test_there_is_a_list_of_contents_at_every_width_and_its_links_resolve(light):
    for told in light.values():
        assert told["nav"] == "block"
        assert told["strays"] == []


def test_the_pictures_of_mistakes_load(light):
    for told in light.values():
        assert len(told["pictures"]) == 12
        assert min(told["pictures"]) > 0


def test_the_word_chance_stands_beside_the_curves_not_on_them(light):
    for told in light.values():
        assert told["labels"]
        assert all(told["labels"])


def test_a_box_that_hides_something_says_that_it_scrolls_and_only_then(light):
    for told in light.values():
        assert [hides == hint for hides, hint in told["hints"]] == [True] * len(told["hints"])
    assert any(hides for hides, _ in light["390"]["hints"])


def test_on_a_phone_a_wide_grid_of_examples_scrolls_in_its_own_box(tmp_path):
    seen, levels = np.ones((3, 20), dtype=bool), tuple(f"{k}–{k + 0.5}" for k in range(20))
    images = np.full((3, 20, 8, 8, 1), 128, dtype=np.uint8)
    pictures = tuple(
        SplitPicture("scale", "position_x", ("0", "1", "2"), levels, split, seen, ~seen, 5 * seen, images, split=split)
        for split in ("extrapolation", "random")
    )
    page = witnessed(regression(splits=pictures), tmp_path, GRID_WITNESS)
    phone = seen_by_chromium(page, tmp_path / "profile")["390"]
    assert phone["scroll"] <= 390
    assert phone["right"] <= 390
    assert phone["scrolled"] == pytest.approx(phone["hidden"], abs=1)
    assert phone["hidden"] > 400, "20 cells of 44 points are not shrunk"


def test_pointing_at_a_point_tells_its_value_interval_and_n(light):
    assert re.search(r"mean.*0\.\d{3}.*95 % interval.*\[0\.\d{3}, .*n.*3", light["1200"]["tooltip"], re.DOTALL)


def test_page_and_charts_follow_the_reader_into_the_dark(folder, light, tmp_path):
    dark = seen_by_chromium(folder, tmp_path / "profile", "--blink-settings=preferredColorScheme=0")["1200"]
    assert dark["errors"] == []
    assert (light["1200"]["ground"], dark["ground"]) == tuple(map(rgb, ROLES["paper"]))
    assert (light["1200"]["label"], dark["label"]) == tuple(map(rgb, ROLES["muted"]))
    assert light["1200"]["line"] != dark["line"]
