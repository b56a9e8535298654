"""Finds the browser that the tests drive.

As a script it prints the browser's path, or says in one line what to do and fails. With
``--install``, on Debian and its kin and as root, it installs Chromium when there is none.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
MAC_APPS = ("Google Chrome", "Chromium", "Microsoft Edge")
WINDOWS_APPS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
# Besides Chromium: a small font for Chinese, Japanese and Korean (Latin ones come along), and a
# library that Playwright's driver wants.
PACKAGES = "chromium fonts-wqy-microhei libatomic1"


class NoBrowserError(Exception):
    """There is no browser; the message says what to do."""


def find_browser() -> str:
    """Path of the browser: the environment's CHROME, else an installed one."""
    chosen = os.environ.get("CHROME")
    if chosen:
        path = shutil.which(chosen)
        if path is None:
            raise NoBrowserError(f"CHROME={chosen}: no such program. Name a Chrome or Chromium.")
        return path
    found = [path for name in NAMES if (path := shutil.which(name))]
    found += [str(path) for path in _usual_places() if path.is_file()]
    if not found:
        raise NoBrowserError(
            "No browser for the tests. Install Chromium or Google Chrome, "
            "or set CHROME=/path/to/one."
        )
    return found[0]


def _usual_places() -> list[Path]:
    if sys.platform == "darwin":
        folders = [Path("/Applications"), Path.home() / "Applications"]
        return [f / f"{app}.app/Contents/MacOS/{app}" for f in folders for app in MAC_APPS]
    roots = [Path(root) for name in WINDOWS_FOLDERS if (root := os.environ.get(name))]
    return [root / app for root in roots for app in WINDOWS_APPS]


def install_browser() -> None:
    """Install Chromium with apt; when that fails, show what apt said."""
    print("Installing Chromium for the tests", file=sys.stderr)
    install = "apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=120"
    done = subprocess.run(
        f"apt-get update; {install} {PACKAGES}",
        shell=True,
        check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        raise NoBrowserError("apt could not install Chromium. Install one, or set CHROME=/path.")


def _can_install() -> bool:
    if os.environ.get("CHROME") or sys.platform != "linux":
        return False
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _found_or_installed() -> str:
    try:
        return find_browser()
    except NoBrowserError:
        if not _can_install():
            raise
    install_browser()
    return find_browser()


def main(arguments: list[str]) -> int:
    """Print the browser's path."""
    try:
        print(_found_or_installed() if "--install" in arguments else find_browser())
    except NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
