"""What a reader has to be told of runs: all of it, and what must not be missed."""

from collections.abc import Sequence

from core.blocks import Block
from core.findings import run_findings
from core.grades import GradedRun

_ROWS = 200_000
_AGAINST = {
    "rises": "scores rise with the rank, as distances do, and the highest counts as best",
    "mixed": "scores go up and down along the rank column",
}


def notices(graded: GradedRun) -> tuple[str, ...]:
    """All there is to say of a run beside its numbers, one sentence each."""
    return (*graded.notices, *_near_ids(graded), *_score_order(graded))


def warnings(runs: Sequence[GradedRun]) -> tuple[str, ...]:
    """Those notices that cast doubt on a number under any policy, gravest first, each once.

    First documents and ids that do not meet: the files may not belong together. Then scores that
    contradict the ranks, and queries that only one of the two files has. What a reader skipped or
    guessed is a notice, and no warning.
    """
    grave = [text for one in runs for text in (*_none_judged(one), *_near_ids(one))]
    grave += [text for one in runs for text in _score_order(one)]
    return tuple(dict.fromkeys([*grave, *(text for one in runs for text in one.gaps)]))


def _none_judged(graded: GradedRun) -> tuple[str, ...]:
    return (graded.mismatch,) if graded.mismatch else ()


def _near_ids(graded: GradedRun) -> tuple[str, ...]:
    return graded.id_hints.sentences(graded.run.source, graded.judgments.source)


def _score_order(graded: GradedRun) -> tuple[str, ...]:
    """Say where scores contradict the ranks or the list, or tell nothing apart.

    Looks at the first results alone: what a score means is the same in the whole file.
    """
    found = run_findings(_first(graded.run.blocks))
    source = graded.run.source
    if found.direction == "equal":
        return (f"{source}: all scores of a query are equal; ties decide its whole order.",)
    if found.direction not in _AGAINST or (found.along == "list" and found.direction == "mixed"):
        return ()
    other = "rank_column" if found.along == "rank" else "as_listed"
    said = _AGAINST[found.direction]
    if found.along == "list":
        said = said.replace("with the rank", "in the order listed")
    return (f"{source}: {said}. For the other order: --set order={other}.",)


def _first(blocks: Sequence[Block]) -> list[Block]:
    """Return the first blocks, up to some number of results, and at least one."""
    first: list[Block] = []
    for block in blocks:
        if first and sum(map(len, first)) + len(block) > _ROWS:
            break
        first.append(block)
    return first
