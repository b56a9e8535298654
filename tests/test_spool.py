"""The spool: what is put comes back, from memory or from the disk; a full disk loses nothing."""

import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks import Block, RunBlock
from core.formats import read_run
from core.grades import join
from core.ids import Ids
from core.judgments import Judgments
from core.spool import Spool

Row = tuple[str, float, int]


def block_of(
    results: dict[str, list[Row]], *, scored: bool = True, ranked: bool = True
) -> RunBlock:
    rows = [row for listed in results.values() for row in listed]
    return RunBlock(
        query_ids=tuple(results),
        starts=np.cumsum([0, *map(len, results.values())]),
        documents=Ids.from_strings(document for document, _, _ in rows),
        scores=np.array([score for _, score, _ in rows], dtype=np.float64) if scored else None,
        ranks=np.array([rank for _, _, rank in rows], dtype=np.int32) if ranked else None,
    )


def content(block: Block) -> list[object]:
    found = block.loaded()
    return [
        found.query_ids,
        found.starts.tolist(),
        list(found.documents),
        None if found.scores is None else found.scores.tolist(),
        None if found.ranks is None else found.ranks.tolist(),
    ]


blocks = st.builds(
    lambda results, scored, ranked: block_of(results, scored=scored, ranked=ranked),
    st.dictionaries(
        st.sampled_from(["q1", "q2", "", "é"]),
        st.lists(
            st.tuples(st.text(max_size=12), st.floats(allow_nan=False), st.integers(-9, 9)),
            max_size=4,
        ),
    ),
    st.booleans(),
    st.booleans(),
)


@pytest.mark.parametrize("most", [0, 60, 1 << 20], ids=["disk", "both", "memory"])
@given(several=st.lists(blocks, max_size=4))
def test_what_is_put_comes_back(several: list[RunBlock], most: int) -> None:
    spool = Spool(most)
    kept = [spool.put(block) for block in several]
    assert [content(block) for block in kept] == [content(block) for block in several]
    for stored, block in zip(kept, several, strict=True):
        assert len(stored) == len(block)
        assert (stored.has_scores, stored.has_ranks) == (block.has_scores, block.has_ranks)


def test_part_of_a_larger_block_takes_no_more_room_than_its_own_rows() -> None:
    whole = block_of({f"q{at}": [("d" * 1_000, 1.0, 1)] for at in range(100)})
    part = whole.selected(np.array([5, 90]))
    for most in (0, 1 << 20):
        kept = Spool(most).put(part)
        assert content(kept) == content(part)
        assert len(kept.loaded().documents.data) == 2_008


def test_threads_put_and_read_at_once() -> None:
    spool = Spool(0)
    several = [
        block_of({f"q{at}": [(f"d{at}-{row}", row, 1) for row in range(at)]}) for at in range(90)
    ]
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(spool.put, several))
        found = list(pool.map(content, kept))
    assert found == [content(block) for block in several]


def test_full_disk_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def seek(self, at: int) -> int:
            return at

        def close(self) -> None:
            pass

        def fileno(self) -> int:
            raise OSError("No space left on device")

        write = flush = tell = fileno

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    spool, block = Spool(0), block_of({"q": [("d", 1.0, 1)]})
    for _ in range(2):
        kept = spool.put(block)
        assert isinstance(kept, RunBlock)
        assert content(kept) == content(block)


def test_large_run_is_scored_from_the_disk() -> None:
    """More than stays in memory, of which one query spans the parts that are read."""
    lines = [f"q{at // 90_000} Q0 doc-{at} {at} {400_000 - at} tag\n" for at in range(400_000)]
    run = read_run("".join(lines).encode(), source="f.run")
    assert any(not isinstance(block, RunBlock) for block in run.blocks)
    judgments = Judgments.from_dict({"q0": {"doc-0": 1}, "q4": {"doc-399999": 2, "doc-0": 1}})
    graded = join(run, judgments)
    assert graded.hits.judgment.tolist() == [0, 1]
    assert graded.hits.placements["float64"].above.tolist() == [0, 39_999]
    assert graded.retrieved.tolist() == [90_000, 40_000]
    found = run.block_of("q1")
    assert found is not None
    assert len(found) == 90_000
    assert found.documents[89_999] == "doc-179999"
