"""Drives a Streamlit app: starts its server, and waits for script runs instead of for seconds."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Dialog, Locator, Page, TimeoutError, WebSocket, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

SECONDS = 30

# Heights in the list of queries, in pixels; the head is 35 at a font of 16, and ours is 14.
_ROW, _HEAD = 28, 35 * 14 / 16

_IDLE = (
    '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'
    '[data-test-script-state="notRunning"]'
)
_UNFINISHED = (
    "[data-testid=stAppSkeleton], [data-testid=stSkeleton], [data-stale=true], "
    "[data-testid=stSpinner]"
)
_OVERFLOW = """() => Math.max(...[document.scrollingElement,
    document.querySelector('[data-testid=stMain]')].map(e => e.scrollWidth - e.clientWidth))"""
_FOCUSED = """() => {
    const e = document.activeElement
    const name = e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || ''
    return `${e.role || e.tagName.toLowerCase()} ${name.trim()}`
}"""
_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Server:
    """A running app.

    Parameters
    ----------
    port : int
    log : Path
        What the server prints.
    process : Popen
        The command, which becomes the server or, on Windows, starts it.
    """

    port: int
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Address of the app, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def running_app(folder: Path, *arguments: str) -> Iterator[Server]:
    """Start `retrievers app` as a person does, and stop it at the end.

    Parameters
    ----------
    folder : Path
        For an empty folder that is the app's working directory and home, so that no configuration
        but the app's own has a say, and for what the server prints.
    *arguments : str
        More arguments for the command line.
    """
    command = shutil.which("retrievers", path=str(Path(sys.executable).parent))
    assert command, f"there is no console script beside {sys.executable}. Run: make install"
    home, log, port = folder / "home", folder / "server.log", _free_port()
    home.mkdir()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [command, "app", "--port", str(port), *arguments],
            cwd=home,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(port, log, process)
    try:
        _wait_until_healthy(server)
        yield server
    finally:
        with suppress(ProcessLookupError):  # The group of the command: itself and its server.
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(SECONDS)


@dataclass
class StreamlitPage:
    """A browser page that shows the app.

    Parameters
    ----------
    page : Page
        A new one: what was opened before it is wrapped goes unheard.
    errors : list of str
        What went wrong in the browser: uncaught errors and dialogs.
    opened, asked : set of str
        Hosts whose address was opened, and hosts that the page sent requests to.
    """

    page: Page
    errors: list[str] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    _finished: int = 0

    def __post_init__(self) -> None:
        """Listen from the first message on."""
        self.page.on("websocket", self._listen)
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._refuse)

    @property
    def main(self) -> Locator:
        """Everything but the sidebar and the navigation."""
        return self.page.get_by_test_id("stMain")

    @property
    def sidebar(self) -> Locator:
        """The policy controls."""
        return self.page.get_by_test_id("stSidebar")

    def open(self, url: str) -> None:
        """Load an address and wait for its first script run."""
        self.opened.add(urlsplit(url).netloc)
        with self.rerun():
            self.page.goto(url)

    def go_to(self, title: str) -> None:
        """Change the page through the navigation at the top."""
        with self.rerun():
            self.page.get_by_role("link", name=title, exact=True).click()

    @contextmanager
    def rerun(self) -> Iterator[None]:
        """Act inside; it ends when a script run has finished since and the page is at rest."""
        before, end = self._finished, time.monotonic() + SECONDS
        yield
        while self._finished == before:
            assert time.monotonic() < end, "no script run finished"
            self.page.wait_for_timeout(10)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing on the page is stale or still to come."""
        self.page.wait_for_selector(_IDLE, timeout=SECONDS * 1000)
        self.page.wait_for_function(f"() => !document.querySelector('{_UNFINISHED}')")
        self.page.evaluate(_TWO_FRAMES)

    def option(self, control: str, option: str) -> Locator:
        """One button of a row of buttons; its control's label may say that it was changed."""
        group = self.sidebar.get_by_role("radiogroup", name=control)
        return group.get_by_role("radio", name=option, exact=True)

    def choose(self, control: str, option: str) -> None:
        """Press one button of a row of buttons in the sidebar."""
        with self.rerun():
            self.option(control, option).click()

    def choose_system(self, name: str) -> None:
        """Choose a system from the list on the page of queries."""
        self.main.get_by_role("combobox", name="System").click()
        with self.rerun():
            self.page.get_by_role("option", name=name, exact=True).click()

    def press(self, button: str) -> None:
        """Press a button of the page."""
        with self.rerun():
            self.main.get_by_role("button", name=button, exact=True).click()

    def upload(self, box: str, *files: Path) -> None:
        """Choose files in the dialog of an upload box, which is named by a part of its label."""
        uploader = self.main.get_by_test_id("stFileUploader").filter(has_text=box)
        with self.rerun(), self.page.expect_file_chooser() as chooser:
            uploader.locator("button", has_text="Upload").click()
            chooser.value.set_files(list(files))

    def listed(self, query_id: str, row: int) -> None:
        """Wait until the list of queries has a query in a row.

        What one sees is a canvas; the list for screen readers, which can be read, follows it.
        """
        expect(self._queries.get_by_test_id(f"glide-cell-0-{row}")).to_have_text(query_id)

    def marks(self, query_id: str, row: int) -> None:
        """Wait until the list of queries marks one query and no other."""
        marked = self._queries.locator('[role="gridcell"][aria-selected="true"]')
        expect(marked).to_have_attribute("data-testid", f"glide-cell-0-{row}")
        expect(marked).to_have_text(query_id)

    def click_row(self, row: int) -> None:
        """Click into the list of queries, which is drawn anew when the mouse comes in."""
        self._queries.scroll_into_view_if_needed()
        box = self._queries.bounding_box()
        assert box is not None, "the list of queries is not on the page"
        scrolled = self._queries.locator(".dvn-scroller").evaluate("e => e.scrollTop")
        x, y = box["x"] + 80, box["y"] + _HEAD + _ROW * row + _ROW / 2 - scrolled
        self.page.mouse.move(x, y)
        self.page.evaluate(_TWO_FRAMES)
        self.page.mouse.click(x, y)

    def bar(self, query_id: str) -> Locator:
        """The bar of a query; Vega labels it with its fields for screen readers."""
        return self.page.locator(f'path[aria-label*="query: {query_id};"]').first

    def has_open(self, query_id: str, system: str) -> None:
        """Wait until a query of a system is open, and stands in the address."""
        expect(self.main).to_contain_text(f"query {query_id}, {system}")
        expect(self.page).to_have_url(re.compile(rf"[?&]query={query_id}(&|$)"))

    def fits(self) -> None:
        """Wait until neither the page nor its scrolling part is wider than what one sees.

        A chart follows the width of the window a moment later.
        """
        with suppress(TimeoutError):
            self.page.wait_for_function(f"() => ({_OVERFLOW})() <= 0", timeout=5000)
        assert int(self.page.evaluate(_OVERFLOW)) <= 0, "wider than the window"

    def focused(self) -> str:
        """Role or tag, and name, of what the keyboard acts on."""
        return str(self.page.evaluate(_FOCUSED))

    @property
    def _queries(self) -> Locator:
        return self.page.get_by_test_id("stDataFrame").first

    def _listen(self, connection: WebSocket) -> None:
        self._note(connection.url)
        connection.on("framereceived", self._count)

    def _note(self, url: str) -> None:
        if host := urlsplit(url).netloc:
            self.asked.add(host)

    def _refuse(self, dialog: Dialog) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _count(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            return
        message = ForwardMsg()
        message.ParseFromString(frame)
        if message.WhichOneof("type") != "script_finished":
            return
        if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self._finished += 1


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    # Without it the server of a person at a desk opens a window of its own.
    return kept | {"HOME": str(home), "STREAMLIT_SERVER_HEADLESS": "true"}


def _wait_until_healthy(server: Server) -> None:
    end = time.monotonic() + SECONDS
    while True:
        assert server.process.poll() is None, f"the app ended:\n{server.log.read_text()}"
        assert time.monotonic() < end, f"the app does not answer:\n{server.log.read_text()}"
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
