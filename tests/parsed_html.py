"""HTML as a browser reads it: tags, attributes and texts, without their escapes."""

from html.parser import HTMLParser


def events(html: str) -> list[tuple[str, ...]]:
    """Everything in a piece of HTML, in order.

    Returns
    -------
    list of tuple of str
        ("open", tag), ("attribute", name, value), ("close", tag), ("text", text), or ("other", …)
        for comments and the like.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.events


def text_of(html: str) -> str:
    """All texts of a piece of HTML, joined as they stand."""
    return "".join(event[1] for event in events(html) if event[0] == "text")


def rows_of(html: str) -> list[list[str]]:
    """Texts of a table's cells, one list a row."""
    rows: list[list[str]] = []
    for event in events(html):
        if event == ("open", "tr"):
            rows.append([])
        elif event in {("open", "td"), ("open", "th")}:
            rows[-1].append("")
        elif event[0] == "text" and rows and rows[-1]:
            rows[-1][-1] += event[1]
    return rows


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.events: list[tuple[str, ...]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.events.append(("open", tag))
        self.events += [("attribute", name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("close", tag))

    def handle_data(self, data: str) -> None:
        if self.events and self.events[-1][0] == "text":
            self.events[-1] = ("text", self.events[-1][1] + data)
        else:
            self.events.append(("text", data))

    def handle_comment(self, data: str) -> None:
        self.events.append(("other", data))

    def handle_decl(self, decl: str) -> None:
        self.events.append(("other", decl))

    def handle_pi(self, data: str) -> None:
        self.events.append(("other", data))

    def unknown_decl(self, data: str) -> None:
        self.events.append(("other", data))
