"""Facts about files kept in memory: one line each round core.

Keys are the very objects the facts are about, compared by identity, as in `scoring`. A run that
gets another name keeps its blocks, and so its findings.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import coverage, findings, id_hints, judgment_findings
from core.blocks import Block
from core.errors import EvaluationError
from core.formats.texts import Texts
from core.grades import GradedRun
from core.ids import Ids, distinct_ids
from core.judgments import Judgments
from core.policy import Policy


@lru_cache(maxsize=64)
def of_run(blocks: tuple[Block, ...]) -> findings.RunFindings:
    """Look through the results of a run."""
    return findings.run_findings(blocks)


@lru_cache(maxsize=64)
def near_matches(blocks: tuple[Block, ...], judgments: Judgments) -> id_hints.IdHints:
    """Find ids that nearly match."""
    return id_hints.id_hints(blocks, judgments)


def doubtful(graded: GradedRun) -> bool:
    """Whether something in the run may decide its score and nothing else does.

    Its scores rise with the rank or are all equal, ids nearly match those of the judgments, or none
    of its documents is judged.
    """
    blocks = tuple(graded.run.blocks)
    hints = near_matches(blocks, graded.judgments)
    return (
        of_run(blocks).direction in ("rises", "equal")
        or hints.queries.total + hints.documents.total > 0
        or not graded.judged.any()
    )


@lru_cache(maxsize=16)
def of_judgments(
    judgments: Judgments, runs: tuple[GradedRun, ...]
) -> judgment_findings.JudgmentFindings:
    """Look through the judgments, and for what the runs returned of them."""
    return judgment_findings.judgment_findings(judgments, runs)


@lru_cache(maxsize=16)
def relevant_histogram(judgments: Judgments) -> tuple[judgment_findings.Bar, ...]:
    """Count queries by their number of relevant documents."""
    return judgment_findings.relevant_histogram(judgments)


@lru_cache(maxsize=256)
def judged_by_depth(
    graded: GradedRun, policy: Policy, depths: tuple[int, ...]
) -> tuple[float | None, ...] | EvaluationError:
    """Mean judged@k at several depths, or why the policy refuses the run."""
    try:
        return coverage.judged_by_depth(graded, policy, depths)
    except EvaluationError as error:
        return error


@dataclass(frozen=True, eq=False)
class Shown:
    """Documents that a page may show.

    Parameters
    ----------
    ids : frozenset of str
    key : str
        A digest of the ids, by which what was read of them is kept.
    """

    ids: frozenset[str]
    key: str


@lru_cache(maxsize=16)
def returned_documents(blocks: tuple[Block, ...]) -> frozenset[str]:
    """Find the documents that runs return, for whatever query."""
    return distinct_ids(block.loaded().documents for block in blocks)


@lru_cache(maxsize=16)
def shown_documents(blocks: tuple[Block, ...], judgments: Judgments | None) -> Shown:
    """Find the documents that runs return, or that are judged."""
    judged = distinct_ids([judgments.documents]) if judgments else frozenset()
    ids = returned_documents(blocks) | judged
    hashes = np.sort(Ids.from_strings(ids).hashes())
    return Shown(ids, hashlib.sha256(hashes.tobytes()).hexdigest())


@lru_cache(maxsize=32)
def covered(ids: frozenset[str], texts: Texts) -> int:
    """Count those that have a text."""
    return sum(one in texts.by_id for one in ids)
