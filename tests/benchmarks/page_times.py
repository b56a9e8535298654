"""How long the pages take after a policy switch, with 7,000 queries and 5 systems.

On the server: the whole script run of each page, as Streamlit's own test runner executes it. In the
browser: from the click on a rule to the new headline on the overview.
"""

import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from browser.streamlit_page import StreamlitPage, running_app
from find_browser import find_browser
from playwright.sync_api import sync_playwright
from streamlit.testing.v1 import AppTest
from synthetic import Collection

from dashboard import files as app_files

PAGES = ("overview", "policy_effects", "queries", "data")
FIELDS = ("zero_idcg", "gain", "discount", "average")
# Every policy once; the first is the one that the pages open with.
POLICIES = list(
    product(
        ("zero", "leave_out", "one"),
        ("linear", "exponential"),
        ("log2", "original"),
        ("macro", "pooled"),
    )
)
CLICKS = 8
_APP = Path(app_files.__file__).parent / "app.py"
# Notes when a rule was clicked, and when the leaderboard names other rules for its headline.
_WATCH = """() => {
    const headline = () => document.querySelector('th[title^=NDCG]')?.title
    window.noted = {}
    document.addEventListener('click', () => {
        window.noted = {clicked: performance.now(), before: headline()}
    }, true)
    new MutationObserver(() => {
        const noted = window.noted
        if (noted.clicked && !noted.seen && headline() && headline() !== noted.before)
            noted.seen = performance.now()
    }).observe(document.body, {childList: true, subtree: true, characterData: true})
}"""


def report(collections: dict[str, Collection]) -> None:
    """Print the times of every page, and those in the browser, for each collection."""
    logging.disable(logging.WARNING)  # The test runner has no browser, and says so at every turn.
    for name, collection in collections.items():
        on_the_server(name, collection)
        in_the_browser(name, collection)


def on_the_server(name: str, collection: Collection) -> None:
    """Time the script of each page: under policies not seen before, and under one seen before."""
    with command_line(collection):
        app = AppTest.from_file(_APP, default_timeout=300)
        app.query_params["unjudged"] = "zero"
        app.run()
        policies = iter(POLICIES[1:])
        for page in PAGES:
            app.switch_page(f"views/{page}.py").run()
            first = [_run_under(app, next(policies)) for _ in range(5)]
            again = [_run_under(app, POLICIES[0]) for _ in range(5)]
            print(f"page {page}, {name}: first {_shown(first)}; again {_shown(again)}")


def in_the_browser(name: str, collection: Collection) -> None:
    """Time from the click on a rule to the new leaderboard on the overview."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=find_browser(), args=["--disable-gpu", "--no-sandbox"]
        )
        with running_app(Path(home), *_options(collection)) as server:
            page = StreamlitPage(browser.new_page(viewport={"width": 1440, "height": 900}))
            page.open(f"{server.url}/?unjudged=zero")
            page.page.evaluate(_WATCH)
            scopes = ("any run", "this run", "judged")
            first = [_clicked(page, "Gain", "2^g − 1")]
            first += [_clicked(page, "Ideal list", scope) for scope in scopes[:2]]
            again = [_clicked(page, "Ideal list", scopes[at % 3]) for at in range(2, 2 + CLICKS)]
            print(f"overview in the browser, {name}: first {_shown(first)}; again {_shown(again)}")
        browser.close()


@contextmanager
def command_line(collection: Collection) -> Iterator[None]:
    """Let the app read the files of a collection from its command line."""
    before = sys.argv
    sys.argv = ["app.py", *_options(collection)]
    yield
    sys.argv = before


def _options(collection: Collection) -> list[str]:
    runs = [option for run in collection.runs for option in ("--run", str(run))]
    return ["--qrels", str(collection.qrels), *runs]


def _run_under(app: AppTest, policy: tuple[str, ...]) -> float:
    for field, option in zip(FIELDS, policy, strict=True):
        app.session_state[f"policy_{field}"] = option
    start = time.perf_counter()
    app.run()
    elapsed = time.perf_counter() - start
    assert not app.exception, app.exception[0].value
    return elapsed


def _clicked(page: StreamlitPage, control: str, option: str) -> float:
    page.choose(control, option)
    noted = page.page.evaluate("() => window.noted")
    return (noted["seen"] - noted["clicked"]) / 1000


def _shown(times: list[float]) -> str:
    ordered = sorted(1000 * seconds for seconds in times)
    return f"{statistics.median(ordered):.0f} ms ({ordered[0]:.0f} to {ordered[-1]:.0f})"
