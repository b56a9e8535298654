"""The app in a real browser, started the way a person starts it."""

import http.client
import json
import re
import socket
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.streamlit_page import Server, StreamlitPage, running_app
from nasty_names import NASTY
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAGES = ("Overview", "Policy effects", "Queries", "Data")
PATHS = {"Overview": "", "Policy effects": "policy_effects", "Queries": "queries", "Data": "data"}
GAIN_2 = "2^g − 1"

QRELS = "q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq2 0 d 0\nq3 0 e 1\n"
RUNS = {
    "alpha.run": "q1 Q0 a 1 3 alpha\nq1 Q0 b 2 2 alpha\nq2 Q0 c 1 2 alpha\nq3 Q0 x 1 1 alpha\n",
    "beta.run": "q1 Q0 b 1 3 beta\nq1 Q0 a 2 2 beta\nq2 Q0 d 1 2 beta\nq2 Q0 c 2 1 beta\n",
}
# Means over three queries of 1, 1, 0 and of (1 + 3/log2(3)) / (3 + 1/log2(3)), 1/log2(3), 0.
ALPHA, BETA = "0.667", "0.476"


@pytest.fixture
def own_files(tmp_path: Path) -> dict[str, Path]:
    files = {"my.qrels": QRELS, "bad.run": "q1 Q0 a 1 high bad\n", **RUNS}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    return {name: tmp_path / name for name in files}


def shows_headline(page: StreamlitPage, system: str, value: str) -> None:
    row = page.main.get_by_role("row", name=re.compile(rf"^\d+ {re.escape(system)} "))
    expect(row.get_by_role("cell").nth(2)).to_have_text(value)


# The server


def test_the_app_listens_on_this_machine_only(samples: Server):
    """It is started from an empty folder: the settings come with the app, not from the folder."""
    with socket.create_connection(("127.0.0.1", samples.port), timeout=5):
        pass
    for address in ("127.0.0.2", *own_addresses()):
        with pytest.raises(OSError), socket.create_connection((address, samples.port), timeout=5):
            pass
    assert "Network URL" not in samples.log.read_text()
    assert "External URL" not in samples.log.read_text()


def own_addresses() -> list[str]:
    """Addresses under which other machines see this one. Nothing is sent to find them."""
    try:
        with socket.socket(type=socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return [str(probe.getsockname()[0])]
    except OSError:
        return []


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", 101),
        ("localhost:{port}", "http://localhost:{port}", 101),
        ("127.0.0.1:{port}", "http://attacker.example", 403),
        ("127.0.0.1:{port}", "http://127.0.0.1.attacker.example:{port}", 403),
        ("attacker.example:{port}", "http://attacker.example:{port}", 403),
    ],
)
def test_pages_of_others_cannot_connect(samples: Server, host: str, origin: str, status: int):
    connection = http.client.HTTPConnection("127.0.0.1", samples.port, timeout=10)
    headers = {
        "Host": host.format(port=samples.port),
        "Origin": origin.format(port=samples.port),
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }
    connection.request("GET", "/_stcore/stream", headers=headers)
    response = connection.getresponse()
    assert response.status == status
    response.close()
    connection.close()


def test_ending_the_command_ends_the_server(tmp_path: Path):
    with running_app(tmp_path) as server:
        server.process.terminate()
        server.process.wait(10)
        assert closes(server.port)


def closes(port: int) -> bool:
    end = time.monotonic() + 3
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            return True
        time.sleep(0.05)
    return False


# Reading


def test_the_app_opens_on_the_sample_runs(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    expect(page.main).to_contain_text("Sample runs: ten retrievers")
    expect(page.main).to_contain_text("dense leads dense-128 by 0.043 NDCG@10")
    for system, value in (("dense", "0.669"), ("char-ngrams", "0.571"), ("rerank", "0.381")):
        shows_headline(page, system, value)
    steps = page.main.get_by_role("listitem").filter(has_text="Press “Count as 0” below")
    expect(steps).to_be_hidden()
    page.main.get_by_text("A walk of one minute", exact=True).click()
    expect(steps).to_be_visible()


@pytest.mark.parametrize("title", PAGES)
def test_a_page_reads_well_in_both_themes_and_on_a_narrow_screen(
    page: StreamlitPage, samples: Server, title: str
):
    """No serious finding of axe, and nothing wider than the window, with all details open."""
    page.open(f"{samples.url}/{PATHS[title]}")
    page.page.evaluate("() => document.querySelectorAll('details').forEach(e => e.open = true)")
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        for width in (420, 1440):
            page.page.set_viewport_size({"width": width, "height": 900})
            page.settle()
            page.fits()
        assert serious_findings(page) == [], scheme


def serious_findings(page: StreamlitPage) -> list[str]:
    return [
        f"{found['id']}: {node['target']}"
        for found in Axe().run(page.page).response["violations"]
        if found["impact"] in {"serious", "critical"}
        for node in found["nodes"]
    ]


def test_every_control_can_be_reached_by_keyboard(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    reached = []
    for _ in range(60):
        page.page.keyboard.press("Tab")
        reached.append(page.focused())
    wanted = [
        *(f"combobox {name}" for name in ("Scoring policy", "Cutoff k", "Unjudged documents")),
        "combobox Tied scores",
        *(f"radio {name}" for name in ("g", "judged", "as 0", "macro mean")),
        *(f"a {title}" for title in PAGES),
        *(f"button {name}" for name in ("Count as 0", "Remove", "Refuse in top k")),
    ]
    assert [name for name in wanted if name not in reached] == []
    assert any(name.startswith("summary NDCG@10 (") for name in reached)
    assert any(name.startswith("div System") for name in reached), "a table that scrolls"


def test_a_control_can_be_worked_by_keyboard(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    page.option("Gain", "g").focus()
    page.page.keyboard.press("ArrowRight")
    with page.rerun():
        page.page.keyboard.press("Space")
    expect(page.option("Gain", GAIN_2)).to_be_checked()
    expect(page.main).to_contain_text("NDCG@10 (exponential gain")


# The policy


def test_a_changed_rule_changes_numbers_and_address_and_outlives_a_reload(
    page: StreamlitPage, samples: Server
):
    page.open(samples.url)
    page.choose("Gain", GAIN_2)
    expect(page.main).to_contain_text("NDCG@10 (exponential gain")
    changed = page.main.inner_text()
    assert page.page.url == f"{samples.url}/?gain=exponential"
    with page.rerun():
        page.page.reload()
    expect(page.option("Gain", GAIN_2)).to_be_checked()
    assert page.main.inner_text() == changed
    page.go_to("Policy effects")
    assert page.page.url == f"{samples.url}/policy_effects?gain=exponential"


def test_a_cutoff_can_be_typed_and_a_wrong_one_gets_a_message(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    type_cutoff(page, "seven")
    expect(page.main).to_contain_text("cutoff must be a whole number of at least 1")
    type_cutoff(page, "7")
    expect(page.main).to_contain_text(re.compile(r"dense leads \S+ by 0\.\d{3} NDCG@7:"))
    expect(page.main).to_contain_text("NDCG@7 (linear gain")
    assert page.page.url == f"{samples.url}/?cutoff=7"


def type_cutoff(page: StreamlitPage, text: str) -> None:
    page.sidebar.get_by_role("combobox", name="Cutoff k").fill(text)
    with page.rerun():
        page.page.keyboard.press("Enter")


def test_one_click_chooses_the_rule_for_unjudged_documents(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    expect(page.main.get_by_role("note")).to_contain_text("1,945 unjudged documents")
    page.press("Remove")
    expect(page.main.get_by_role("note")).to_have_count(0)
    shows_headline(page, "bm25", "0.426")
    assert page.page.url == f"{samples.url}/?unjudged=condense"


# Queries


def test_a_click_into_the_list_opens_a_query(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/queries")
    page.marks("q37", row=4)
    page.listed("q43", row=10)
    with page.rerun():
        page.click_row(10)
    page.has_open("q43", "dense")
    page.marks("q43", row=10)
    with page.rerun():
        page.page.reload()
    page.has_open("q43", "dense")
    page.marks("q43", row=10)


def test_a_click_on_a_bar_opens_a_query(page: StreamlitPage, samples: Server):
    """A score of 0 has a bar, too: q48."""
    page.open(f"{samples.url}/queries")
    for query in ("q12", "q48"):
        with page.rerun():
            page.bar(query).click(force=True)
        page.has_open(query, "dense")


def test_the_open_query_stays_when_another_system_sorts_the_list_anew(
    page: StreamlitPage, samples: Server
):
    page.open(f"{samples.url}/queries")
    page.listed("q43", row=10)
    with page.rerun():
        page.click_row(10)
    page.choose_system("bm25")
    page.has_open("q43", "bm25")
    page.listed("q27", row=10)
    page.choose("Gain", GAIN_2)
    page.has_open("q43", "bm25")


def test_a_row_that_was_clicked_opens_its_query_again(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/queries")
    with page.rerun():
        page.click_row(10)
    page.has_open("q43", "dense")
    page.press("Next")
    page.has_open("q42", "dense")
    page.marks("q42", row=11)
    page.click_row(10)
    page.has_open("q43", "dense")


def test_the_row_that_was_clicked_opens_another_query_after_another_sort(
    page: StreamlitPage, samples: Server
):
    page.open(f"{samples.url}/queries")
    with page.rerun():
        page.click_row(10)
    page.choose_system("bm25")
    page.listed("q27", row=10)
    page.click_row(10)
    page.has_open("q27", "bm25")


def test_a_bar_that_was_clicked_opens_its_query_again(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/queries")
    with page.rerun():
        page.bar("q12").click(force=True)
    page.press("Next")
    page.has_open("q08", "dense")
    page.bar("q12").click(force=True)
    page.has_open("q12", "dense")


# Files


def test_uploaded_files_are_compared(
    page: StreamlitPage, samples: Server, own_files: dict[str, Path]
):
    page.open(f"{samples.url}/data")
    page.upload("Runs:", own_files["alpha.run"], own_files["beta.run"])
    page.upload("Judgments:", own_files["my.qrels"])
    for name in ("my.qrels", "alpha.run", "beta.run"):
        expect(page.main.get_by_role("cell", name=name, exact=True)).to_be_visible()
    page.go_to("Overview")
    expect(page.main).to_contain_text("alpha leads beta by 0.191 NDCG@10")
    shows_headline(page, "alpha", ALPHA)
    shows_headline(page, "beta", BETA)


def test_a_bad_file_shows_its_reason_and_the_page_lives_on(
    page: StreamlitPage, samples: Server, own_files: dict[str, Path]
):
    page.open(f"{samples.url}/data")
    page.upload("Judgments:", own_files["my.qrels"])
    page.upload("Runs:", own_files["bad.run"], own_files["alpha.run"])
    row = page.main.get_by_role("row", name=re.compile("^bad.run not used"))
    expect(row).to_contain_text("Not used. bad.run, line 1:")
    page.go_to("Overview")
    expect(page.main.get_by_role("note").first).to_contain_text("Not used. bad.run, line 1:")
    shows_headline(page, "alpha", ALPHA)
    page.choose("Gain", GAIN_2)
    expect(page.main).to_contain_text("NDCG@10 (exponential gain")


def test_the_command_line_names_files_and_no_name_of_theirs_is_more_than_text(
    page: StreamlitPage, tmp_path: Path
):
    """Neither pictures from elsewhere nor scripts come in with a name; the page fixture looks."""
    names = [NASTY["markdown image"], NASTY["ends a table"], NASTY["remote image"]]
    with running_app(tmp_path / "app", *nasty_files(tmp_path, names)) as server:
        page.open(server.url)
        for title in ("Policy effects", "Data", "Overview"):
            page.go_to(title)
            for name in names:
                expect(page.main.get_by_text(name, exact=True).first).to_be_visible()
        page.go_to("Queries")
        page.main.get_by_role("combobox", name="System").click()
        for name in names:
            expect(page.page.get_by_role("option", name=name, exact=True)).to_be_visible()
        page.page.keyboard.press("Escape")
        page.bar(NASTY["remote image"]).hover(force=True)
        expect(page.page.locator(".vg-tooltip")).to_contain_text(NASTY["remote image"])
        for key in ("markdown image", "handler"):
            page.open(f"{server.url}/queries?{urlencode({'query': NASTY[key]})}")
            expect(page.main.get_by_role("heading", name=NASTY[key], exact=True)).to_be_visible()
        assert page.page.locator("img[src*='example.invalid']").count() == 0


def nasty_files(folder: Path, runs: list[str]) -> list[str]:
    """Write judgments and runs whose queries and documents have nasty names; say how to load them.

    All runs but the last are named on the command line, the last one by its own tag. No two files
    hold the same bytes, which would be one run.
    """
    (folder / "app").mkdir()
    judged = {name: {name: 1, "other": 0} for name in NASTY.values()}
    ranked = {query: [*["other"] * (at % 2), query] for at, query in enumerate(judged)}
    plain = [query for query in judged if query.split() == [query] and query[0] != "#"]
    (folder / "qrels.json").write_text(json.dumps(judged))
    for at in range(len(runs) - 1):
        (folder / f"{at}.json").write_text(json.dumps(ranked, indent=at))
    (folder / "b.run").write_text("".join(f"{q} Q0 {q} 1 1 {runs[-1]}\n" for q in plain))
    named = [f"{name}={folder / f'{at}.json'}" for at, name in enumerate(runs[:-1])]
    return ["--qrels", str(folder / "qrels.json"), "--run", *named, str(folder / "b.run")]
