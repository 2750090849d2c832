"""`unseen ask`: people answer, close the page, come back, and are compared with a network."""

import json
import shutil
import threading
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from starlette.testclient import TestClient

from unseen.engines import open_study
from unseen.kinds.comparison.sources import How, gathered
from unseen.kinds.comparison.tables import numbers_of
from unseen.studies.given_answers import SubjectDetails
from unseen.studies.subjects import add_answers, asked_rows, subjects_of
from unseen.viewer.people import sessions
from unseen.viewer.people.app import make_experiment
from unseen.viewer.people.masks import pink_noise
from unseen.viewer.people.serving import served_experiment
from unseen.viewer.people.sessions import Experiment, Timing, _append, answers_in, collect, timing_of
from unseen.viewer.serving import HERE
from unseen.vocabulary.errors import UnseenError
from unseen.vocabulary.sample_keys import sample_keys

ASK = {
    "title": "Which digit?",
    "seeds": [0],
    "world": {"name": "digits", "viewpoint": "position", "categories": [0, 1, 2]},
    "design": {"name": "ask", "images_per_cell": 1, "only": {"position": [0, 4, 8, 2]}},
}


@pytest.fixture
def experiment(tmp_path):
    return Experiment(open_study(ASK, out=tmp_path / "s"), pause=5)


@pytest.fixture
def client(experiment):
    app = make_experiment(experiment, names=frozenset(HERE))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def everybody(client, experiment):
    """One more person, who answers all; nothing is collected yet."""
    code = client.post("/api/begin", json={}).json()["code"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sessions, "collect", lambda experiment: None)
        for trial, row in enumerate(experiment.order(code.rpartition("-")[0]).tolist()):
            send(client, code, trial, truth(experiment, row))


def truth(experiment, row):
    samples = experiment.study.world(experiment.study.points[0]).samples
    return experiment.target.classes[int(experiment.target.truth(samples, np.array([row]))[0])]


def send(client, code, trial, response, **more):
    told = {"code": code, "trial": trial, "response": response, "rt": 700.0, "shown": 200.1, "frames": 12, **more}
    return client.post("/api/answer", json=told)


def test_of_two_servers_that_collect_at_once_the_newer_answers_stay(client, experiment, monkeypatch):
    """The first one has read the journals, and the second one collects, with one more person, before it writes."""
    everybody(client, experiment)
    other, write, met = replace(experiment, collecting=threading.Lock()), sessions.add_answers, []

    def meanwhile(*arguments, **options):
        if not met:
            met.append(True)
            everybody(client, experiment)
            assert collect(other) == (2, 0)
        return write(*arguments, **options)

    monkeypatch.setattr(sessions, "add_answers", meanwhile)
    assert collect(experiment) == (2, 0)
    (record,) = subjects_of(experiment.study)[0]
    assert record.subject.persons == 2


def test_a_person_is_asked_every_image_once_and_goes_on_where_they_stopped(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    for trial in (0, 1, 2):
        assert send(client, code, trial, "the digit 0").status_code == 200
    again = client.get("/api/state", params={"code": code}).json()
    assert again["done"] == 3
    assert again["left"][0] == 3
    assert sorted(experiment.order("subject-01").tolist()) == sorted(experiment.rows.tolist())
    assert (experiment.order("subject-01") != experiment.order("subject-02")).any()


def test_finished_people_are_a_subject_of_the_study_and_unfinished_ones_wait(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    for trial, row in enumerate(experiment.order("subject-01").tolist()):
        send(client, code, trial, truth(experiment, row))
    other = client.post("/api/begin", json={}).json()["code"]
    send(client, other, 0, "")
    (record,) = subjects_of(experiment.study)[0]
    assert (record.subject.name, record.subject.kind, record.subject.persons) == ("people", "people", 1)
    assert record.facts["counts"]["answers"] == len(experiment.rows)
    assert collect(experiment) == (1, 1)
    assert collect(experiment, partial=True) == (2, 1)
    assert subjects_of(experiment.study)[0][0].facts["counts"]["no answer"] == 1


def test_an_answer_sent_twice_counts_once_and_the_first_one_stays(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    send(client, code, 0, "the digit 0")
    send(client, code, 0, "the digit 1")
    (line,) = answers_in(experiment.folder / "subject-01.jsonl")
    assert line["response"] == "the digit 0"


def test_a_line_that_was_cut_off_is_asked_again(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    send(client, code, 0, "the digit 0")
    path = experiment.folder / "subject-01.jsonl"
    path.write_text(path.read_text() + '{"kind": "answer", "tri')
    assert client.get("/api/state", params={"code": code}).json()["left"][0] == 1


def test_the_answer_after_a_line_that_was_cut_off_is_kept(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    path = experiment.folder / "subject-01.jsonl"
    path.write_text(path.read_text() + '{"kind": "answer", "tri')
    assert send(client, code, 0, "the digit 0").json()["done"] == 1
    assert [line["trial"] for line in answers_in(path)] == [0]


def test_a_letter_that_ends_lines_elsewhere_ends_none_in_a_journal(tmp_path):
    path = tmp_path / "subject-01.jsonl"
    _append(path, {"kind": "answer", "trial": 0, "response": "a\u2028b\x85c"})
    assert [line["response"] for line in answers_in(path)] == ["a\u2028b\x85c"]


def test_who_ends_while_the_study_is_run_is_thanked_and_counted_later(client, experiment):
    code = client.post("/api/begin", json={}).json()["code"]
    order = experiment.order("subject-01").tolist()
    with experiment.study.store.locked():
        told = [send(client, code, trial, truth(experiment, row)) for trial, row in enumerate(order)]
    assert {answer.status_code for answer in told} == {200}
    assert told[-1].json()["left"] == []
    assert collect(experiment) == (1, 0)


def test_two_servers_of_one_study_give_nobody_the_same_number(experiment, monkeypatch):
    first = experiment.begin()
    monkeypatch.setattr(Experiment, "journals", lambda self: {})  # the other one began just now
    second = experiment.begin()
    assert {first["person"], second["person"]} == {"subject-01", "subject-02"}


def test_a_copy_of_a_journal_is_nobody(client, experiment):
    client.post("/api/begin", json={})
    shutil.copy(experiment.folder / "subject-01.jsonl", experiment.folder / "subject-01 copy.jsonl")
    assert client.post("/api/begin", json={}).json()["person"] == "subject-02"
    assert list(experiment.journals()) == ["subject-01", "subject-02"]


def test_a_disk_that_keeps_nothing_is_told_at_the_beginning(client, experiment):
    experiment.folder.parent.mkdir()
    experiment.folder.write_text("in the way")
    answer = client.post("/api/begin", json={})
    assert answer.status_code == 500
    assert "could not be kept" in answer.json()["error"]


def test_two_people_never_draw_at_once_since_worlds_are_made_for_one_thread(client, experiment, monkeypatch):
    code = client.post("/api/begin", json={}).json()["code"]
    world = experiment.study.world(experiment.study.points[0])
    drawn, at_once, most = type(world).images, [], []

    def slow(self, *given, **more):
        at_once.append(1)
        most.append(len(at_once))
        time.sleep(0.05)
        at_once.pop()
        return drawn(self, *given, **more)

    monkeypatch.setattr(type(world), "images", slow)
    some = [threading.Thread(target=client.get, args=(f"/image/{code}/{trial}.png",)) for trial in range(4)]
    for one in some:
        one.start()
    for one in some:
        one.join()
    assert most == [1, 1, 1, 1]


def test_an_experiment_answers_by_the_address_that_it_printed(experiment):
    page = served_experiment(experiment, host="127.0.0.2", port=0)
    page.bound.close()
    with TestClient(page.app(), base_url=page.address) as made:
        assert made.get("/api/about").status_code == 200


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"trial": 99, "response": "the digit 0"}, "no trial 99"),
        ({"trial": 0, "response": "a whale"}, "no class"),
        ({"trial": "0", "response": "the digit 0"}, "which trial"),
    ],
)
def test_answers_that_are_none_are_refused(client, told, says):
    code = client.post("/api/begin", json={}).json()["code"]
    answer = client.post("/api/answer", json={"code": code, **told})
    assert answer.status_code == 400
    assert says in answer.json()["error"]


def test_only_this_machine_and_this_page_may_write(client):
    assert client.post("/api/begin", json={}, headers={"host": "evil.example"}).status_code == 421
    assert client.post("/api/begin", content="{}", headers={"content-type": "text/plain"}).status_code == 415
    assert client.get("/api/state", params={"code": "subject-01-aaaaaaaa"}).status_code == 400
    assert client.get("/image/subject-01-aaaaaaaa/0.png").status_code == 404
    assert client.get("/page/..%2Fapp.py").status_code == 404


def test_images_and_masks_are_pictures_and_say_nothing_of_the_answer(client):
    code = client.post("/api/begin", json={}).json()["code"]
    for address in (f"/image/{code}/0.png", "/mask/3.png"):
        assert client.get(address).content.startswith(b"\x89PNG")
    assert "digit" not in f"/image/{code}/0.png"


def test_a_mask_has_the_spectrum_of_pink_noise():
    """Amplitude falls with one over frequency: its slope on logarithmic axes is about −1."""
    power = []
    for number in range(8):
        spectrum = np.abs(np.fft.fft2(pink_noise(128, number)[0].astype(float)))
        power.append([spectrum[0, k] for k in range(2, 30)])
    slope = np.polyfit(np.log(np.arange(2, 30)), np.log(np.mean(power, 0)), 1)[0]
    assert -1.25 < slope < -0.75


def test_what_cannot_be_asked_is_refused(tmp_path):
    study = open_study(ASK, out=tmp_path / "s")
    with pytest.raises(UnseenError, match="not seen"):
        Timing(image=0)
    with pytest.raises(UnseenError, match="pause"):
        Experiment(study, pause=0)


def test_ctrl_c_puts_answers_into_the_study_and_tells_how_long_images_were_shown(
    experiment, client, monkeypatch, capsys
):
    from unseen.cli.asking import ask
    from unseen.cli.terminal import Terminal
    from unseen.viewer.people.serving import ServedExperiment

    code = client.post("/api/begin", json={}).json()["code"]
    for trial in range(len(experiment.rows)):
        send(client, code, trial, "the digit 0", dropped=trial % 2)

    def pressed(self, started):
        self.bound.close()
        started()
        raise KeyboardInterrupt

    monkeypatch.setattr(ServedExperiment, "run", pressed)
    options = {"images": 0, "pause": 5, "duration": 200, "within": 0, "consent": None, "host": "127.0.0.1", "port": 0}
    with pytest.raises(KeyboardInterrupt):
        ask(
            Terminal(), experiment.study, name="people", **options, browser=False, collect_only=False, partial=False
        )  # fmt: skip
    said = " ".join(capsys.readouterr().out.split())
    assert "answers of 1 person are in" in said
    assert "shown for 200 ms (median" in said
    assert f"dropped in {len(experiment.rows) // 2} trials" in said


@pytest.mark.slow
@pytest.mark.browser
def test_a_person_in_a_browser_stops_half_way_comes_back_and_is_compared_with_a_network(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("needs Chromium")
    study = open_study(ASK, out=tmp_path / "s")
    experiment = Experiment(study, pause=5, timing=Timing(fixation=50, mask=50))
    page_of = served_experiment(experiment)
    from uvicorn import Config, Server

    server = Server(Config(make_experiment(experiment, names=frozenset(HERE)), log_level="warning", lifespan="off"))
    thread = threading.Thread(target=lambda: server.run(sockets=[page_of.bound]), daemon=True)
    thread.start()
    try:
        with playwright.sync_playwright() as started:
            browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": 390, "height": 760})
            page = context.new_page()
            page.goto(page_of.address)
            assert page.locator("#begin").is_disabled()
            page.locator("#agree").check()
            page.locator("#begin").click()
            half = len(experiment.rows) // 2
            _answer(page, experiment, half)
            page.reload()
            page.locator("text=Welcome back").wait_for()
            page.locator("#begin").click()
            _answer(page, experiment, len(experiment.rows) - half)
            page.locator("text=Thank you").wait_for()
            browser.close()
    finally:
        server.should_exit = True
        thread.join(10)
    lines = answers_in(experiment.folder / "subject-01.jsonl")
    assert len({line["trial"] for line in lines}) == len(experiment.rows)
    found = timing_of(experiment)
    assert found["shown"] == len(lines)
    assert found["median"] >= 150
    samples, rows = study.world(study.points[0]).samples, asked_rows(study)
    frame = pl.DataFrame({"key": sample_keys(samples, rows), "response": ["0"] * len(rows)})
    frame.write_csv(tmp_path / "network.csv")
    add_answers(study, [tmp_path / "network.csv"], SubjectDetails("network"))
    compared = numbers_of(gathered([str(study.path)], lambda path: study, How()).answers)
    accuracies = {own.group.name: own.accuracy.value for own in compared.owns}
    assert accuracies == {"people": 1.0, "network": pytest.approx(1 / 3)}


def _answer(page, experiment, number):
    """Right answers, by turns with a key and with a button; pauses are gone over."""
    for _ in range(number):
        path = experiment.folder / "subject-01.jsonl"
        before = len(answers_in(path)) if path.is_file() else 0
        page.wait_for_selector("#choices.open, #continue")
        if page.locator("#continue").count():
            page.keyboard.press("Space")
            page.wait_for_selector("#choices.open")
        row = int(experiment.order("subject-01")[before])
        name = truth(experiment, row)
        if before % 2:
            page.keyboard.press("1234qwerasdfzxcv"[experiment.target.classes.index(name)])
        else:
            page.locator(f'#choices button[data-name="{name}"]').click()
        page.wait_for_selector("#choices.open", state="detached")
    assert json.loads((experiment.folder / "subject-01.jsonl").read_text().splitlines()[0])["kind"] == "start"
