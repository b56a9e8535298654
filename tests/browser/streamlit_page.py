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
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import (
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    TimeoutError,
    WebSocket,
    expect,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

SECONDS = 30

# Heights in the tables of queries, in pixels; the head is 35 at a font of 16, and ours is 14.
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
_IN_VIEW = """e => {
    const {x, y, width, height, bottom} = e.getBoundingClientRect()
    const top = document.elementFromPoint(x + Math.min(width, 40) / 2, y + height / 2)
    return y >= 0 && bottom <= innerHeight && e.contains(top)
}"""
# On a page with a path of its own Streamlit looks for its server below that path first.
_SEARCH = re.compile(r"/[a-z_]+/_stcore/(health|host-config)$")
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
        What went wrong in the browser: uncaught errors, errors in the console, and dialogs.
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
        self.page.on("console", self._hear)
        self.page.on("dialog", self._refuse)

    @property
    def runs(self) -> int:
        """Script runs that have finished so far."""
        return self._finished

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

    def leave(self) -> None:
        """Go to an empty page, so that the end of a server is no error."""
        self.page.goto("about:blank")

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

    def pick(self, control: str, option: str) -> None:
        """Choose from a list on the page."""
        box = self.main.get_by_role("combobox", name=control, exact=True)
        wanted = self.page.get_by_role("option", name=option, exact=True)
        box.click()
        try:
            wanted.wait_for(timeout=1500)
        except TimeoutError:  # Now and then a click that moves the focus closes the list again.
            box.press("ArrowDown")
        with self.rerun():
            wanted.click()

    def press_one_of(self, control: str, option: str) -> None:
        """Press one button of a row of buttons on the page."""
        with self.rerun():
            group = self.main.get_by_role("radiogroup", name=control)
            group.get_by_role("radio", name=option, exact=True).click()

    def type_into(self, field: str, text: str) -> None:
        """Type into a field of the page, and leave it."""
        with self.rerun():
            box = self.main.get_by_role("textbox", name=field)
            box.fill(text)
            box.press("Enter")

    def press(self, button: str) -> None:
        """Press a button of the page; its name may end with its key."""
        name = re.compile(rf"^{re.escape(button)}( Shortcut \w)?$")
        with self.rerun():
            self.main.get_by_role("button", name=name).click()

    def upload(self, box: str, *files: Path) -> None:
        """Choose files in the dialog of an upload box, which is named by a part of its label."""
        uploader = self.main.get_by_test_id("stFileUploader").filter(has_text=box)
        with self.rerun(), self.page.expect_file_chooser() as chooser:
            uploader.locator("button", has_text="Upload").click()
            chooser.value.set_files(list(files))

    def listed(self, table: str, query_id: str, row: int) -> None:
        """Wait until a table, "every_system" or "pair_list", has a query in a row.

        What one sees is a canvas; the list for screen readers, which can be read, follows it. A
        table scrolls to the open query by itself, so the row is brought into view.
        """
        self._scroll(table, row)
        expect(self.table(table).get_by_test_id(f"glide-cell-0-{row}")).to_have_text(query_id)

    def marks(self, table: str, query_id: str, row: int) -> None:
        """Wait until a table marks one query and no other."""
        marked = self.table(table).locator('[role="gridcell"][aria-selected="true"]')
        expect(marked).to_have_attribute("data-testid", f"glide-cell-0-{row}")
        expect(marked).to_have_text(query_id)

    def click_row(self, table: str, row: int) -> None:
        """Click into a table, which is drawn anew when the mouse comes in."""
        shown = self.table(table)
        shown.scroll_into_view_if_needed()
        self._scroll(table, row)
        box = shown.bounding_box()
        assert box is not None, "the table is not on the page"
        scrolled = shown.locator(".dvn-scroller").evaluate("e => e.scrollTop")
        x, y = box["x"] + 80, box["y"] + _HEAD + _ROW * row + _ROW / 2 - scrolled
        self.page.mouse.move(x, y)
        self.page.evaluate(_TWO_FRAMES)
        self.page.mouse.click(x, y)

    def _scroll(self, table: str, row: int) -> None:
        top = max(0, _ROW * (row - 2))
        self.table(table).locator(".dvn-scroller").evaluate("(e, top) => e.scrollTo(0, top)", top)
        self.page.evaluate(_TWO_FRAMES)

    def table(self, name: str) -> Locator:
        """One of the two tables of queries."""
        return self.page.locator(f".st-key-{name}").get_by_test_id("stDataFrame")

    def mark(self, chart: str, query_id: str) -> Locator:
        """The mark of a query in a chart; Vega labels it with its fields for screen readers."""
        drawn = self.page.locator(f'[class*="st-key-{chart}_"]')
        return drawn.locator(f'path[aria-label*="query: {query_id};"]').first

    def click_mark(self, chart: str, query_id: str) -> None:
        """Click the mark of a query."""
        mark = self.mark(chart, query_id)
        mark.scroll_into_view_if_needed()
        mark.click(force=True)

    def has_open(self, query_id: str) -> None:
        """Wait until a query is open, and stands in the address."""
        expect(self.main.get_by_text(f"query {query_id}", exact=True)).to_be_visible()
        expect(self.page).to_have_url(re.compile(rf"[?&]query={query_id}(&|$)"))

    @property
    def parameters(self) -> dict[str, str]:
        """What the address says behind its question mark."""
        return dict(parse_qsl(urlsplit(self.page.url).query))

    def keeps_in_view(self, css: str) -> None:
        """Scroll to the end of the page; something stays in view, with nothing over it."""
        self.page.get_by_test_id("stMain").evaluate("e => e.scrollTo(0, e.scrollHeight)")
        # On a narrow screen the drawer with the policy takes a moment to slide away.
        end = time.monotonic() + 3
        while not self.page.locator(css).evaluate(_IN_VIEW):
            assert time.monotonic() < end, f"{css} is out of view"
            self.page.evaluate(_TWO_FRAMES)

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

    def _listen(self, connection: WebSocket) -> None:
        self._note(connection.url)
        connection.on("framereceived", self._count)

    def _note(self, url: str) -> None:
        if host := urlsplit(url).netloc:
            self.asked.add(host)

    def _hear(self, message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not _SEARCH.search(urlsplit(where).path):
            self.errors.append(f"console: {message.text} ({where})")

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
