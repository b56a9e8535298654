"""Scores runs under many rule sets at once, and computes nothing twice that rule sets share.

A ranking serves all rule sets that agree on it, and so do a DCG and an IDCG; what is left is
arithmetic on one number a query, done for many rule sets together.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.contributions import (
    DCG_FIELDS,
    IDCG_FIELDS,
    Union,
    gainful,
    query_dcg,
    query_idcg,
    returned_by_any,
)
from core.errors import EvaluationError
from core.grades import GradedRun
from core.memo import shown
from core.ndcg import Float
from core.policy import Policy
from core.ranking import RANKING_FIELDS, final_ranking
from core.refusals import CHECKS, Check
from core.rule_sets import FIELDS, Rows, RuleSets
from core.scores import QuerySums, headlines, query_ndcg, settled

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many steps are done, and of how many. What it raises ends the work."""

# An ideal ranking that ends with the list needs to know whether the list is condensed.
_IDEAL_FIELDS = (*IDCG_FIELDS, "unjudged")
_LAST_FIELDS = tuple(field for field in FIELDS if field not in {*DCG_FIELDS, *IDCG_FIELDS})
# What takes longest changes most seldom.
_VISITED = (*reversed(RANKING_FIELDS), *DCG_FIELDS[len(RANKING_FIELDS) :], *IDCG_FIELDS)

# Numbers of one kind that are held at a time, and that the last step works on at a time.
_HELD = 1 << 21
_AT_ONCE = 1 << 17
_REPORTS = 100


@dataclass(frozen=True, eq=False)
class Sweep:
    """What came of every rule set, run by run.

    Parameters
    ----------
    values : ndarray of float, shape (rule sets, runs)
        Headlines. NaN: no value, or refused.
    refused : ndarray of bool, shape (rule sets, runs)
        Whether the rule set refuses the run.
    """

    values: Float
    refused: NDArray[np.bool_]


def sweep(
    runs: tuple[GradedRun, ...], rules: RuleSets, *, progress: Progress | None = None
) -> Sweep:
    """Score every run under every rule set.

    Every value is the very number that `core.scores` gives for the rule set alone.

    Parameters
    ----------
    runs : tuple of GradedRun
        Joined to the same judgments.
    rules : RuleSets
    progress : callable, optional
        Called after every hundredth of the steps.
    """
    shape = (len(rules), len(runs))
    found = Sweep(np.full(shape, np.nan), np.zeros(shape, dtype=bool))
    if not runs:
        return found
    most = max(1, _HELD // max(1, len(runs) * len(runs[0].judgments.query_ids)))
    order = rules.sorted_by(_VISITED)
    parts = [order[at : at + most] for at in range(0, len(order), most)]
    blocks = [_Block(runs, rules, rows, found) for rows in parts]
    total = sum(block.steps for block in blocks)
    done = 0
    for block in blocks:
        for _ in block.work():
            done += 1
            if progress and done * _REPORTS // total > (done - 1) * _REPORTS // total:
                progress(done, total)
    return found


class _Block:
    """Rule sets that are worked on together.

    Those that agree on all that a step looks at form a group; the first of them that does not
    refuse the run stands for all.
    """

    def __init__(
        self, runs: tuple[GradedRun, ...], rules: RuleSets, rows: Rows, found: Sweep
    ) -> None:
        self._runs, self._rules, self._found = runs, rules, found
        self._ranked = [
            (group, rules.grouped(group, DCG_FIELDS))
            for group in rules.grouped(rows, RANKING_FIELDS)
        ]
        self._ideal = rules.grouped(rows, _IDEAL_FIELDS)
        self._last = rules.grouped(rows, _LAST_FIELDS)
        dcg_groups = [group for _, groups in self._ranked for group in groups]
        self._dcg_at = _numbers(dcg_groups, len(rules))
        self._idcg_at = _numbers(self._ideal, len(rules))
        self._dcg_count = len(dcg_groups)

    @property
    def steps(self) -> int:
        """How many steps `work` takes."""
        groups = len(self._ranked) + self._dcg_count + len(self._ideal) + len(self._last)
        return groups * len(self._runs)

    def work(self) -> Iterator[None]:
        """Fill in refusals and values, step by step; the runs take turns, for they share much."""
        held = [_Held.empty(graded, self._dcg_count, len(self._ideal)) for graded in self._runs]
        everyone = range(len(self._runs))
        for rows, groups in self._ranked:
            for run in everyone:
                self._refuse(run, rows)
                yield
            for group, run in product(groups, everyone):
                self._sum_ranking(run, group, held[run])
                yield
        unions: list[Union] = []
        for group, run in product(self._ideal, everyone):
            self._sum_ideal(run, group, held[run], unions)
            yield
        for group, run in product(self._last, everyone):
            self._average(run, group, held[run])
            yield

    def _refuse(self, run: int, rows: Rows) -> None:
        for check in CHECKS:
            for group in self._rules.grouped(self._open(run, rows), check.fields):
                if _refuses(check, self._runs[run], self._policy(group)):
                    self._found.refused[group, run] = True

    def _sum_ranking(self, run: int, group: Rows, held: "_Held") -> None:
        if not len(rows := self._open(run, group)):
            return
        graded, policy = self._runs[run], shown(settled(self._policy(rows)), DCG_FIELDS)
        at = self._dcg_at[rows[0]]
        held.dcg[at] = query_dcg(graded, policy)
        held.length[at] = final_ranking(graded, policy).length
        held.gainful[at] = gainful(graded.judgments, policy)

    def _sum_ideal(self, run: int, group: Rows, held: "_Held", unions: list[Union]) -> None:
        if not len(rows := self._open(run, group)):
            return
        policy = shown(self._policy(rows), IDCG_FIELDS)
        united = None
        if policy.ideal_scope == "any_run":
            # Held on to, so that the next run finds it.
            unions.append(united := returned_by_any(self._runs, policy))
        held.idcg[self._idcg_at[rows[0]]] = query_idcg(
            self._runs[run], held.length[self._dcg_at[rows[0]]], policy, united=united
        )

    def _average(self, run: int, group: Rows, held: "_Held") -> None:
        graded, policy = self._runs[run], shown(self._policy(group), _LAST_FIELDS)
        rows = self._open(run, group)
        most = max(1, _AT_ONCE // max(1, held.dcg.shape[1]))
        for some in (rows[at : at + most] for at in range(0, len(rows), most)):
            ranked = self._dcg_at[some]
            sums = QuerySums(
                dcg=held.dcg[ranked],
                idcg=held.idcg[self._idcg_at[some]],
                no_documents=held.length[ranked] == 0,
                gainful=held.gainful[ranked],
            )
            ndcg = query_ndcg(graded, sums, policy)
            self._found.values[some, run] = headlines(
                graded, policy, ndcg=ndcg, dcg=sums.dcg, idcg=sums.idcg
            )

    def _open(self, run: int, rows: Rows) -> Rows:
        return rows[~self._found.refused[rows, run]]

    def _policy(self, rows: Rows) -> Policy:
        return self._rules.policies[rows[0]]


@dataclass(frozen=True, eq=False)
class _Held:
    """The sums of one run: a row for each group, of shape (groups, queries)."""

    dcg: Float
    length: NDArray[np.int64]
    gainful: NDArray[np.bool_]
    idcg: Float

    @classmethod
    def empty(cls, graded: GradedRun, rankings: int, ideals: int) -> "_Held":
        queries = len(graded.judgments.query_ids)
        ranked = (rankings, queries)
        return cls(
            np.zeros(ranked),
            np.zeros(ranked, dtype=np.int64),
            np.zeros(ranked, dtype=bool),
            np.zeros((ideals, queries)),
        )


def _numbers(groups: list[Rows], rule_sets: int) -> Rows:
    """Number of the group of each rule set, shape (rule sets,); 0 where it is in none."""
    number = np.zeros(rule_sets, dtype=np.int64)
    for at, rows in enumerate(groups):
        number[rows] = at
    return number


def _refuses(check: Check, graded: GradedRun, policy: Policy) -> bool:
    try:
        return check(graded, policy) is not None
    except EvaluationError:
        return True
