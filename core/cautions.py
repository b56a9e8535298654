"""What a reader has to be told of runs: all of it, and what must not be missed."""

from collections.abc import Sequence

from core.grades import GradedRun

_ALL_EQUAL = "all scores of a query are equal; ties decide its whole order."
# What is odd about scores, by how they run and along what. Lists in no order of score are usual.
_SCORES = {
    ("equal", "rank"): _ALL_EQUAL,
    ("equal", "list"): _ALL_EQUAL,
    ("rises", "rank"): "scores rise with the rank, as distances do, and the highest counts as "
    "best. For the other order: --set order=rank_column.",
    ("rises", "list"): "scores rise in the order listed, as distances do, and the highest counts "
    "as best. For the other order: --set order=as_listed.",
    ("mixed", "rank"): "scores go up and down along the rank column. "
    "For the other order: --set order=rank_column.",
}


def notices(graded: GradedRun) -> tuple[str, ...]:
    """All there is to say of a run beside its numbers, one sentence each."""
    return (*graded.notices, *_near_ids(graded), *_score_order(graded))


def warnings(runs: Sequence[GradedRun]) -> tuple[str, ...]:
    """Those notices that cast doubt on a number under any policy, gravest first, each once.

    First judgments given as a run, and documents and ids that do not meet: the files may not be the
    right ones. Then scores that contradict the ranks, and queries that only one of the two files
    has. What a reader skipped or guessed is a notice, and no warning.
    """
    grave = [text for one in runs for text in (*_wrong_file(one), *_near_ids(one))]
    grave += [text for one in runs for text in _score_order(one)]
    return tuple(dict.fromkeys([*grave, *(text for one in runs for text in one.gaps)]))


def _wrong_file(graded: GradedRun) -> tuple[str, ...]:
    return tuple(filter(None, (graded.copy, graded.mismatch)))


def _near_ids(graded: GradedRun) -> tuple[str, ...]:
    return graded.id_hints.sentences(graded.run.source, graded.judgments.source)


def _score_order(graded: GradedRun) -> tuple[str, ...]:
    """Say where scores contradict the ranks or the list, or tell nothing apart."""
    found = graded.first_findings
    said = _SCORES.get((found.direction, found.along))
    return (f"{graded.run.source}: {said}",) if said else ()
