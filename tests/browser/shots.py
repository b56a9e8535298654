"""Pictures of every page, in both themes and three widths: `make shots`.

Needs the browser that CHROME names. Pictures lie in the folder given, named page-theme-width.png.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Literal

from browser.streamlit_page import StreamlitPage, running_app
from find_browser import find_browser
from playwright.sync_api import Browser, ViewportSize, sync_playwright

PAGES = {
    "overview": "",
    "policy_effects": "policy_effects",
    "combinations": "combinations",
    "tools": "tools",
    "queries": "queries",
    "data": "data",
    "trap": "trap",
}
WIDTHS = {1440: 900, 1024: 768, 420: 860}
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
# Every page scrolls inside itself: a picture of the whole needs a window as high as the page.
_HEIGHT = "() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight + 60"
_TALLEST = 4000


def main() -> None:
    """Start the app, and take every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("shots"))
    parser.add_argument("--pages", nargs="*", choices=PAGES, default=list(PAGES))
    parser.add_argument("--widths", nargs="*", type=int, choices=WIDTHS, default=list(WIDTHS))
    parser.add_argument("--themes", nargs="*", choices=THEMES, default=list(THEMES))
    parser.add_argument("--address", default="unjudged=zero", help="what stands behind the ?")
    parser.add_argument("--fold", action="store_true", help="only what is seen without scrolling")
    parser.add_argument("files", nargs="*", help="options of `retrievers app`, after --")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        arguments = ["--disable-gpu", "--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        with running_app(Path(home), *options.files) as server:
            for theme in options.themes:
                for width in options.widths:
                    _pictures(browser, server.url, theme, width, options)
        browser.close()


def _pictures(
    browser: Browser, url: str, theme: Theme, width: int, options: argparse.Namespace
) -> None:
    for page in options.pages:
        size = ViewportSize(width=width, height=WIDTHS[width])
        context = browser.new_context(viewport=size, color_scheme=theme)
        shown = StreamlitPage(context.new_page())
        shown.open(f"{url}/{PAGES[page]}?{options.address}")
        if not options.fold:
            height = min(int(shown.page.evaluate(_HEIGHT)), _TALLEST)
            shown.page.set_viewport_size({"width": width, "height": max(height, WIDTHS[width])})
            shown.settle()
        shown.page.wait_for_timeout(700)
        shown.page.screenshot(path=options.folder / f"{page}-{theme}-{width}.png")
        assert not shown.errors, shown.errors
        context.close()


if __name__ == "__main__":
    main()
