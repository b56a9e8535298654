"""What a reader has to be told of runs: all of it, and what must not be missed."""

from collections.abc import Sequence

from core.grades import GradedRun


def notices(graded: GradedRun) -> tuple[str, ...]:
    """All there is to say of a run beside its numbers, one sentence each."""
    return (*graded.notices, *_near_ids(graded))


def warnings(runs: Sequence[GradedRun]) -> tuple[str, ...]:
    """Those notices that cast doubt on a number under any policy, gravest first, each once.

    First documents and ids that do not meet: the files may not belong together. Then queries that
    only one of the two files has. What a reader skipped or guessed is a notice, and no warning.
    """
    grave = [text for one in runs for text in (*_none_judged(one), *_near_ids(one))]
    return tuple(dict.fromkeys([*grave, *(text for one in runs for text in one.gaps)]))


def _none_judged(graded: GradedRun) -> tuple[str, ...]:
    return (graded.mismatch,) if graded.mismatch else ()


def _near_ids(graded: GradedRun) -> tuple[str, ...]:
    return graded.id_hints.sentences(graded.run.source, graded.judgments.source)
