"""One browser and one server for all browser tests; a new page for each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from browser.streamlit_page import Server, StreamlitPage, running_app
from find_browser import NoBrowserError, find_browser
from playwright.sync_api import Browser, BrowserContext, sync_playwright

# Names resolve to nothing, so that even a request that should not be made leaves nowhere.
_ARGUMENTS = ["--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser that CHROME names; without one the tests fail, they are not skipped."""
    try:
        path = find_browser()
    except NoBrowserError as error:
        pytest.fail(str(error))
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = [*_ARGUMENTS, *(["--no-sandbox"] if is_root else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """One cache for all pages: loading Streamlit's own code takes longest."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The app on its sample runs."""
    with running_app(tmp_path_factory.mktemp("app")) as server:
        yield server


@pytest.fixture
def page(context: BrowserContext) -> Iterator[StreamlitPage]:
    """A new page."""
    with _watched(context) as page:
        yield page


@pytest.fixture
def other_page(chromium: Browser) -> Iterator[StreamlitPage]:
    """A page of somebody else: nothing is shared with the first, not even a cookie."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    context.set_default_timeout(10_000)
    with _watched(context) as page:
        yield page
    context.close()


@contextmanager
def _watched(context: BrowserContext) -> Iterator[StreamlitPage]:
    """Whatever a test does, nothing fails in the page and it asks nobody but the app."""
    page = StreamlitPage(context.new_page())
    yield page
    exceptions = page.page.get_by_test_id("stException").count()
    page.page.close()
    assert page.errors == []
    assert exceptions == 0, "Streamlit shows an exception"
    assert page.asked == page.opened, "a request to another host"
