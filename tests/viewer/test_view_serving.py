"""Who may ask what of `unseen view`: this machine, by its name, and only what lies in the served folder."""

import socket
import subprocess
import sys

import pytest
from starlette.testclient import TestClient

from unseen.viewer.app import make_app
from unseen.viewer.page_files import parts
from unseen.viewer.serving import PORT, is_local, served
from unseen.viewer.shelf import Shelf
from unseen.vocabulary.errors import UnseenError

pytest_plugins = ("viewed",)


def test_the_page_and_its_parts_are_served_and_nothing_else_of_the_package(client):
    page = client.get("/")
    assert page.status_code == 200
    assert "/page/main.js" in page.text
    for name in parts("unseen.viewer"):
        assert client.get(f"/page/{name}").status_code == 200
    for name in ("app.py", "..%2Fapp.py", "%2e%2e/app.py", "none.js"):
        assert client.get(f"/page/{name}").status_code == 404
    assert "--paper" in client.get("/palette.css").text


def test_a_page_of_another_name_gets_nothing(client):
    for host in ("evil.example", "evil.example:8765", "127.0.0.1.evil.example", ""):
        assert client.get("/api/studies", headers={"host": host}).status_code == 421
    for host in ("localhost:8765", "127.0.0.1:1", "[::1]:8765"):
        assert client.get("/api/studies", headers={"host": host}).status_code == 200


def test_nothing_can_be_changed(client):
    for method in ("POST", "PUT", "DELETE"):
        assert client.request(method, "/api/studies").status_code == 405


def test_answers_are_for_this_page_alone(client):
    told = client.get("/api/studies").headers
    assert told["cross-origin-resource-policy"] == "same-origin"
    assert "frame-ancestors 'none'" in told["content-security-policy"]
    assert "unsafe-eval" not in told["content-security-policy"]


def test_a_token_is_asked_for_where_other_machines_may_look(studies):
    app = make_app(Shelf(studies), token="secret")
    with TestClient(app, base_url="http://lab", follow_redirects=False) as client:
        assert client.get("/").status_code == 401
        assert client.get("/api/studies").status_code == 401
        assert client.get("/?token=wrong").status_code == 401
        told = client.get("/?token=secret")
        assert told.status_code == 303
        assert "secret" not in told.headers["location"]
        assert "HttpOnly" in told.headers["set-cookie"]
        assert client.get("/api/studies").status_code == 200  # the cookie is kept


def test_pages_of_one_host_keep_their_own_tokens(studies):
    shelf = Shelf(studies)
    with TestClient(make_app(shelf, token="first"), base_url="http://lab:1", follow_redirects=False) as one:
        one.get("/?token=first")
        with TestClient(make_app(shelf, token="second"), base_url="http://lab:2", cookies=one.cookies) as two:
            two.get("/?token=second")
            assert two.get("/api/studies").status_code == 200
            one.cookies.update(two.cookies)
        assert one.get("/api/studies").status_code == 200


def test_only_studies_of_the_served_folder_are_read(ask, studies, tmp_path):
    outside = studies.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "recipe.toml").write_text("title = 'secret'")
    for name in ("../outside", "/etc", str(outside), "here/../../outside"):
        assert "not below" in ask("study", refused=404, study=name)
    assert "Did you mean 'here/combinations'?" in ask("study", refused=404, study="here/combination")
    assert "possible" in ask("study", refused=404)


def test_a_link_that_leads_out_of_the_served_folder_is_not_followed(studies, tmp_path):
    outside, folder = tmp_path / "outside", tmp_path / "runs"
    folder.mkdir()
    (folder / "inside").symlink_to(studies / "unfinished")
    assert Shelf(folder).names() == []
    assert outside.exists() is False


def test_an_address_that_does_not_exist_is_told(client, ask):
    assert "no such address" in ask("nothing", refused=404)
    assert client.get("/elsewhere").status_code == 404


def test_a_port_in_use_is_told_and_the_next_one_taken_where_none_was_named(studies):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UnseenError, match=f"port {port} is in use.*Leave --port out"):
            served(studies, port=port)
    first, second = served(studies), served(studies)
    try:
        assert PORT <= first.port != second.port
        assert first.token == ""
        assert first.address == f"http://127.0.0.1:{first.port}/"
    finally:
        first.bound.close()
        second.bound.close()


def test_wrong_addresses_and_folders_are_refused_in_words(studies, tmp_path):
    with pytest.raises(UnseenError, match="--port 99999 is no port"):
        served(studies, port=99999)
    with pytest.raises(UnseenError, match="--host is an address of this machine"):
        served(studies, host="203.0.113.7")
    with pytest.raises(UnseenError, match="is not there"):
        served(tmp_path / "nothing")
    with pytest.raises(UnseenError, match="is a file"):
        served(studies / "unfinished" / "recipe.toml")


def test_other_machines_need_the_whole_address(studies):
    page = served(studies, host="0.0.0.0", port=0)
    page.bound.close()
    assert len(page.token) > 20
    assert page.token in page.address
    assert not is_local("0.0.0.0")


def test_what_is_asked_for_stays_within_bounds(ask):
    asked = {"study": "here/combinations", "most": 10_000_000}
    assert "streamed" in ask("answers", refused=400, **asked)
    assert "no whole number" in ask("answers", refused=400, study="here/combinations", most="all")
    assert "longer than" in ask("answers", refused=400, study="here/combinations", set="x" * 30_000)


def test_looking_imports_nothing_heavy_before_it_serves(studies):
    code = (
        "import sys; from pathlib import Path; from unseen.viewer.serving import served;"
        f"served(Path({str(studies)!r}), port=0); print([m for m in ('torch', 'polars') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_a_page_answers_by_the_address_that_it_printed(studies):
    page = served(studies, host="127.0.0.2", port=0)
    page.bound.close()
    with TestClient(page.app(), base_url=page.address) as client:
        assert client.get("/").status_code == 200
