"""The app in a real browser, started the way a person starts it."""

import gzip
import http.client
import json
import re
import socket
import time
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser.streamlit_page import Server, StreamlitPage, running_app
from nasty_names import NASTY
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

PAGES = ("Overview", "Policy effects", "Combinations", "Tools", "Queries", "Data")
EVERY_PAGE = (*PAGES, "The trap")
PATHS = {
    "Overview": "",
    "Policy effects": "policy_effects",
    "Combinations": "combinations",
    "Tools": "tools",
    "Queries": "queries",
    "Data": "data",
    "The trap": "trap",
}
GAIN_2 = "2^g − 1"
BEST_TWO = {"system": "dense", "baseline": "dense-128"}

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
    (tmp_path / "beta.run.gz").write_bytes(gzip.compress(RUNS["beta.run"].encode()))
    return {name: tmp_path / name for name in (*files, "beta.run.gz")}


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


def test_an_upload_without_the_token_of_its_page_is_refused(samples: Server):
    connection = http.client.HTTPConnection("127.0.0.1", samples.port, timeout=10)
    body = (
        '--x\r\nContent-Disposition: form-data; name="file"; filename="a.run"\r\n\r\n'
        "q1 Q0 a 1 1 a\r\n--x--\r\n"
    )
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    connection.request("PUT", "/_stcore/upload_file/session/file", body, headers)
    assert connection.getresponse().status == 403
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
    expect(page.main).to_contain_text("dense leads dense-128 by 0.043 NDCG@10 (")
    for system, value in (("dense", "0.669"), ("char-ngrams", "0.571"), ("rerank", "0.381")):
        shows_headline(page, system, value)
    steps = page.main.get_by_role("listitem").filter(has_text="Press “Count as 0” below")
    expect(steps).to_be_hidden()
    page.main.get_by_text("A walk of one minute", exact=True).click()
    expect(steps).to_be_visible()


@pytest.mark.parametrize("title", EVERY_PAGE)
def test_a_page_reads_well_in_both_themes_and_at_every_width(
    page: StreamlitPage, samples: Server, title: str
):
    """No serious finding of axe, nothing wider than the window, and the rules always in view."""
    page.open(f"{samples.url}/{PATHS[title]}")
    for width in (420, 1024, 1440):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.settle()
        page.fits()
        if title not in {"Data", "The trap"}:
            page.keeps_in_view(".st-key-provenance")
    page.page.evaluate("() => document.querySelectorAll('details').forEach(e => e.open = true)")
    page.fits()
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        page.settle()
        assert serious_findings(page) == [], scheme


def serious_findings(page: StreamlitPage) -> list[str]:
    return [
        f"{found['id']}: {node['target']}"
        for found in Axe().run(page.page).response["violations"]
        if found["impact"] in {"serious", "critical"}
        for node in found["nodes"]
    ]


def test_another_theme_changes_every_colour_and_runs_nothing(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/queries?unjudged=zero")
    query = page.parameters["query"]
    before = page.runs
    first, second = page.main.locator(".rd-first").first, page.main.locator(".rd-second").first
    mark = page.mark("scatter", better(page, "dense"))
    colours: list[tuple[Literal["light", "dark"], str, str]] = [
        ("light", "rgb(0, 114, 178)", "rgb(194, 84, 10)"),
        ("dark", "rgb(86, 168, 224)", "rgb(240, 138, 60)"),
        ("light", "rgb(0, 114, 178)", "rgb(194, 84, 10)"),
    ]
    for scheme, blue, orange in colours:
        page.page.emulate_media(color_scheme=scheme)
        expect(first).to_have_css("color", blue)
        expect(second).to_have_css("color", orange)
        expect(mark).to_have_css("fill", blue)
    assert page.runs == before
    page.has_open(query)


def better(page: StreamlitPage, system: str) -> str:
    """A query on which the first system is better."""
    label = page.page.locator('[class*="st-key-scatter_"] path[aria-label*="A − B: +"]').first
    found = re.search(r"query: (\w+);", label.get_attribute("aria-label") or "")
    assert found, f"no query on which {system} is better"
    return found[1]


def test_every_control_can_be_reached_by_keyboard(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    reached = []
    for _ in range(60):
        page.page.keyboard.press("Tab")
        reached.append(page.focused())
    wanted = [
        *(f"combobox {name}" for name in ("Scoring policy", "Cutoff k", "Unjudged documents")),
        *(f"combobox {name}" for name in ("Tied scores", "Compare A", "with baseline B")),
        *(f"radio {name}" for name in ("g", "judged", "as 0", "macro mean")),
        *(f"a {title}" for title in EVERY_PAGE),
        *(f"button {name}" for name in ("Count as 0", "Remove", "Refuse in top k")),
    ]
    assert [name for name in wanted if name not in reached] == []
    assert any(name.startswith("summary NDCG@10 (") for name in reached)
    assert "region Systems, best first" in reached, "a table that scrolls"


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
    shows_headline(page, "dense", "0.669")
    page.choose("Gain", GAIN_2)
    expect(page.main).to_contain_text("NDCG@10 (exponential gain")
    shows_headline(page, "dense", "0.661")
    changed = page.main.inner_text()
    assert page.parameters == BEST_TWO | {"gain": "exponential"}
    with page.rerun():
        page.page.reload()
    expect(page.option("Gain", GAIN_2)).to_be_checked()
    assert page.main.inner_text() == changed
    page.go_to("Policy effects")
    assert urlsplit(page.page.url).path == "/policy_effects"
    assert page.parameters == BEST_TWO | {"gain": "exponential"}


def test_a_cutoff_can_be_typed_and_a_wrong_one_gets_a_message(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    type_cutoff(page, "seven")
    expect(page.sidebar.get_by_role("note")).to_contain_text("Numbers still stand under 10.")
    shows_headline(page, "dense", "0.669")
    type_cutoff(page, "7")
    expect(page.main).to_contain_text(re.compile(r"dense leads \S+ by 0\.\d{3} NDCG@7 \("))
    expect(page.main).to_contain_text("NDCG@7 (linear gain")
    expect(page.sidebar.get_by_role("note")).to_have_count(0)
    assert page.parameters == BEST_TWO | {"cutoff": "7"}


def type_cutoff(page: StreamlitPage, text: str) -> None:
    page.sidebar.get_by_role("combobox", name="Cutoff k").fill(text)
    with page.rerun():
        page.page.keyboard.press("Enter")


def test_one_click_chooses_the_rule_for_unjudged_documents(page: StreamlitPage, samples: Server):
    page.open(samples.url)
    expect(page.main.get_by_role("note")).to_contain_text("1,945 places in the top 10")
    page.press("Remove")
    expect(page.main.get_by_role("note")).to_have_count(0)
    shows_headline(page, "bm25", "0.426")
    assert page.parameters == BEST_TWO | {"unjudged": "condense"}


# Combinations, tools and the trap


def test_a_ticked_option_joins_the_combinations(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/combinations?unjudged=zero&vary=average%3Dmacro/pooled")
    expect(page.main).to_contain_text("dense beats dense-128 in 2 of 2 rule sets")
    page.main.get_by_text("2 rule sets: every combination of 1 rules").click()
    with page.rerun():
        options = page.main.get_by_role("toolbar", name="Cutoff k")
        options.get_by_role("button", name="5", exact=True).click()
    with page.rerun():
        options.get_by_role("button", name="20", exact=True).click()
    expect(page.main).to_contain_text("dense beats dense-128 in 4 of 4 rule sets")
    assert page.parameters["vary"] == "cutoff=5/20 average=macro/pooled"


def test_the_options_stand_below_their_places_on_the_curve(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/combinations?unjudged=zero")
    for width in (420, 1440):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.settle()
        edges = "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
        curve = page.page.locator(".rd-spec-box").evaluate(edges)
        strips = page.page.locator(".rd-spec-strip").all()
        assert len(strips) > 10
        assert all(strip.evaluate(edges) == pytest.approx(curve, abs=0.5) for strip in strips)


def test_the_rules_at_an_end_of_the_curve_can_be_used(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/combinations?unjudged=zero")
    page.press("Use the rules of the highest")
    expect(page.main).to_contain_text("under the present rules it is +0.066")
    page.go_to("Overview")
    expect(page.main).to_contain_text("dense leads dense-128 by 0.066")


def test_a_reported_number_finds_its_rules(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/tools?unjudged=zero")
    expect(page.main).to_contain_text("tools and settings give dense between 0.6604 and 0.8167")
    page.type_into("or a reported number", "0.8167")
    found = page.main.get_by_role("combobox", name="to", exact=True)
    expect(found).to_have_value("dense 0.81669: lightgbm")
    assert page.parameters["reported"] == "0.8167"


def test_a_step_of_the_trap_opens_the_overview_under_its_rules(
    page: StreamlitPage, samples: Server
):
    page.open(f"{samples.url}/trap")
    page.press("Open the overview under: Ideal list: this run; Zero-IDCG queries: leave out")
    shows_headline(page, "rerank", "0.980")
    rules = {"ideal_scope": "this_run", "zero_idcg": "leave_out", "unjudged": "zero"}
    assert rules.items() <= page.parameters.items()


# Queries


def test_a_click_into_either_table_opens_a_query(page: StreamlitPage, samples: Server):
    """Also into a row that was clicked before, after another way opened another query."""
    page.open(f"{samples.url}/queries")
    page.marks("pair_list", "q45", row=0)
    page.listed("pair_list", "q27", row=3)
    with page.rerun():
        page.click_row("pair_list", 3)
    page.has_open("q27")
    page.marks("pair_list", "q27", row=3)
    page.listed("every_system", "q11", row=5)
    with page.rerun():
        page.click_row("every_system", 5)
    page.has_open("q11")
    page.marks("every_system", "q11", row=5)
    with page.rerun():
        page.click_row("pair_list", 3)
    page.has_open("q27")
    with page.rerun():
        page.click_row("every_system", 5)
    page.has_open("q11")
    with page.rerun():
        page.page.reload()
    page.has_open("q11")
    page.marks("every_system", "q11", row=5)


def test_a_click_on_a_mark_opens_a_query(page: StreamlitPage, samples: Server):
    """A difference of 0 has a mark, too: q05. The same mark can be clicked again later."""
    page.open(f"{samples.url}/queries")
    for chart, query in (("scatter", "q26"), ("differences", "q05"), ("differences", "q26")):
        with page.rerun():
            page.click_mark(chart, query)
        page.has_open(query)
    page.press("Next")
    page.has_open("q27")
    with page.rerun():
        page.click_mark("differences", "q26")
    page.has_open("q26")
    page.pick("with baseline B", "nothing: A alone")
    with page.rerun():
        page.click_mark("query_bars", "q48")
    page.has_open("q48")


def test_keys_step_through_the_list(page: StreamlitPage, samples: Server):
    page.open(f"{samples.url}/queries")
    for key, query, row in (("n", "q42", 1), ("n", "q26", 2), ("p", "q42", 1)):
        with page.rerun():
            page.page.keyboard.press(key)
        page.has_open(query)
        page.marks("pair_list", query, row=row)


def test_the_row_that_was_clicked_means_another_query_after_another_sort(
    page: StreamlitPage, samples: Server
):
    """The open query stays, but for another filter, which opens the first query that it leaves."""
    page.open(f"{samples.url}/queries")
    page.listed("pair_list", "q27", row=3)
    with page.rerun():
        page.click_row("pair_list", 3)
    page.pick("Compare A", "bm25")
    page.has_open("q27")
    page.listed("pair_list", "q25", row=3)
    with page.rerun():
        page.click_row("pair_list", 3)
    page.has_open("q25")
    page.listed("every_system", "q16", row=3)
    with page.rerun():
        page.click_row("every_system", 3)
    page.has_open("q16")
    page.pick("Sort", "widest spread")
    page.has_open("q16")
    page.listed("every_system", "q24", row=3)
    with page.rerun():
        page.click_row("every_system", 3)
    page.has_open("q24")
    page.press_one_of("Show", "B better")
    page.listed("pair_list", "q06", row=0)
    page.has_open("q06")
    page.choose("Gain", GAIN_2)
    page.has_open("q06")


# Files


def test_uploaded_files_are_compared(
    page: StreamlitPage, samples: Server, own_files: dict[str, Path]
):
    page.open(f"{samples.url}/data")
    page.upload("Runs:", own_files["alpha.run"], own_files["beta.run.gz"])
    page.upload("Judgments:", own_files["my.qrels"])
    for name in ("my.qrels", "alpha.run", "beta.run.gz"):
        expect(page.main.get_by_role("cell", name=name, exact=True)).to_be_visible()
    page.go_to("Overview")
    expect(page.main).to_contain_text("alpha leads beta by 0.191 NDCG@10")
    shows_headline(page, "alpha", ALPHA)
    shows_headline(page, "beta", BETA)


def test_nobody_sees_the_uploads_of_others(
    page: StreamlitPage, other_page: StreamlitPage, samples: Server, own_files: dict[str, Path]
):
    for one, run in ((page, "alpha.run"), (other_page, "beta.run")):
        one.open(f"{samples.url}/data")
        expect(one.main).to_contain_text("Sample runs: ten retrievers")
        one.upload("Judgments:", own_files["my.qrels"])
        one.upload("Runs:", own_files[run])
    for one, run, other in ((page, "alpha.run", "beta"), (other_page, "beta.run", "alpha")):
        for title in PAGES:
            one.go_to(title)
            expect(one.main).to_contain_text(run.removesuffix(".run"))
            expect(one.main).not_to_contain_text(other)
        expect(one.main.get_by_role("cell", name=run, exact=True)).to_be_visible()


def test_the_address_restores_everything_on_files_of_ones_own(
    page: StreamlitPage, tmp_path: Path, own_files: dict[str, Path]
):
    files = ["--qrels", own_files["my.qrels"], "--run", own_files["alpha.run"]]
    (tmp_path / "app").mkdir()
    with running_app(tmp_path / "app", *map(str, files), str(own_files["beta.run"])) as server:
        page.open(f"{server.url}/queries")
        page.choose("Gain", GAIN_2)
        page.pick("Compare A", "beta")
        page.press_one_of("Show", "B better")
        page.type_into("Find a query", "Q")
        page.has_open("q2")
        page.listed("pair_list", "q1", row=1)
        with page.rerun():
            page.click_row("pair_list", 1)
        chosen = {
            "gain": "exponential",
            "system": "beta",
            "baseline": "alpha",
            "query": "q1",
            "show": "second_better",
            "find": "Q",
        }
        page.has_open("q1")
        assert page.parameters == chosen
        seen = page.main.inner_text()
        with page.rerun():
            page.page.reload()
        page.has_open("q1")
        assert page.parameters == chosen
        assert page.main.inner_text() == seen
        page.marks("pair_list", "q1", row=1)
        page.leave()


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
        heads = page.table("every_system").locator('[role="columnheader"]')
        expect(heads).to_have_text(["query", *names])
        page.main.get_by_role("combobox", name="Compare A").click()
        for name in names:
            expect(page.page.get_by_role("option", name=name, exact=True)).to_be_visible()
        page.page.keyboard.press("Escape")
        mark = page.mark("differences", NASTY["remote image"])
        mark.scroll_into_view_if_needed()
        mark.hover(force=True)
        expect(page.page.locator(".vg-tooltip")).to_contain_text(NASTY["remote image"])
        for key in ("markdown image", "handler"):
            page.open(f"{server.url}/queries?{urlencode({'query': NASTY[key]})}")
            heading = page.main.get_by_role("heading", name=f"query {NASTY[key]}", exact=True)
            expect(heading).to_be_visible()
        assert page.page.locator("img[src*='example.invalid']").count() == 0
        page.leave()


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
