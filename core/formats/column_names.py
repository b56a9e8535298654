"""The names that people give to columns and keys, by what they mean."""

import re
from collections.abc import Iterable
from functools import lru_cache

JUDGMENTS, RUN = "judgments", "run"
QUERIES, DOCUMENTS = "queries", "documents"
LIST = "list"

# For each meaning: names that say it, and names that say it where none of the first is there.
# Capitals, blanks, hyphens, underscores and full stops make no difference.
_QUERY = (
    ("qid", "query id", "query no", "query num", "query number", "topic id", "topic no",
     "topic num", "topic number", "question id", "search id"),
    ("query", "question", "topic"),
)  # fmt: skip
_DOCUMENT = (
    ("docno", "doc no", "docid", "doc id", "did", "doc number", "document id", "document no",
     "document number", "corpus id", "passage id", "pid", "chunk id", "context id", "node id",
     "item id", "product id", "retrieved id", "hit id"),
    ("doc", "document", "passage", "chunk", "context"),
)  # fmt: skip
_GRADE = (
    ("rel", "relevance", "label", "grade", "judgment", "judgement", "rating", "qrel",
     "relevance label", "relevance grade", "relevance judgment", "relevance judgement"),
    ("score", "relevance score"),
)  # fmt: skip
_SCORE = (
    ("score", "sim", "similarity", "retrieval score", "similarity score", "relevance score",
     "ranking score", "rerank score", "doc score", "document score", "cosine similarity"),
    ("scores", "similarities", "cosine"),
)  # fmt: skip
_RANK = (("rank", "position", "pos", "doc rank", "document rank", "rank of doc"), ())
_SYSTEM = (
    ("run", "run id", "run name", "run tag", "system", "system id", "system name",
     "system number", "tag", "model", "model id", "model name", "retriever", "retriever name"),
    (),
)  # fmt: skip
_QUERY_TEXT = (
    ("text", "query", "question", "topic", "query text", "question text", "topic text",
     "query string", "search query", "utterance", "content", "contents", "body"),
    (),
)  # fmt: skip
_DOCUMENT_TEXT = (
    ("text", "content", "contents", "body", "passage", "document", "doc", "chunk", "context",
     "paragraph", "passage text", "document text", "doc text", "chunk text", "page content"),
    (),
)  # fmt: skip
_TITLE = (("title", "doc title", "document title", "passage title", "page title"), ())
LIST_NAMES = (
    ("doc ids", "docids", "document ids", "retrieved ids", "retrieved doc ids", "context ids",
     "retrieved document ids", "retrieved context ids", "chunk ids", "retrieved chunk ids",
     "passage ids", "retrieved passage ids", "ids", "docnos", "pids"),
    ("results", "retrieved", "hits", "documents", "docs", "ranking", "retrieved docs",
     "retrieved documents", "retrieved passages", "retrieved chunks", "retrieved contexts",
     "candidates", "passages", "chunks", "contexts", "nodes", "source nodes", "sources",
     "hits hits", "qrels", "judgments", "judgements"),
)  # fmt: skip
ENTRY_DOCUMENT = ((*_DOCUMENT[0], "id"), _DOCUMENT[1])
DISTANCE = ("distance", "dist", "distances", "l2", "l2 distance", "cosine distance")
# A list under these names may as well hold texts.
_TEXT_LISTS = ("passages", "chunks", "contexts", "retrieved passages", "retrieved chunks",
               "retrieved contexts", "documents", "docs", "retrieved documents",
               "retrieved docs")  # fmt: skip
SAYS_NOTHING = ("q0", "iteration", "iter", "")

Names = tuple[tuple[str, ...], tuple[str, ...]]
ROLES: dict[str, dict[str, Names]] = {
    JUDGMENTS: {"query": _QUERY, "document": _DOCUMENT, "grade": _GRADE},
    RUN: {
        "query": _QUERY,
        "document": _DOCUMENT,
        "score": _SCORE,
        "rank": _RANK,
        "system": _SYSTEM,
    },
    QUERIES: {"id": (_QUERY[0], ("id",)), "text": _QUERY_TEXT, "title": _TITLE},
    DOCUMENTS: {"id": (_DOCUMENT[0], ("id",)), "text": _DOCUMENT_TEXT, "title": _TITLE},
}


def known_names(names: Iterable[str], kind: str) -> int:
    """Count the meanings that some column has by its name."""
    words = {plain(name) for name in names}
    tables = [first + second for first, second in ROLES[kind].values()]
    if kind == RUN:
        tables.append(DISTANCE)
    return sum(not words.isdisjoint(map(plain, table)) for table in tables)


def plain(name: str) -> str:
    """Strip a name of what makes no difference.

    >>> plain(" Query-ID ")
    'queryid'
    """
    return re.sub(r"[\s_.-]+", "", name).lower()


def value_of(kind: str) -> str:
    """What a document has for a query: a score, or a grade in judgments."""
    return "score" if kind == RUN else "grade"


@lru_cache(1024)
def is_list_name(name: str) -> bool:
    """Whether a name says that documents are listed."""
    return any(plain(name) in map(plain, words) for words in LIST_NAMES)


def may_hold_texts(name: str) -> bool:
    """Whether a list of that name may as well hold texts as ids."""
    return plain(name) in map(plain, _TEXT_LISTS)
